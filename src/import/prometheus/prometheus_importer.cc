#include "import/prometheus/prometheus_importer.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "import/monitor/line_reader.h"
#include "import/monitor/recorder.h"
#include "import/nvidia_smi/fields.h"
#include "import/prometheus/exposition.h"

namespace warpscope::import::prometheus {
namespace {

using model::ReadingName;
using monitor::DeviceNames;
using monitor::Recorder;
using monitor::Sample;
using monitor::Value;

constexpr size_t kSniffBytes = size_t{256} << 10;
constexpr size_t kMaxSeries = 1 << 20;

struct Metric {
  std::string_view name;
  ReadingName reading;
  std::string_view unit;
};
#define WS_METRIC(name, reading, unit) Metric{name, ReadingName::reading, unit},
constexpr std::array kMetrics = {
#include "import/prometheus/metrics.def"
};
#undef WS_METRIC
constexpr bool Less(const Metric& a, const Metric& b) { return a.name < b.name; }
static_assert(std::is_sorted(kMetrics.begin(), kMetrics.end(), Less));

// Units that nvidia_gpu_exporter puts behind a name, and what they are.
struct Suffix {
  std::string_view text, unit;
};
constexpr Suffix kSuffixes[] = {{"_clock_hz", "Hz"}, {"_hz", "Hz"},     {"_bytes", "B"},  {"_watts", "W"},
                                {"_ratio", "ratio"}, {"_seconds", "s"}, {"_celsius", "C"}};
constexpr std::string_view kSmi = "nvidia_smi_";

const Metric* FindMetric(std::string_view name) {
  if (name.substr(0, 4) == "amd_") name.remove_prefix(4);  // a prefix that may be configured
  const auto* const found =
      std::lower_bound(kMetrics.begin(), kMetrics.end(), Metric{name, ReadingName::kCount, {}}, Less);
  return found != kMetrics.end() && found->name == name ? &*found : nullptr;
}

bool IsGpuMetric(std::string_view name) {
  return FindMetric(name) != nullptr || name.substr(0, 8) == "DCGM_FI_" || name.substr(0, kSmi.size()) == kSmi;
}

// DCGM writes numbers of its own where it has no value (dcgm_structs.h: DCGM_INT64_BLANK and the three behind it, the
// same for 32 bits and for doubles, 2^47).
bool IsBlank(double value) {
  return value >= 9223372036854775792.0 || (value >= 2147483632.0 && value <= 2147483635.0) ||
         (value >= 140737488355328.0 && value <= 140737488355331.0);
}

// The last "(in X)" of a HELP line.
std::string_view UnitInHelp(std::string_view help) {
  const size_t at = help.rfind("(in ");
  if (at == std::string_view::npos) return {};
  const std::string_view unit = help.substr(at + 4, help.find(')', at) - at - 4);
  return monitor::UnitWordOf(unit).word.empty() ? std::string_view() : unit;
}

class Reader {
 public:
  explicit Reader(Appender& appender) : recorder_(&appender) {}

  void Take(const monitor::Line& line) {
    const std::string_view text = monitor::Trimmed(line.text);
    if (text.substr(0, 7) == "# HELP ") return Help(text.substr(7));
    if (text.empty() || text.front() == '#') return;
    const auto point = ParseSeries(text);
    if (!point) {
      recorder_.appender().Note(line.has_end ? model::LedgerCode::kBrokenRecord : model::LedgerCode::kTruncatedFile, 1,
                                line.offset_bytes);
      return;
    }
    // The same series once more: the next scrape.
    if (!seen_.insert(std::string(point->identity)).second || seen_.size() > kMaxSeries) {
      Flush();
      seen_.insert(std::string(point->identity));
    }
    Take(*point);
  }

  void Flush() {
    for (auto& [row, sample] : samples_) recorder_.Write(row, time_ns_, sample);
    samples_.clear();
    seen_.clear();
    time_ns_.reset();
  }

