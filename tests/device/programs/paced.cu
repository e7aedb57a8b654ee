// Launches of tiny kernels with host work between them, as a framework in eager mode makes them: paced [MS [WORK_NS [THREADS]]]
// prints the median over blocks of 200 launches and a synchronisation, in ns per launch. THREADS more threads only exist.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

__global__ void tiny(float* x) { x[threadIdx.x] = x[threadIdx.x] * 1.01f + 0.1f; }

using Clock = std::chrono::steady_clock;

int main(int argc, char** argv) {
  const int ms = argc > 1 ? std::atoi(argv[1]) : 1000, work_ns = argc > 2 ? std::atoi(argv[2]) : 5000;
  for (int i = 0; i < (argc > 3 ? std::atoi(argv[3]) : 0); ++i)
    std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
  float* x = nullptr;
  if (cudaMalloc(&x, 4096) != cudaSuccess) return 1;
  std::vector<double> ns;
  const auto end = Clock::now() + std::chrono::milliseconds(ms);
  while (Clock::now() < end) {
    const auto start = Clock::now();
    for (int i = 0; i < 200; ++i) {
      tiny<<<1, 256>>>(x);
      const auto until = Clock::now() + std::chrono::nanoseconds(work_ns);
      while (Clock::now() < until) {}
    }
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    ns.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count() / 200);
  }
  std::sort(ns.begin(), ns.end());
  std::printf("%.0f\n", ns.empty() ? 0 : ns[ns.size() / 2]);
  std::fflush(stdout);
  std::quick_exit(0);
}
