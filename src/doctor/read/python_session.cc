// What a Python prompt, IPython or `python -c` answered when it was asked for versions and devices of a framework: the
// question stands in one line, the answer in the next ones. An answer None shows as nothing in a prompt.
#include <algorithm>
#include <array>
#include <deque>

#include "doctor/read/framework_notes.h"
#include "doctor/read/line_reader.h"

namespace warpscope::doctor::read {
namespace {

enum class Asked : uint8_t {
  kTorchVersion,
  kTorchCuda,
  kTorchHip,
  kTorchAvailable,
  kTorchArchs,
  kCapability,
  kDeviceName,
  kTensorflow,
  kJax,
  kPaddle,
  kPaddleCuda,
  kTensorflowCuda
};
struct Question {
  std::string_view code;
  Asked asked;
};
constexpr std::array<Question, 12> kQuestions = {{
    {"torch.__version__", Asked::kTorchVersion},
    {"torch.version.cuda", Asked::kTorchCuda},
    {"torch.version.hip", Asked::kTorchHip},
    {"torch.cuda.is_available()", Asked::kTorchAvailable},
    {"torch.cuda.get_arch_list()", Asked::kTorchArchs},
    {"torch.cuda.get_device_capability(", Asked::kCapability},
    {"torch.cuda.get_device_name(", Asked::kDeviceName},
    {"tf.__version__", Asked::kTensorflow},
    {"jax.__version__", Asked::kJax},
    {"paddle.__version__", Asked::kPaddle},
    {"paddle.is_compiled_with_cuda()", Asked::kPaddleCuda},
    {"tf.test.is_built_with_cuda()", Asked::kTensorflowCuda},
}};

bool BeginsWithDigit(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

class PythonSession final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override { return {"torch.", "tf.", "jax.", "paddle."}; }
  bool IsOpen() const override { return !open_.empty(); }
  bool Line(std::string_view line, Machine& machine) override {
    std::string_view text = Trim(line);
    const bool is_prompt = text.starts_with(">>>") || text.starts_with("In [");
    const bool is_code =
        is_prompt || (text.find("python") != std::string_view::npos && text.find(" -c ") != std::string_view::npos);
    if (is_code) {
      // Nothing was printed for what was asked last.
      if (is_prompt && in_prompt_ && open_.size() == 1 && open_[0] == Asked::kTorchCuda)
        SetTorchCuda(TorchOf(machine), "None");
      in_prompt_ = is_prompt;
      return Ask(text);
    }
    if (open_.empty()) return false;
    if (text.starts_with("Out[") && text.find(": ") != std::string_view::npos)
      text = Trim(text.substr(text.find(": ") + 2));
    constexpr int kMostOther = 24;  // lines of warnings between question and answer
    if (!Answer(text, machine) && ++other_ > kMostOther) open_.clear();
    return false;  // an error of a program may stand here as well
  }
  void End(Machine& machine) override {
    if (capability_ != 0 || !device_.empty()) {
      if (machine.gpus.empty()) machine.gpus.emplace_back().index = 0;
      Gpu& gpu = machine.gpus.front();
      if (gpu.name.empty()) gpu.name = device_;
      if (!gpu.compute_major && capability_ != 0)
        gpu.compute_major = capability_ / 10, gpu.compute_minor = capability_ % 10;
    }
  }

 private:
  bool Ask(std::string_view code) {
    open_.clear();
    other_ = 0;
    std::vector<std::pair<size_t, Asked>> found;
    for (const Question& question : kQuestions) {
      // An assignment or a test prints nothing.
      const size_t at = code.find(question.code);
      if (at != std::string_view::npos) found.emplace_back(at, question.asked);
    }
    std::sort(found.begin(), found.end());
    for (const auto& [at, asked] : found) open_.push_back(asked);
    return !open_.empty();
  }

  bool Answer(std::string_view text, Machine& machine) {
    const std::vector<std::string_view> words = Words(text);
    if (words.empty()) return false;
    if (open_.size() > 1 && words.size() == open_.size()) {
      for (const std::string_view word : words) {
        if (!Take(open_.front(), word, machine)) return false;
        open_.pop_front();
      }
      return true;
    }
    if (!Take(open_.front(), text, machine)) return false;
    open_.pop_front();
    return true;
  }

  // False if it is no answer to that.
  bool Take(Asked asked, std::string_view text, Machine& machine) {
    const std::string_view value = Unquoted(text);
    const bool is_true = value == "True", is_bool = is_true || value == "False";
    const bool is_version = BeginsWithDigit(value) && value.find('.') != std::string_view::npos;
    switch (asked) {
      case Asked::kTorchVersion:
        if (is_version) SetTorchVersion(TorchOf(machine), value);
        return is_version;
      case Asked::kTorchCuda:
        if (!is_version && value != "None") return false;
        SetTorchCuda(TorchOf(machine), value);
        return true;
      case Asked::kTorchHip:
        if (is_version) TorchOf(machine).build = Build::kRocm;
        return is_version || value == "None";
      case Asked::kTorchAvailable:
        if (is_bool) TorchOf(machine).is_available = is_true;
        return is_bool;
      case Asked::kTorchArchs:
        if (!text.starts_with("[")) return false;
        TorchOf(machine).archs = ArchsIn(text);
        return true;
      case Asked::kCapability: return Capability(text);
      case Asked::kDeviceName:
        device_ = std::string(text.substr(0, 80));
        std::erase_if(device_, [](char c) { return c == '\'' || c == '"'; });
        return true;
      case Asked::kTensorflow: return is_version && TakeInstalled("tensorflow", value, machine);
      case Asked::kJax: return is_version && TakeInstalled("jax", value, machine);
      case Asked::kPaddle:
        if (is_version) FrameworkOf(machine, "paddle", "PaddlePaddle").version = value.substr(0, 40);
        return is_version;
      case Asked::kPaddleCuda:
        if (is_bool) FrameworkOf(machine, "paddle", "PaddlePaddle").build = is_true ? Build::kCuda : Build::kCpu;
        return is_bool;
      case Asked::kTensorflowCuda:
        if (is_bool) FrameworkOf(machine, "tensorflow", "TensorFlow").build = is_true ? Build::kCuda : Build::kCpu;
        return is_bool;
    }
    return false;
  }

  // "(12, 0)".
  bool Capability(std::string_view text) {
    const size_t comma = text.find(',');
    if (!text.starts_with("(") || comma == std::string_view::npos) return false;
    const std::string_view rest = Trim(text.substr(comma + 1));
    const auto major = Count(Trim(text.substr(1, comma - 1))), minor = Count(rest.substr(0, rest.find(')')));
    constexpr uint64_t kMostMajor = 20;
    if (!major || !minor || *major > kMostMajor || *minor > 9) return false;
    capability_ = static_cast<int>(*major * 10 + *minor);
    return true;
  }

  std::deque<Asked> open_;  // what was asked and not answered, in order
  bool in_prompt_ = false;
  int other_ = 0;
  int capability_ = 0;
  std::string device_;
};

}  // namespace

std::unique_ptr<LineReader> Make_python_session() { return std::make_unique<PythonSession>(); }

}  // namespace warpscope::doctor::read
