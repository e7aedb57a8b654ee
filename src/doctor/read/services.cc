// systemctl status and list-units, Fabric Manager's own version, packages: which of the driver's services run.
#include <algorithm>

#include "doctor/read/line_reader.h"
#include "doctor/words.h"

namespace warpscope::doctor::read {
namespace {

class Services final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override { return {"fabric", ".service", "Active:"}; }
  bool Line(std::string_view line, Machine& machine) override {
    const std::string lower = Lower(line);
    const bool is_fabric =
        lower.find("fabricmanager") != std::string::npos || lower.find("fabric manager") != std::string::npos;
    if (is_fabric && lower.find("version") != std::string::npos) {
      const std::string version = VersionIn(line.substr(lower.find("version")));
      if (version.empty()) return false;
      Fabric(machine).version = version;
      // "fabric manager NVIDIA GPU driver interface version 575.57.08 don't match with driver version 580.95.05".
      if (const size_t of = lower.rfind("driver version"); lower.find("match") < of && of != std::string::npos) {
        if (machine.driver_version.empty()) machine.driver_version = VersionIn(line.substr(of));
      }
      return true;
    }
    // "ii  nvidia-fabricmanager-575  575.57.08-1  amd64", "nvidia-fabric-manager-575.57.08-1.x86_64".
    if (is_fabric && (lower.starts_with("ii ") || lower.starts_with("nvidia-fabric"))) {
      const size_t name_end = line.find(' ', lower.find("fabric"));
      const std::string version = name_end == std::string_view::npos ? std::string() : VersionIn(line.substr(name_end));
      if (!version.empty()) {
        if (!machine.fabric_manager)
          machine.fabric_manager = Service{true, "", ""};  // installed; nothing says that it is stopped
        machine.fabric_manager->version = version;
        return true;
      }
    }
    const size_t unit = lower.find(".service");
    if (unit != std::string::npos) {
      // Lists of systemctl tell what is loaded; a log that names units is none.
      if (lower.find(" loaded ") != std::string::npos) ++units_;
      if (is_fabric || lower.find("nvidia-persistenced") != std::string::npos) {
        current_ = is_fabric ? Which::kFabric : Which::kPersistence;
        const std::string rest = lower.substr(unit);
        if (rest.find(" running") != std::string::npos) State(machine, true, "running");
        else if (rest.find("failed") != std::string::npos) State(machine, false, "failed");
        else if (rest.find("inactive") != std::string::npos || rest.find(" dead") != std::string::npos)
          State(machine, false, "inactive");
        else if (rest.find("could not be found") != std::string::npos || rest.find("not-found") != std::string::npos)
          State(machine, false, "not installed");
        return true;
      }
      current_ = Which::kNone;
      return false;
    }
    if (current_ != Which::kNone) {
      const std::string_view text = Trim(line);
      if (text.starts_with("Active:")) {
        const bool runs =
            text.find("active (running)") != std::string_view::npos && text.find("inactive") == std::string_view::npos;
        State(machine, runs, std::string(text.substr(8, std::min<size_t>(text.find(" since "), 48) - 8)));
        return true;
      }
    }
    return false;
  }

  void End(Machine& machine) override {
    constexpr size_t kAList = 5;  // so many units are a list of all, in which a missing one does not run
    if (units_ >= kAList && !machine.fabric_manager)
      machine.fabric_manager = Service{false, "", "not in the list of services"};
  }

 private:
  enum class Which : uint8_t { kNone, kFabric, kPersistence };
  static Service& Fabric(Machine& machine) {
    if (!machine.fabric_manager) machine.fabric_manager = Service{true, "", ""};
    return *machine.fabric_manager;
  }
  void State(Machine& machine, bool runs, std::string words) const {
    std::optional<Service>& service = current_ == Which::kFabric ? machine.fabric_manager : machine.persistence_daemon;
    if (!service) service.emplace();
    service->is_running = runs;
    service->words = std::move(words);
  }

  Which current_ = Which::kNone;
  size_t units_ = 0;
};

}  // namespace

std::unique_ptr<LineReader> Make_services() { return std::make_unique<Services>(); }

}  // namespace warpscope::doctor::read
