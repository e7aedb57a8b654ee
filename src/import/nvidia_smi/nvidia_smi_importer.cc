#include "import/nvidia_smi/nvidia_smi_importer.h"

#include <algorithm>

#include "import/monitor/line_reader.h"
#include "import/nvidia_smi/section.h"

namespace warpscope::import::nvidia_smi {
namespace {

constexpr size_t kSniffBytes = size_t{256} << 10;

// "--query-gpu=a,b" of a command line "$ nvidia-smi --query-gpu=a,b --format=csv".
void SeeCommand(std::string_view text, Shared& shared) {
  for (const std::string_view option : {std::string_view("--query-gpu="), std::string_view("--query-gpu ")}) {
    const size_t at = text.find(option);
    if (at == std::string_view::npos || text.find("nvidia-smi") > at) continue;
    const std::string_view list = text.substr(at + option.size());
    shared.asked_fields.clear();
    for (const std::string_view field : SplitCommas(list.substr(0, list.find(' '))))
      shared.asked_fields.push_back(monitor::Lower(field));
  }
}

// Text without control bytes, and none of the logs that quote nvidia-smi among other things.
bool MayBe(std::string_view text) {
  const std::string_view head = monitor::Trimmed(text);
  if (head.empty() || head.front() == '{' || head.front() == '[') return false;
  const auto odd = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\x1b';
  };
  if (std::any_of(text.begin(), text.end(), odd)) return false;
  return text.substr(0, 4096).find("NVIDIA bug report log") == std::string_view::npos;
}

Confidence Sniff(const Head& head) {
  const std::string text = monitor::PlainText(head.bytes, kSniffBytes);
  if (!MayBe(text)) return Confidence::kNo;
  // The sections' own beginnings decide, on a trace that is thrown away.
  model::Trace scratch;
  Appender appender(&scratch, "", "");
  Recorder recorder(&appender);
  Shared shared{&recorder, {}, {}, {}};
  Line line;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    line.text = std::string_view(text).substr(begin, end - begin);
    ++line.number;
    begin = end + 1;
    if (line.text.substr(0, 5) == "<?xml" && text.find("<nvidia_smi_log") == std::string::npos) return Confidence::kNo;
    SeeCommand(line.text, shared);
    for (const SectionKind& kind : SectionKinds()) {
      if (kind.begin(line, shared) != nullptr) {
        const bool weak = kind.option == "--query-gpu"
                              ? !IsQueryHeader(line.text)
                              : kind.option == "dmon" && line.text.find('#') == std::string_view::npos;
        return weak ? Confidence::kMaybe : Confidence::kYes;
      }
    }
  }
  return Confidence::kNo;
}

class Reader {
 public:
  Reader(ByteSource& bytes, const Options& options, Appender& appender)
      : bytes_(bytes), options_(options), lines_(&bytes), recorder_(&appender), shared_{&recorder_, {}, {}, {}} {}

  Status Read() {
    Line line;
    for (;;) {
      WS_ASSIGN_OR_RETURN(const bool more, lines_.Next(&line));
      if (!more) break;
      if (options_.progress && line.number % 4096 == 0) options_.progress(bytes_.done_ratio());
      if (section_ != nullptr && section_->Take(line)) continue;
      Close();
      Open(line);
    }
    Close();
    return Status::Ok();
  }

  uint64_t text_bytes() const { return lines_.offset_bytes(); }
  uint64_t cut_lines() const { return lines_.cut_lines(); }
  uint64_t written() const { return recorder_.written(); }
  const std::string& tool_version() const { return shared_.tool_version; }
  std::string Options_() const {
    std::string text;
    for (const std::string_view option : options_seen_) text += (text.empty() ? "" : ", ") + std::string(option);
    return text;
  }

 private:
  void Open(const Line& line) {
    SeeCommand(line.text, shared_);
    if (const auto time_ns = monitor::ParseDateNs(line.text); time_ns && line.text.size() < 40)
      shared_.seen_time_ns = time_ns;
    for (const SectionKind& kind : SectionKinds()) {
      section_ = kind.begin(line, shared_);
      if (section_ == nullptr) continue;
      if (std::find(options_seen_.begin(), options_seen_.end(), kind.option) == options_seen_.end())
        options_seen_.push_back(kind.option);
      return;
    }
  }

  void Close() {
    if (section_ != nullptr) section_->End();
    section_.reset();
  }

  ByteSource& bytes_;
  const Options& options_;
  monitor::LineReader lines_;
  Recorder recorder_;
  Shared shared_;
  std::unique_ptr<Section> section_;
  std::vector<std::string_view> options_seen_;
};

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  Appender appender(trace, path, "nvidia_smi");
  Reader reader(bytes, options, appender);
  WS_RETURN_IF_ERROR(reader.Read());
  if (reader.written() == 0) {
    return {StatusCode::kUnsupported,
            path +
                ": byte 0: this is output of nvidia-smi, but it holds no reading of a device. Record some: nvidia-smi "
                "--query-gpu=timestamp,index,name,utilization.gpu,power.draw,clocks.sm --format=csv -l 1 > smi.csv"};
  }
  model::Source& source = appender.source();
  source.producer = "nvidia-smi" + (reader.tool_version().empty() ? "" : " " + reader.tool_version()) + " (" +
                    reader.Options_() + ")";
  source.vendor = model::Vendor::kNvidia;
  source.text_bytes = reader.text_bytes();
  if (reader.cut_lines() > 0)
    appender.Note(model::LedgerCode::kBrokenRecord, reader.cut_lines(), std::nullopt, "lines of more than a mebibyte");
  if (bytes.cut_short()) appender.Note(model::LedgerCode::kTruncatedFile);
  return Status::Ok();
}

}  // namespace

const std::vector<SectionKind>& SectionKinds() {
  static const std::vector<SectionKind> kKinds = {
      {"-q", sections::BeginQuery},        {"-q -x", sections::BeginXml},         {"table", sections::BeginTable},
      {"pmon", sections::BeginPmon},       {"dmon", sections::BeginDmon},         {"topo -m", sections::BeginTopology},
      {"-L", sections::BeginList},         {"--version", sections::BeginVersion}, {"--query-apps", sections::BeginApps},
      {"--query-gpu", sections::BeginCsv},
  };
  return kKinds;
}

const Importer kImporter = {"nvidia_smi", "nvidia-smi output (-q, -q -x, --query-gpu, dmon, pmon, table, topo -m)",
                            Sniff, Read};

}  // namespace warpscope::import::nvidia_smi
