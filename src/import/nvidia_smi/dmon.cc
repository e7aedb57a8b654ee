// `nvidia-smi dmon` and `pmon`: columns under two lines that begin with '#' (names, then units), repeated every page.
// Columns differ by version and options (-s, -o): they are found by name. Rows before the first header wait for it.
#include <algorithm>
#include <map>
#include <set>

#include "import/nvidia_smi/fields.h"
#include "import/nvidia_smi/section.h"

namespace warpscope::import::nvidia_smi {
namespace {

constexpr size_t kMaxWaiting = 10000;
constexpr int64_t kDayNs = 86'400'000'000'000;

// Words of a header line without its '#': "# gpu   pwr", "#Date  Time  gpu", "#gpu, pwr".
std::vector<std::string_view> HeaderWords(std::string_view text) {
  text = monitor::Trimmed(text);
  if (text.empty() || text.front() != '#') return {};
  return SplitBlanks(text.substr(1));
}

bool Has(const std::vector<std::string_view>& words, std::string_view wanted) {
  return std::find(words.begin(), words.end(), wanted) != words.end();
}

bool IsProcessHeader(const std::vector<std::string_view>& words) { return Has(words, "gpu") && Has(words, "pid"); }
bool IsDeviceHeader(const std::vector<std::string_view>& words) {
  return words.size() >= 2 && Has(words, "gpu") && !Has(words, "pid") && words.size() < 100;
}

// A row of numbers and dashes, the first a small whole number.
bool IsRow(const std::vector<std::string_view>& words) {
  if (words.size() < 4 || words.size() > 100) return false;
  for (const std::string_view word : words) {
    if (word != "-" && !monitor::ParseValue(word).number) return false;
  }
  return words[0].size() <= 3 && words[0] != "-";
}

class Dmon final : public Section {
 public:
  explicit Dmon(Shared& shared) : shared_(shared) {}

  bool Take(const Line& line) override {
    const std::string_view text = monitor::Trimmed(line.text);
    if (text.empty()) return true;
    if (text.front() == '#') return Header(HeaderWords(text));
    const std::vector<std::string_view> words = SplitBlanks(text);
    if (columns_.empty()) {
      if (!IsRow(words)) return false;
      if (waiting_.size() < kMaxWaiting) waiting_.emplace_back(words.begin(), words.end());
      return true;
    }
    if (words.size() != columns_.size()) {
      if (words.size() < 2 || !monitor::ParseValue(words[0]).number) return false;
      Note(line.has_end ? model::LedgerCode::kBrokenRecord : model::LedgerCode::kTruncatedFile, line.offset_bytes);
      return true;
    }
    Row(words);
    return true;
  }

  void End() override {
    if (!waiting_.empty()) Note(model::LedgerCode::kMissingField, std::nullopt, waiting_.size());
  }

 private:
  bool Header(const std::vector<std::string_view>& words) {
    if (IsProcessHeader(words)) return false;
    if (IsDeviceHeader(words)) {
      columns_.assign(words.begin(), words.end());
      units_.clear();
      return true;
    }
    if (!Has(words, "Idx")) return false;
    units_.assign(words.begin(), words.end());
    for (const std::vector<std::string>& row : waiting_) {
      const std::vector<std::string_view> fields(row.begin(), row.end());
      if (fields.size() == columns_.size()) Row(fields);
      else Note(model::LedgerCode::kBrokenRecord, std::nullopt);
    }
    waiting_.clear();
    return true;
  }

  void Row(const std::vector<std::string_view>& words) {
    DeviceNames names;
    std::string_view date, time;
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string column = monitor::Lower(columns_[i]);
      if (column == "date") date = words[i];
      else if (column == "time") time = words[i];
      else if (column == "gpu") {
        const Value value = monitor::ParseValue(words[i]);
        if (value.number && *value.number >= 0 && *value.number < 4096)
          names.index = static_cast<int64_t>(*value.number);
      } else {
        ApplyDmonColumn(column, words[i], i < units_.size() ? std::string_view(units_[i]) : std::string_view(),
                        sample_);
      }
    }
    shared_.recorder->Write(shared_.recorder->Device(names), TimeOf(date, time), sample_);
  }

