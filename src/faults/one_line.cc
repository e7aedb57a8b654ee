#include "faults/one_line.h"

#include <string>
#include <utility>

namespace warpscope::faults {

OneLine::OneLine()
    : scanner_(&facts_, [this](Event event) {
        if (!found_ && event.severity >= Severity::kWarning) found_ = std::move(event);
      }) {}

std::optional<Event> OneLine::Read(std::string_view line) {
  found_.reset();
  if (!Scanner::MayConcern(line)) return {};
  facts_ = {};
  scanner_.BeginOnlyLog();
  std::string whole(line);
  whole += '\n';
  scanner_.Feed(whole);
  scanner_.EndLog();
  return std::exchange(found_, std::nullopt);
}

}  // namespace warpscope::faults
