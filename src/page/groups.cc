#include "page/groups.h"

#include <fmt/format.h>

#include "page/json_text.h"

namespace warpscope::page {
namespace {

using model::kNone;

constexpr size_t kNameBytes = 120;  // of names that a heading repeats

std::string Words(const model::Trace& trace, model::StringId name) {
  if (name == model::kNoString || trace.Text(name).empty()) return {};
  uint64_t cut = 0;
  return " " + CutText(trace.Text(name), kNameBytes, &cut);
}

// "thread 7 loader"; recorders also name things "thread 7 (loader)" or just "7", which is not said twice.
std::string Named(std::string_view what, int64_t id, const model::Trace& trace, model::StringId name) {
  std::string text = fmt::format("{} {}", what, id);
  const std::string words = Words(trace, name);
  if (words == fmt::format(" {}", id)) return text;
  if (words.starts_with(" " + text)) return words.substr(1);
  return text + words;
}

std::optional<int64_t> RankOfDomain(const analysis::Index& index, uint32_t link_domain) {
  const analysis::Rank* rank = index.FindRank(link_domain);
  return rank == nullptr ? std::nullopt : rank->rank;
}

}  // namespace

std::optional<int64_t> RankOfProcess(const analysis::Index& index, uint32_t process) {
  const model::Process& of = index.trace().processes[process];
  return of.rank ? of.rank : RankOfDomain(index, of.link_domain);
}

std::string ProcessGroup(const analysis::Index& index, uint32_t process) {
  const model::Trace& trace = index.trace();
  const auto rank = RankOfProcess(index, process);
  // A file that does not tell the process may tell what it is of.
  if (trace.processes[process].pid < 0 && !Words(trace, trace.processes[process].name).empty())
    return Words(trace, trace.processes[process].name).substr(1);
  return (rank ? fmt::format("rank {}, ", *rank) : std::string()) +
         fmt::format("process {}", trace.processes[process].pid) + Words(trace, trace.processes[process].name);
}

std::string DeviceGroup(const analysis::Index& index, uint32_t device) {
  const model::Trace& trace = index.trace();
  uint64_t cut = 0;
  std::string text = fmt::format("GPU {}", trace.devices[device].id);
  if (!trace.devices[device].name.empty()) text += " " + CutText(trace.devices[device].name, kNameBytes, &cut);
  if (index.ranks().size() < 2) return text;
  std::optional<uint32_t> domain;
  for (const model::Stream& stream : trace.streams) {
    if (stream.device != device) continue;
    if (domain && *domain != stream.link_domain) return text;  // shared: no single rank's
    domain = stream.link_domain;
  }
  if (!domain) return text;
  if (const auto rank = RankOfDomain(index, *domain)) text += fmt::format(", rank {}", *rank);
  return text;
}

std::string ThreadName(const model::Trace& trace, uint32_t thread) {
  return Named("thread", trace.threads[thread].tid, trace, trace.threads[thread].name);
}

std::string StreamName(const model::Trace& trace, uint32_t stream) {
  return Named("stream", trace.streams[stream].id, trace, trace.streams[stream].name);
}

}  // namespace warpscope::page
