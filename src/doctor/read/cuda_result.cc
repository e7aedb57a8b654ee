// What cuInit and counting devices answered, by number or name.
#include <algorithm>

#include "device/cuda_probe.h"
#include "doctor/read/line_reader.h"
#include "doctor/words.h"

namespace warpscope::doctor::read {
namespace {

constexpr int kResults[] = {34, 46, 100, 304, 802, 803, 804, 999};  // that concern the start
constexpr std::string_view kCalls[] = {"cuInit", "cudaGetDeviceCount", "cuDeviceGetCount", "torch._C._cuda_init",
                                       "driver library init failure"};

class CudaResult final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override {
    return {"CUDA_ERROR",          "Error 802",  "cuInit",       "GetDeviceCount",
            "not yet initialized", "_cuda_init", "library init", "initialize CUDA"};
  }
  bool MayBeError() const override { return true; }
  bool Line(std::string_view line, Machine& machine) override {
    for (const int result : kResults) {
      const std::string name = device::NameOfCudaResult(result);
      const bool is_named =
          name != "CUDA_ERROR_NO_DEVICE" && name != "CUDA_ERROR_UNKNOWN" && line.find(name) != std::string_view::npos;
      if (is_named) return Take(result, machine);
    }
    if (line.find("system not yet initialized") != std::string_view::npos) return Take(802, machine);
    // llama.cpp: "ggml_cuda_init: failed to initialize CUDA: unknown error".
    if (const auto words = Behind(line, "failed to initialize CUDA:"); words && words->starts_with("unknown error"))
      return Take(999, machine);
    for (const std::string_view call : kCalls) {
      const auto rest = Behind(line, call);
      if (!rest) continue;
      constexpr size_t kNear =
          80;  // the number stands near the call: "cuInit(0) = 999", "cuInit failed with error 999"
      for (const std::string_view word : Words(rest->substr(0, kNear))) {
        size_t begin = word.find_first_of("0123456789");
        if (begin == std::string_view::npos) continue;
        const size_t end = std::min(word.find_first_not_of("0123456789", begin), word.size());
        const auto number = Count(word.substr(begin, end - begin));
        if (number && std::find(std::begin(kResults), std::end(kResults),
                                static_cast<int>(std::min<uint64_t>(*number, 100000))) != std::end(kResults))
          return Take(static_cast<int>(*number), machine);
      }
      if (rest->substr(0, kNear).find("CUDA_ERROR_UNKNOWN") != std::string_view::npos) return Take(999, machine);
      if (rest->substr(0, kNear).find("CUDA_ERROR_NO_DEVICE") != std::string_view::npos) return Take(100, machine);
    }
    return false;
  }

 private:
  static bool Take(int result, Machine& machine) {
    if (!machine.cuda) machine.cuda.emplace();
    machine.cuda->loaded = true;
    machine.cuda->result = result;
    return true;
  }
};

}  // namespace

std::unique_ptr<LineReader> Make_cuda_result() { return std::make_unique<CudaResult>(); }

}  // namespace warpscope::doctor::read
