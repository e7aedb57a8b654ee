// warpscope occupancy
#include "analysis/occupancy.h"

#include <fmt/format.h>

#include <charconv>

#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope occupancy --cc 9.0 --block 256 --regs 64", "how many warps fit, what limits them, what would lift it"},
    {"warpscope occupancy --cc 8.6 --block 128 --regs 40 --smem 24576", "with 24 KiB of shared memory a block"},
    {"warpscope occupancy --limits", "the limits of every compute capability"},
};

constexpr Flag kFlags[] = {
    {"--cc", 0, FlagType::kText, "X.Y", "compute capability, 5.0 to 12.x (default 9.0)", ""},
    {"--block", 0, FlagType::kCount, "N", "threads a block (default 256)", ""},
    {"--regs", 0, FlagType::kCount, "N", "registers a thread (default 32); see: nvcc -Xptxas -v", ""},
    {"--smem", 0, FlagType::kCount, "BYTES", "shared memory a block, static and dynamic (default 0)", ""},
    {"--limits", 0, FlagType::kSwitch, "", "print the limits of every compute capability instead", ""},
};

Status Wrong(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }

Result<analysis::SmLimits> LimitsFor(const std::string& text) {
  uint32_t major = 0, minor = 0;
  const char* const end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, major);
  bool good = parsed.ec == std::errc();
  if (good && parsed.ptr != end) {
    good = *parsed.ptr == '.';
    parsed = std::from_chars(parsed.ptr + 1, end, minor);
    good = good && parsed.ec == std::errc() && parsed.ptr == end;
  }
  if (!good) return Wrong(fmt::format("--cc {}: expected a compute capability such as 9.0", text));
  const auto limits = analysis::LimitsOf(major, minor);
  if (!limits) return Wrong(fmt::format("--cc {}: known are 5.0 to 12.x; see: warpscope occupancy --limits", text));
  return *limits;
}

Result<analysis::BlockShape> ShapeFor(const Args& args, const analysis::SmLimits& limits) {
  const uint64_t threads = args.Count("--block").value_or(256);
  const uint64_t registers = args.Count("--regs").value_or(32);
  const uint64_t shared_bytes = args.Count("--smem").value_or(0);
  if (threads < 1 || threads > limits.max_threads_per_block) {
    return Wrong(fmt::format("--block {}: a block has 1 to {} threads", threads, limits.max_threads_per_block));
  }
  if (registers < 1 || registers > limits.max_registers_per_thread) {
    return Wrong(fmt::format("--regs {}: a thread has 1 to {} registers", registers, limits.max_registers_per_thread));
  }
  if (shared_bytes > limits.shared_bytes_per_block_optin) {
    return Wrong(fmt::format("--smem {}: a block has at most {} bytes on compute capability {}.{}", shared_bytes,
                             limits.shared_bytes_per_block_optin, limits.cc_major, limits.cc_minor));
  }
  return analysis::BlockShape{static_cast<uint32_t>(threads), static_cast<uint32_t>(registers),
                              static_cast<uint32_t>(shared_bytes)};
}

Status RunOccupancy(const Args& args, Io& io) {
  if (!args.operands().empty()) {
    return Wrong(fmt::format("occupancy takes no file ({}); for the kernels of a file: warpscope kernels FILE",
                             args.operands()[0]));
  }
  if (args.Has("--limits")) return PrintTable(view::CapabilityTable(), args, io);
  WS_ASSIGN_OR_RETURN(const analysis::SmLimits limits, LimitsFor(args.Text("--cc").value_or("9.0")));
  WS_ASSIGN_OR_RETURN(const analysis::BlockShape shape, ShapeFor(args, limits));
  return PrintTable(view::OccupancyTable(limits, shape), args, io);
}

}  // namespace

namespace commands {
extern const Command kOccupancy;
const Command kOccupancy = {
    .name = "occupancy",
    .summary = "Theoretical occupancy of a kernel: what limits it and what would lift it",
    .group = Group::kWithoutFile,
    .operands = "",
    .details =
        "Blocks run on a streaming multiprocessor (SM) as long as its warps, registers and shared memory last. Give "
        "what the compiler "
        "reports and the launch uses.",
    .examples = kExamples,
    .shared = kJson | kTable,
    .flags = kFlags,
    .run = RunOccupancy,
};
}  // namespace commands
}  // namespace warpscope::cli
