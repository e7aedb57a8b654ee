#include "analysis/step_markers.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

namespace warpscope::analysis {
namespace {

using model::HostKind;
using model::kNone;

constexpr size_t kMinRepeats = 3;
// Begin and length of a range are rounded each for itself, by some writers to whole microseconds: of two ranges that
// follow each other the first may end this much after the second began.
constexpr int64_t kRoundingNs = 1'000;

// Whether a row begins while an earlier one on its thread runs, by more than rounding.
bool BeginsInside(const model::HostTable& host, uint32_t row, uint32_t earlier) {
  const int64_t over_ns = host.end_ns(earlier) - host.start_ns[row];
  return over_ns > kRoundingNs || (over_ns > 0 && host.end_ns(row) <= host.end_ns(earlier));
}

struct Candidate {
  std::string key;
  uint32_t thread = 0;
  std::vector<uint32_t> rows;
  int64_t covered_ns = 0;
  bool nested_in_self = false;
  double weight = 1;
};

bool InDomain(const model::Trace& trace, uint32_t thread, uint32_t link_domain) {
  return trace.processes[trace.threads[thread].process].link_domain == link_domain;
}

// Ranges that repeat but are only a part of a step, or that a library makes by itself.
double RangeWeight(std::string_view name, HostLabel label) {
  if (label == HostLabel::kOptimizerStep || label == HostLabel::kCommunication) return 0.25;
  for (const std::string_view part : {"DistributedDataParallel", "forward", "backward", "optimizer", "zero_grad",
                                      "CompiledFxGraph", "Torch-Compiled Region", "loss"}) {
    if (name.find(part) != std::string_view::npos) return 0.5;
  }
  for (const std::string_view whole : {"step", "iter", "batch", "execute_", "request", "decode", "generate", "train"}) {
    if (name.find(whole) != std::string_view::npos) return 1.5;
  }
  return 1;
}

// A Python function that the user calls once a step, by its name.
double FrameWeight(std::string_view frame) {
  const std::string_view function = ParsePythonFrame(frame).function;
  for (const std::string_view whole :
       {"step", "iter", "batch", "train_one", "infer", "generate", "predict", "request", "decode"}) {
    if (function.find(whole) != std::string_view::npos) return 1.5;
  }
  return 1;
}

// A range named like a function of a library ("ncclAllReduce", "MPI_Send"): what a library's own ranges become in a
// format without NVTX domains.
bool IsNameOfLibrary(std::string_view name) {
  constexpr auto kIsUpper = [](char c) { return c >= 'A' && c <= 'Z'; };
  for (const std::string_view prefix : {"nccl", "rccl", "cublas", "cudnn", "cufft", "cusolver", "cusparse"}) {
    if (name.starts_with(prefix) && name.size() > prefix.size() && kIsUpper(name[prefix.size()])) return true;
  }
  return name.starts_with("MPI_") || name.starts_with("nvshmem_");
}

// A mark, or a range that a library made by itself: no step of the program.
bool IsOfLibrary(const model::Trace& trace, uint32_t row) {
  const uint32_t at = trace.host.detail[row];
  if (trace.host.kind[row] != HostKind::kAnnotation) return false;
  if (IsNameOfLibrary(trace.HostName(row))) return true;
  if (at >= trace.annotation_details.size()) return false;
  const model::AnnotationDetail& detail = trace.annotation_details[at];
  if (detail.form == model::AnnotationForm::kMark) return true;
  if (detail.domain == model::kNoString) return false;
  const std::string_view domain = trace.Text(detail.domain);
  for (const std::string_view library : {"NCCL", "cuBLAS", "cuDNN", "MPI", "NVSHMEM", "OpenACC", "cuFFT", "cuSOLVER",
                                         "cuSPARSE", "CCCL", "UCX", "NVTX3"}) {
    if (domain == library) return true;
  }
  return false;
}

bool IsCandidateRow(const Index& index, uint32_t row, HostKind kind) {
  if (index.trace().host.kind[row] != kind || IsOfLibrary(index.trace(), row)) return false;
  const HostLabel label = index.host_label(row);
  if (IsFrame(kind)) return label == HostLabel::kUserPython;
  return label != HostLabel::kProfiler && label != HostLabel::kStepMarker;
}

// All ranges of one kind, grouped by thread and name (digits folded for annotations).
std::vector<Candidate> Collect(const Index& index, uint32_t link_domain, HostKind kind) {
  const model::Trace& trace = index.trace();
  std::map<std::pair<uint32_t, std::string>, Candidate> groups;
  std::unordered_map<uint64_t, Candidate*> by_name;  // (thread, name id): saves folding every row
  for (uint32_t thread = 0; thread < trace.thread_rows.size(); ++thread) {
    if (!InDomain(trace, thread, link_domain)) continue;
    for (uint32_t row = trace.thread_rows[thread].begin; row < trace.thread_rows[thread].end; ++row) {
      if (!IsCandidateRow(index, row, kind)) continue;
      const model::StringId name = trace.host.name[row];
      Candidate*& group = by_name[uint64_t{thread} << 32 | name];
      if (group == nullptr) {
        const std::string_view text = trace.Text(name);
        std::string key = IsFrame(kind) ? std::string(text) : FoldDigits(text);
        group = &groups[{thread, key}];
        group->thread = thread;
        group->weight = IsFrame(kind) ? FrameWeight(text) : RangeWeight(text, index.host_label(row));
        group->key = std::move(key);
      }
      if (!group->rows.empty() && BeginsInside(trace.host, row, group->rows.back())) {
        group->nested_in_self = true;
        continue;
      }
      group->rows.push_back(row);
      group->covered_ns += trace.host.dur_ns[row];
    }
  }
  std::vector<Candidate> out;
  for (auto& [key, group] : groups) {
    // Two calls of a function are a loop only if its name says so.
    const size_t enough = IsFrame(kind) && group.weight > 1 ? 2 : kMinRepeats;
    if (group.rows.size() >= enough && !group.nested_in_self) out.push_back(std::move(group));
  }
  return out;
}

// Whether most ranges of `inner` lie in ranges of `outer`.
bool LiesIn(const model::HostTable& host, const Candidate& inner, const Candidate& outer) {
  if (inner.thread != outer.thread) return false;
  constexpr size_t kSamples = 512;
  const size_t stride = inner.rows.size() / kSamples + 1;
  size_t inside = 0, looked_at = 0;
  for (size_t i = 0; i < inner.rows.size(); i += stride, ++looked_at) {
    const uint32_t row = inner.rows[i];
    const auto it = std::partition_point(outer.rows.begin(), outer.rows.end(),
                                         [&](uint32_t o) { return host.end_ns(o) < host.end_ns(row); });
    if (it != outer.rows.end() && host.start_ns[*it] <= host.start_ns[row]) ++inside;
  }
  return inside * 5 >= looked_at * 4;
}

// The parts of one step repeat equally often; the one that comes first marks where a step begins.
const Candidate* Earliest(const model::HostTable& host, const std::vector<Candidate>& candidates,
                          const Candidate& chosen) {
  const Candidate* first = &chosen;
  for (const Candidate& other : candidates) {
    if (other.thread != chosen.thread || other.rows.size() != chosen.rows.size()) continue;
    const bool interleaved = host.start_ns[other.rows[1]] >= host.end_ns(chosen.rows[0]) &&
                             host.end_ns(other.rows[0]) <= host.start_ns[chosen.rows[0]];
    if (interleaved && host.start_ns[other.rows[0]] < host.start_ns[first->rows[0]]) first = &other;
  }
  return first;
}

// Longest-covering candidate that does not lie in another one; bounded work: only the widest ones are compared.
const Candidate* Best(const model::HostTable& host, std::vector<Candidate>& candidates) {
  constexpr size_t kMost = 64;
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    const double x = static_cast<double>(a.covered_ns) * a.weight, y = static_cast<double>(b.covered_ns) * b.weight;
    return x != y ? x > y : a.key < b.key;
  });
  if (candidates.size() > kMost) candidates.resize(kMost);
  for (size_t i = 0; i < candidates.size(); ++i) {
    bool outermost = true;
    for (size_t j = 0; j < candidates.size() && outermost; ++j) {
      // A part of a step that lies in another part decides nothing; whole-step words win over their parts.
      outermost = i == j || candidates[j].weight < candidates[i].weight ||
                  !LiesIn(host, candidates[i], candidates[j]) || LiesIn(host, candidates[j], candidates[i]);
    }
    if (outermost) return Earliest(host, candidates, candidates[i]);
  }
  return nullptr;
}

