// When a program is recorded and how it ends: windows, forks, descriptors, ends of every kind.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "scenarios.h"

namespace {

void* g_fake = nullptr;
void (*g_launch)(const char*, uint32_t, int);
void (*g_hand_over)();

template <typename F>
F* Get(const char* name) {
  return reinterpret_cast<F*>(dlsym(g_fake, name));
}

void Launch(const char* name, int count) {
  for (int i = 0; i < count; ++i) g_launch(name, 16, 0);
}
void PauseMs(int ms) { usleep(static_cast<useconds_t>(ms) * 1000); }

// Launches for so long, a kernel each millisecond, named by the tenth of a second in which it was launched.
void LaunchFor(int ms) {
  const char* const names[] = {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9"};
  for (int i = 0; i < ms; ++i) {
    g_launch(names[i / 100 % 10], 16, 0);
    PauseMs(1);
  }
}

// A tool in the program takes CUPTI's callbacks over, and frees what is completed to it: also the buffers that are not
// its own.
void RequestOwn(uint8_t** buffer, size_t* size, size_t* most) {
  *most = 0;
  *size = 65536;
  *buffer = static_cast<uint8_t*>(malloc(*size));
}
void CompleteAndFree(void*, uint32_t, uint8_t* buffer, size_t, size_t) { free(buffer); }

int FreedByOther(int count) {
  using Request = void(uint8_t**, size_t*, size_t*);
  using Complete = void(void*, uint32_t, uint8_t*, size_t, size_t);
  Launch("before", count);
  Get<int(Request*, Complete*)>("cuptiActivityRegisterCallbacks")(RequestOwn, CompleteAndFree);
  Launch("after", count);
  g_hand_over();
  Launch("after", count);
  return 3;
}

int Steps(void* agent, int count) {
  if (!InstallNvtxTables(agent)) return 98;
  for (int step = 0; step < count; ++step) {
    const std::string name = "step_kernel_" + std::to_string(step);
    Launch("between", 5);
    PushNvtx("step");
    PushNvtx("inner");
    Launch(strdup(name.c_str()), 10);  // CUPTI's names live for ever
    PopNvtx();
    PopNvtx();
  }
  return 3;
}

int Profiled(int count) {
  auto* profiler = Get<void(int)>("fakeProfiler");
  for (int i = 0; i < 3; ++i) {
    Launch("outside", count);
    profiler(1);
    Launch("inside", count);
    profiler(0);
  }
  Launch("outside", count);
  return 3;
}

// The child execs a program that uses CUDA of its own, or goes on by itself.
int ForkThreads(int count) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&stop] {
      while (!stop) g_launch("busy", 16, 0);
    });
  }
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      PushNvtx("child");
      PopNvtx();
      _exit(5);
    }
    int state = 0;
    waitpid(child, &state, 0);
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 5) ++wrong;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  return wrong == 0 ? 3 : 91;
}

int ForkExec(char** argv, int count) {
  Launch("parent", count);
  const pid_t child = fork();
  if (child == 0) {
    char* const words[] = {argv[0], argv[1], argv[2], strdup("kernels"), argv[4], nullptr};
    execv(words[0], words);
    _exit(90);
  }
  int state = 0;
  waitpid(child, &state, 0);
  return WIFEXITED(state) && WEXITSTATUS(state) == 3 ? 3 : 91;
}

// Closes everything, opens files of its own under whatever numbers come, and looks that nobody else wrote into them.
int Descriptors(int count) {
  Launch("before", count);
  g_hand_over();
  PauseMs(60);
  syscall(SYS_close_range, 3U, ~0U, 0U);
  char path[] = "/tmp/warpscope_own_XXXXXX";
  const int own = mkstemp(path);
  for (int number = 4; number < 800; ++number) dup2(own, number);
  Launch("after", count);
  g_hand_over();
  PauseMs(60);
  const off_t size = lseek(own, 0, SEEK_END);
  unlink(path);
  return size == 0 ? 3 : 91;
}

int TooLarge(int count) {
  const rlimit limit = {4096, 4096};
  setrlimit(RLIMIT_FSIZE, &limit);
  for (int i = 0; i < 5; ++i) {
    Launch("large", count);
    g_hand_over();
    PauseMs(30);
  }
  return 3;
}

