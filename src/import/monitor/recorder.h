// Recorder: readings of several devices become rows of a Trace. It tells devices apart by every name that a tool gives
// them (index, PCI address, UUID), and keeps one sample of a device together until it is complete.
// Personal data stays out: UUIDs and serial numbers serve as keys and are not stored.
// [one thread].
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "import/appender.h"
#include "import/monitor/value.h"
#include "model/reading_names.h"

namespace warpscope::import::monitor {

// How a tool names a device; what is not known stays empty.
struct DeviceNames {
  std::optional<int64_t> index;
  std::string pci;   // see PciBusId()
  std::string uuid;  // ignored if masked (only zeros)
  std::string name;  // product
};

// Readings of one device at one moment, by name.
class Sample {
 public:
  // Later values replace earlier ones; an absent value replaces nothing.
  void Set(model::ReadingName name, const Value& value) { Put(name, value, Mode::kSet); }
  void SetIfAbsent(model::ReadingName name, const Value& value) { Put(name, value, Mode::kFallback); }
  void Add(model::ReadingName name, const Value& value) { Put(name, value, Mode::kSum); }
  void SetNumber(model::ReadingName name, double number);
  // Something that the catalogue does not hold: kept if it is a number with a known unit, so that no serial number or
  // name of a person can slip through. `name` as the tool writes it.
  void SetOther(std::string_view name, const Value& value);
  // NVML's bit mask of reasons for low clocks (nvml.h: nvmlClocksEventReasons), "0x0000000000000004".
  void SetThrottleBits(std::string_view hex);
  bool empty() const { return cells_.empty() && others_.empty(); }
  void Clear() { cells_.clear(), others_.clear(); }

 private:
  friend class Recorder;
  enum class Mode : uint8_t { kSet, kFallback, kSum };
  struct Cell {
    model::ReadingName name;
    std::optional<double> number;
    std::string text;
  };
  struct Other {
    std::string name;
    std::string_view unit;
    double number;
  };
  void Put(model::ReadingName name, const Value& value, Mode mode);
  Cell& At(model::ReadingName name);

  std::vector<Cell> cells_;
  std::vector<Other> others_;
};

class Recorder {
 public:
  explicit Recorder(Appender* appender) : appender_(appender) {}

  Appender& appender() { return *appender_; }
  // The row of a device; made on first sight. Names that meet in one call belong together from then on.
  uint32_t Device(const DeviceNames& names);
  // A part of a device (MIG instance): a row of its own with the parent's number.
  uint32_t Part(uint32_t parent, const std::string& key, const std::string& label);
  // Writes the sample down and clears it. `device`: kNone for the machine. Texts are written where they change, words
  // without a value once a device and name; numbers always.
  void Write(uint32_t device, std::optional<int64_t> time_ns, Sample& sample);
  // The driver's version, wherever it is told; the first one counts.
  void SetDriver(std::string_view version);
  uint64_t written() const { return written_; }

 private:
  void Push(uint32_t device, std::optional<int64_t> time_ns, model::StringId name, model::StringId unit,
            std::optional<double> number, model::StringId text);

  Appender* appender_;
  std::map<int64_t, uint32_t> by_index_;
  std::map<std::string, uint32_t> by_pci_, by_uuid_;
  std::map<uint32_t, std::string> uuid_of_, pci_of_;
  std::map<std::pair<uint32_t, std::string>, uint32_t> parts_;
  std::set<uint32_t> indexed_;
  std::map<std::pair<uint32_t, model::ReadingName>, model::StringId> last_text_;
  std::set<std::pair<uint32_t, model::ReadingName>> told_absent_;
  uint64_t written_ = 0;
};

}  // namespace warpscope::import::monitor