Markers FromRows(const model::Trace& trace, StepSource source, const std::vector<uint32_t>& rows) {
  Markers out;
  out.source = source;
  for (const uint32_t row : rows) {
    out.markers.push_back({trace.host.start_ns[row], trace.host.end_ns(row), row, trace.host.thread[row]});
  }
  return out;
}

// One range that holds most of the recording is the unit that the user named ("load", "request"); a name of a loop
// only says that repeats lie inside.
Markers SingleRange(const Index& index, uint32_t link_domain) {
  const model::Trace& trace = index.trace();
  const Rank* rank = index.FindRank(link_domain);
  if (rank == nullptr || rank->main_thread == kNone) return {};
  const auto range = trace.thread_rows[rank->main_thread];
  int64_t begin = INT64_MAX, end = INT64_MIN;
  uint32_t longest = kNone;
  for (uint32_t row = range.begin; row < range.end; ++row) {
    if (index.host_label(row) == HostLabel::kProfiler || IsFrame(trace.host.kind[row])) continue;
    begin = std::min(begin, trace.host.start_ns[row]);
    end = std::max(end, trace.host.end_ns(row));
    if (!IsCandidateRow(index, row, HostKind::kAnnotation)) continue;
    if (longest == kNone || trace.host.dur_ns[row] > trace.host.dur_ns[longest]) longest = row;
  }
  if (longest == kNone || trace.host.dur_ns[longest] * 2 < end - begin) return {};
  for (const std::string_view loop : {"train", "loop", "epoch", "main", "run", "serve", "bench", "all", "profil"}) {
    if (trace.HostName(longest).find(loop) != std::string_view::npos) return {};
  }
  Markers out = FromRows(trace, StepSource::kUserRange, {longest});
  out.own_end = true;
  return out;
}

