// Any bytes as a log: no crash, and a report that holds what it promises.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "faults/report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace faults = warpscope::faults;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  faults::MachineFacts machine;
  faults::BurstFolder folder;
  faults::Scanner scanner(&machine, [&](faults::Event event) { folder.Add(std::move(event)); });
  scanner.BeginLog("fuzz");
  scanner.Feed(text.substr(0, size / 2));
  scanner.Feed(text.substr(size / 2));
  scanner.EndLog();
  auto bursts = folder.Take();
  const faults::Report report = faults::MakeReport(std::move(bursts), scanner.logs(), std::move(machine),
                                                   folder.repeated_count(), folder.folded_late_count());
  size_t told = 0;
  for (const faults::Incident& incident : report.incidents) {
    if (incident.roots.empty() || incident.actions.empty()) std::abort();
    told += incident.roots.size() + incident.followers.size();
    static_cast<void>(faults::StepsOf(incident, report));
  }
  if (told != report.bursts.size()) std::abort();  // every burst in exactly one incident
  return 0;
}
