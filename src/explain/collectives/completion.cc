#include "explain/collectives/completion.h"

#include <fmt/format.h>

#include "explain/text/pattern.h"
#include "explain/text/quantity.h"

namespace warpscope::explain {
namespace {

struct Status {
  int number;
  const char* name;  // of the verbs library
  const char* headline;
  const char* cause;
};

// The first of them that a log shows is the failure; a flushed request (5) only follows from it.
constexpr Status kStatuses[] = {
    {12, "IBV_WC_RETRY_EXC_ERR", "The peer's adapter acknowledged nothing, after all repetitions.",
     "At the start: the adapters do not reach each other (GID index, subnet, cables). In the middle: the peer's "
     "process or host ended, or a link or switch failed for seconds."},
    {13, "IBV_WC_RNR_RETRY_EXC_ERR", "The peer had no buffer ready to receive, after all repetitions.",
     "The peer's process hangs or has ended, or the ranks call different collectives."},
    {4, "IBV_WC_LOC_PROT_ERR", "The adapter was not allowed to read or write memory of its own host.",
     "Memory of the GPU is registered wrongly: nvidia-peermem does not fit the driver, or an IOMMU or ACS stands "
     "between adapter and GPU."},
    {10, "IBV_WC_REM_ACCESS_ERR", "The peer's adapter refused access to its memory.",
     "Ranks disagree about size or buffer of a transfer, or memory was freed while it was in use."},
    {11, "IBV_WC_REM_OP_ERR", "The peer's adapter could not carry out the request.",
     "An error of the peer's adapter or of its access to memory of the GPU: its log tells which."},
    {9, "IBV_WC_REM_INV_REQ_ERR", "The peer's adapter refused the request as invalid.",
     "Ranks disagree about size or buffer of a transfer: different NCCL versions or different settings."},
    {1, "IBV_WC_LOC_LEN_ERR", "A message was longer than the buffer that waited for it.",
     "Ranks call collectives with different sizes."},
    {5, "IBV_WC_WR_FLUSH_ERR", "The connection had failed before; waiting requests were only given back.",
     "The first completion with another status, here or at the peer, names the failure."},
};

}  // namespace

void WorkCompletion(std::span<const Match> matches, Answer* answer) {
  const Status* chosen = nullptr;
  for (const Match& match : matches) {
    auto found = Find("with status={n}", match.window);
    if (!found) found = Find("with error {n}", match.window);
    if (!found) continue;
    const auto number = NumberOf(found->captures[0]);
    if (!number) continue;
    for (const Status& status : kStatuses) {
      if (*number == status.number && (!chosen || chosen->number == 5)) chosen = &status;
    }
    if (chosen && chosen->number != 5) break;
  }
  if (!chosen) return;
  answer->headline = chosen->headline;
  answer->cause = chosen->cause;
  answer->facts.push_back(
      {"completion_status", "status of the request", fmt::format("{} {}", chosen->number, chosen->name),
       static_cast<double>(chosen->number)});
}

}  // namespace warpscope::explain