  uint64_t written() const { return recorder_.written(); }
  std::string_view producer() const { return producer_; }
  model::Vendor vendor() const { return vendor_; }

 private:
  void Help(std::string_view text) {
    const size_t blank = text.find(' ');
    if (blank == std::string_view::npos || help_units_.size() > 10000) return;
    const std::string_view unit = UnitInHelp(text.substr(blank));
    if (!unit.empty()) help_units_[std::string(text.substr(0, blank))] = unit;
  }

  void Take(const SeriesPoint& point) {
    if (!IsGpuMetric(point.name)) return;
    if (point.time_ms && *point.time_ms > 0 && *point.time_ms < INT64_MAX / 1'000'000)
      time_ns_ = *point.time_ms * 1'000'000;
    if (point.name.substr(0, kSmi.size()) == kSmi) return Smi(point);
    producer_ = point.name.substr(0, 5) == "DCGM_" ? "dcgm-exporter" : "device-metrics-exporter";
    vendor_ = point.name.substr(0, 5) == "DCGM_" ? model::Vendor::kNvidia : model::Vendor::kAmd;
    if (!point.Label("DCGM_FI_DRIVER_VERSION").empty()) recorder_.SetDriver(point.Label("DCGM_FI_DRIVER_VERSION"));
    if (!point.Label("driver_version").empty()) recorder_.SetDriver(point.Label("driver_version"));
    const Metric* metric = FindMetric(point.name);
    if (metric == nullptr) return;
    Sample& sample = samples_[DeviceOf(point)];
    const Value none;
    if (!point.value || IsBlank(*point.value)) {
      if (metric->reading != ReadingName::kCount) sample.Set(metric->reading, none);
      return;
    }
    if (metric->unit == "bits") return Bits(*point.value, sample);
    const auto help = help_units_.find(std::string(point.name));
    const std::string text = TextOf(*point.value);
    Value value = monitor::ParseValue(text);
    value.unit = help != help_units_.end() && metric->unit != "ratio" ? std::string_view(help->second) : metric->unit;
    sample.Set(metric->reading, value);
  }

  // Whole numbers without exponent, so that versions and states read as such.
  static std::string TextOf(double value) {
    if (value == static_cast<double>(static_cast<int64_t>(std::clamp(value, -9e15, 9e15))))
      return std::to_string(static_cast<int64_t>(value));
    return std::to_string(value);
  }

  static void Bits(double value, Sample& sample) {
    if (value < 0 || value > 1e9) return;
    constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    for (auto bits = static_cast<uint64_t>(value); bits > 0; bits /= 16) hex.insert(hex.begin(), kDigits[bits % 16]);
    sample.SetThrottleBits("0x" + (hex.empty() ? "0" : hex));
  }

  // nvidia_gpu_exporter: the names of --query-gpu with the unit behind them; which device a UUID is stands in gpu_info.
  void Smi(const SeriesPoint& point) {
    producer_ = "nvidia_gpu_exporter";
    vendor_ = model::Vendor::kNvidia;
    std::string_view name = point.name.substr(kSmi.size());
    if (point.Label("uuid").empty()) return;
    const uint32_t row = DeviceOf(point);
    if (name == "gpu_info") {
      recorder_.SetDriver(point.Label("driver_version"));
      return;
    }
    if (name == "compute_apps" && point.value)
      return samples_[row].SetNumber(ReadingName::kComputeProcesses, *point.value);
    std::string_view unit;
    for (const Suffix& suffix : kSuffixes) {
      if (name.size() <= suffix.text.size() || name.substr(name.size() - suffix.text.size()) != suffix.text) continue;
      name.remove_suffix(suffix.text.size());
      unit = suffix.unit;
      break;
    }
    const nvidia_smi::Field* field = nvidia_smi::CsvFieldOfMetric(name);
    if (field == nullptr || model::InfoOf(field->name).kind == model::ReadingKind::kText || !point.value) return;
    const std::string text = TextOf(*point.value);
    nvidia_smi::ApplyCsvField(field->path, text, unit, samples_[row]);
  }

