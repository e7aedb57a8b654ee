// The table of a roofline, with the answer above it and what it does not know below.
#include "view/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/kernel_name.h"
#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

using analysis::FlopKind;
using analysis::RoofLevel;
using analysis::RooflinePlace;
using analysis::RooflinePoint;

std::vector<Column> Columns() {
  std::vector<Column> columns = {{"mark", "", Kind::kText},
                                 FullName(),
                                 {"kernel", "kernel", Kind::kName},
                                 {"operator", "operator", Kind::kText, 4},
                                 {"launch_count", "launches", Kind::kCount, 12},
                                 {"total_ns", "total", Kind::kDurationNs, 9},
                                 {"share_pct", "time", Kind::kPct},
                                 {"duration_ns", "each", Kind::kDurationNs, 11},
                                 {"intensity_flop_per_byte", "FLOP/byte", Kind::kNumber},
                                 {"flop_per_s", "reached", Kind::kFlopPerS},
                                 {"flop_is", "is", Kind::kText, 1},
                                 {"bytes_per_s", "moved", Kind::kBytesPerS, 3},
                                 {"roof_pct", "of roof", Kind::kPct},
                                 {"bound", "bound", Kind::kText, 1},
                                 {"level", "level", Kind::kText, 8},
                                 {"precision", "precision", Kind::kText, 2},
                                 {"counted_by", "counted by", Kind::kText, 7},
                                 {"roofs_from", "roofs from", Kind::kText, 10},
                                 {"roof_flop_per_s", "roof FLOP/s", Kind::kFlopPerS, kDataOnly},
                                 {"peak_flop_per_s", "peak FLOP/s", Kind::kFlopPerS, kDataOnly},
                                 {"peak_bytes_per_s", "peak bytes/s", Kind::kBytesPerS, kDataOnly},
                                 {"ridge_flop_per_byte", "ridge", Kind::kNumber, kDataOnly},
                                 {"bytes_counted_by", "bytes from", Kind::kText, kDataOnly}};
  for (size_t i = 0; i < analysis::kFlopKinds; ++i) {
    std::string name(analysis::FlopKindName(static_cast<FlopKind>(i)));
    std::replace(name.begin(), name.end(), '-', '_');
    columns.push_back({name + "_flop_per_s", name, Kind::kFlopPerS, kDataOnly});
  }
  for (size_t i = 0; i < analysis::kRoofLevels; ++i) {
    const std::string name(analysis::RoofLevelName(static_cast<RoofLevel>(i)));
    columns.push_back({name + "_bytes_per_s", name, Kind::kBytesPerS, kDataOnly});
    columns.push_back({name + "_roof_pct", name + " roof", Kind::kPct, kDataOnly});
  }
  columns.push_back({"reason", "why not", Kind::kText, kDataOnly});
  return columns;
}

std::string_view BoundWord(const RooflinePlace& place) {
  if (!place.memory_side) return "";
  return *place.memory_side ? "memory" : "compute";
}

const std::optional<analysis::Roof>& FlopRoof(const RooflinePoint& point, const RooflinePlace& place) {
  return point.rates.flop_roofs[static_cast<size_t>(place.kind)];
}
const std::optional<analysis::Roof>& ByteRoof(const RooflinePoint& point, RoofLevel level) {
  return point.rates.byte_roofs[static_cast<size_t>(level)];
}

// Of the roof that the point lies under; both where they differ and both matter.
std::string RoofsFrom(const RooflinePoint& point, const RooflinePlace& place) {
  const auto& flops = FlopRoof(point, place);
  const auto& bytes = ByteRoof(point, place.level);
  if (!flops && !bytes) return "";
  if (!flops || !bytes) return std::string(RoofSourceName(flops ? flops->source : bytes->source));
  if (flops->source == bytes->source) return std::string(RoofSourceName(flops->source));
  return fmt::format("{}, {}", RoofSourceName(flops->source), RoofSourceName(bytes->source));
}

