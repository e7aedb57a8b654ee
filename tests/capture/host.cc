// A program to be recorded: loads the agent as the CUDA driver does, and orders records from the fake CUPTI.
// usage: capture_host AGENT FAKE SCENARIO [N]
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "scenarios.h"

namespace {

void (*g_launch)(const char*, uint32_t, int);
void (*g_synchronize)();
void (*g_hand_over)();
void (*g_drop)(size_t);
void (*g_foreign)();

template <typename F>
void Find(void* library, const char* name, F** function) {
  *function = reinterpret_cast<F*>(dlsym(library, name));
  if (*function == nullptr) {
    std::fprintf(stderr, "%s is missing\n", name);
    std::exit(90);
  }
}

void Launch(int count) {
  for (int i = 0; i < count; ++i) g_launch(i % 2 == 0 ? "even_kernel" : "odd_kernel", 16, 0);
}

// Another thread has to be seen before its launches are told apart.
void Pause(int ms) { usleep(static_cast<useconds_t>(ms) * 1000); }

int Threads(int count) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([count] {
      Pause(400);
      Launch(count);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}

int Fork(int count) {
  Launch(count);
  const pid_t child = fork();
  if (child == 0) {
    Launch(count);  // the child's CUPTI state is dead: nothing of this may reach the parent's file
    _exit(5);
  }
  int state = 0;
  waitpid(child, &state, 0);
  Launch(count);
  return WIFEXITED(state) && WEXITSTATUS(state) == 5 ? 0 : 91;
}

int Killed(int count) {
  Launch(count);
  g_hand_over();
  Pause(300);
  Launch(count);  // these are not handed over: they are the loss
  kill(getpid(), SIGKILL);
  return 92;
}

}  // namespace

char** g_argv = nullptr;

int main(int argc, char** argv) {
  if (argc < 4) return 93;
  g_argv = argv;
  const std::string scenario = argv[3];
  const int count = argc > 4 ? std::atoi(argv[4]) : 10;
  void* fake = dlopen(argv[2], RTLD_NOW);
  if (fake == nullptr) return 94;
  Find(fake, "fakeLaunch", &g_launch);
  Find(fake, "fakeSynchronize", &g_synchronize);
  Find(fake, "fakeHandOver", &g_hand_over);
  Find(fake, "fakeDrop", &g_drop);
  Find(fake, "fakeForeignBuffer", &g_foreign);
  void* agent = dlopen(argv[1], RTLD_NOW);
  if (agent == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 95;
  }
  int (*initialize)() = nullptr;
  Find(agent, "InitializeInjection", &initialize);
  if (initialize() != 1 || initialize() != 1) return 96;
  if (scenario == "kernels") Launch(count);
  else if (scenario == "threads") return Threads(count);
  else if (scenario == "fork") return Fork(count);
  else if (scenario == "killed") return Killed(count);
  else if (scenario == "abrupt") {
    Launch(count);
    _exit(7);
  } else if (scenario == "calls") {
    for (int i = 0; i < count; ++i) g_synchronize();
  } else if (scenario == "drops") {
    Launch(count);
    g_drop(123);
    g_hand_over();
  } else if (scenario == "bad_times") {
    for (int i = 0; i < count; ++i) g_launch("broken_kernel", 1, 1);
    Launch(count);
  } else if (scenario == "foreign") {
    g_foreign();
    Launch(count);
  } else if (const int code = RunKinds(scenario, fake, count); code >= 0) {
    return code;
  } else if (const int counters_code = RunCounters(scenario, fake, count); counters_code >= 0) {
    return counters_code;
  } else if (const int life_code = RunLife(scenario, fake, agent, count); life_code >= 0) {
    return life_code;
  } else if (const int pc_code = RunPc(scenario, fake, count); pc_code >= 0) {
    return pc_code;
  } else if (const int nvtx_code = RunNvtx(scenario, agent); nvtx_code >= 0) {
    return nvtx_code;
  } else {
    return 97;
  }
  return 3;
}