  uint32_t DeviceOf(const SeriesPoint& point) {
    DeviceNames names;
    for (const char* label : {"gpu", "index", "gpu_id"}) {
      const Value index = monitor::ParseValue(point.Label(label));
      if (index.number && *index.number >= 0 && *index.number < 4096 && !names.index)
        names.index = static_cast<int64_t>(*index.number);
    }
    for (const char* label : {"UUID", "uuid", "gpu_uuid", "serial_number"}) {
      if (names.uuid.empty()) names.uuid = point.Label(label);
    }
    // Without one, devices of several machines in one scrape are told apart by the machine.
    for (const char* label : {"Hostname", "hostname", "instance"}) {
      if (names.uuid.empty() && names.index && !point.Label(label).empty())
        names.uuid = std::string(point.Label(label)) + "/" + std::to_string(*names.index) + "#1";
    }
    names.pci = monitor::PciBusId(point.Label("pci_bus_id"));
    for (const char* label : {"modelName", "card_series", "card_model", "name"}) {
      if (names.name.empty()) names.name = point.Label(label);
    }
    const uint32_t row = recorder_.Device(names);
    const std::string_view instance = point.Label("GPU_I_ID");
    if (instance.empty()) return row;
    return recorder_.Part(row, std::string(instance),
                          "MIG " + std::string(point.Label("GPU_I_PROFILE").substr(0, 40)) + " (instance " +
                              std::string(instance.substr(0, 10)) + ")");
  }

  Recorder recorder_;
  std::map<std::string, std::string> help_units_;
  std::set<std::string> seen_;
  std::map<uint32_t, Sample> samples_;
  std::optional<int64_t> time_ns_;
  std::string_view producer_;
  model::Vendor vendor_ = model::Vendor::kUnknown;
};

Confidence Sniff(const Head& head) {
  const std::string text = monitor::PlainText(head.bytes, kSniffBytes);
  size_t series = 0, gpu = 0, other = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = monitor::Trimmed(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    if (line.empty() || line.front() == '#') continue;
    const auto point = ParseSeries(line);
    series += point ? 1 : 0;
    other += point ? 0 : 1;
    if (point && IsGpuMetric(point->name)) ++gpu;
    if (other > series + 4) return Confidence::kNo;
  }
  if (gpu > 0) return Confidence::kYes;
  return series > 3 && text.find("# TYPE ") != std::string::npos ? Confidence::kMaybe : Confidence::kNo;
}

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  Appender appender(trace, path, "prometheus");
  Reader reader(appender);
  monitor::LineReader lines(&bytes);
  monitor::Line line;
  for (;;) {
    WS_ASSIGN_OR_RETURN(const bool more, lines.Next(&line));
    if (!more) break;
    if (options.progress && line.number % 4096 == 0) options.progress(bytes.done_ratio());
    reader.Take(line);
  }
  reader.Flush();
  if (reader.written() == 0) {
    return {StatusCode::kUnsupported,
            path +
                ": byte 0: this is a scrape in Prometheus' text format without metrics of a GPU (known are those of "
                "dcgm-exporter, nvidia_gpu_exporter and AMD's device-metrics-exporter). Scrape the GPU exporter: "
                "curl -s localhost:9400/metrics"};
  }
  appender.source().producer = reader.producer();
  appender.source().vendor = reader.vendor();
  appender.source().text_bytes = lines.offset_bytes();
  if (bytes.cut_short()) appender.Note(model::LedgerCode::kTruncatedFile);
  return Status::Ok();
}

}  // namespace

const Importer kImporter = {"prometheus", "Prometheus scrape of a GPU exporter", Sniff, Read};

}  // namespace warpscope::import::prometheus
