// Frequent sequences of kernels: equal runs of names on one stream, counted by a rolling hash.
#include <algorithm>
#include <unordered_map>

#include "analysis/kernels.h"

namespace warpscope::analysis {
namespace {

constexpr uint64_t kBase = 0x9E3779B97F4A7C15ULL;

struct Run {
  uint64_t count = 0;
  int64_t total_ns = 0, idle_ns = 0;
  const std::vector<uint32_t>* rows = nullptr;  // where the first one lies
  size_t at = 0;
  size_t free_from = 0;  // occurrences must not overlap each other on a stream
  uint32_t last_stream = UINT32_MAX;
};

uint64_t PowerOf(uint32_t exponent) {
  uint64_t out = 1;
  while (exponent-- > 0) out *= kBase;
  return out;
}

void CountStream(const model::Trace& trace, const std::vector<uint32_t>& rows, uint32_t stream, uint32_t length,
                 std::unordered_map<uint64_t, Run>* runs) {
  const uint64_t drop = PowerOf(length - 1);
  uint64_t hash = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i >= length) hash -= drop * (trace.gpu.name[rows[i - length]] + 1ULL);
    hash = hash * kBase + trace.gpu.name[rows[i]] + 1ULL;
    if (i + 1 < length) continue;
    const size_t at = i + 1 - length;
    Run& run = (*runs)[hash];
    if (run.last_stream == stream && at < run.free_from) continue;
    if (run.count++ == 0) {
      run.rows = &rows;
      run.at = at;
    }
    run.last_stream = stream;
    run.free_from = i + 1;
    int64_t busy = 0, covered = trace.gpu.start_ns[rows[at]];
    for (size_t k = at; k <= i; ++k) {
      const int64_t begin = std::max(covered, trace.gpu.start_ns[rows[k]]);
      busy += std::max<int64_t>(0, trace.gpu.end_ns(rows[k]) - begin);
      covered = std::max(covered, trace.gpu.end_ns(rows[k]));
    }
    run.total_ns += busy;
    run.idle_ns += covered - trace.gpu.start_ns[rows[at]] - busy;
  }
}

// A loop of kernels shows up once for each place it can be cut at.
bool IsRotation(const std::vector<model::StringId>& a, const std::vector<model::StringId>& b) {
  if (a.size() != b.size()) return false;
  std::vector<model::StringId> twice = a;
  twice.insert(twice.end(), a.begin(), a.end());
  return std::search(twice.begin(), twice.end(), b.begin(), b.end()) != twice.end();
}

}  // namespace

std::vector<KernelSequence> FrequentKernelSequences(const Index& index, const Scope& scope, uint32_t length,
                                                    size_t max_rows) {
  const model::Trace& trace = index.trace();
  std::vector<KernelSequence> out;
  if (length == 0 || length > 4096) return out;
  std::vector<std::vector<uint32_t>> streams;
  for (uint32_t stream = 0; stream < trace.stream_rows.size(); ++stream) {
    const model::Stream& s = trace.streams[stream];
    streams.emplace_back();
    if ((scope.device && s.device != *scope.device) || (scope.link_domain && s.link_domain != *scope.link_domain))
      continue;
    for (const uint32_t row : trace.stream_rows[stream]) {
      if (trace.gpu.kind[row] == model::GpuKind::kKernel && scope.window.Contains(trace.gpu.start_ns[row]))
        streams.back().push_back(row);
    }
  }
  std::unordered_map<uint64_t, Run> runs;
  for (uint32_t stream = 0; stream < streams.size(); ++stream)
    CountStream(trace, streams[stream], stream, length, &runs);
  std::vector<KernelSequence> all;
  for (const auto& [hash, run] : runs) {
    if (run.count < 2) continue;
    KernelSequence sequence{{}, run.count, run.total_ns, run.idle_ns};
    for (uint32_t i = 0; i < length; ++i) sequence.names.push_back(trace.gpu.name[(*run.rows)[run.at + i]]);
    all.push_back(std::move(sequence));
  }
  std::sort(all.begin(), all.end(), [](const KernelSequence& a, const KernelSequence& b) {
    const int64_t x = a.total_ns + a.idle_ns, y = b.total_ns + b.idle_ns;
    return x != y ? x > y : a.names < b.names;
  });
  for (KernelSequence& sequence : all) {
    if (out.size() >= max_rows) break;
    const bool known = std::any_of(out.begin(), out.end(),
                                   [&](const KernelSequence& s) { return IsRotation(s.names, sequence.names); });
    if (!known) out.push_back(std::move(sequence));
  }
  return out;
}

}  // namespace warpscope::analysis
