// The list of exporters, from exporters.def.
#include <algorithm>
#include <vector>

#include "export/export.h"

namespace warpscope::exporting {

#define WS_EXPORTER(file, constant, id) extern const Exporter constant;
#include "export/exporters.def"
#undef WS_EXPORTER

std::span<const Exporter* const> Exporters() {
  static const std::vector<const Exporter*> kAll = [] {
    std::vector<const Exporter*> all = {
#define WS_EXPORTER(file, constant, id) &constant,
#include "export/exporters.def"
#undef WS_EXPORTER
    };
    std::sort(all.begin(), all.end(), [](const Exporter* a, const Exporter* b) { return a->id < b->id; });
    return all;
  }();
  return kAll;
}

const Exporter* FindExporter(std::string_view id) {
  const auto all = Exporters();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Exporter* exporter) { return exporter->id == id; });
  return found == all.end() ? nullptr : *found;
}

}  // namespace warpscope::exporting
