#include "import/rocm_smi/rocm_smi_importer.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>

#include "import/appender.h"
#include "import/csv/csv_reader.h"
#include "import/json/json_cursor.h"
#include "import/rocm_smi/reading_keys.h"

namespace warpscope::import::rocm_smi {
namespace {

using Json = simdjson::dom::element;
using Type = simdjson::dom::element_type;
using model::LedgerCode;

constexpr size_t kMaxDocumentBytes = size_t{64} << 20;
constexpr size_t kMaxDepth = 12;

std::string_view SkipBlanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// The text behind `"key" :`; "" if the text does not begin with that.
std::string_view Behind(std::string_view text, std::string_view key) {
  if (text.substr(0, 1) != "\"" || text.substr(1, key.size()) != key || text.substr(1 + key.size(), 1) != "\"")
    return {};
  text = SkipBlanks(text.substr(key.size() + 2));
  return text.substr(0, 1) == ":" ? SkipBlanks(text.substr(1)) : std::string_view();
}

std::optional<int64_t> CardNumber(std::string_view key) {
  if (key.substr(0, 4) != "card" || key.size() < 5 || key.size() > 8) return std::nullopt;
  return ParseSigned(key.substr(4));
}

Confidence Sniff(const Head& head) {
  std::string_view text = SkipBlanks(head.bytes);
  if (text.substr(0, 1) == "[") {
    text = SkipBlanks(text.substr(1));
    if (text.substr(0, 1) != "{") return Confidence::kNo;
    const std::string_view gpu = Behind(SkipBlanks(text.substr(1)), "gpu"),
                           time = Behind(SkipBlanks(text.substr(1)), "timestamp");
    const bool ours = (!gpu.empty() && gpu.front() >= '0' && gpu.front() <= '9') ||
                      (!time.empty() && text.substr(0, 400).find("\"gpu\"") != std::string_view::npos);
    return ours ? Confidence::kYes : Confidence::kNo;
  }
  if (text.substr(0, 1) != "{") return Confidence::kNo;
  text = SkipBlanks(text.substr(1));
  if (Behind(text, "gpu_data").substr(0, 1) == "[") return Confidence::kYes;
  if (const std::string_view gpu = Behind(text, "gpu"); !gpu.empty() && gpu.front() >= '0' && gpu.front() <= '9')
    return text.find("\"unit\"") != std::string_view::npos ? Confidence::kYes : Confidence::kMaybe;
  const size_t quote = text.find('"', 1);
  if (text.substr(0, 1) != "\"" || quote == std::string_view::npos) return Confidence::kNo;
  const std::string_view key = text.substr(1, quote - 1);
  if (CardNumber(key) && Behind(text, key).substr(0, 1) == "{") return Confidence::kYes;
  const bool system = key == "system" && text.substr(0, 8192).find("\"card0\"") != std::string_view::npos;
  return system ? Confidence::kYes : Confidence::kNo;
}

class Reader {
 public:
  Reader(ByteSource* bytes, const std::string& path, model::Trace* trace)
      : cursor_(bytes), to_(trace, path, "rocm_smi"), path_(path) {
    to_.source().vendor = model::Vendor::kAmd;
    to_.source().producer = "amd-smi";
  }

  // Every document of the file; what stands between them (legends, warnings) is passed over.
  Status Read() {
    while (cursor_.SeekDocument()) {
      if (!cursor_.Take(&text_, kMaxDocumentBytes)) {
        if (cursor_.cut_short() || cursor_.broken()) break;
        continue;
      }
      Json document;
      if (Parse(&document)) AddDocument(document);
    }
    if (!cursor_.status().ok()) return cursor_.status();
    if (cursor_.cut_short()) to_.Note(LedgerCode::kTruncatedFile, 1, cursor_.offset_bytes());
    to_.source().text_bytes = cursor_.offset_bytes();
    if (to_.trace().readings.size() > first_reading_) return Status::Ok();
    return Status(StatusCode::kCorrupt,
                  path_ +
                      ": byte 0: JSON of rocm-smi or amd-smi without a single reading of a device. Print it again "
                      "with rocm-smi --showuse --showmemuse --showtemp --showpower --json, or amd-smi metric --json.");
  }

 private:
  bool Parse(Json* value) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      text_.reserve(text_.size() + simdjson::SIMDJSON_PADDING);
      const auto error = parser_.parse(text_.data(), text_.size(), false).get(*value);
      if (error == simdjson::SUCCESS) return true;
      if (error != simdjson::UTF8_ERROR) break;
      to_.Note(LedgerCode::kBadName, 1, cursor_.offset_bytes());
      text_ = WithoutBadUtf8(text_);
    }
    to_.Note(LedgerCode::kBrokenRecord, 1, cursor_.offset_bytes());
    return false;
  }

