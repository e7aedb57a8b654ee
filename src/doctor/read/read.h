// FactFiles: what was taken on another machine becomes the facts of a Machine: outputs of nvidia-smi, rocm-smi, amd-smi,
// xpu-smi and npu-smi, lspci, lsmod, ls -l /dev, ps, dmesg, systemctl, PyTorch's collect_env, ibstat and more, each alone
// or all in one text, as a bug report has them. Every text is recognised by its lines. [one thread]
// Bounded: kMostBytes of a file are read; lists keep so many entries.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "doctor/machine.h"

namespace warpscope::doctor {

class FactFiles {
 public:
  FactFiles();
  ~FactFiles();
  FactFiles(const FactFiles&) = delete;
  FactFiles& operator=(const FactFiles&) = delete;

  static constexpr size_t kMostBytes = size_t{64} << 20;

  // gzip is inflated; "-" is standard input.
  Status AddFile(const std::string& path);
  // The same on text in memory. `name` stands for the path.
  void AddText(std::string_view text, const std::string& name);
  // Once, after the last.
  Machine Finish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace warpscope::doctor