int EndBy(const std::string& how, int count) {
  bool known = false;
  for (const char* way : {"quick_exit", "abort", "term", "segv", "exit_in_thread", "chdir", "chroot"})
    known = known || how == way;
  if (!known) return -1;
  Launch("last", count);
  if (how == "quick_exit") quick_exit(7);
  if (how == "abort") abort();
  if (how == "term") raise(SIGTERM);
  if (how == "segv") raise(SIGSEGV);
  if (how == "exit_in_thread") std::thread([] { exit(7); }).join();
  if (how == "chdir") return chdir("/") == 0 ? 3 : 91;
  if (how == "chroot") return chroot("/tmp") == 0 || getuid() != 0 ? 3 : 91;
  return -1;
}

// Eight threads at once, each with kernels of its own name.
int EightThreads(int count) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    const char* name = strdup(("thread_" + std::to_string(t)).c_str());
    threads.emplace_back([name, count] { Launch(name, count); });
  }
  for (std::thread& thread : threads) thread.join();
  return 3;
}

// From now on no file can be opened or asked about.
int Seccomp(int count) {
  const sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_newfstatat, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  const sock_fprog program = {sizeof(filter) / sizeof(*filter), const_cast<sock_filter*>(filter)};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return 3;
  Launch("fenced", count);
  g_hand_over();
  PauseMs(100);
  return 3;
}

// Outlives the launcher: it is told to the parent only when the daemon has its own session.
int Daemon(int count) {
  if (fork() != 0) {
    PauseMs(50);
    _exit(3);
  }
  setsid();
  (void)count;
  return 3;
}

// Launches without end, and keeps the moment of the last launch in the page that KILL_PAGE names (see kill_test.py).
int Storm() {
  const char* path = getenv("KILL_PAGE");
  const int descriptor = path == nullptr ? -1 : open(path, O_RDWR | O_CLOEXEC);
  void* memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return 91;
  auto* page = static_cast<volatile int64_t*>(memory);  // last launch, pid, first launch
  const auto now_ns = [] {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
  };
  page[2] = now_ns();
  for (;;) {
    for (int i = 0; i < 5; ++i) g_launch("storm", 16, 0);
    page[0] = now_ns();
    page[1] = getpid();
    usleep(200);
  }
}

}  // namespace

int RunLife(const std::string& scenario, void* fake, void* agent, int count) {
  g_fake = fake;
  g_launch = Get<void(const char*, uint32_t, int)>("fakeLaunch");
  g_hand_over = Get<void()>("fakeHandOver");
  if (scenario == "steps") return Steps(agent, count);
  if (scenario == "profiled") return Profiled(count);
  if (scenario == "lasting") return LaunchFor(count), 3;
  if (scenario == "sparse") {  // a launch each 12 ms: fewer in a phase of the budget than it asks for
    for (int i = 0; i < count; ++i) g_launch("sparse", 16, 0), PauseMs(12);
    return 3;
  }
  if (scenario == "fork_threads") return InstallNvtxTables(agent) ? ForkThreads(count) : 98;
  if (scenario == "fork_exec") return ForkExec(g_argv, count);
  if (scenario == "descriptors") return Descriptors(count);
  if (scenario == "too_large") return TooLarge(count);
  if (scenario == "daemon") return Daemon(count);
  if (scenario == "eight_threads") return EightThreads(count);
  if (scenario == "seccomp") return Seccomp(count);
  if (scenario == "storm") return Storm();
  if (scenario == "steady") {  // launches for `count` ms, handed over all the time
    for (int i = 0; i < count / 10; ++i) {
      Launch("steady", 5);
      g_hand_over();
      PauseMs(10);
    }
    return 3;
  }
  if (scenario == "twice") {
    Launch("twice", count);
    Get<void()>("fakeCompleteTwice")();
    return 3;
  }
  if (scenario == "taken_over_later") {
    Launch("heard", count);
    Get<void()>("fakeTakeOver")();
    PauseMs(1300);
    Launch("lost", count);
    return 3;
  }
  if (scenario == "taken_over") {
    Get<void()>("fakeTakeOver")();
    Launch("lost", count);
    return 3;
  }
  if (scenario == "freed_by_other") return FreedByOther(count);
  if (scenario == "pile_of_bad_times") {
    for (int i = 0; i < 60; ++i) {
      for (int k = 0; k < count; ++k) g_launch("broken", 16, 1);
      g_hand_over();
      PauseMs(20);
    }
    return 3;
  }
  if (scenario == "folder_removed") {
    const std::string command = std::string("rm -rf '") + getenv("WARPSCOPE_RUN") + "'";
    if (system(command.c_str()) != 0) return 91;
    Launch("gone", count);
    g_hand_over();
    PauseMs(60);
    return 3;
  }
  return EndBy(scenario, count);
}
