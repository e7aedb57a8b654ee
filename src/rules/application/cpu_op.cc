// cpu_op: a tensor operator runs on the CPU though its result goes to the device. Trigger: operator rows of over 30 us
// that make no device call, on a thread that feeds the device. Must not claim: operators of a data loader, operators
// whose time passes in device calls, views and other bookkeeping, nor work that hides behind the device (the replay
// decides).
#include <algorithm>
#include <map>

#include "rules/application/host_work.h"
#include "rules/build.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;
using model::HostKind;
using model::kNone;

// Far over what bookkeeping takes (views, empty tensors: 1-10 us while recorded), about what a kernel and its launch
// would take in its place.
constexpr int64_t kMinOpNs = 30'000;
// What stays: the launch of the operator on the device.
constexpr int64_t kDeviceOpNs = 20'000;
constexpr int64_t kNearNs = 300'000;  // a copy call this soon after the operator uploads its result

bool StartsWith(std::string_view text, std::string_view word) { return text.substr(0, word.size()) == word; }

// Bookkeeping that computes nothing, whatever it takes at its first call.
constexpr std::string_view kBookkeeping[] = {"aten::alias",
                                             "aten::as_strided",
                                             "aten::chunk",
                                             "aten::detach",
                                             "aten::detach_",
                                             "aten::empty",
                                             "aten::empty_like",
                                             "aten::empty_permuted",
                                             "aten::empty_strided",
                                             "aten::expand",
                                             "aten::expand_as",
                                             "aten::flatten",
                                             "aten::is_pinned",
                                             "aten::item",
                                             "aten::lift_fresh",
                                             "aten::narrow",
                                             "aten::new_empty",
                                             "aten::new_empty_strided",
                                             "aten::numpy_T",
                                             "aten::permute",
                                             "aten::reshape",
                                             "aten::reshape_as",
                                             "aten::resize_",
                                             "aten::resolve_conj",
                                             "aten::resolve_neg",
                                             "aten::result_type",
                                             "aten::select",
                                             "aten::set_",
                                             "aten::slice",
                                             "aten::split",
                                             "aten::split_with_sizes",
                                             "aten::squeeze",
                                             "aten::t",
                                             "aten::to",
                                             "aten::transpose",
                                             "aten::transpose_",
                                             "aten::unbind",
                                             "aten::unflatten",
                                             "aten::unsqueeze",
                                             "aten::unsqueeze_",
                                             "aten::view",
                                             "aten::view_as"};

// An operator of a library that computes; not an autograd node, a range, or a compiled region.
bool Computes(std::string_view name) {
  if (name.find("::") == std::string_view::npos) return false;
  for (const std::string_view other : {"autograd::", "torch::autograd::", "c10d::", "nccl:", "record_param_comms",
                                       "profiler::", "prims::", "aten::pin_memory", "aten::_pin_memory"}) {
    if (StartsWith(name, other)) return false;
  }
  return std::find(std::begin(kBookkeeping), std::end(kBookkeeping), name) == std::end(kBookkeeping);
}

struct CpuOp {
  uint32_t row;
  uint32_t upload = kNone;  // gpu row of the copy that brings the result to the device
};

bool Excluded(const Context& c, uint32_t row) {
  return c.Enclosing(row, [&](uint32_t at) {
    const analysis::HostLabel label = c.index.host_label(at);
    return label == analysis::HostLabel::kDataLoading || label == analysis::HostLabel::kCompilation ||
           label == analysis::HostLabel::kFileIo;
  }) != kNone;
}

// The first device call after `row` if it is an upload soon after.
uint32_t UploadAfter(const Context& c, uint32_t first_after, uint32_t end, int64_t op_end_ns) {
  for (uint32_t row = first_after; row < end && c.trace.host.start_ns[row] < op_end_ns + kNearNs; ++row) {
    if (!c.index.is_call(row) || !analysis::Issues(c.index.call_kind(row))) continue;
    for (const uint32_t gpu : c.index.IssuedBy(row)) {
      const model::CopyDetail* copy = c.trace.Copy(gpu);
      if (copy != nullptr && copy->kind == model::CopyKind::kHostToDevice) return gpu;
    }
    return kNone;
  }
  return kNone;
}

// Outermost computing operators without a device call inside.
std::vector<CpuOp> FindCpuOps(const Context& c) {
  std::vector<CpuOp> ops;
  for (const uint32_t thread : c.rank.issuing_threads) {
    const auto rows = c.trace.thread_rows[thread];
    uint32_t row = rows.begin;
    while (row < rows.end) {
      const bool candidate = c.trace.host.kind[row] == HostKind::kOperator && c.InWindow(row) &&
                             c.trace.host.dur_ns[row] >= kMinOpNs && Computes(c.trace.HostName(row));
      if (!candidate) {
        ++row;
        continue;
      }
      uint32_t after = row + 1;
      bool calls = false;
      const int64_t end_ns = c.trace.host.end_ns(row);
      while (after < rows.end && c.trace.host.start_ns[after] < end_ns) calls |= c.index.is_call(after++);
      if (calls) {
        ++row;
        continue;
      }
      if (!Excluded(c, row)) ops.push_back({row, UploadAfter(c, after, rows.end, end_ns)});
      row = after;
    }
  }
  return ops;
}

