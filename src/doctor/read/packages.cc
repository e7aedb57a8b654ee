// Lists of packages (dpkg -l, apt list, rpm -qa, pacman -Q): in which version the driver's libraries are installed. The
// kernel may still run an older driver.
#include <array>

#include "doctor/read/line_reader.h"
#include "doctor/words.h"

namespace warpscope::doctor::read {
namespace {

// Packages that hold libcuda.so.1 or libnvidia-ml.so.1: Debian's and Ubuntu's, NVIDIA's for RPM systems, RPM Fusion's,
// Arch's. A suffix ("-550", "-550-server") may follow.
constexpr std::array<std::string_view, 10> kHolders = {"libnvidia-compute",    "libcuda1",
                                                       "libnvidia-ml",         "nvidia-utils",
                                                       "nvidia-compute-utils", "nvidia-driver-cuda",
                                                       "nvidia-driver-libs",   "xorg-x11-drv-nvidia-cuda-libs",
                                                       "nvidia-compute-G0",    "xorg-x11-drv-nvidia-libs"};

bool HoldsLibraries(std::string_view name) {
  for (const std::string_view holder : kHolders) {
    if (name.starts_with(holder)) return true;
  }
  return false;
}

// A driver's version begins with three digits: "525.85.12-0ubuntu1", "3:560.35.05-1.el9".
std::string DriverVersionIn(std::string_view text) {
  if (const size_t epoch = text.find(':'); epoch < 3) text.remove_prefix(epoch + 1);
  const std::string version = VersionIn(text);
  const auto major = MajorOf(version);
  constexpr int kLeast = 300, kMost = 9999;
  return major && *major >= kLeast && *major <= kMost ? version : std::string();
}

class Packages final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override { return {"nvidia", "libcuda1"}; }
  bool Line(std::string_view line, Machine& machine) override {
    std::vector<std::string_view> words = Words(line.substr(0, 400));
    if (words.size() >= 3 && (words[0] == "ii" || words[0] == "hi")) words.erase(words.begin());
    if (words.empty() || !HoldsLibraries(words[0])) return false;
    std::string version;
    if (words.size() >= 2) {
      version = DriverVersionIn(words[1]);  // "name version", and apt's "name/origin version"
    } else {
      // rpm's "nvidia-driver-libs-560.35.05-1.el9.x86_64": the first part that is a version.
      for (size_t dash = words[0].find('-'); dash != std::string_view::npos && version.empty();
           dash = words[0].find('-', dash + 1))
        if (dash + 1 < words[0].size() && words[0][dash + 1] >= '0' && words[0][dash + 1] <= '9')
          version = DriverVersionIn(words[0].substr(dash + 1));
    }
    if (version.empty()) return false;
    if (machine.package_version.empty()) machine.package_version = version;
    return true;
  }
};

}  // namespace

std::unique_ptr<LineReader> Make_packages() { return std::make_unique<Packages>(); }

}  // namespace warpscope::doctor::read
