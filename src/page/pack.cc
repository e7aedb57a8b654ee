#include "page/pack.h"

#include <fmt/format.h>

#include "page/details.h"
#include "page/flame.h"
#include "page/head.h"
#include "page/json_text.h"
#include "page/spans.h"
#include "view/format.h"

namespace warpscope::page {
namespace {

std::string Count(uint64_t count) { return view::FormatCount(static_cast<int64_t>(count)); }

// What of the trace is not on the page, as sentences.
std::vector<std::string> Limits(const Timeline& timeline, const DetailsLimits& details, uint64_t flame_nodes,
                                uint64_t texts_cut) {
  std::vector<std::string> out;
  if (timeline.left_out_short > 0) {
    out.push_back(
        fmt::format("The timeline leaves out {} spans of {} and less: a file holds at most {}. `warpscope "
                    "view` shows all.",
                    Count(timeline.left_out_short), view::FormatDurationNs(static_cast<double>(timeline.shortest_ns)),
                    Count(kMaxFileSpans)));
  }
  if (timeline.left_out_deep > 0)
    out.push_back(fmt::format("The timeline leaves out {} spans that lie deeper than 512 others.",
                              Count(timeline.left_out_deep)));
  uint64_t thinned = 0;
  for (const Series& series : timeline.series) thinned += series.points.size() < series.recorded ? 1 : 0;
  if (thinned > 0)
    out.push_back(fmt::format("{} lines of samples are thinned to about {} points each, lowest and highest kept.",
                              Count(thinned), Count(kMaxPoints)));
  if (details.rows_left_out > 0)
    out.push_back(fmt::format("Details of {} distinct launches, operators and the like are left out.",
                              Count(details.rows_left_out)));
  if (flame_nodes > 0)
    out.push_back(fmt::format("Flame graphs show their largest {} stacks; {} smaller ones are summed up as \"other\".",
                              Count(kMaxFlameNodes), Count(flame_nodes)));
  if (texts_cut > 0)
    out.push_back(fmt::format("{} long texts are cut; an ellipsis stands at their end.", Count(texts_cut)));
  return out;
}

}  // namespace

Page Pack(const Content& content) {
  Page page;
  const model::Trace& trace = content.index.trace();
  page.names = std::make_unique<Names>(trace.strings);
  page.timeline = std::make_unique<Timeline>(
      content.index, page.names.get(), TimelineOptions{content.paged ? TimelineOptions{}.max_spans : kMaxFileSpans});
  const Timeline& timeline = *page.timeline;
  const Flames flames = MakeFlames(content.index, page.names.get());
  page.names->Finish();

  uint64_t texts_cut = 0;
  DetailsLimits details;
  std::vector<Section> sections;
  sections.push_back(PackedSection("strings", page.names->Json(kNameBytes, &texts_cut)));
  sections.push_back(PackedSection("tracks", TracksJson(timeline)));
  if (!content.paged) sections.push_back(PackedSection("spans", SpanColumns(timeline, *page.names, content.origin_ns)));
  sections.push_back(PackedSection("details", DetailsJson(timeline, *page.names, &details)));
  if (!timeline.series.empty()) sections.push_back(PackedSection("series", SeriesColumns(timeline, content.origin_ns)));
  if (!flames.graphs.empty()) sections.push_back(PackedSection("flame", FlamesJson(flames, *page.names)));
  for (const JsonTable& table : content.tables)
    sections.push_back(PackedSection(table.name, CutStrings(table.json, kNameBytes, &texts_cut)));

  std::vector<std::string> names;
  for (const Section& section : sections) names.push_back(section.name);
  std::vector<std::string> limits = content.limits;
  for (std::string& sentence : Limits(timeline, details, flames.nodes_left_out, texts_cut + details.texts_cut))
    limits.push_back(std::move(sentence));
  page.sections.push_back(
      JsonSection("head", CutStrings(HeadJson(content, timeline, limits, names), kNameBytes, &texts_cut)));
  for (Section& section : sections) page.sections.push_back(std::move(section));
  return page;
}

}  // namespace warpscope::page