// Python frames say when a function ran, not that it is a step: they must hold most of the recorded time.
bool CoversEnough(const Index& index, const Candidate& candidate, HostKind kind) {
  const model::Trace& trace = index.trace();
  const auto range = trace.thread_rows[candidate.thread];
  const int64_t span = trace.host.end_ns(candidate.rows.back()) - trace.host.start_ns[range.begin];
  const double share = span > 0 ? static_cast<double>(candidate.covered_ns) / static_cast<double>(span) : 0;
  return IsFrame(kind) ? share > 0.6 : share > 0.002;
}

// "ProfilerStep#7" -> 7; -1 if there is no number.
int64_t NumberOf(std::string_view mark) {
  int64_t number = -1;
  const size_t at = mark.rfind('#');
  if (at != std::string_view::npos) std::from_chars(mark.data() + at + 1, mark.data() + mark.size(), number);
  return number;
}

// The profiler marks every step from the end of the one before: what lies between two marks that stand apart, and whose
// numbers do, is a step (or several) whose mark was lost, and none of the one before it.
void AddMissing(const model::Trace& trace, std::vector<Marker>* markers) {
  std::vector<int64_t> lengths;
  for (const Marker& marker : *markers) lengths.push_back(marker.end_ns - marker.begin_ns);
  if (lengths.size() < 3) return;
  std::nth_element(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2), lengths.end());
  const int64_t usual = lengths[lengths.size() / 2];
  std::vector<Marker> all;
  for (const Marker& marker : *markers) {
    if (!all.empty() && usual > 0 && marker.begin_ns - all.back().end_ns > usual / 2 &&
        NumberOf(trace.HostName(marker.row)) > NumberOf(trace.HostName(all.back().row)) + 1)
      all.push_back({all.back().end_ns, marker.begin_ns, kNone, marker.thread, true});
    all.push_back(marker);
  }
  *markers = std::move(all);
}

}  // namespace

Markers ProfilerStepMarkers(const Index& index, uint32_t link_domain) {
  const model::Trace& trace = index.trace();
  std::vector<uint32_t> rows;
  for (uint32_t thread = 0; thread < trace.thread_rows.size(); ++thread) {
    if (!InDomain(trace, thread, link_domain)) continue;
    std::vector<uint32_t> found;
    for (uint32_t row = trace.thread_rows[thread].begin; row < trace.thread_rows[thread].end; ++row) {
      if (index.host_label(row) != HostLabel::kStepMarker) continue;
      if (!found.empty() && BeginsInside(trace.host, row, found.back())) continue;
      found.push_back(row);
    }
    if (found.size() > rows.size()) rows = std::move(found);
  }
  Markers out = FromRows(trace, StepSource::kProfilerStep, rows);
  AddMissing(trace, &out.markers);
  out.own_end = true;
  return out;
}

namespace {

// Two calls of a sampled function may look like one, and its edges are off: such frames mark no steps.
bool PythonIsSampled(const model::Trace& trace) {
  return std::any_of(trace.sources.begin(), trace.sources.end(),
                     [](const model::Source& source) { return source.sample_period_ns.value_or(0) > 0; });
}

}  // namespace

Markers UserRangeMarkers(const Index& index, uint32_t link_domain) {
  for (const HostKind kind : {HostKind::kAnnotation, HostKind::kPython}) {
    if (IsFrame(kind) && PythonIsSampled(index.trace())) continue;
    std::vector<Candidate> candidates = Collect(index, link_domain, kind);
    std::erase_if(candidates, [&](const Candidate& c) { return !CoversEnough(index, c, kind); });
    const Candidate* best = Best(index.trace().host, candidates);
    if (best != nullptr) return FromRows(index.trace(), StepSource::kUserRange, best->rows);
    if (kind == HostKind::kAnnotation) {
      const Markers whole = SingleRange(index, link_domain);
      if (!whole.markers.empty()) return whole;
    }
  }
  return {};
}

}  // namespace warpscope::analysis
