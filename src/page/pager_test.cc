#include "page/pager.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"
#include "page/testing/columns_reader.h"

namespace warpscope::page {
namespace {

struct Shown {
  uint64_t start, end, kind, id, merged;
  bool operator==(const Shown&) const = default;
};

struct Fixture {
  model::testing::TraceBuilder builder;
  std::unique_ptr<analysis::Index> index;
  std::unique_ptr<Names> names;
  std::unique_ptr<Timeline> timeline;
  std::unique_ptr<Pager> pager;

  void Build() {
    index = std::make_unique<analysis::Index>(builder.Finish());
    names = std::make_unique<Names>(builder.trace().strings);
    timeline = std::make_unique<Timeline>(*index, names.get(), TimelineOptions{});
    names->Finish();
    pager = std::make_unique<Pager>(*timeline, *names, 0);
  }
  // Of the first track's first lane.
  std::vector<Shown> Get(int64_t from_ns, int64_t to_ns, uint32_t pixels) const {
    auto columns = *ReadColumns(pager->Spans({0, from_ns, to_ns, pixels}));
    std::vector<Shown> out;
    uint64_t end = 0, id = 0;
    for (size_t i = 0; i < columns["rows"].values[0]; ++i) {
      const uint64_t start = end + columns["start"].values[i];
      end = start + columns["dur"].values[i];
      id += columns["id"].values[i];
      out.push_back({start, end, columns["kind"].values[i], id, columns["merged"].values[i]});
    }
    return out;
  }
};

constexpr uint64_t kOp = PageKind(model::HostKind::kOperator);

TEST(Pager, WhatSharesAPixelIsOneSpanNamedByTheLongest) {
  Fixture f;
  f.builder.AddOp("a", 100, 10);
  f.builder.AddOp("b", 120, 30);
  f.builder.AddOp("c", 160, 20);
  f.builder.AddOp("long", 1000, 500);
  f.builder.AddOp("d", 1600, 10);
  f.Build();
  EXPECT_EQ(f.Get(0, 10000, 100), (std::vector<Shown>{{100, 180, kOp, 1, 3},  // pixels of 100 ns
                                                      {1000, 1500, kOp, 3, 1},
                                                      {1600, 1610, kOp, 4, 1}}));
  EXPECT_EQ(f.Get(0, 10000, 8192).size(), 5U);
}

TEST(Pager, OnlyTheRangeAndWhatReachesIntoIt) {
  Fixture f;
  for (int i = 0; i < 10; ++i) f.builder.AddOp("op", 100 * i, 90);
  f.Build();
  const auto shown = f.Get(250, 420, 1000);
  ASSERT_EQ(shown.size(), 3U);
  EXPECT_EQ(shown.front().start, 200U);
  EXPECT_EQ(shown.back().start, 400U);
  EXPECT_TRUE(f.Get(5000, 6000, 10).empty());
  EXPECT_TRUE(f.Get(-600, -500, 10).empty());
  EXPECT_EQ(f.Get(INT64_MIN, INT64_MAX, 1).size(), 1U);
}

// Against the plain way, on many spans of all lengths: every span is in exactly one group, and the name is right.
TEST(Pager, ThePyramidFindsTheLongest) {
  Fixture f;
  std::vector<int64_t> starts, durations;
  uint32_t seed = 1;
  int64_t at = 0;
  for (int i = 0; i < 5000; ++i) {
    seed = seed * 1664525 + 1013904223;
    const int64_t dur = 1 + (seed >> 16) % 97, gap = (seed >> 8) % 13;
    starts.push_back(at += gap);
    durations.push_back(dur);
    f.builder.AddOp("op", at, dur);
    at += dur;
  }
  f.Build();
  for (const uint32_t pixels : {1U, 7U, 100U, 3000U}) {
    size_t next = 0;
    for (const Shown& shown : f.Get(0, at, pixels)) {
      ASSERT_EQ(shown.start, static_cast<uint64_t>(starts[next]));
      size_t longest = next;
      for (size_t i = next; i < next + shown.merged; ++i) {
        if (durations[i] > durations[longest]) longest = i;
      }
      EXPECT_EQ(shown.id, longest);
      next += shown.merged;
      EXPECT_EQ(shown.end, static_cast<uint64_t>(starts[next - 1] + durations[next - 1]));
    }
    EXPECT_EQ(next, starts.size()) << pixels;
  }
}

}  // namespace
}  // namespace warpscope::page
