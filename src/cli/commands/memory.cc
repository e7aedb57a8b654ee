// warpscope memory FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/memory_holders.h"

namespace warpscope::cli {
namespace {

enum class By : uint8_t { kDevice, kStep, kTime, kStack };
constexpr Choice<By> kBy[] = {
    {"device", By::kDevice},
    {"step", By::kStep},
    {"time", By::kTime},
    {"stack", By::kStack},
};

constexpr Example kExamples[] = {
    {"warpscope memory trace.json.gz", "peak and growth"},
    {"warpscope memory trace.json.gz --by time --csv", "memory in use over time"},
    {"warpscope memory snapshot.pickle --by stack", "who holds memory at the peak"},
};

constexpr Flag kFlags[] = {
    {"--by", 0, FlagType::kChoice, "WHAT", "one row a device (default), a step, a change, or a place that holds memory",
     "device|step|time|stack"},
    {"--at", 0, FlagType::kTime, "TIME", "--by stack: at this time after the start of the trace, not at the peak", ""},
};

Result<view::Table> Build(const Loaded& loaded, const Args& args) {
  const By by = Chosen(args, "--by", kBy);
  auto at_ns = args.TimeNs("--at");
  if (at_ns && by != By::kStack)
    return Status(StatusCode::kInvalidArgument, "--at belongs to --by stack: warpscope memory FILE --by stack --at 2s");
  if (at_ns) *at_ns += loaded.origin_ns;
  switch (by) {
    case By::kDevice: return view::MemoryTable(SubjectOf(loaded), view::MemoryBy::kDevice);
    case By::kStep: return view::MemoryTable(SubjectOf(loaded), view::MemoryBy::kStep);
    case By::kTime: return view::MemoryTable(SubjectOf(loaded), view::MemoryBy::kTime);
    case By::kStack: break;
  }
  return view::MemoryHoldersTable(SubjectOf(loaded), at_ns);
}

}  // namespace

namespace commands {
extern const Command kMemory;
const Command kMemory = {
    .name = "memory",
    .summary = "Memory of the framework's allocator: peak, unused reserve, growth from step to step",
    .group = Group::kTables,
    .operands = "FILE...",
    .details =
        "Needs a recording with memory events (PyTorch: profile_memory=True; warpscope record --memory), or a memory "
        "snapshot "
        "of PyTorch (torch.cuda.memory._dump_snapshot), which is read and never run.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = kFlags,
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
