#include "import/nccl_ranges.h"

#include <algorithm>
#include <cctype>

namespace warpscope::import {

void NcclRanges::Add(Appender& to, const std::vector<nsys::PayloadField>& fields, const Appender::Host& host) {
  model::Collective row;
  std::optional<int64_t> rank, ranks, bytes;
  std::string communicator;
  for (const nsys::PayloadField& field : fields) {
    if (field.name == "Rank") rank = field.value;
    if (field.name == "No. of ranks") ranks = field.value;
    if (field.name.substr(0, 12) == "Message size") bytes = field.value;
    if (field.name == "NCCL communicator ID") communicator = field.text;
  }
  model::Trace& trace = to.trace();
  if (rank && ranks && *ranks > 0 && *rank >= 0 && *rank < *ranks) {
    model::Process& process = trace.processes[trace.threads[host.thread].process];
    // The widest communicator is the world.
    auto& [known, size] = ranks_[&process - trace.processes.data()];
    if (size < *ranks) known = *rank, size = *ranks, process.rank = *rank;
    groups_[communicator] = static_cast<uint64_t>(*ranks);
    return;
  }
  if (!bytes || *bytes < 0) return;
  std::string_view name = trace.Text(host.name);
  if (name.substr(0, 4) == "nccl") name.remove_prefix(4);
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  row.host_row = trace.host.size();
  row.name = to.Text(lower);
  row.comms_id = to.Text(communicator);
  // Sizes are told in bytes: elements of one byte.
  row.dtype = to.Text("Byte");
  row.in_elements = row.out_elements = static_cast<uint64_t>(*bytes);
  if (const auto group = groups_.find(communicator); group != groups_.end()) row.group_size = group->second;
  trace.collectives.push_back(row);
}

}  // namespace warpscope::import
