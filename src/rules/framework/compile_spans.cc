#include "rules/framework/compile_spans.h"

#include <algorithm>

#include "rules/build.h"
#include "rules/framework/conv_search.h"

namespace warpscope::rules {
namespace {

using model::kNone;

constexpr int64_t kJoinNs = 50'000;

bool IsTuning(const Context& c, uint32_t row) {
  return c.Enclosing(row, [&](uint32_t at) {
    const std::string_view name = c.trace.HostName(at);
    for (const std::string_view word :
         {"benchmark_all_configs", "benchmark_fused", "autotune_to_one_config", "coordinate_descent",
          "triton/runtime/autotuner.py", "triton/testing.py", "do_bench"}) {
      if (name.find(word) != std::string_view::npos) return true;
    }
    return false;
  }) != kNone;
}

uint32_t StepAt(const Context& c, int64_t time_ns) {
  for (uint32_t i = 0; i < c.steps.steps.size(); ++i) {
    if (time_ns >= c.steps.steps[i].begin_ns && time_ns < c.steps.steps[i].end_ns) return i;
  }
  return kNone;
}

}  // namespace

std::vector<CompileSpan> CompileSpans(const Context& c, CompileKind kind) {
  const ConvSearches searches = FindConvSearches(c);
  std::vector<CompileSpan> spans;
  int64_t longest_ns = 0;
  for (const ThreadSpan& piece : SpansOf(c, {analysis::GapCause::kCompilation})) {
    if (piece.span.row == kNone || searches.Covers(c, piece.span.row)) continue;
    const CompileKind piece_kind = IsTuning(c, piece.span.row) ? CompileKind::kTuning : CompileKind::kCompile;
    const bool joins =
        !spans.empty() && spans.back().thread == piece.thread && piece.span.start_ns - spans.back().end_ns < kJoinNs;
    if (!joins) {
      spans.push_back({piece_kind, piece.thread, piece.span.start_ns, piece.span.end_ns, piece.span.row,
                       StepAt(c, piece.span.start_ns)});
      longest_ns = piece.length_ns();
      continue;
    }
    CompileSpan& last = spans.back();
    last.end_ns = piece.span.end_ns;
    if (piece_kind == CompileKind::kCompile) last.kind = CompileKind::kCompile;
    if (piece.length_ns() > longest_ns) longest_ns = piece.length_ns(), last.row = piece.span.row;
  }
  std::erase_if(spans, [&](const CompileSpan& span) { return span.kind != kind; });
  return spans;
}

void RemoveSpan(const Context& c, const CompileSpan& span, double rest_ratio, analysis::WhatIf& change) {
  change.ScaleHost(span.thread, span.start_ns, span.end_ns, rest_ratio);
  const auto rows = c.trace.thread_rows[span.thread];
  const auto& starts = c.trace.host.start_ns;
  const auto first = std::lower_bound(starts.begin() + rows.begin, starts.begin() + rows.end, span.start_ns);
  for (auto row = static_cast<uint32_t>(first - starts.begin()); row < rows.end && starts[row] < span.end_ns; ++row) {
    if (!c.index.is_call(row)) continue;
    for (const uint32_t gpu : c.index.IssuedBy(row)) change.RemoveGpu(gpu);
    change.RemoveCall(row);
  }
}

}  // namespace warpscope::rules
