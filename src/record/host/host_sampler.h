// HostSampler: what the threads of a recorded program and its descendants do, looked at from outside at a steady rate:
// running or waiting, in which system call, in which Python function. Writes host.capture.
// [one thread] but for the sampling thread that it owns between Start() and Stop(). It reads /proc and memory; the
// program is never stopped and nothing of it is changed.
//
// Cost: a thread that waits costs one look at the ring of its switches a period (or one read of its scheduler counters,
// where the kernel gives no ring); only one that ran is looked at closer.
// If the sampler still takes more than its share of a core, it lengthens the period, and says so.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace warpscope::record::host {

struct HostOptions {
  unsigned hz = 100;
  double most_cpu_ratio = 0.02;  // of one core
};

class HostSampler {
 public:
  HostSampler(std::string run_folder, HostOptions options);
  ~HostSampler() { Stop(); }
  HostSampler(const HostSampler&) = delete;
  HostSampler& operator=(const HostSampler&) = delete;

  // Begins with that process. Does nothing if the stream cannot be made.
  void Start(int pid);
  // Returns when the stream is complete.
  void Stop();

 private:
  std::string run_folder_;
  HostOptions options_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace warpscope::record::host