std::vector<Cell> Cells(const Subject& subject, const RooflinePoint& point, const std::string& mark,
                        const analysis::PlaceResult& result) {
  const model::Trace& trace = subject.trace();
  std::vector<Cell> cells = {Text(mark),
                             NameCell(subject, point.name),
                             Text(ShortKernel(trace.Text(point.name))),
                             Text(point.operator_name),
                             Int(point.launch_count),
                             point.total_ns > 0 ? Int(point.total_ns) : Cell{},
                             Maybe(point.share_pct),
                             point.duration_ns > 0 ? Number(point.duration_ns) : Cell{}};
  if (const auto& place = result.place) {
    const auto& rate = point.rates.flops[static_cast<size_t>(place->kind)];
    const auto& peak = FlopRoof(point, *place);
    const auto& bandwidth = ByteRoof(point, place->level);
    const auto& bytes = point.rates.bytes[static_cast<size_t>(place->level)];
    const bool none = place->flops_per_s == 0;
    for (Cell& cell : std::vector<Cell>{
             Maybe(place->intensity), Number(place->flops_per_s),
             Text(!none && rate && rate->at_most() ? "at most" : ""), Number(place->bytes_per_s),
             Maybe(place->roof_pct), Text(BoundWord(*place)), Text(RoofLevelName(place->level)),
             none ? Cell{} : Text(FlopKindName(place->kind)), rate ? Text(CountedByName(rate->by)) : Cell{},
             Text(RoofsFrom(point, *place)), Maybe(place->roof_flops_per_s), peak ? Number(peak->per_s) : Cell{},
             bandwidth ? Number(bandwidth->per_s) : Cell{}, Maybe(place->ridge), bytes ? Text(bytes->metric) : Cell{}})
      cells.push_back(std::move(cell));
  } else {
    cells.insert(cells.end(), 15, Cell{});
  }
  for (const auto& rate : point.rates.flops) cells.push_back(rate ? Number(rate->per_s) : Cell{});
  for (size_t i = 0; i < analysis::kRoofLevels; ++i) {
    const auto& rate = point.rates.bytes[i];
    const auto& roof = point.rates.byte_roofs[i];
    cells.push_back(rate ? Number(rate->per_s) : Cell{});
    cells.push_back(rate && roof ? Number(100 * rate->per_s / roof->per_s) : Cell{});
  }
  cells.push_back(Text(result.reason));
  return cells;
}

std::string List(const std::vector<std::string>& items, size_t most) {
  std::string text;
  for (size_t i = 0; i < items.size() && i < most; ++i) text += (i > 0 ? ", " : "") + items[i];
  return items.size() > most ? fmt::format("{} and {} more", text, items.size() - most) : text;
}

// The answer: how the time divides between the sides, and the kernel with most to gain.
std::string Answer(const Subject& subject, const analysis::Roofline& roofline, const RooflineQuery& query) {
  double memory_pct = 0, compute_pct = 0, known_pct = 0;
  const RooflinePoint* first = nullptr;
  std::optional<double> first_pct;
  for (const RooflinePoint& point : roofline.points) {
    const auto result = PlaceOf(point, query.level, query.kind);
    if (!result.place || !result.place->memory_side) continue;
    const double share = point.share_pct.value_or(0);
    known_pct += share;
    (*result.place->memory_side ? memory_pct : compute_pct) += share;
    if (first == nullptr) first = &point, first_pct = result.place->roof_pct;
  }
  if (first == nullptr || known_pct <= 0) return "";
  std::string text = fmt::format("{} of the kernel time is on the memory side of the {} roof, {} on the compute side",
                                 FormatPct(memory_pct), RoofLevelName(query.level), FormatPct(compute_pct));
  if (known_pct < 99) text += fmt::format(", {} has no side that is known", FormatPct(100 - known_pct));
  if (first_pct)
    text += fmt::format("; {} ({} of the time) reaches {} of its roof", ShortKernel(subject.trace().Text(first->name)),
                        FormatPct(first->share_pct.value_or(0)), FormatPct(*first_pct));
  return text + ".";
}

