// Time by nn.Module and by the user's source line, with the backward pass credited to where its forward was called.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "analysis/host_rollup.h"
#include "analysis/operators.h"

namespace warpscope::analysis {
namespace {

using model::HostKind;
using model::kNone;

// The nearest row at or above each row with the label, itself included.
std::vector<uint32_t> NearestLabelled(const Index& index, HostLabel label) {
  const model::HostTable& host = index.trace().host;
  std::vector<uint32_t> out(host.size(), kNone);
  for (uint32_t row = 0; row < host.size(); ++row) {
    const bool is = IsFrame(host.kind[row]) && index.host_label(row) == label;
    out[row] = is ? row : host.parent[row] == kNone ? kNone : out[host.parent[row]];
  }
  return out;
}

// Work of one frame row.
struct Own {
  int64_t device_ns = 0, backward_device_ns = 0, backward_host_ns = 0, inner_ns = 0;
  uint64_t kernels = 0;
};

// Device work by the frame that issued it; that of autograd operators by the frame of their forward operator. Backward
// host time is that of the outermost autograd operators.
std::vector<Own> Attribute(const Index& index, const HostRollup& rollup, const std::vector<uint32_t>& frame) {
  const model::Trace& trace = index.trace();
  const model::HostTable& host = trace.host;
  const BackwardLinks links(index);
  std::vector<Own> own(host.size());
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (frame[row] == row) {
      const uint32_t up = host.parent[row] == kNone ? kNone : frame[host.parent[row]];
      if (up != kNone) own[up].inner_ns += host.dur_ns[row];
    }
    if (IsFrame(host.kind[row])) continue;
    const bool in_frame = frame[row] != kNone;
    if (rollup.kernels_self[row] > 0 && in_frame) {
      own[frame[row]].device_ns += rollup.device_self_ns[row];
      own[frame[row]].kernels += rollup.kernels_self[row];
    }
    const bool top_backward = host.kind[row] == HostKind::kOperator && host.forward_thread[row] != 0 &&
                              (rollup.parent[row] == kNone || host.forward_thread[rollup.parent[row]] == 0);
    if (!top_backward && (rollup.kernels_self[row] == 0 || in_frame)) continue;
    const uint32_t forward = links.ForwardOf(row);
    if (forward == kNone || frame[forward] == kNone) continue;
    if (top_backward) own[frame[forward]].backward_host_ns += host.dur_ns[row];
    own[frame[forward]].backward_device_ns += rollup.device_self_ns[row];
  }
  return own;
}

// "Model_0 / Block_3 / Linear_0".
std::string PathOf(const model::Trace& trace, const std::vector<uint32_t>& frame, uint32_t row) {
  constexpr std::string_view kPrefix = "nn.Module: ";
  std::vector<std::string_view> names;
  for (uint32_t at = row; at != kNone && names.size() < 64;) {
    std::string_view name = trace.HostName(at);
    if (name.substr(0, kPrefix.size()) == kPrefix) name.remove_prefix(kPrefix.size());
    names.push_back(name);
    at = trace.host.parent[at] == kNone ? kNone : frame[trace.host.parent[at]];
  }
  std::string out;
  for (auto it = names.rbegin(); it != names.rend(); ++it) {
    if (!out.empty()) out += " / ";
    out += *it;
  }
  return out;
}

}  // namespace

std::vector<ModuleRow> SummarizeModules(const Index& index, const Scope& scope) {
  const model::Trace& trace = index.trace();
  const model::HostTable& host = trace.host;
  const std::vector<uint32_t> frame = NearestLabelled(index, HostLabel::kModule);
  const HostRollup rollup(index, scope);
  std::vector<Own> own = Attribute(index, rollup, frame);
  std::vector<Own> total = own;
  for (uint32_t row = host.size(); row-- > 0;) {
    if (frame[row] != row || host.parent[row] == kNone || frame[host.parent[row]] == kNone) continue;
    Own& up = total[frame[host.parent[row]]];
    up.device_ns += total[row].device_ns;
    up.kernels += total[row].kernels;
    up.backward_device_ns += total[row].backward_device_ns;
    up.backward_host_ns += total[row].backward_host_ns;
  }
  std::map<std::pair<model::StringId, std::string>, ModuleRow> rows;
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (frame[row] != row || !rollup.InScope(index, row)) continue;
    std::string path = PathOf(trace, frame, row);
    ModuleRow& out = rows[{host.name[row], path}];
    if (out.calls++ == 0) {
      out.name = host.name[row];
      out.path = std::move(path);
      out.first_row = row;
    }
    out.host_total_ns += host.dur_ns[row];
    out.host_self_ns += host.dur_ns[row] - own[row].inner_ns;
    out.device_self_ns += own[row].device_ns;
    out.device_total_ns += total[row].device_ns;
    out.kernels_total += total[row].kernels;
    out.backward_device_ns += total[row].backward_device_ns;
    out.backward_host_ns += total[row].backward_host_ns;
  }
  std::vector<ModuleRow> out;
  for (auto& [key, row] : rows) out.push_back(std::move(row));
  std::sort(out.begin(), out.end(), [](const ModuleRow& a, const ModuleRow& b) {
    const int64_t x = a.device_total_ns + a.backward_device_ns, y = b.device_total_ns + b.backward_device_ns;
    if (x != y) return x > y;
    if (a.host_total_ns != b.host_total_ns) return a.host_total_ns > b.host_total_ns;
    return a.path < b.path;
  });
  return out;
}

std::vector<SourceLineRow> SummarizeSourceLines(const Index& index, const Scope& scope) {
  const model::Trace& trace = index.trace();
  const model::HostTable& host = trace.host;
  const std::vector<uint32_t> frame = NearestLabelled(index, HostLabel::kUserPython);
  const HostRollup rollup(index, scope);
  const std::vector<Own> own = Attribute(index, rollup, frame);
  std::unordered_map<model::StringId, SourceLineRow> rows;
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (frame[row] != row || !rollup.InScope(index, row)) continue;
    SourceLineRow& out = rows[host.name[row]];
    if (out.calls++ == 0) {
      out.frame = host.name[row];
      out.first_row = row;
    }
    out.host_total_ns += host.dur_ns[row];
    out.host_self_ns += host.dur_ns[row] - own[row].inner_ns;
    out.device_self_ns += own[row].device_ns;
    out.kernels_self += own[row].kernels;
    out.backward_device_ns += own[row].backward_device_ns;
  }
  std::vector<SourceLineRow> out;
  for (auto& [name, row] : rows) out.push_back(row);
  std::sort(out.begin(), out.end(), [&](const SourceLineRow& a, const SourceLineRow& b) {
    const int64_t x = a.device_self_ns + a.backward_device_ns, y = b.device_self_ns + b.backward_device_ns;
    if (x != y) return x > y;
    if (a.host_self_ns != b.host_self_ns) return a.host_self_ns > b.host_self_ns;
    return trace.Text(a.frame) < trace.Text(b.frame);
  });
  return out;
}

}  // namespace warpscope::analysis
