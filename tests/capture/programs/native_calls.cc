// A program without Python whose stacks are known. Built without frame pointers.
//   native_calls busy MS        main: Run > (static) Prepare > std::sort
//   native_calls threads N MS   N threads: Worker > Burn
//   native_calls ends MS        threads that live for 5 ms each, one after the other
//   native_calls forks MS       a child computes, the parent waits
//   native_calls sleeps MS      main: Pause > usleep
//   native_calls work N COUNT   N threads do the same work; prints the processor time that it took, in ms
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace shop {

// Milliseconds of the processor that the thread has had: a busy machine makes it last longer, not do less.
int64_t UsedMs() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return int64_t{used.tv_sec} * 1000 + used.tv_nsec / 1'000'000;
}

// Keeps a call from becoming a jump.
#define KEEP_FRAME asm volatile("" ::: "memory")

[[gnu::noinline]] uint64_t Burn(uint64_t seed) {
  for (int i = 0; i < 20000; ++i) seed = seed * 6364136223846793005ULL + (seed >> 7U);
  KEEP_FRAME;
  return seed;
}

[[gnu::noinline]] static uint64_t Prepare(uint64_t seed, std::vector<uint64_t>* numbers) {
  for (uint64_t& number : *numbers) number = seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  std::sort(numbers->begin(), numbers->end(), [](uint64_t a, uint64_t b) { return a % 1000003 < b % 1000003; });
  KEEP_FRAME;
  return numbers->front();
}

[[gnu::noinline]] static void Pause(int ms) {
  usleep(static_cast<unsigned>(ms) * 1000);
  KEEP_FRAME;
}

struct Server {
  template <typename Number>
  [[gnu::noinline]] Number Run(int ms, Number seed) {
    std::vector<uint64_t> numbers(20000);
    const int64_t end = UsedMs() + ms;
    while (UsedMs() < end) seed += Prepare(seed, &numbers);
    KEEP_FRAME;
    return seed;
  }
};

[[gnu::noinline]] uint64_t Worker(int ms, uint64_t seed) {
  const int64_t end = UsedMs() + ms;
  while (UsedMs() < end) seed += Burn(seed);
  KEEP_FRAME;
  return seed;
}

}  // namespace shop

int main(int count, char** words) {
  const std::string mode = count > 1 ? words[1] : "busy";
  const int ms = std::atoi(words[count - 1]);
  volatile uint64_t sum = 0;
  if (mode == "busy") {
    sum = shop::Server().Run<uint64_t>(ms, 1);
  } else if (mode == "threads") {
    std::vector<std::thread> threads;
    for (int i = 0; i < std::atoi(words[2]); ++i) threads.emplace_back([ms, i] { shop::Worker(ms, uint64_t(i)); });
    for (std::thread& thread : threads) thread.join();
  } else if (mode == "ends") {
    for (int done = 0; done < ms; done += 5) std::thread([] { shop::Worker(5, 1); }).join();
  } else if (mode == "sleeps") {
    shop::Pause(ms);
  } else if (mode == "work") {
    std::vector<std::thread> threads;
    std::vector<int64_t> used(static_cast<size_t>(std::atoi(words[2])));
    for (int64_t& own : used) {
      threads.emplace_back([ms, &own, &sum] {
        uint64_t seed = 1;
        for (int i = 0; i < ms; ++i) seed += shop::Burn(seed);
        if (seed == 0) sum = seed;
        own = shop::UsedMs();
      });
    }
    for (std::thread& thread : threads) thread.join();
    int64_t total_ms = 0;
    for (const int64_t own : used) total_ms += own;
    std::printf("%lld\n", static_cast<long long>(total_ms));
  } else {
    const pid_t child = fork();
    if (child == 0) {
      sum = shop::Worker(ms, 7);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  return sum == 1 ? 1 : 0;
}