  void AddDocument(Json document) {
    simdjson::dom::array list;
    if (document.get(list) == simdjson::SUCCESS) return AddList(list);
    simdjson::dom::object object;
    if (document.get(object) != simdjson::SUCCESS) return;
    if (object["gpu_data"].get(list) == simdjson::SUCCESS) return AddList(list);
    if (Json gpu; object["gpu"].get(gpu) == simdjson::SUCCESS && gpu.type() != Type::OBJECT) return AddGpu(document);
    for (const auto [key, value] : object) {
      if (const auto card = CardNumber(key)) AddCard(*card, value);
      else if (key == "system") AddCard(std::nullopt, value);
    }
  }

  void AddList(simdjson::dom::array list) {
    for (const Json item : list) {
      if (item.type() == Type::OBJECT) AddGpu(item);
      else to_.Note(LedgerCode::kUnknownEvent, 1, cursor_.offset_bytes());
    }
  }

  // rocm-smi: flat, every value a text, the unit in the key.
  void AddCard(std::optional<int64_t> card, Json value) {
    simdjson::dom::object facts;
    if (value.get(facts) != simdjson::SUCCESS) return;
    to_.source().producer = "rocm-smi";
    device_ = card ? to_.Device(*card) : model::kNone;
    time_ns_.reset();
    for (const auto [key, item] : facts) {
      std::string_view text;
      double number = 0;
      if (item.get(text) == simdjson::SUCCESS) AddFact(key, text);
      else if (item.get(number) == simdjson::SUCCESS) Add(RocmSmiName(key), key, Convert(number, UnitInKey(key)));
    }
  }

  void AddFact(std::string_view key, std::string_view text) {
    if (device_ != model::kNone &&
        (key == "Card series" || key == "Card Series" || key == "Card model" || key == "Card Model")) {
      std::string& name = to_.DeviceAt(device_).name;
      // Numbers of a card that the tool's table does not know are no names.
      if (name.empty() && !IsNoValue(text) && text.substr(0, 2) != "0x") name = std::string(text);
      return;
    }
    if (IsPrivateKey(key)) return;
    if (key == "pcie clock level") return AddLink(text);
    const auto name = RocmSmiName(key);
    if (IsNoValue(text)) {
      if (name) AddNothing(*name);
      return;
    }
    const std::string_view unit = UnitInKey(key);
    const auto quantity = QuantityIn(text);
    if (quantity &&
        (name ? model::InfoOf(*name).kind != model::ReadingKind::kText : !unit.empty() || quantity->unit.empty()))
      Add(name, key, quantity->unit.empty() ? Convert(quantity->value, unit) : *quantity);
    else if (name || device_ != model::kNone) AddText(name, key, text);
  }

  // "1 (16.0GT/s x16)".
  void AddLink(std::string_view text) {
    const size_t open = text.find('('), lanes = text.find(" x");
    if (open == std::string_view::npos || lanes == std::string_view::npos) return;
    // Transfers a second by generation: PCI-SIG, PCI Express base specifications.
    constexpr std::pair<double, double> kGenerations[] = {{2.5, 1}, {5, 2}, {8, 3}, {16, 4}, {32, 5}, {64, 6}};
    const auto speed = ParseNumber(text.substr(open + 1, text.find("GT/s") - open - 1), '.');
    for (const auto& [transfers, generation] : kGenerations) {
      if (speed && *speed == transfers) Add(model::ReadingName::kPcieGenCurrent, {}, {generation, {}});
    }
    const auto width = ParseNumber(text.substr(lanes + 2, text.find(')', lanes) - lanes - 2), '.');
    if (width) Add(model::ReadingName::kPcieWidthCurrent, {}, {*width, {}});
  }

  // amd-smi: nested, numbers as {"value": 5, "unit": "W"} or bare, "N/A" in place of anything.
  void AddGpu(Json item) {
    int64_t number = 0;
    if (item["gpu"].get(number) != simdjson::SUCCESS) {
      std::string_view text;
      const auto parsed = item["gpu"].get(text) == simdjson::SUCCESS ? ParseSigned(text) : std::nullopt;
      if (!parsed) return to_.Note(LedgerCode::kMissingField, 1, cursor_.offset_bytes());
      number = *parsed;
    }
    device_ = to_.Device(number);
    time_ns_.reset();
    // Seconds of the epoch, where the tool watches.
    double seconds = 0;
    if (item["timestamp"].get(seconds) == simdjson::SUCCESS && seconds > 0 && seconds < 9e9)
      time_ns_ = static_cast<int64_t>(seconds * 1e6) * 1000;
    Walk({}, item, 0);
  }

