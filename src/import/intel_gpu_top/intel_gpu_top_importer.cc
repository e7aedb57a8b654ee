#include "import/intel_gpu_top/intel_gpu_top_importer.h"

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <string>

#include "import/appender.h"
#include "model/reading_names.h"

namespace warpscope::import::intel_gpu_top {
namespace {

using model::LedgerCode;
using model::ReadingName;

constexpr size_t kMaxSampleBytes = size_t{4} << 20;

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

Confidence Sniff(const Head& head) {
  const std::string_view text = head.bytes.substr(0, size_t{16} << 10);
  const size_t first = text.find_first_not_of(" \t\r\n,");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return Confidence::kNo;
  const bool sample = Has(text, "\"period\"") && Has(text, "\"engines\"") && Has(text, "\"frequency\"");
  return sample && !Has(text, "\"traceEvents\"") ? Confidence::kYes : Confidence::kNo;
}

// Cuts the objects out of a stream: brackets and texts are followed, nothing else.
class Objects {
 public:
  explicit Objects(ByteSource* bytes) : bytes_(*bytes) {}

  // The next whole object; false at the end. Longer ones than kMaxSampleBytes are passed over and counted.
  Result<bool> Next(std::string* object, uint64_t* offset_bytes) {
    object->clear();
    size_t depth = 0;
    bool in_text = false, escaped = false, too_long = false;
    for (;;) {
      if (at_ == buffer_.size()) {
        WS_ASSIGN_OR_RETURN(const bool more, Fill());
        if (!more) {
          is_cut_ = depth > 0;
          return false;
        }
      }
      const char c = buffer_[at_++];
      ++offset_;
      if (depth == 0) {
        if (c != '{') continue;
        *offset_bytes = offset_ - 1;
      }
      if (object->size() < kMaxSampleBytes) object->push_back(c);
      else too_long = true;
      if (in_text) {
        in_text = escaped || c != '"';
        escaped = !escaped && c == '\\';
        continue;
      }
      if (c == '"') in_text = true;
      if (c == '{') ++depth;
      if (c == '}' && --depth == 0) {
        if (!too_long) return true;
        ++too_long_;
        too_long = false;
        object->clear();
      }
    }
  }
  bool is_cut() const { return is_cut_; }
  uint64_t too_long() const { return too_long_; }
  uint64_t offset_bytes() const { return offset_; }

 private:
  Result<bool> Fill() {
    buffer_.resize(size_t{1} << 16);
    WS_ASSIGN_OR_RETURN(const size_t got, bytes_.Read(buffer_.data(), buffer_.size()));
    buffer_.resize(got);
    at_ = 0;
    return got > 0;
  }

  ByteSource& bytes_;
  std::string buffer_;
  size_t at_ = 0;
  uint64_t offset_ = 0, too_long_ = 0;
  bool is_cut_ = false;
};

class Samples {
 public:
  explicit Samples(Appender* out) : out_(*out), device_(out->Device(0)) {}

  void Take(simdjson::dom::element sample) {
    Value(sample, "/frequency/actual", ReadingName::kClockGraphics, 1);
    Value(sample, "/power/GPU", ReadingName::kPowerDraw, 1);
    Other(sample, "/power/Package", "package power", "watts");
    Other(sample, "/frequency/requested", "requested frequency", "mhz");
    Other(sample, "/interrupts/count", "interrupts", "per_s");
    Other(sample, "/rc6/value", "rc6 residency", "pct");
    Other(sample, "/imc-bandwidth/reads", "memory controller reads", "mib_per_s");
    Other(sample, "/imc-bandwidth/writes", "memory controller writes", "mib_per_s");
    Engines(sample);
    double period_ms = 0;
    if (sample.at_pointer("/period/duration").get(period_ms) == simdjson::SUCCESS && period_ms >= 0 && period_ms < 1e9)
      time_ns_ += static_cast<int64_t>(period_ms * 1e6);
    ++count_;
  }
  uint64_t count() const { return count_; }

 private:
  void Add(std::string_view name, std::string_view unit, double value) {
    model::Reading reading;
    reading.source = out_.source_row();
    reading.device = device_;
    reading.time_ns = time_ns_;
    reading.name = out_.Text(name);
    if (!unit.empty()) reading.unit = out_.Text(unit);
    reading.value = value;
    out_.trace().readings.push_back(reading);
  }
  void Value(simdjson::dom::element sample, std::string_view at, ReadingName name, double factor) {
    double value = 0;
    if (sample.at_pointer(at).get(value) == simdjson::SUCCESS)
      Add(model::NameOf(name), model::InfoOf(name).unit, value * factor);
  }
  void Other(simdjson::dom::element sample, std::string_view at, std::string_view name, std::string_view unit) {
    double value = 0;
    if (sample.at_pointer(at).get(value) == simdjson::SUCCESS) Add(name, unit, value);
  }
  // The device is as busy as its busiest engine that computes: "Render/3D/0", "Compute/0", "[unknown]/0".
  void Engines(simdjson::dom::element sample) {
    simdjson::dom::object engines;
    if (sample["engines"].get(engines) != simdjson::SUCCESS) return;
    std::optional<double> busiest;
    for (const auto field : engines) {
      double busy = 0;
      if (field.value["busy"].get(busy) != simdjson::SUCCESS) continue;
      Add(std::string(field.key) + " busy", "pct", busy);
      const bool computes = Has(field.key, "Render") || Has(field.key, "Compute");
      if (computes) busiest = std::max(busiest.value_or(0), busy);
    }
    if (busiest) Add(model::NameOf(ReadingName::kUtilizationGpu), "pct", *busiest);
  }

  Appender& out_;
  uint32_t device_;
  int64_t time_ns_ = 0;
  uint64_t count_ = 0;
};

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  Appender out(trace, path, "intel_gpu_top");
  out.source().producer = "intel_gpu_top -J";
  out.source().vendor = model::Vendor::kIntel;
  Objects objects(&bytes);
  Samples samples(&out);
  simdjson::dom::parser parser;
  std::string text;
  uint64_t offset_bytes = 0;
  for (;;) {
    WS_ASSIGN_OR_RETURN(const bool more, objects.Next(&text, &offset_bytes));
    if (!more) break;
    simdjson::dom::element sample;
    if (parser.parse(text).get(sample) != simdjson::SUCCESS) {
      out.Note(LedgerCode::kBrokenRecord, 1, offset_bytes);
      continue;
    }
    samples.Take(sample);
  }
  if (objects.too_long() > 0) out.Note(LedgerCode::kBrokenRecord, objects.too_long());
  if (objects.is_cut() || bytes.cut_short()) out.Note(LedgerCode::kTruncatedFile, 1, objects.offset_bytes());
  out.source().text_bytes = objects.offset_bytes();
  if (options.progress) options.progress(1.0);
  if (samples.count() > 0) return Status::Ok();
  return {StatusCode::kCorrupt, path + ": byte " + std::to_string(objects.offset_bytes()) +
                                    ": no whole sample. Let intel_gpu_top -J run for some seconds."};
}

}  // namespace

const Importer kImporter = {"intel_gpu_top", "intel_gpu_top -J", &Sniff, &Read};

}  // namespace warpscope::import::intel_gpu_top
