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
  // The event viewer and wevtutil in the languages of Windows.
  for (const std::string_view word :
       {"Ereignis-ID", "事件 ID", "事件ID", "事件識別碼", "イベント ID", "이벤트 ID", "ID d’événement",
        "ID d'événement", "ID evento", "Id. del evento", "Id. de evento", "Id. de suceso", "Identificação do Evento",
        "ID do Evento", "Код события", "Идентификатор события", "Identyfikator zdarzenia", "Gebeurtenis-id"}) {
    auto rest = After(line, word);
    if (!rest) continue;
    while (!rest->empty() && (Skip(*rest, ":") || Skip(*rest, "：") || Skip(*rest, " ") || Skip(*rest, "\t"))) {
    }
    if (const auto id = TakeNumber(*rest)) return id;
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
    if (const auto numeric = TakeNumericTime(rest)) return numeric;
  }
  return {};
}

// "Display driver ... stopped responding and has recovered" in the languages of Windows.
bool TellsAReset(std::string_view line) {
  for (const std::string_view words : {"reagiert nicht mehr", "已停止响应", "已停止回應", "応答を停止", "응답을 중지",
                                       "a cessé de répondre", "ha dejado de responder", "dejó de responder",
                                       "parou de responder", "ha smesso di rispondere", "перестал отвечать"}) {
    if (Has(line, words)) return true;
  }
  return HasNoCase(line, "stopped responding");
}

std::string_view ProviderIn(std::string_view line) {
  if (HasNoCase(line, "nvlddmkm")) return TellsAReset(line) ? "Display" : "nvlddmkm";
  if (HasNoCase(line, "LiveKernelEvent")) return "LiveKernel";
  if (HasNoCase(line, "WHEA-Logger")) return "WHEA";
  if (HasNoCase(line, "stopped responding and has")) return "Display";
  if ((HasNoCase(line, "amdkmdag") || HasNoCase(line, "amdwddmg") || HasNoCase(line, "igdkmd")) && TellsAReset(line))
    return "Display";
  if (HasNoCase(line, "VIDEO_TDR_FAILURE") || HasNoCase(line, "VIDEO_TDR_TIMEOUT") || Has(line, "0x00000116 (") ||
      Has(line, "0x00000117 (") ||
      (HasNoCase(line, "bugcheck") && (Has(line, "0x00000116") || Has(line, "0x00000117"))))
    return "BugCheck";
  return "";
}

// The text of an event whose message file is missing: "The description for Event ID 153 from source ..."
bool RepeatsItsNumber(std::string_view line) {
  for (const std::string_view words : {"description for Event ID", "Beschreibung für Ereignis-ID", "的描述", "の説明",
                                       "La description de l", "descripción del", "descrizione dell", "Описание"}) {
    if (Has(line, words)) return true;
  }
  return false;
}

bool IsTimeLabel(std::string_view line) {
  for (const std::string_view label :
       {"Date:", "TimeCreated", "Datum:", "日期:", "日期：", "日付:", "날짜:", "Fecha:", "Data:"}) {
    if (line.starts_with(label)) return true;
  }
  return false;
}

// The first line of a record, of which some programs write several without a line between.
bool IsBoundary(std::string_view line) {
  for (const std::string_view begin : {"Event[", "Ereignis[", "<Event ", "Log Name:", "Protokollname:", "日志名称",
                                       "記錄檔名稱", "ログの名前", "로그 이름", "Nom du journal", "Nombre de registro",
                                       "Nome registro", "Nome do Log", "Имя журнала", "Nazwa dziennika"}) {
    if (line.starts_with(begin)) return true;
  }
  return false;
}

}  // namespace

void WindowsParser::Flush(ParseContext& context) {
  Record record = std::move(record_);
  record_ = {};
  if (record.provider.empty()) return;
  std::string_view id = "win-nvlddmkm";
  if (record.provider == "nvlddmkm") {
    if (record.id == 13) id = "win-nvlddmkm-13";
    if (record.id == 14) id = "win-nvlddmkm-14";
    if (record.id == 4101) id = "win-display-4101";
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
  const bool repeats = is_open && id && record_.id == id && RepeatsItsNumber(words);
  if (!repeats && ((id && record_.id) || (!provider.empty() && id && !record_.provider.empty()))) Flush(context);
  if (provider.empty() && !id && !is_open) {
    // The time stands before provider and number in some forms.
    if (IsTimeLabel(words)) {
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