  void Walk(const std::string& path, Json value, size_t depth) {
    simdjson::dom::object object;
    simdjson::dom::array list;
    if (depth > kMaxDepth) return;
    if (value.get(object) == simdjson::SUCCESS) {
      double number = 0;
      std::string_view unit, text;
      Json inner;
      if (object["value"].get(inner) == simdjson::SUCCESS && object.size() <= 2) {
        if (object["unit"].get(unit) != simdjson::SUCCESS) unit = {};
        if (inner.get(number) == simdjson::SUCCESS) Add(AmdSmiName(path), path, Convert(number, unit));
        else if (inner.get(text) == simdjson::SUCCESS) AddLeaf(path, text, unit);
        return;
      }
      for (const auto [key, item] : object) {
        if (IsPrivateKey(key) || (depth == 0 && (key == "gpu" || key == "timestamp"))) continue;
        Walk(path.empty() ? std::string(key) : path + "." + std::string(key), item, depth + 1);
      }
    } else if (value.get(list) == simdjson::SUCCESS) {
      size_t at = 0;
      for (const Json item : list) Walk(path + "_" + std::to_string(at++), item, depth + 1);
    } else {
      AddScalar(path, value);
    }
  }

  void AddScalar(const std::string& path, Json value) {
    double number = 0;
    std::string_view text;
    bool flag = false;
    if (value.get(number) == simdjson::SUCCESS) Add(AmdSmiName(path), path, {number, {}});
    else if (value.get(flag) == simdjson::SUCCESS) Add(AmdSmiName(path), path, {flag ? 1.0 : 0.0, {}});
    else if (value.get(text) == simdjson::SUCCESS) AddLeaf(path, text, {});
  }

  void AddLeaf(const std::string& path, std::string_view text, std::string_view unit) {
    const auto name = AmdSmiName(path);
    if (path == "asic.market_name" && !IsNoValue(text)) to_.DeviceAt(device_).name = std::string(text);
    if (IsNoValue(text)) {
      if (name) AddNothing(*name);
      return;
    }
    if (name && model::InfoOf(*name).kind == model::ReadingKind::kState) {
      const bool off = text == "NOT ACTIVE" || text == "NOT_ACTIVE" || text == "UNTHROTTLED" || text == "False";
      model::Reading reading = Begin(name, path);
      reading.value = off ? 0 : 1;
      reading.text = to_.Text(text);
      return to_.trace().readings.push_back(reading);
    }
    const auto number = ParseNumber(text, '.');
    if (number && !(name && model::InfoOf(*name).kind == model::ReadingKind::kText))
      Add(name, path, Convert(*number, unit));
    else AddText(name, path, text);
  }

  model::Reading Begin(std::optional<model::ReadingName> name, std::string_view key) {
    model::Reading reading;
    reading.source = to_.source_row();
    reading.device = device_;
    reading.time_ns = time_ns_;
    reading.name = to_.Text(name ? model::NameOf(*name) : key);
    if (name && !model::InfoOf(*name).unit.empty()) reading.unit = to_.Text(model::InfoOf(*name).unit);
    return reading;
  }
  void Add(std::optional<model::ReadingName> name, std::string_view key, const Quantity& quantity) {
    model::Reading reading = Begin(name, key);
    reading.value = quantity.value;
    if (!name && !quantity.unit.empty()) reading.unit = to_.Text(quantity.unit);
    if (name == model::ReadingName::kMemoryTotal && quantity.value > 0 && quantity.value < 1e18 &&
        device_ != model::kNone)
      to_.DeviceAt(device_).memory_bytes = static_cast<uint64_t>(quantity.value);
    to_.trace().readings.push_back(reading);
  }
  void AddText(std::optional<model::ReadingName> name, std::string_view key, std::string_view text) {
    model::Reading reading = Begin(name, key);
    reading.text = to_.Text(text);
    to_.trace().readings.push_back(reading);
  }
  void AddNothing(model::ReadingName name) { to_.trace().readings.push_back(Begin(name, {})); }

  JsonCursor cursor_;
  Appender to_;
  const std::string path_;
  const size_t first_reading_ = to_.trace().readings.size();
  simdjson::dom::parser parser_;
  std::string text_;
  uint32_t device_ = model::kNone;
  std::optional<int64_t> time_ns_;
};

Status Read(ByteSource& bytes, const std::string& path, const Options&, model::Trace* trace) {
  Reader reader(&bytes, path, trace);
  return reader.Read();
}

}  // namespace

const Importer kImporter = {"rocm_smi", "rocm-smi and amd-smi JSON", &Sniff, &Read};

}  // namespace warpscope::import::rocm_smi
