#include "doctor/read/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "doctor/read/amd_ecc.h"
#include "doctor/read/line_reader.h"
#include "doctor/read/smi_processes.h"
#include "doctor/words.h"
#include "import/import.h"
#include "model/trace.h"

namespace warpscope::doctor::read {
namespace {

// Importers of monitors: what they read is the state of devices, not a program.
constexpr std::array<std::string_view, 6> kMonitors = {"nvidia_smi",    "rocm_smi",   "xpu_smi",
                                                       "intel_gpu_top", "prometheus", "ascend"};

Vendor VendorOf(const model::Source& source) {
  switch (source.vendor) {
    case model::Vendor::kNvidia: return Vendor::kNvidia;
    case model::Vendor::kAmd: return Vendor::kAmd;
    case model::Vendor::kIntel: return Vendor::kIntel;
    default:
      return source.format == "ascend"                                        ? Vendor::kAscend
             : source.format == "rocm_smi"                                    ? Vendor::kAmd
             : source.format == "xpu_smi" || source.format == "intel_gpu_top" ? Vendor::kIntel
                                                                              : Vendor::kNvidia;
  }
}

const model::ReadingInfo* InfoOf(const model::Trace& trace, const model::Reading& reading) {
  return model::FindReadingInfo(trace.strings.Get(reading.name));
}

ReadingName NameOfInfo(const model::ReadingInfo* info) {
  return static_cast<ReadingName>(info - &model::InfoOf(static_cast<ReadingName>(0)));
}

void HostReading(const model::Trace& trace, const model::Reading& reading, ReadingName name, Machine& machine) {
  const std::string text(trace.strings.Get(reading.text));
  if (name == ReadingName::kDriverVersion && machine.driver_version.empty()) machine.driver_version = text;
  if (name == ReadingName::kCudaVersion && machine.driver_cuda.empty()) machine.driver_cuda = text;
  if (name == ReadingName::kTopology) machine.topology += text + "\n";
}

// Two names of products that cannot be one: tools leave "NVIDIA" and "Tesla" away and cut long names ("A100-SXM...").
bool AreOtherProducts(const std::string& a, const std::string& b) {
  const auto plain = [](const std::string& name) {
    std::string text = Lower(name);
    for (const std::string_view maker : {"nvidia ", "tesla "}) {
      if (text.starts_with(maker)) text.erase(0, maker.size());
    }
    while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
    return text;
  };
  if (!ComputeCapabilityOf(a, "") || !ComputeCapabilityOf(b, "")) return false;  // a name of a tool's own
  const std::string x = plain(a), y = plain(b);
  return !x.starts_with(y) && !y.starts_with(x);
}

class Gpus {
 public:
  Gpus(const model::Trace& trace, Machine& machine) : trace_(trace), machine_(machine) {
    for (const model::Reading& reading : trace.readings) {
      const model::ReadingInfo* info = InfoOf(trace, reading);
      if (info != nullptr && NameOfInfo(info) == ReadingName::kPciBusId)
        address_[reading.device] = PlainAddress(trace.strings.Get(reading.text));
    }
  }

  void Take(const model::Reading& reading) {
    const model::ReadingInfo* info = InfoOf(trace_, reading);
    if (info == nullptr) return Other(reading);
    const ReadingName name = NameOfInfo(info);
    if (TakeAmdEcc(reading, name)) return;
    if (reading.device >= trace_.devices.size()) return HostReading(trace_, reading, name, machine_);
    Gpu& gpu = machine_.gpus[RowOf(reading.device)];
    if (name == ReadingName::kPciBusId) return;
    if (name == ReadingName::kDriverVersion || name == ReadingName::kCudaVersion)
      HostReading(trace_, reading, name, machine_);
    Value value;
    value.number = reading.value;
    if (reading.text != model::kNoString) value.text = trace_.strings.Get(reading.text);
    value.is_absent_word = !value.number && value.text.empty();
    // A new look begins with a new time, or where a reading comes again.
    const bool is_new = gpu.looks.empty() || gpu.looks.back().time_ns != reading.time_ns ||
                        (fresh_[reading.device].contains(name) && value.number);
    if (is_new && gpu.looks.size() < Gpu::kMostLooks) {
      gpu.looks.emplace_back();
      gpu.looks.back().time_ns = reading.time_ns;
      fresh_[reading.device].clear();
    }
    if (value.number) fresh_[reading.device].insert(name);
    gpu.looks.back().values[name] = std::move(value);
  }

