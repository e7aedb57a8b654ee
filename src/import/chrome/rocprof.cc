// rocprof v1 (roctracer): results.json. Layers are processes told by their names: "CPU HIP API", "CPU HSA API",
// "Markers and Ranges", "COPY", "GPU0" ... . A call and what it issued share a flow of category "DataFlow". Source: the
// writer's tblextr.py.
#include <algorithm>

#include "import/chrome/dialect.h"
#include "import/kineto/category.h"

namespace warpscope::import::chrome {
namespace {

using model::GpuKind;
using model::HostKind;
using model::kNone;

// Older writers put the number of the layer in front ("2 GPU0").
std::string_view Layer(const Lane& lane) {
  std::string_view name = lane.process;
  const size_t blank = name.find(' ');
  if (blank != std::string_view::npos && NumberAtEnd(name.substr(0, blank)) &&
      name.find_first_not_of("0123456789") == blank) {
    name.remove_prefix(blank + 1);
  }
  return name;
}

bool IsGpu(std::string_view layer) { return StartsWith(layer, "GPU") && NumberAtEnd(layer) && layer.size() < 7; }

bool Speaks(const Signs& signs) {
  return std::any_of(signs.lanes.begin(), signs.lanes.end(), [](const Lane& lane) {
    const std::string_view layer = Layer(lane);
    return StartsWith(layer, "CPU HIP API") || StartsWith(layer, "CPU HSA API");
  });
}

void PlaceDevice(Document* document, const Lane& lane, int64_t device_id) {
  model::Trace& trace = document->trace();
  const uint32_t device = document->Device(device_id, "");
  const uint32_t stream = document->Stream(device, lane.tid == kineto::kNoNumber ? 0 : lane.tid, lane.thread);
  for (const uint32_t row : document->RowsOf(lane)) {
    const std::string_view name = trace.HostName(row);
    const GpuKind kind = KindByName(name);
    document->MoveToDevice(
        row, kind, stream,
        kind == GpuKind::kKernel ? kNone : document->Copy(kineto::ParseCopyName(name, kind == GpuKind::kMemset)));
  }
}

void Apply(Document* document) {
  model::HostTable& host = document->trace().host;
  constexpr int64_t kCopyStream = 1000000;
  for (const Lane& lane : document->lanes()) {
    const std::string_view layer = Layer(lane);
    if (IsGpu(layer)) {
      PlaceDevice(document, lane, *NumberAtEnd(layer));
    } else if (StartsWith(layer, "COPY")) {
      Lane copies = lane;
      copies.tid = kCopyStream + (lane.tid == kineto::kNoNumber ? 0 : lane.tid);
      PlaceDevice(document, copies, 0);
    } else if (StartsWith(layer, "CPU HIP API") || StartsWith(layer, "CPU HSA API")) {
      const HostKind kind = layer[4] == 'H' && layer[5] == 'I' ? HostKind::kRuntimeCall : HostKind::kDriverCall;
      for (const uint32_t row : document->RowsOf(lane)) host.kind[row] = kind;
    }
  }
  document->VisitFlows("DataFlow", [&](RowRef from, RowRef to) {
    if (!from.is_gpu && to.is_gpu) document->Link(from.row, to.row);
  });
  model::Source& source = document->source();
  source.vendor = model::Vendor::kAmd;
  source.producer = "rocprof (roctracer)";
  source.format = "rocprof_json";
}

}  // namespace

extern const Dialect kRocprof;
const Dialect kRocprof = {"rocprof", &Speaks, &Apply};

}  // namespace warpscope::import::chrome
