// Programs of known truth for behaviour.py; the first argument names one. Each prints what it launched and exits with
// the code that is asked for.
//   launches N [MS]            N tiny kernels, a synchronisation after each 1,000; with MS a sleep of MS after each
//   threads T N                T threads, a stream each, N kernels each
//   graph KERNELS COPIES R     a graph of those nodes, replayed R times, with a synchronisation after each
//   fork N                     no CUDA in the parent; two children: one forks, one forks and executes `launches N`
//   forkafter N                N kernels, then fork; the child only computes and leaves with 0; then N kernels more
//   exit CODE                  10 kernels, text on both outputs, then exit with CODE
//   nocuda CODE                text, then exit with CODE; CUDA is never touched
//   windows W N GAP_MS FILE    W windows: waits until FILE.go<w> is there, N kernels with a synchronisation each, then
//                              makes FILE.done<w>
//   forever                    tiny kernels and synchronisations until killed; "ready" once it runs
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

__global__ void tiny(float* x) { x[threadIdx.x] = x[threadIdx.x] * 1.01f + 0.1f; }
__global__ void from_thread(float* x) { x[threadIdx.x] += 1; }
__global__ void node(float* x) { x[threadIdx.x] *= 0.5f; }
__global__ void in_window(float* x) { x[threadIdx.x] -= 1; }

static int Number(int argc, char** argv, int at, int otherwise) { return at < argc ? std::atoi(argv[at]) : otherwise; }
static void Must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::_Exit(99);
}
static float* Buffer() {
  float* x = nullptr;
  Must(cudaMalloc(&x, 4096));
  return x;
}
static void SleepMs(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

static void Launches(int count, int sleep_ms) {
  float* x = Buffer();
  for (int i = 0; i < count; ++i) {
    tiny<<<1, 32>>>(x);
    if (i % 1000 == 999) Must(cudaDeviceSynchronize());
    if (sleep_ms > 0) SleepMs(sleep_ms);
  }
  Must(cudaDeviceSynchronize());
  std::printf("launched %d\n", count);
}

static void Threads(int threads, int count) {
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([count] {
      cudaStream_t stream;
      Must(cudaStreamCreate(&stream));
      float* x = Buffer();
      for (int i = 0; i < count; ++i) from_thread<<<1, 32, 0, stream>>>(x);
      Must(cudaStreamSynchronize(stream));
    });
  for (auto& thread : all) thread.join();
  std::printf("launched %d\n", threads * count);
}

static void Graph(int kernels, int copies, int replays) {
  float *x = Buffer(), *y = Buffer();
  cudaStream_t stream;
  Must(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  Must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < kernels; ++i) node<<<1, 32, 0, stream>>>(x);
  for (int i = 0; i < copies; ++i) Must(cudaMemcpyAsync(y, x, 4096, cudaMemcpyDeviceToDevice, stream));
  Must(cudaStreamEndCapture(stream, &graph));
  Must(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < replays; ++i) {
    Must(cudaGraphLaunch(exec, stream));
    Must(cudaStreamSynchronize(stream));
  }
  std::printf("launched %d\n", replays);
}

static int Fork(const char* self, int count) {
  const pid_t first = fork();
  if (first == 0) {
    Launches(count, 0);
    std::fflush(stdout);
    std::exit(0);
  }
  const pid_t second = fork();
  if (second == 0) {
    execl(self, self, "launches", std::to_string(count).c_str(), static_cast<char*>(nullptr));
    std::_Exit(98);
  }
  int status = 0, worst = 0;
  for (const pid_t pid : {first, second}) {
    waitpid(pid, &status, 0);
    if (status != 0) worst = 97;
  }
  return worst;
}

static int ForkAfter(int count) {
  Launches(count, 0);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    volatile double sum = 0;
    for (int i = 0; i < 1000000; ++i) sum = sum + i;
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Launches(count, 0);
  return status == 0 ? 0 : 96;
}

static bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

static void Windows(int windows, int count, int gap_ms, const std::string& file) {
  float* x = Buffer();
  tiny<<<1, 32>>>(x);
  Must(cudaDeviceSynchronize());
  std::fclose(std::fopen((file + ".ready").c_str(), "w"));
  for (int w = 0; w < windows; ++w) {
    while (!Exists(file + ".go" + std::to_string(w))) {
      tiny<<<1, 32>>>(x);  // work outside of the windows
      Must(cudaDeviceSynchronize());
      SleepMs(5);
    }
    for (int i = 0; i < count; ++i) {
      in_window<<<1, 32>>>(x);
      Must(cudaDeviceSynchronize());
    }
    std::fclose(std::fopen((file + ".done" + std::to_string(w)).c_str(), "w"));
    SleepMs(gap_ms);
  }
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const auto at = [&](int i, int otherwise) { return Number(argc, argv, i, otherwise); };
  int code = 0;
  if (what == "launches") Launches(at(2, 100), at(3, 0));
  else if (what == "threads") Threads(at(2, 8), at(3, 10000));
  else if (what == "graph") Graph(at(2, 24), at(3, 7), at(4, 3));
  else if (what == "fork") code = Fork(argv[0], at(2, 100));
  else if (what == "forkafter") code = ForkAfter(at(2, 10));
  else if (what == "windows") Windows(at(2, 6), at(3, 50), at(4, 100), argc > 5 ? argv[5] : "/tmp/windows");
  else if (what == "exit" || what == "nocuda") {
    if (what == "exit") Launches(10, 0);
    std::puts("text on standard output");
    std::fputs("text on standard error\n", stderr);
    code = at(2, 0);
  } else if (what == "forever") {
    float* x = Buffer();
    tiny<<<1, 32>>>(x);
    Must(cudaDeviceSynchronize());
    std::puts("ready");
    std::fflush(stdout);
    for (;;) {
      for (int i = 0; i < 100; ++i) tiny<<<1, 32>>>(x);
      Must(cudaDeviceSynchronize());
    }
  } else {
    std::fprintf(stderr, "%s: see the head of kernels.cu\n", argv[0]);
    code = 95;
  }
  std::fflush(stdout);
  return code;
}
