#include "page/pack.h"

#include <fmt/format.h>

#include <functional>
#include <numeric>

#include "page/allocations.h"
#include "page/details.h"
#include "page/flame.h"
#include "page/head.h"
#include "page/json_text.h"
#include "page/parallel.h"
#include "page/spans.h"
#include "view/format.h"

namespace warpscope::page {
namespace {

std::string Count(uint64_t count) { return view::FormatCount(static_cast<int64_t>(count)); }

// What of the trace is not on the page, as sentences.
std::vector<std::string> Limits(const Timeline& timeline, const PageAllocations& allocations,
                                const DetailsLimits& details, uint64_t flame_nodes, uint64_t texts_cut) {
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
  if (timeline.gaps_cut)
    out.push_back(fmt::format("The idle tracks show the {} longest stretches.", Count(timeline.gaps.size())));
  uint64_t thinned = 0;
  for (const Series& series : timeline.series) thinned += series.points.size() < series.recorded ? 1 : 0;
  if (thinned > 0)
    out.push_back(fmt::format("{} lines of samples are thinned to about {} points each, lowest and highest kept.",
                              Count(thinned), Count(kMaxPoints)));
  if (allocations.left_out > 0)
    out.push_back(
        fmt::format("Who holds memory is told for the {} largest allocations; {} of {} and less are left out.",
                    Count(kMaxAllocations), Count(allocations.left_out),
                    view::FormatBytes(static_cast<double>(allocations.smallest_bytes))));
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
  const PageAllocations allocations = ChooseAllocations(timeline, page.names.get());
  page.names->Finish();

  // Each by itself from here on: made side by side, kept in this order.
  const Names& names = *page.names;
  DetailsLimits details;
  uint64_t names_cut = 0;
  std::vector<uint64_t> cut(content.tables.size(), 0);
  struct Job {
    std::string name;
    std::function<std::string()> make;
  };
  std::vector<Job> jobs;
  jobs.push_back({"strings", [&] { return names.Json(kNameBytes, &names_cut); }});
  jobs.push_back({"tracks", [&] { return TracksJson(timeline); }});
  if (!content.paged) jobs.push_back({"spans", [&] { return SpanColumns(timeline, names, content.origin_ns); }});
  jobs.push_back({"details", [&] { return DetailsJson(timeline, names, &details); }});
  if (!timeline.series.empty()) jobs.push_back({"series", [&] { return SeriesColumns(timeline, content.origin_ns); }});
  if (!allocations.allocations.rows.empty())
    jobs.push_back({"allocations", [&] { return AllocationColumns(allocations, timeline, names, content.origin_ns); }});
  if (!flames.trees.empty()) jobs.push_back({"flame", [&] { return FlamesJson(flames, names); }});
  for (size_t i = 0; i < content.tables.size(); ++i) {
    jobs.push_back(
        {content.tables[i].name, [&, i] { return CutStrings(content.tables[i].json, kNameBytes, &cut[i]); }});
  }
  std::vector<Section> sections(jobs.size());
  ForEachInParallel(jobs.size(), [&](size_t i) { sections[i] = PackedSection(jobs[i].name, jobs[i].make()); });
  uint64_t texts_cut = std::accumulate(cut.begin(), cut.end(), names_cut + details.texts_cut);

  std::vector<std::string> section_names;
  section_names.reserve(sections.size());
  for (const Section& section : sections) section_names.push_back(section.name);
  std::vector<std::string> limits = content.limits;
  if (content.steps.steps.size() > kMaxSteps) {
    limits.push_back(fmt::format("The timeline marks the first {} of {} steps.", Count(kMaxSteps),
                                 Count(content.steps.steps.size())));
  }
  for (std::string& sentence : Limits(timeline, allocations, details, flames.nodes_left_out, texts_cut))
    limits.push_back(std::move(sentence));
  page.sections.push_back(
      JsonSection("head", CutStrings(HeadJson(content, timeline, limits, section_names), kNameBytes, &texts_cut)));
  for (Section& section : sections) page.sections.push_back(std::move(section));
  return page;
}

}  // namespace warpscope::page
