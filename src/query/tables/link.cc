// annotation_gpu, operator_gpu: which device work was issued inside which host span, over all levels of nesting.
#include "query/catalog.h"
#include "query/tables/common.h"

namespace warpscope::query {
namespace {

using model::HostKind;
using model::kNone;

struct Pair {
  uint32_t host_row, gpu_row;
};

// Every enclosing row of one kind of the call that issued each device item.
std::vector<Pair> Enclosing(const model::Trace& t, HostKind kind) {
  std::vector<Pair> pairs;
  for (uint32_t row = 0; row < t.gpu.size(); ++row) {
    for (uint32_t host = t.gpu.call[row]; host != kNone; host = t.host.parent[host]) {
      if (t.host.kind[host] == kind) pairs.push_back({host, row});
    }
  }
  return pairs;
}

Table PairTable(const Recording& r, HostKind kind, std::string_view name, std::string_view id,
                std::string_view id_meaning, std::string_view meaning, std::string_view record) {
  const model::Trace& t = r.trace();
  const Computed<Pair> pairs([&t, kind] { return Enclosing(t, kind); });
  return {name,
          meaning,
          record,
          {Int(id, "", id_meaning, [pairs](uint32_t row) { return pairs[row].host_row; }),
           Int("gpu_id", "", "row number in gpu", [pairs](uint32_t row) { return pairs[row].gpu_row; })},
          pairs.rows(),
          std::nullopt};
}

}  // namespace

void AddLinkTables(Recording& r, std::vector<Table>& tables) {
  tables.push_back(PairTable(r, HostKind::kAnnotation, "annotation_gpu", "annotation_id", "row number in host",
                             "one row a device item and an annotation around the call that issued it, at every depth",
                             "No device item was issued inside an annotation."));
  tables.push_back(PairTable(r, HostKind::kOperator, "operator_gpu", "operator_id", "row number in host",
                             "one row a device item and an operator around the call that issued it, at every depth",
                             "No device item was issued inside an operator."));
}

}  // namespace warpscope::query
