#include "record/counters/metric_catalog.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>

#include "cupti/metric_host.h"
#include "record/cupti_search.h"
#include "wire/cupti_names.h"

namespace warpscope::record {
namespace {

using cupti::Sized;

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// The handle stays open: CUPTI cannot be unloaded safely.
Result<std::string> OpenCupti(const System& system, cupti::ProfilerFunctions* functions) {
  const CuptiSearch search = SearchCupti(system, std::nullopt, 0);
  if (!search.chosen)
    return Status(
        StatusCode::kNotFound,
        "no libcupti is installed here, which knows the metrics. Install cuda-cupti of the CUDA toolkit (12.6 "
        "or later; pip: nvidia-cuda-cupti), or name one with " +
            std::string(wire::kCuptiVariable) + "=PATH");
  const std::string& path = search.chosen->path;
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    return Status(StatusCode::kNotFound, path + ": cannot be loaded: " + (why == nullptr ? "no reason given" : why));
  }
  if (!cupti::FindProfilerFunctions(handle, functions) || functions->HostSubMetrics == nullptr ||
      functions->HostBaseMetrics == nullptr)
    return Status(StatusCode::kUnsupported, path +
                                                ": cannot list metrics; libcupti of CUDA 12.6 or later can. Name one "
                                                "with " +
                                                std::string(wire::kCuptiVariable) + "=PATH");
  return path;
}

std::vector<std::string> ChipsOf(const cupti::ProfilerFunctions& functions) {
  std::vector<std::string> chips;
  auto params = Sized<cupti::HostChips>();
  if (functions.HostChips == nullptr || functions.HostChips(&params) != cupti::kOk) return chips;
  for (size_t i = 0; i < params.count; ++i) chips.emplace_back(params.chips[i]);
  return chips;
}

std::string ChipHere(const cupti::ProfilerFunctions& functions) {
  auto ignored = Sized<cupti::Params>();
  auto params = Sized<cupti::DeviceChipName>();
  if (functions.Initialize == nullptr || functions.ChipName == nullptr ||
      functions.Initialize(&ignored) != cupti::kOk || functions.ChipName(&params) != cupti::kOk ||
      params.chip == nullptr)
    return "";
  return params.chip;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::vector<std::string> NamesOf(const cupti::ProfilerFunctions& functions, void* host, cupti::MetricType type) {
  std::vector<std::string> names;
  auto params = Sized<cupti::HostBaseMetrics>();
  params.host = host, params.type = type;
  if (functions.HostBaseMetrics(&params) != cupti::kOk) return names;
  for (size_t i = 0; i < params.count; ++i) names.emplace_back(params.names[i]);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> RollupsOf(const cupti::ProfilerFunctions& functions, void* host, cupti::MetricType type,
                                   const std::string& name) {
  std::vector<std::string> rollups;
  auto params = Sized<cupti::HostSubMetrics>();
  params.host = host, params.type = type, params.name = name.c_str();
  if (functions.HostSubMetrics(&params) != cupti::kOk) return rollups;
  for (size_t i = 0; i < params.count; ++i) rollups.emplace_back(params.submetrics[i]);
  std::sort(rollups.begin(), rollups.end());
  return rollups;
}

// A host of our own beside MetricHost, which does not hand its out.
class Host {
 public:
  Host(const cupti::ProfilerFunctions* functions, const std::string& chip) : functions_(functions) {
    auto params = Sized<cupti::HostInitialize>();
    params.type = cupti::kRangeProfiler, params.chip = chip.c_str();
    if (functions->HostInitialize(&params) == cupti::kOk) host_ = params.host;
  }
  ~Host() {
    auto params = Sized<cupti::HostObject>();
    params.host = host_;
    if (host_ != nullptr) functions_->HostDeinitialize(&params);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  void* get() const { return host_; }

 private:
  const cupti::ProfilerFunctions* functions_;
  void* host_ = nullptr;
};

}  // namespace

Result<MetricCatalog> ListMetrics(const System& system, std::string chip, std::string_view pattern) {
  cupti::ProfilerFunctions functions;
  MetricCatalog catalog;
  WS_ASSIGN_OR_RETURN(catalog.library, OpenCupti(system, &functions));
  if (chip.empty()) chip = ChipHere(functions);
  const std::vector<std::string> chips = ChipsOf(functions);
  const auto known =
      std::find_if(chips.begin(), chips.end(), [&](const std::string& other) { return Lower(other) == Lower(chip); });
  if (known != chips.end()) chip = *known;
  if (chip.empty() || std::find(chips.begin(), chips.end(), chip) == chips.end())
    return Status(StatusCode::kInvalidArgument, (chip.empty() ? "no device is here: name a chip with --chip"
                                                              : chip + ": not known to this libcupti") +
                                                    std::string("; it knows ") + Joined(chips));
  catalog.chip = chip;
  const Host host(&functions, chip);
  cupti::MetricHost properties_of;
  if (host.get() == nullptr ||
      properties_of.Open(&functions, cupti::kRangeProfiler, chip.c_str(), nullptr) != cupti::kOk)
    return Status(StatusCode::kUnsupported, catalog.library + ": cannot describe " + chip +
                                                ". libnvperf_host.so of the same version must lie beside it");
  const std::string wanted = Lower(pattern);
  const size_t point = wanted.find('.');
  for (const auto type : {cupti::kThroughputMetric, cupti::kRatioMetric, cupti::kCounterMetric}) {
    for (const std::string& name : NamesOf(functions, host.get(), type)) {
      ++catalog.all_count;
      if (Lower(name).find(wanted.substr(0, point)) == std::string::npos) continue;
      cupti::MetricHost::Properties properties;
      properties_of.Describe(name.c_str(), &properties);
      const auto add = [&](const std::string& full) {
        catalog.metrics.push_back({full, type, properties.unit, properties.hardware_unit, properties.description});
      };
      if (point == std::string::npos) {
        add(name);
        continue;
      }
      for (const std::string& rollup : RollupsOf(functions, host.get(), type, name)) {
        const std::string full = name + (rollup.starts_with('.') ? "" : ".") + rollup;
        if (Lower(full).find(wanted) != std::string::npos) add(full);
      }
    }
  }
  return catalog;
}

}  // namespace warpscope::record
