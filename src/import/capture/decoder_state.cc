#include "import/capture/decoder_state.h"

#include <filesystem>

#include "import/capture/cupti_words.h"

namespace warpscope::import::capture {
namespace {

std::string CuptiVersion(uint32_t version) {
  // From 12.8 on the number is major * 10000 + minor * 100 + patch; before it counts up.
  if (version < 10000) return "CUPTI API " + std::to_string(version);
  return "CUPTI " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace

State::State(model::Trace* trace, const std::string& path, const wire::FileHeader& header)
    : to(trace, path, "capture"), attached_ns(header.start_ns) {
  model::Source& source = to.source();
  source.producer = "warpscope record";
  if (header.cupti_version != 0) source.producer += ", " + CuptiVersion(header.cupti_version);
  source.version = std::to_string(header.version);
  source.vendor = model::Vendor::kNvidia;
  source.has_sync_rows = true;
  source.part_of = "capture:" + std::filesystem::path(path).parent_path().string();
  process = to.Process(header.pid);
}

model::StringId State::Text(uint64_t ref) const {
  const model::StringId* text = texts.Find(ref);
  return text == nullptr ? model::kNoString : *text;
}

uint32_t State::StreamOf(uint64_t ref) {
  const uint32_t* row = streams.Find(ref);
  return row != nullptr ? *row : to.Stream(process, to.Device(0), -1, 0);
}

uint32_t State::ThreadOf(uint64_t ref) {
  const uint32_t* row = threads.Find(ref);
  return row != nullptr ? *row : to.Thread(process, 0);
}

uint32_t State::DeviceOf(uint64_t number_plus_1) {
  return number_plus_1 == 0 ? model::kNone : to.Device(static_cast<int64_t>(Narrow(number_plus_1 - 1)));
}

CallKey State::CallOf(uint64_t api, model::StringId name, uint32_t thread) {
  CallKey call;
  call.kind = api == 1 ? model::HostKind::kDriverCall : model::HostKind::kRuntimeCall;
  call.name = to.Text(WithoutVersion(to.trace().Text(name)));
  call.thread = thread;
  const std::string_view text = to.trace().Text(call.name);
  call.is_launch = model::IsLaunchCall(text);
  call.issues =
      call.is_launch || text.find("Memcpy") != std::string_view::npos || text.find("Memset") != std::string_view::npos;
  return call;
}

bool State::InRange(int64_t start_ns, int64_t dur_ns) {
  constexpr int64_t kMostNs = int64_t{1} << 62;  // as Appender::Add
  const bool good = start_ns > -kMostNs && start_ns < kMostNs && dur_ns >= 0 && dur_ns < kMostNs;
  if (!good) to.Note(model::LedgerCode::kOutOfRange);
  return good;
}

}  // namespace warpscope::import::capture