  // Another product where a known device is; "" if all agrees. Only of NVIDIA's, whose tools all tell the same names.
  std::string Differs() {
    for (const model::Reading& reading : trace_.readings) {
      if (reading.device >= trace_.devices.size()) continue;
      const model::Device& from = trace_.devices[reading.device];
      const bool is_part = from.name.find("MIG ") != std::string::npos;
      if (is_part ||
          VendorOf(trace_.sources[std::min<size_t>(from.source, trace_.sources.size() - 1)]) != Vendor::kNvidia)
        continue;
      const Gpu* gpu = FindKnown(address_[reading.device], IndexOf(from));
      if (gpu == nullptr || gpu->vendor != Vendor::kNvidia) continue;
      if (AreOtherProducts(gpu->name, from.name))
        return fmt::format("the device {} is {} there and {} before",
                           gpu->address.empty() ? std::to_string(gpu->index.value_or(0)) : gpu->address, from.name,
                           gpu->name);
    }
    return {};
  }

 private:
  static std::optional<unsigned> IndexOf(const model::Device& device) {
    return device.id >= 0 && device.id < 4096 ? std::optional(static_cast<unsigned>(device.id)) : std::nullopt;
  }
  // amd-smi's counts: its totals came under the names of readings, the rest under their own.
  bool TakeAmdEcc(const model::Reading& reading, std::optional<ReadingName> name) {
    if (reading.device >= trace_.devices.size() || reading.source >= trace_.sources.size() || !reading.value ||
        trace_.sources[reading.source].format != "rocm_smi" || trace_.sources[reading.source].producer != "amd-smi")
      return false;
    std::string path = Lower(trace_.strings.Get(reading.name));
    if (name == ReadingName::kEccCorrected) path = "ecc.total_correctable_count";
    else if (name == ReadingName::kEccUncorrected) path = "ecc.total_uncorrectable_count";
    else if (name) return false;
    if (!path.starts_with("ecc")) return false;
    const size_t row = RowOf(reading.device);
    return ecc_.Take(row, path, *reading.value, machine_.gpus[row]);
  }
  // npu-smi's word for the state of a chip: OK, Warning, Alarm, Critical, UNKNOWN (CANN, npu-smi reference).
  void Other(const model::Reading& reading) {
    constexpr size_t kMostComplaints = 16;
    if (TakeAmdEcc(reading, {})) return;
    if (trace_.strings.Get(reading.name) != "health" || reading.device >= trace_.devices.size()) return;
    const std::string word(trace_.strings.Get(reading.text));
    const std::string lower = Lower(word);
    Gpu& gpu = machine_.gpus[RowOf(reading.device)];
    if (lower.empty() || lower == "ok" || gpu.complaints.size() >= kMostComplaints) return;
    using Grade = Complaint::Grade;
    const Grade grade = lower == "warning" ? Grade::kMinor : lower == "critical" ? Grade::kCritical : Grade::kMajor;
    gpu.complaints.push_back({grade, "npu-smi tells the health " + word.substr(0, 40)});
  }

  size_t RowOf(uint32_t device) {
    if (const auto found = rows_.find(device); found != rows_.end()) return found->second;
    const model::Device& from = trace_.devices[device];
    const bool is_part = from.name.find("MIG ") != std::string::npos;
    size_t row = 0;
    if (is_part) {
      row = machine_.gpus.size();
      machine_.gpus.emplace_back();
    } else {
      Gpu* gpu = Find(address_[device], IndexOf(from));
      row = static_cast<size_t>(gpu - machine_.gpus.data());
    }
    Gpu& gpu = machine_.gpus[row];
    gpu.is_part = is_part;
    if (from.id >= 0 && from.id < 4096 && !gpu.index) gpu.index = static_cast<unsigned>(from.id);
    if (gpu.name.empty()) gpu.name = from.name;
    if (gpu.address.empty() && !is_part) gpu.address = address_[device];
    gpu.vendor = VendorOf(trace_.sources[std::min<size_t>(from.source, trace_.sources.size() - 1)]);
    rows_[device] = row;
    return row;
  }