void AddNotes(const analysis::Roofline& roofline, const RooflineQuery& query,
              const std::map<std::string, std::vector<std::string>>& reasons, bool any_at_most, Table* table) {
  table->notes.push_back(
      "bound: the side of the ridge, where the two roofs meet. of roof: what is reached of the lower roof at that "
      "FLOP/byte. A kernel far below both roofs waits for something else: see warpscope counters.");
  if (roofline.from_shapes) {
    table->notes.push_back(
        "Estimated from the shapes that operators were recorded with, not measured: bytes are those of every operand "
        "once (at least), so FLOP/byte is at most what is shown. More than 100 %: operands were still in a cache.");
    std::vector<std::string> names(roofline.uncosted.begin(), roofline.uncosted.end());
    if (!names.empty())
      table->notes.push_back(
          "Not estimated, as their arithmetic does not follow from recorded shapes: " + List(names, 6) + ".");
  } else if (roofline.timeline_weights) {
    table->notes.push_back("Rates are the counter tool's; shares are of the timeline's kernel time.");
  }
  if (any_at_most)
    table->notes.push_back(
        "at most: the data counts a pipe's instructions or its busy share, of which some are no "
        "arithmetic; the true FLOP are fewer. Beyond the ridge such a count leaves the side open.");
  for (const auto& [reason, marks] : reasons)
    table->notes.push_back(fmt::format("No place for {}: {}.", List(marks, 12), reason));
  if (query.level != RoofLevel::kDram && !roofline.from_shapes)
    table->notes.push_back("Bytes of l2 and l1 are those of the counter named in bytes_counted_by (--json, --wide).");
}

}  // namespace

std::string RooflineMark(size_t row) {
  if (row < 26) return std::string(1, static_cast<char>('A' + row));
  if (row < 52) return std::string(1, static_cast<char>('a' + row - 26));
  return fmt::format("{}", row + 1);
}

Table RooflineTable(const Subject& subject, const analysis::Roofline& roofline, const RooflineQuery& query) {
  Table table;
  table.name = "roofline";
  table.title = fmt::format("Roofline of kernels at {}{}, most time first", RoofLevelName(query.level),
                            roofline.from_shapes ? ", estimated from operators' shapes" : "");
  table.columns = Columns();
  std::map<std::string, std::vector<std::string>> reasons;
  bool any_at_most = false;
  std::vector<std::string> without_traffic;
  for (size_t i = 0; i < roofline.points.size(); ++i) {
    const RooflinePoint& point = roofline.points[i];
    const auto result = PlaceOf(point, query.level, query.kind);
    const std::string mark = RooflineMark(i);
    if (result.place && !result.place->intensity) without_traffic.push_back(mark);
    if (!result.place) reasons[result.reason].push_back(mark);
    else if (const auto& rate = point.rates.flops[static_cast<size_t>(result.place->kind)])
      any_at_most |= rate->at_most() && result.place->flops_per_s > 0;
    table.rows.push_back(Cells(subject, point, mark, result));
  }
  if (const std::string answer = Answer(subject, roofline, query); !answer.empty()) table.summary.push_back(answer);
  if (roofline.covered_pct && !roofline.points.empty())
    table.summary.push_back(
        fmt::format("The points stand for {} of the timeline's kernel time.", FormatPct(*roofline.covered_pct)));
  if (!table.rows.empty()) AddNotes(roofline, query, reasons, any_at_most, &table);
  if (!without_traffic.empty())
    table.notes.push_back(fmt::format("No FLOP/byte for {}: no {} traffic worth the name was measured.",
                                      List(without_traffic, 12), RoofLevelName(query.level)));
  table.empty_text =
      roofline.from_shapes
          ? "Neither counters nor operators with shapes were recorded. Record counters with: ncu --set full -o report "
            "PROGRAM, or shapes with torch.profiler.profile(record_shapes=True)."
          : "No kernel was measured with counters. Measure with: warpscope counters -- PROGRAM; or ncu --set full -o "
            "report PROGRAM.";
  return table;
}

}  // namespace warpscope::view
