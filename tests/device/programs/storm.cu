// Storms of launches, as a program and as a library (nvcc -shared -Xcompiler -fPIC) whose functions give ns per launch:
// Storm(launches): an empty kernel, one launch after the other. Paced(launches, work_ns): a tiny kernel, host work between launches.
// Program: storm [BLOCKS [LAUNCHES [WORK_NS]]] prints the median over the blocks.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

__global__ void empty() {}

double Since(Clock::time_point start, int launches) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / launches;
}

}  // namespace

extern "C" double Storm(int launches) {
  const auto start = Clock::now();
  for (int i = 0; i < launches; ++i) empty<<<1, 32>>>();
  const double ns = Since(start, launches);
  return cudaDeviceSynchronize() == cudaSuccess ? ns : -1;
}

extern "C" double Paced(int launches, int work_ns) {
  const auto start = Clock::now();
  for (int i = 0; i < launches; ++i) {
    empty<<<1, 256>>>();
    const auto until = Clock::now() + std::chrono::nanoseconds(work_ns);
    while (Clock::now() < until) {}
  }
  if (cudaDeviceSynchronize() != cudaSuccess) return -1;
  return Since(start, launches);
}

int main(int argc, char** argv) {
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 15, launches = argc > 2 ? std::atoi(argv[2]) : 20000;
  const int work_ns = argc > 3 ? std::atoi(argv[3]) : 0;
  std::vector<double> ns;
  for (int block = -1; block < blocks; ++block) {
    const double took = work_ns > 0 ? Paced(launches, work_ns) : Storm(launches);
    if (took < 0) return 1;
    if (block >= 0) ns.push_back(took);
  }
  std::sort(ns.begin(), ns.end());
  std::printf("%.0f\n", ns[ns.size() / 2]);
}
