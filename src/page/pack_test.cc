#include "page/pack.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"
#include "page/spans.h"
#include "page/testing/columns_reader.h"

namespace warpscope::page {
namespace {

using model::testing::TraceBuilder;

struct Fixture {
  TraceBuilder builder;
  std::unique_ptr<analysis::Index> index;
  analysis::Steps steps;
  Page Pack() {
    index = std::make_unique<analysis::Index>(builder.Finish());
    return page::Pack({*index, steps, 0, "t", "", "nothing to judge", {}, {}, {}, false});
  }
};

const Section* Find(const Page& page, std::string_view name) {
  for (const Section& section : page.sections) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

// The start, end and link of each span, as a reader finds them.
struct ReadSpan {
  uint64_t start, end, link;
  bool operator==(const ReadSpan&) const = default;
};
std::vector<ReadSpan> Read(const Timeline& timeline, const Names& names) {
  auto columns = *ReadColumns(SpanColumns(timeline, names, 0));
  std::vector<ReadSpan> out;
  size_t at = 0;
  for (const uint64_t rows : columns["rows"].values) {
    uint64_t end = 0, link = 0;
    for (uint64_t i = 0; i < rows; ++i, ++at) {
      const uint64_t start = end + columns["start"].values[at];
      end = start + columns["dur"].values[at];
      link += columns["link"].values[at];
      out.push_back({start, end, link});
    }
  }
  EXPECT_EQ(at, columns["start"].values.size());
  return out;
}

TEST(Pack, SpansReadBack) {
  Fixture f;
  f.builder.AddOp("outer", 100, 900);
  f.builder.Launch("k", 200, 50, 500, 40);
  f.builder.Launch("k", 300, 50, 560, 40);
  const Page page = f.Pack();
  ASSERT_GE(page.timeline->tracks.size(), 2U);
  const auto spans = Read(*page.timeline, *page.names);
  constexpr uint64_t kNoLink = UINT64_MAX;
  ASSERT_GE(spans.size(), 5U);
  EXPECT_EQ(spans[0], (ReadSpan{100, 1000, kNoLink}));
  EXPECT_EQ(spans[1], (ReadSpan{200, 250, kNoLink}));
  EXPECT_EQ(spans[2], (ReadSpan{300, 350, kNoLink}));
  const Track& stream = page.timeline->tracks.back();
  EXPECT_EQ(stream.kind, "stream");
  const Lane lane = page.timeline->lanes[stream.lane_begin];
  EXPECT_EQ(spans[lane.begin], (ReadSpan{500, 540, 1}));
  EXPECT_EQ(spans[lane.begin + 1], (ReadSpan{560, 600, 2}));
}

TEST(Pack, NothingRecordedGivesAPageToo) {
  Fixture f;
  const Page page = f.Pack();
  EXPECT_EQ(page.sections.front().name, "head");
  EXPECT_NE(page.sections.front().content.find("\"verdict\": null"), std::string::npos);
  EXPECT_NE(page.sections.front().content.find("nothing to judge"), std::string::npos);
  EXPECT_NE(Find(page, "spans"), nullptr);
  EXPECT_TRUE(page.timeline->tracks.empty());
}

TEST(Pack, HostileNamesStayInTheirStrings) {
  Fixture f;
  const std::string names[] = {"</script><img src=x onerror=alert(1)>",
                               "<!--<script>",
                               "\xE2\x80\xA8\xE2\x80\xA9",
                               "\xFF\xC0\xAF\xED\xA0\x80",
                               std::string("a\0b", 3),
                               std::string(1 << 20, 'x')};
  int64_t at = 0;
  for (const std::string& name : names) {
    at += 100;
    f.builder.Launch(name, at, 10, at + 20, 10);
  }
  f.builder.UseThread(2);
  f.builder.AddOp("</title>", 5, 5);
  Page page = f.Pack();
  uint64_t cut = 0;
  const std::string strings = page.names->Json(kNameBytes, &cut);
  EXPECT_EQ(cut, 1U);
  EXPECT_LT(strings.size(), kNameBytes + 1000);
  page.sections.push_back(JsonSection("x", strings));
  const auto html = FillTemplate("<html><!--WARPSCOPE-DATA--></html>", page.sections);
  ASSERT_TRUE(html.ok());
  // Between the tags of the sections no byte can begin markup.
  const std::string& text = html.value();
  for (size_t from = text.find("\">"); from != std::string::npos; from = text.find("\">", from)) {
    const size_t end = text.find('<', from + 2);
    EXPECT_EQ(text.compare(end, 9, "</script>"), 0) << text.substr(end, 40);
    EXPECT_EQ(text.substr(from + 2, end - from - 2).find('>'), std::string::npos);
    from = end;
  }
  EXPECT_EQ(text.find("\xE2\x80\xA8"), std::string::npos);
  EXPECT_EQ(text.find('\xFF'), std::string::npos);
}

TEST(Pack, TheShortestGoFirst) {
  Fixture f;
  for (int i = 0; i < 100; ++i) f.builder.AddOp("op", 1000 * i, 10 + i);
  f.index = std::make_unique<analysis::Index>(f.builder.Finish());
  Names names(f.builder.trace().strings);
  const Timeline timeline(*f.index, &names, {40});
  EXPECT_EQ(timeline.rows.size(), 40U);
  EXPECT_EQ(timeline.left_out_short, 60U);
  EXPECT_EQ(timeline.shortest_ns, 70);
}

TEST(Pack, OfEqualSpansOnlySoManyStay) {
  Fixture f;
  for (int i = 0; i < 100; ++i) f.builder.AddOp("op", 1000 * i, 10);
  f.index = std::make_unique<analysis::Index>(f.builder.Finish());
  Names names(f.builder.trace().strings);
  EXPECT_EQ(Timeline(*f.index, &names, {40}).rows.size(), 40U);
}

TEST(Pack, TenRanksKeepTheirOwnTracksInOrder) {
  Fixture f;
  for (int rank = 9; rank >= 0; --rank) {
    f.builder.AddProcess(1000 + rank, rank);
    f.builder.UseThread(1);
    const uint32_t device = f.builder.AddDevice({});
    f.builder.AddCall("cudaLaunchKernel", 10, 5, 77);
    f.builder.AddKernel("k", 20, 30, 77, 7, device);
  }
  const Page page = f.Pack();
  std::vector<int64_t> ranks;
  for (const Track& track : page.timeline->tracks) {
    if (track.kind == "host") ranks.push_back(track.rank.value_or(-1));
  }
  EXPECT_EQ(ranks, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(page.timeline->tracks[0].group, "rank 0, process 1000");
  EXPECT_NE(page.timeline->tracks[1].group.find("rank 0"), std::string::npos);  // its device follows it
}

TEST(Pack, SameInputSameBytes) {
  const auto pack = [] {
    Fixture f;
    for (int i = 0; i < 50; ++i) f.builder.Launch("k" + std::to_string(i % 7), 100 * i, 10, 100 * i + 30, 20);
    std::string all;
    for (const Section& section : f.Pack().sections) all += section.content;
    return all;
  };
  EXPECT_EQ(pack(), pack());
}

TEST(Pack, OfManyStepsTheHeadNamesSome) {
  Fixture f;
  f.builder.AddOp("op", 0, 10);
  f.steps.source = analysis::StepSource::kProfilerStep;
  for (int64_t i = 0; i < 3000; ++i) f.steps.steps.push_back({i, i + 1, i, "s", 0, 0, false, false});
  const std::string head = f.Pack().sections.front().content;
  EXPECT_NE(head.find("marks the first 2,000 of 3,000 steps"), std::string::npos);
  EXPECT_EQ(head.find("\"begin_ns\": 2000,"), std::string::npos);
}

TEST(FillTemplate, RefusesAPageWithoutAPlace) {
  EXPECT_FALSE(FillTemplate("<html></html>", {}).ok());
  EXPECT_FALSE(FillTemplate("<!--WARPSCOPE-DATA--><!--WARPSCOPE-DATA-->", {}).ok());
}

}  // namespace
}  // namespace warpscope::page
