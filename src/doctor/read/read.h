// FactFiles: what was taken on another machine becomes the facts of a Machine: outputs of nvidia-smi, rocm-smi,
// amd-smi, xpu-smi and npu-smi, lspci, lsmod, ls -l /dev, ps, dmesg, systemctl, PyTorch's collect_env, ibstat and more,
// each alone or all in one text, as a bug report has them. Every text is recognised by its lines. [one thread] Bounded:
// facts are looked for at the beginning of a file and at its end (Limits), faults in kMostLogBytes; lists keep
// so many entries. What was not read is told with the input.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "doctor/machine.h"

namespace warpscope::import {
class ByteSource;
}

namespace warpscope::doctor {

class FactFiles {
 public:
  // What is held of a file, for facts; tests set less.
  struct Limits {
    size_t head_bytes = size_t{64} << 20, tail_bytes = size_t{16} << 20;
  };
  explicit FactFiles(bool keeps_texts = false) : FactFiles(keeps_texts, Limits()) {}
  FactFiles(bool keeps_texts, const Limits& limits);
  ~FactFiles();
  FactFiles(const FactFiles&) = delete;
  FactFiles& operator=(const FactFiles&) = delete;

  static constexpr uint64_t kMostLogBytes = uint64_t{4} << 30;

  // gzip is inflated; "-" is standard input. What no text is (a program, an archive) tells nothing.
  Status AddFile(const std::string& path);
  // The same on text in memory. `name` stands for the path.
  void AddText(std::string_view text, const std::string& name);
  // Once, after the last.
  Machine Finish();
  // Name and text of every file, inflated, where the constructor was told to keep them.
  const std::vector<std::pair<std::string, std::string>>& texts() const { return texts_; }

 private:
  struct Parts;
  struct Rest;
  // `rest` holds what follows `head`; null if that is all.
  Status Take(std::string_view head, const std::string& name, Rest* rest);
  std::unique_ptr<Parts> parts_;
  bool keeps_texts_;
  Limits limits_;
  std::vector<std::pair<std::string, std::string>> texts_;
};

}  // namespace warpscope::doctor