  // With a date: epoch. With the time of day alone: since the first row, over midnight.
  std::optional<int64_t> TimeOf(std::string_view date, std::string_view time) {
    if (!date.empty()) return monitor::ParseDateNs(std::string(date) + " " + std::string(time));
    const auto of_day = monitor::ParseTimeOfDayNs(time);
    if (!of_day) return std::nullopt;
    if (!first_) first_ = *of_day;
    if (*of_day + kDayNs / 2 < last_) days_ += kDayNs;
    last_ = *of_day;
    return *of_day + days_ - *first_;
  }

  void Note(model::LedgerCode code, std::optional<uint64_t> offset, uint64_t count = 1) {
    shared_.recorder->appender().Note(code, count, offset);
  }

  Shared& shared_;
  std::vector<std::string> columns_, units_;
  std::vector<std::vector<std::string>> waiting_;
  std::optional<int64_t> first_;
  int64_t last_ = 0, days_ = 0;
  Sample sample_;
};

// Only how many processes use each device: whose they are is nobody's business here.
class Pmon final : public Section {
 public:
  explicit Pmon(Shared& shared) : shared_(shared) {}

  bool Take(const Line& line) override {
    const std::string_view text = monitor::Trimmed(line.text);
    if (text.empty()) return true;
    if (text.front() == '#') {
      const std::vector<std::string_view> words = HeaderWords(text);
      if (IsProcessHeader(words)) columns_.assign(words.begin(), words.end());
      return IsProcessHeader(words) || Has(words, "Idx");
    }
    const std::vector<std::string_view> words = SplitBlanks(text);
    if (words.size() < columns_.size()) return false;
    std::optional<int64_t> index;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Value value = monitor::ParseValue(words[i]);
      if (columns_[i] == "gpu" && value.number && *value.number >= 0 && *value.number < 4096)
        index = static_cast<int64_t>(*value.number);
      if (columns_[i] == "pid" && index) {
        auto& pids = pids_[*index];
        if (value.number && pids.size() < kMaxWaiting) pids.insert(*value.number);
      }
    }
    return index.has_value();
  }

  void End() override {
    for (const auto& [index, pids] : pids_) {
      Sample sample;
      sample.SetNumber(model::ReadingName::kProcesses, static_cast<double>(pids.size()));
      DeviceNames names;
      names.index = index;
      shared_.recorder->Write(shared_.recorder->Device(names), std::nullopt, sample);
    }
  }

 private:
  Shared& shared_;
  std::vector<std::string> columns_;
  std::map<int64_t, std::set<double>> pids_;
};

}  // namespace

std::vector<std::string_view> SplitBlanks(std::string_view line) {
  std::vector<std::string_view> words;
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r'; };
  for (size_t at = 0; at < line.size() && words.size() < 1000;) {
    while (at < line.size() && blank(line[at])) ++at;
    const size_t begin = at;
    while (at < line.size() && !blank(line[at])) ++at;
    if (at > begin) words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

std::unique_ptr<Section> sections::BeginDmon(const Line& line, Shared& shared) {
  const std::string_view text = monitor::Trimmed(line.text);
  const bool first_rows = line.number == 1 && IsRow(SplitBlanks(text)) && text.find(',') == std::string_view::npos;
  const std::vector<std::string_view> words = HeaderWords(text);
  const bool header = IsDeviceHeader(words) && std::any_of(words.begin(), words.end(), [](std::string_view word) {
                        return word == "pwr" || word == "sm" || word == "mclk" || word == "fb" || word == "rxpci" ||
                               word == "pviol" || word == "sbecc" || word == "gtemp" || word == "temp" ||
                               word == "pclk";
                      });
  if (!header && !first_rows) return nullptr;
  auto section = std::make_unique<Dmon>(shared);
  section->Take(line);
  return section;
}

std::unique_ptr<Section> sections::BeginPmon(const Line& line, Shared& shared) {
  if (!IsProcessHeader(HeaderWords(line.text))) return nullptr;
  auto section = std::make_unique<Pmon>(shared);
  section->Take(line);
  return section;
}

}  // namespace warpscope::import::nvidia_smi