  // The device of another file that this is; null if there is none. A number alone is enough where neither tells an
  // address.
  Gpu* FindKnown(const std::string& address, const std::optional<unsigned>& index) {
    for (Gpu& gpu : machine_.gpus) {
      if (gpu.is_part) continue;
      const bool same = !address.empty() && !gpu.address.empty() ? gpu.address == address : index && gpu.index == index;
      if (same) return &gpu;
    }
    return nullptr;
  }
  // That, or a new one.
  Gpu* Find(const std::string& address, const std::optional<unsigned>& index) {
    if (Gpu* known = FindKnown(address, index)) return known;
    machine_.gpus.emplace_back();
    machine_.gpus.back().address = address;
    machine_.gpus.back().index = index;
    return &machine_.gpus.back();
  }

  const model::Trace& trace_;
  Machine& machine_;
  std::map<uint32_t, std::string> address_;
  std::map<uint32_t, size_t> rows_;
  std::map<uint32_t, std::set<ReadingName>> fresh_;
  AmdEcc ecc_;
};

// "ERR!", "Unknown Error" in place of readings: the device does not answer any more.
void FindLost(Machine& machine) {
  for (Gpu& gpu : machine.gpus) {
    size_t errors = 0, numbers = 0;
    for (const Look& look : gpu.looks) {
      for (const auto& [name, value] : look.values) {
        const bool is_error =
            Holds(value.text, "err!") || Holds(value.text, "unknown error") || Holds(value.text, "gpu is lost");
        errors += is_error ? 1 : 0, numbers += value.number ? 1 : 0;
      }
    }
    if (errors >= 3 && errors > numbers) gpu.is_lost = true;
  }
}

// The driver that the text tells, where only NVIDIA's devices are known.
std::string OtherDriver(const model::Trace& trace, const Machine& machine) {
  const bool is_nvidia =
      !machine.gpus.empty() && std::all_of(machine.gpus.begin(), machine.gpus.end(),
                                           [](const Gpu& gpu) { return gpu.vendor == Vendor::kNvidia; });
  if (!is_nvidia || machine.driver_version.empty()) return {};
  for (const model::Source& source : trace.sources) {
    if (source.vendor == model::Vendor::kNvidia && CompareVersions(source.version, machine.driver_version) != 0)
      return fmt::format("driver {} there and {} before", source.version, machine.driver_version);
  }
  return {};
}

// False if the text holds nothing, or contradicts what is known (then `differs_by` says how).
bool Add(const model::Trace& trace, Machine& machine, std::string* differs_by) {
  if (trace.readings.empty()) return false;
  Gpus gpus(trace, machine);
  std::string differs = gpus.Differs();
  if (const std::string driver = OtherDriver(trace, machine); !driver.empty())
    differs += (differs.empty() ? "" : ", ") + driver;
  if (!differs.empty()) {
    *differs_by = std::move(differs);
    return false;
  }
  for (const model::Reading& reading : trace.readings) gpus.Take(reading);
  for (const model::Source& source : trace.sources) {
    if (machine.driver_version.empty() && source.vendor == model::Vendor::kNvidia)
      machine.driver_version = source.version;
  }
  FindLost(machine);
  return true;
}

// Parts of a longer text (a bug report, a pasted terminal) that are outputs of nvidia-smi.
std::vector<std::string_view> PartsIn(std::string_view text) {
  constexpr size_t kMostParts = 8, kMostBytes = 4u << 20;
  constexpr std::array<std::string_view, 3> kBegins = {"==============NVSMI LOG==============", "<nvidia_smi_log",
                                                       "| NVIDIA-SMI "};
  constexpr std::array<std::string_view, 3> kEnds = {"\n____", "</nvidia_smi_log>", "\n\n\n"};
  std::vector<std::string_view> parts;
  for (size_t kind = 0; kind < kBegins.size(); ++kind) {
    for (size_t at = text.find(kBegins[kind]); at != std::string_view::npos && parts.size() < kMostParts;) {
      const size_t end = text.find(kEnds[kind], at);
      const size_t size = std::min(
          end == std::string_view::npos ? text.size() - at : end - at + (kind == 1 ? kEnds[1].size() : 0), kMostBytes);
      parts.push_back(text.substr(at, size));
      at = text.find(kBegins[kind], at + size);
    }
  }
  return parts;
}

// Sections of nvidia-smi -q that somebody copied without the heading: read as if it stood there. Of one device, whose
// place nothing tells where its own line is missing.
bool AddExcerpt(std::string_view text, const std::string& name, Machine& machine, std::string* differs_by) {
  constexpr std::array<std::string_view, 10> kSections = {
      "Remapped Rows\n",     "ECC Errors\n",           "FB Memory Usage\n",
      "BAR1 Memory Usage\n", "Clocks Event Reasons\n", "Clocks Throttle Reasons\n",
      "GPU Link Info\n",     "Retired Pages\n",        "Fabric\n",
      "GPU Power Readings\n"};
  constexpr size_t kMostBytes = 1u << 20, kLeft = 4;
  constexpr std::string_view kNoPlace = "0000:00:00.0";
  if (text.size() > kMostBytes) return false;
  std::string plain(text);
  std::erase(plain, '\r');
  const bool is_one = std::any_of(kSections.begin(), kSections.end(), [&](std::string_view section) {
    const size_t at = plain.find(section);
    const size_t colon = plain.find(" : ", at == std::string::npos ? at : at + section.size());
    return at != std::string::npos && colon != std::string::npos && colon - at < 400;
  });
  if (!is_one) return false;
  const bool has_place = plain.starts_with("GPU 0000") || plain.find("\nGPU 0000") != std::string::npos;
  std::string whole = "==============NVSMI LOG==============\n\n";
  if (!has_place) {
    whole += "GPU 0000" + std::string(kNoPlace) + "\n";
    // Sections stand below the device; copied text may have lost its margin.
    const size_t first = plain.find_first_not_of('\n');
    if (first != std::string::npos && plain[first] != ' ' && plain[first] != '\t') {
      std::string moved(kLeft, ' ');
      for (const char c : plain) moved += c == '\n' ? std::string("\n") + std::string(kLeft, ' ') : std::string(1, c);
      plain = std::move(moved);
    }
  }
  const auto loaded = import::LoadBytes(whole + plain, name);
  if (!loaded.ok() || !Add(loaded.value(), machine, differs_by)) return false;
  for (Gpu& gpu : machine.gpus) {
    if (gpu.address == kNoPlace) gpu.address.clear();
  }
  return true;
}

}  // namespace

MonitorResult ReadMonitor(std::string_view text, const std::string& name, Machine& machine) {
  MonitorResult result;
  const auto whole = import::LoadBytes(text, name);
  if (whole.ok()) {
    const model::Trace& trace = whole.value();
    const bool is_monitor = !trace.sources.empty() &&
                            std::find(kMonitors.begin(), kMonitors.end(), trace.sources[0].format) != kMonitors.end() &&
                            !trace.readings.empty();
    if (is_monitor) {
      Add(trace, machine, &result.differs_by);
      result.told = trace.sources[0].producer.empty() ? trace.sources[0].format : trace.sources[0].producer;
      result.is_whole = true;
      return result;
    }
    const std::string_view format =
        trace.sources.empty() ? std::string_view() : std::string_view(trace.sources[0].format);
    if (format != "nvidia_smi" && format != "text") {
      result.told = fmt::format("a recording of a program ({})", format);
      result.is_recording = true;
      return result;
    }
  }
  size_t found = 0;
  for (const std::string_view part : PartsIn(text)) {
    const auto loaded = import::LoadBytes(part, name);
    if (loaded.ok() && Add(loaded.value(), machine, &result.differs_by)) ++found;
  }
  if (found == 0 && machine.gpus.empty() && AddExcerpt(text, name, machine, &result.differs_by)) {
    result.told = "a part of nvidia-smi -q";
    return result;
  }
  if (found > 0) result.told = found == 1 ? "nvidia-smi" : fmt::format("nvidia-smi, {} outputs", found);
  return result;
}

}  // namespace warpscope::doctor::read