int64_t SumNs(const Context& c, const std::vector<CpuOp>& ops) {
  int64_t total = 0;
  for (const CpuOp& op : ops) total += c.trace.host.dur_ns[op.row];
  return total;
}

WhatIf Change(const Context& c, const std::vector<CpuOp>& ops, int64_t device_op_ns, bool with_uploads) {
  WhatIf change;
  for (const CpuOp& op : ops) {
    const int64_t start_ns = c.trace.host.start_ns[op.row];
    const int64_t dur_ns = c.trace.host.dur_ns[op.row];
    change.ScaleHost(c.trace.host.thread[op.row], start_ns, start_ns + dur_ns,
                     std::min(1.0, static_cast<double>(device_op_ns) / static_cast<double>(dur_ns)));
    if (with_uploads && op.upload != kNone) change.RemoveGpu(op.upload);
  }
  return change;
}

struct Group {
  model::StringId name;
  uint64_t count = 0;
  int64_t ns = 0;
  uint32_t longest = kNone;
};

std::vector<Group> ByName(const Context& c, const std::vector<CpuOp>& ops) {
  std::map<model::StringId, Group> groups;
  for (const CpuOp& op : ops) {
    Group& group = groups[c.trace.host.name[op.row]];
    group.name = c.trace.host.name[op.row];
    ++group.count;
    group.ns += c.trace.host.dur_ns[op.row];
    if (group.longest == kNone || c.trace.host.dur_ns[op.row] > c.trace.host.dur_ns[group.longest])
      group.longest = op.row;
  }
  std::vector<Group> sorted;
  for (const auto& [name, group] : groups) sorted.push_back(group);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Group& a, const Group& b) { return a.ns > b.ns; });
  return sorted;
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const std::vector<CpuOp> ops = FindCpuOps(c);
  const int64_t total_ns = SumNs(c, ops);
  if (ops.empty() || c.SharePct(total_ns) < kMinGainPct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const std::vector<Group> groups = ByName(c, ops);
  const size_t uploads =
      static_cast<size_t>(std::count_if(ops.begin(), ops.end(), [](const CpuOp& op) { return op.upload != kNone; }));

  Finding finding;
  finding.share_pct = c.SharePct(total_ns);
  finding.subject = std::string(c.trace.Text(groups.front().name));
  finding.title = finding.subject + " runs on the CPU: " + Ms(c.PerStepMs(total_ns)) +
                  " of each step go into tensor operations off the GPU";
  for (size_t i = 0; i < groups.size() && i < 3; ++i) {
    const std::string frame = c.UserFrame(groups[i].longest);
    finding.evidence.push_back({std::string(c.trace.Text(groups[i].name)) + ": " +
                                    Plural(c.CountPerStep(static_cast<double>(groups[i].count)), "call") + " a step, " +
                                    Ms(c.PerStepMs(groups[i].ns)) + ", without any device call" +
                                    (frame.empty() ? "" : ", from " + frame),
                                c.Query("ops")});
  }
  if (uploads > 0) {
    finding.evidence.push_back(
        {Plural(c.CountPerStep(static_cast<double>(uploads)), "result") + " a step are uploaded right afterwards",
         c.Query("copies")});
  }
  finding.actions.push_back(
      {"Keep the tensor on the GPU, or create it there.",
       "noise = torch.randn(shape, device=\"cuda\")     # in place of torch.randn(shape).to(\"cuda\")\n"
       "scores = scores.to(\"cuda\")                   # once; sort, index and topk then run there"});
  finding.actions.push_back(
      {"If it must stay on the CPU: do it one step ahead in a worker.", "DataLoader(..., num_workers=4)"});
  finding.verify = "Record again: `" + c.Query("ops") + "` should show " + finding.subject + " with device time.";
  finding.confidence = Confidence::kHigh;
  finding.change = Change(c, ops, kDeviceOpNs, true);
  const WhatIf low = Change(c, ops, 5 * kDeviceOpNs, false);
  return Conclude(c, std::move(finding), analysis::Side::kHost, &low);
}

}  // namespace

extern const Rule kCpuOpRule;
const Rule kCpuOpRule = {"cpu_op",
                         Layer::kApplication,
                         Dimension::kCompute,
                         Breadth::kSpecific,
                         Evaluate,
                         "A tensor operation runs where its tensors are. If they are in ordinary memory, a few CPU "
                         "cores do the work, the GPU "
                         "waits, and the result must still be copied over."};

}  // namespace warpscope::rules
