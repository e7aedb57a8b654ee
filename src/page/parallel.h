// Several independent pieces of work at once, on as many threads as the machine has cores, at most eight; none outlives
// the call. [MT]
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace warpscope::page {

// Calls `work(i)` once for each i < count, in any order.
template <typename Work>
void ForEachInParallel(size_t count, const Work& work) {
  constexpr size_t kMaxThreads = 8;
  std::atomic<size_t> next = 0;
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  const size_t threads = std::min({kMaxThreads, count, std::max<size_t>(std::thread::hardware_concurrency(), 1)});
  std::vector<std::jthread> helpers;
  for (size_t i = 1; i < threads; ++i) helpers.emplace_back(run);
  run();
}

}  // namespace warpscope::page
