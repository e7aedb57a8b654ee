#include "import/monitor/recorder.h"

#include <algorithm>
#include <charconv>

namespace warpscope::import::monitor {
namespace {

using model::ReadingKind;
using model::ReadingName;

constexpr size_t kMaxTextBytes = 200;
constexpr size_t kMaxOthers = 2000;
constexpr size_t kMaxDevices = 4096;  // more in one file is damage

bool IsMasked(std::string_view uuid) {
  return std::none_of(uuid.begin(), uuid.end(), [](char c) {
    return (c >= '1' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

// "P8" -> 8.
std::optional<double> LevelOf(std::string_view text) {
  if (text.size() < 2 || text.size() > 3 || (text[0] != 'P' && text[0] != 'p')) return std::nullopt;
  int level = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), level);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return level;
}

std::optional<double> NumberOf(ReadingName name, const Value& value) {
  const model::ReadingInfo& info = model::InfoOf(name);
  if (info.kind == ReadingKind::kText) return std::nullopt;
  if (info.kind == ReadingKind::kState) return StateOf(value.text);
  if (name == ReadingName::kPstate && !value.number) return LevelOf(value.text);
  if (!value.number) return std::nullopt;
  return ConvertUnit(*value.number, value.unit, info.unit);
}

struct ThrottleBit {
  uint64_t bit;
  ReadingName name;
};
constexpr ThrottleBit kThrottleBits[] = {
    {0x1, ReadingName::kThrottleIdle},       {0x2, ReadingName::kThrottleAppClocks},
    {0x4, ReadingName::kThrottleSwPowerCap}, {0x8, ReadingName::kThrottleHwSlowdown},
    {0x10, ReadingName::kThrottleSyncBoost}, {0x20, ReadingName::kThrottleSwThermal},
    {0x40, ReadingName::kThrottleHwThermal}, {0x80, ReadingName::kThrottleHwPowerBrake},
    {0x100, ReadingName::kThrottleDisplay},
};

}  // namespace

Sample::Cell& Sample::At(ReadingName name) {
  for (Cell& cell : cells_) {
    if (cell.name == name) return cell;
  }
  cells_.push_back({name, std::nullopt, {}});
  return cells_.back();
}

void Sample::Put(ReadingName name, const Value& value, Mode mode) {
  Cell& cell = At(name);
  const bool known = cell.number.has_value() || !cell.text.empty();
  if (value.absent() || (mode == Mode::kFallback && known)) return;
  const auto number = NumberOf(name, value);
  if (mode == Mode::kSum && number) {
    cell.number = cell.number.value_or(0) + *number;
    return;
  }
  cell.number = number;
  const ReadingKind kind = model::InfoOf(name).kind;
  if (!number && (kind == ReadingKind::kText || kind == ReadingKind::kState))
    cell.text = std::string(value.text.substr(0, kMaxTextBytes));
}

void Sample::SetNumber(ReadingName name, double number) { At(name).number = number; }

void Sample::SetOther(std::string_view name, const Value& value) {
  if (!value.number || name.empty() || others_.size() >= kMaxOthers) return;
  const UnitWord unit = UnitWordOf(value.unit);
  if (!unit.word.empty())
    others_.push_back({std::string(name.substr(0, kMaxTextBytes)), unit.word, *value.number * unit.factor});
}

void Sample::SetThrottleBits(std::string_view hex) {
  hex = Trimmed(hex);
  if (hex.substr(0, 2) != "0x" && hex.substr(0, 2) != "0X") return;
  uint64_t bits = 0;
  const auto [end, error] = std::from_chars(hex.data() + 2, hex.data() + hex.size(), bits, 16);
  if (error != std::errc() || end != hex.data() + hex.size()) return;
  for (const ThrottleBit& row : kThrottleBits) {
    Cell& cell = At(row.name);
    if (!cell.number) cell.number = (bits & row.bit) != 0 ? 1 : 0;
  }
}

uint32_t Recorder::Device(const DeviceNames& names) {
  const bool has_uuid = !names.uuid.empty() && !IsMasked(names.uuid);
  if (!has_uuid && names.pci.empty() && !names.index && !by_index_.empty()) {
    // Nothing tells which device it is: the first one.
    const uint32_t first = by_index_.begin()->second;
    if (appender_->trace().devices[first].name.empty())
      appender_->trace().devices[first].name = names.name.substr(0, kMaxTextBytes);
    return first;
  }
  uint32_t row = model::kNone;
  const auto look = [&](const auto& map, const auto& key) {
    const auto found = map.find(key);
    if (row != model::kNone || found == map.end()) return;
    // Machines of one scrape number their devices alike, and masked UUIDs repeat: no known name may contradict.
    const auto uuid = uuid_of_.find(found->second);
    const auto pci = pci_of_.find(found->second);
    const bool other_uuid = has_uuid && uuid != uuid_of_.end() && uuid->second != names.uuid;
    const bool other_pci = !names.pci.empty() && pci != pci_of_.end() && pci->second != names.pci;
    if (!other_uuid && !other_pci) row = found->second;
  };
  if (has_uuid) look(by_uuid_, names.uuid);
  if (!names.pci.empty()) look(by_pci_, names.pci);
  if (names.index) look(by_index_, *names.index);
  if (row == model::kNone) {
    auto& devices = appender_->trace().devices;
    if (by_index_.size() + by_pci_.size() + by_uuid_.size() >= kMaxDevices) return model::kNone;
    // Without an index of its own the next free number: tools list devices in the order of their index.
    int64_t id = names.index.value_or(0);
    while (!names.index && by_index_.contains(id)) ++id;
    row = static_cast<uint32_t>(devices.size());
    devices.emplace_back();
    devices.back().source = appender_->source_row();
    devices.back().id = id;
    by_index_.try_emplace(id, row);
  }
  if (has_uuid) by_uuid_.try_emplace(names.uuid, row), uuid_of_.try_emplace(row, names.uuid);
  model::Device& device = appender_->trace().devices[row];
  if (names.index && indexed_.insert(row).second) {
    device.id = *names.index;
    by_index_.try_emplace(*names.index, row);
  }
  if (!names.pci.empty()) by_pci_.try_emplace(names.pci, row);
  if (!names.pci.empty() && pci_of_.try_emplace(row, names.pci).second) {
    Push(row, std::nullopt, appender_->Text(model::NameOf(ReadingName::kPciBusId)), model::kNoString, std::nullopt,
         appender_->Text(names.pci));
  }
  // Old tables cut names ("Tesla V100-SXM2..."): the longest one told is the best.
  if (!names.name.empty() && !IsNoValue(names.name) &&
      (device.name.empty() || device.name.find("...") != std::string::npos))
    device.name = names.name.substr(0, kMaxTextBytes);
  return row;
}

uint32_t Recorder::Part(uint32_t parent, const std::string& key, const std::string& label) {
  if (parent == model::kNone) return parent;
  const auto [it, is_new] = parts_.try_emplace({parent, key}, 0);
  if (is_new) {
    if (parts_.size() > kMaxDevices) return parent;
    auto& devices = appender_->trace().devices;
    it->second = static_cast<uint32_t>(devices.size());
    model::Device part;
    part.source = appender_->source_row();
    part.id = devices[parent].id;
    part.name = devices[parent].name + (devices[parent].name.empty() ? "" : " ") + label;
    devices.push_back(std::move(part));
  }
  return it->second;
}

void Recorder::SetDriver(std::string_view version) {
  std::string& known = appender_->source().version;
  version = Trimmed(version);
  if (known.empty() && !IsNoValue(version) && version.size() < 64) known = version;
}

void Recorder::Push(uint32_t device, std::optional<int64_t> time_ns, model::StringId name, model::StringId unit,
                    std::optional<double> number, model::StringId text) {
  model::Reading reading;
  reading.source = appender_->source_row();
  reading.device = device;
  reading.time_ns = time_ns;
  reading.name = name;
  reading.unit = unit;
  reading.value = number;
  reading.text = text;
  appender_->trace().readings.push_back(reading);
  ++written_;
}

void Recorder::Write(uint32_t device, std::optional<int64_t> time_ns, Sample& sample) {
  for (const Sample::Cell& cell : sample.cells_) {
    const model::ReadingInfo& info = model::InfoOf(cell.name);
    const std::pair key(device, cell.name);
    model::StringId text = model::kNoString;
    if (!cell.text.empty()) {
      text = appender_->Text(cell.text);
      auto& last = last_text_[key];
      if (last == text && info.kind == model::ReadingKind::kText) continue;
      last = text;
    } else if (!cell.number && !told_absent_.insert(key).second) {
      continue;
    }
    if (cell.name == ReadingName::kMemoryTotal && cell.number && device != model::kNone && *cell.number > 0 &&
        *cell.number < 1e18)
      appender_->DeviceAt(device).memory_bytes = static_cast<uint64_t>(*cell.number);
    if (cell.name == ReadingName::kDriverVersion) SetDriver(cell.text);
    Push(device, time_ns, appender_->Text(info.name), info.unit.empty() ? model::kNoString : appender_->Text(info.unit),
         cell.number, text);
  }
  for (const Sample::Other& other : sample.others_)
    Push(device, time_ns, appender_->Text(other.name), appender_->Text(other.unit), other.number, model::kNoString);
  sample.Clear();
}

}  // namespace warpscope::import::monitor
