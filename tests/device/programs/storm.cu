// A storm of launches of an empty kernel: storm [BLOCKS [LAUNCHES]] prints the median over the blocks of ns per launch.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void empty() {}

int main(int argc, char** argv) {
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 15, launches = argc > 2 ? std::atoi(argv[2]) : 20000;
  std::vector<double> ns;
  for (int block = -1; block < blocks; ++block) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i) empty<<<1, 32>>>();
    const double took = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    if (block >= 0) ns.push_back(took / launches);
  }
  std::sort(ns.begin(), ns.end());
  std::printf("%.0f\n", ns[ns.size() / 2]);
}
