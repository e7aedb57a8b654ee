// Event log text of Windows, in records of one line or of several.
#include "faults/parsers.h"
#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

constexpr uint64_t kMostRecordLines = 60;
constexpr size_t kMostRecordText = 1024;

std::optional<uint64_t> EventId(std::string_view line) {
  for (const std::string_view word :
       {"Event ID: ", "Event ID ", "EventID: ", "EventId: ", "<EventID>", "Event ID:\t"}) {
    if (const auto id = NumberAfter(line, word)) return id;
  }
  if (auto rest = After(line, "<EventID ")) {  // <EventID Qualifiers='0'>153<
    if (auto behind = After(*rest, ">")) return TakeNumber(*behind);
  }
  std::string_view rest = line;
  if (Skip(rest, "Id") || Skip(rest, "Event ID") || Skip(rest, "EventID")) {  // "Id      : 153"
    SkipSpaces(rest);
    if (Skip(rest, ":")) {
      SkipSpaces(rest);
      return TakeNumber(rest);
    }
  }
  return {};
}

// The number of a table or CSV row that names the provider: "...,nvlddmkm,153,None" or "... 153 Error \Device\Video3".
std::optional<uint64_t> IdInRow(std::string_view line, std::string_view provider) {
  auto rest = After(line, provider);
  if (!rest) return {};
  while (!rest->empty() &&
         (rest->front() == '"' || rest->front() == ',' || rest->front() == '\t' || rest->front() == ' '))
    rest->remove_prefix(1);
  return TakeNumber(*rest);
}

std::optional<LogTime> TimeIn(std::string_view line) {
  for (size_t at = 0; at + 10 < line.size() && at < 400; ++at) {
    if (!IsDigit(line[at]) || (at > 0 && IsWordByte(line[at - 1]))) continue;
    std::string_view rest = line.substr(at);
    if (const auto iso = TakeIsoTime(rest)) return iso;
    if (const auto slash = TakeSlashTime(rest)) return slash;
  }
  return {};
}

std::string_view ProviderIn(std::string_view line) {
  if (HasNoCase(line, "nvlddmkm")) {
    if (HasNoCase(line, "stopped responding")) return "Display";
    return "nvlddmkm";
  }
  if (HasNoCase(line, "LiveKernelEvent")) return "LiveKernel";
  if (HasNoCase(line, "WHEA-Logger")) return "WHEA";
  if (HasNoCase(line, "stopped responding and has")) return "Display";
  if (HasNoCase(line, "VIDEO_TDR_FAILURE") || HasNoCase(line, "VIDEO_TDR_TIMEOUT") ||
      (HasNoCase(line, "bugcheck") && (Has(line, "0x00000116") || Has(line, "0x00000117"))))
    return "BugCheck";
  return "";
}

bool IsBoundary(std::string_view line) { return line.starts_with("Event[") || line.starts_with("<Event "); }

}  // namespace

void WindowsParser::Flush(ParseContext& context) {
  Record record = std::move(record_);
  record_ = {};
  if (record.provider.empty()) return;
  std::string_view id = "win-nvlddmkm";
  if (record.provider == "nvlddmkm") {
    if (record.id == 13) id = "win-nvlddmkm-13";
    if (record.id == 14) id = "win-nvlddmkm-14";
    if (record.id == 153 || HasNoCase(record.text, "reset tdr")) id = "win-nvlddmkm-153";
  } else if (record.provider == "Display") {
    id = "win-display-4101";
  } else if (record.provider == "LiveKernel") {
    // "LiveKernelEvent 141"; in the reliability monitor "Code: 141" stands lines below.
    auto code = NumberAfter(record.text, "LiveKernelEvent ");
    if (!code) code = NumberAfter(record.text, "ode: ");
    if (!code) code = NumberAfter(record.text, "ode:\t");
    if (code == 141) id = "win-live-kernel-141";
    else if (code == 116 || code == 117) id = "win-video-tdr-failure";
    else return;
  } else if (record.provider == "BugCheck") {
    id = "win-video-tdr-failure";
  } else if (HasNoCase(record.text, "PCI Express")) {
    id = "win-whea-pcie";
  } else {
    return;
  }
  Event event = ParseContext::Make(FindEntry(id), record.text);
  if (record.id && *record.id < 100000) event.code = static_cast<int>(*record.id);
  event.time = record.time;
  event.line = record.line;
  if (const auto gpu = NumberAfter(record.text, "GPUID: ")) event.place = "GPUID " + std::to_string(*gpu);
  else if (const auto old = NumberAfter(record.text, "GPUID:")) event.place = "GPUID " + std::to_string(*old);
  context.emit(std::move(event));
}

bool WindowsParser::Read(std::string_view line, ParseContext& context) {
  const std::string_view words = Trim(line);
  if (IsBoundary(words) || (record_.line != 0 && context.line - record_.line > kMostRecordLines)) Flush(context);
  const std::string_view provider = ProviderIn(words);
  auto id = EventId(words);
  if (!id && provider == "nvlddmkm") id = IdInRow(words, provider);
  const bool is_open = record_.line != 0;
  // "The description for Event ID 153 from source nvlddmkm cannot be found." inside the record of that event.
  const bool repeats = is_open && id && record_.id == id && Has(words, "description for Event ID");
  if (!repeats && ((id && record_.id) || (!provider.empty() && id && !record_.provider.empty()))) Flush(context);
  if (provider.empty() && !id && !is_open) {
    // The time stands before provider and number in some forms.
    if ((words.starts_with("Date:") || words.starts_with("TimeCreated"))) {
      if (const auto time = TimeIn(words)) {
        record_.time = *time;
        record_.line = context.line;
      }
    }
    return false;
  }
  if (record_.line == 0) record_.line = context.line;
  if (!provider.empty() && record_.provider.empty()) record_.provider = provider;
  if (id && !record_.id) record_.id = id;
  if (record_.time.clock == Clock::kNone) record_.time = TimeIn(words).value_or(LogTime{});
  if (record_.text.size() < kMostRecordText) {
    if (!record_.text.empty()) record_.text += ' ';
    record_.text += words.substr(0, kMostRecordText);
  }
  return !record_.provider.empty();
}

}  // namespace warpscope::faults
