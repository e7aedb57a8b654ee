// WaitStream: waits.capture, the waits of threads whose begin and end the kernel told exactly. A file of its own,
// because what host.capture tells is sampled. [one thread]
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "wire/stream_file.h"

namespace warpscope::record::host {

class WaitStream {
 public:
  bool Open(const std::string& folder) { return file_.Open(folder.c_str(), "waits", 0); }
  bool is_open() const { return file_.is_open(); }
  // `call` is the system call, "" if unknown.
  void Wait(int pid, int tid, const std::string& call, int64_t start_ns, int64_t dur_ns);
  void Lost(uint64_t count, int64_t time_ns);
  void Flush() { file_.Flush(); }
  void Close(int64_t time_ns);

 private:
  uint64_t Text(const std::string& text);
  uint64_t Thread(int pid, int tid);

  wire::StreamFile file_;
  std::map<std::string, uint64_t> texts_;
  std::map<std::pair<int, int>, uint64_t> threads_;
  uint64_t rows_ = 0;
};

}  // namespace warpscope::record::host
