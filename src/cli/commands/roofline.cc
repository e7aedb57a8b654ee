// warpscope roofline FILE...
#include "view/roofline.h"

#include "analysis/sampled_profiles.h"
#include "cli/command.h"
#include "cli/table_command.h"
#include "cli/whole_file.h"
#include "report/roofline_report.h"

namespace warpscope::cli {
namespace {

using analysis::FlopKind;
using analysis::RoofLevel;

constexpr Choice<RoofLevel> kLevels[] = {
    {"dram", RoofLevel::kDram},
    {"l2", RoofLevel::kL2},
    {"l1", RoofLevel::kL1},
};
constexpr Choice<FlopKind> kPrecisions[] = {
    {"nearest", FlopKind::kCount},
    {"fp64", FlopKind::kFp64},
    {"fp32", FlopKind::kFp32},
    {"fp16", FlopKind::kFp16},
    {"tensor-fp64", FlopKind::kTensorFp64},
    {"tensor-tf32", FlopKind::kTensorTf32},
    {"tensor-fp32", FlopKind::kTensorFp32},
    {"tensor-bf16", FlopKind::kTensorBf16},
    {"tensor-fp16", FlopKind::kTensorFp16},
    {"tensor-fp8", FlopKind::kTensorFp8},
    {"tensor-int8", FlopKind::kTensorInt8},
};

constexpr Example kExamples[] = {
    {"warpscope roofline report.ncu-rep", "each profiled kernel against the roofs of arithmetic and memory"},
    {"warpscope roofline trace.json.gz report.ncu-rep", "the same, weighted by the time in the timeline"},
    {"warpscope roofline trace.json.gz", "without counters: estimated from the shapes of PyTorch's operators"},
    {"warpscope roofline report.ncu-rep --level l2 --svg roofline.svg", "against the L2 cache; also as a picture"},
};

constexpr Flag kFlags[] = {
    {"--level", 0, FlagType::kChoice, "LEVEL", "the memory whose bytes count (default dram)", "dram|l2|l1"},
    {"--precision", 0, FlagType::kChoice, "KIND",
     "the arithmetic that counts (default nearest: of each kernel the kind nearest to its peak)",
     "nearest|fp64|fp32|fp16|tensor-fp64|tensor-tf32|tensor-fp32|tensor-bf16|tensor-fp16|tensor-fp8|tensor-int8"},
    {"--svg", 0, FlagType::kFile, "FILE", "also write the chart as an SVG picture; - prints it alone", ""},
    {"--force", 'f', FlagType::kSwitch, "", "let --svg replace a file", ""},
};

Status CheckSvgPlace(const Args& args) {
  const auto path = args.Text("--svg");
  if (!path || *path == "-") return Status::Ok();
  return CheckFilePlace(*path, args.operands(), {"--svg", args.Has("--force")});
}

Status RunRoofline(const Args& args, Io& io) {
  WS_RETURN_IF_ERROR(CheckSvgPlace(args));
  WS_ASSIGN_OR_RETURN(const Loaded loaded, LoadInputs(args, io));
  view::RooflineQuery query;
  query.level = Chosen(args, "--level", kLevels);
  if (const FlopKind kind = Chosen(args, "--precision", kPrecisions); kind != FlopKind::kCount) query.kind = kind;
  analysis::AddSampledProfiles(loaded.trace.get());
  const view::Subject subject = SubjectOf(loaded);
  const analysis::Roofline roofline = loaded.trace->kernel_profiles.empty()
                                          ? analysis::RooflineOfShapes(*loaded.index, loaded.device_scope)
                                          : analysis::RooflineOfCounters(*loaded.index, loaded.device_scope);
  view::Table table = view::RooflineTable(subject, roofline, query);
  table.ledger = loaded.trace->ledger.Entries();
  view::Table shown = table;
  if (const auto column = args.Text("--sort")) WS_RETURN_IF_ERROR(view::SortBy(shown, *column));
  if (const auto words = args.Text("--match")) view::KeepMatching(shown, *words);
  const view::RooflineChart chart =
      view::ChartOf(subject, roofline, query, shown, args.Count("--limit").value_or(kTerminalRows));
  if (const auto path = args.Text("--svg")) {
    if (*path == "-") {
      io.out += report::RooflineSvg(chart);
      return Status::Ok();
    }
    WS_RETURN_IF_ERROR(WriteWholeFile(*path, report::RooflineSvg(chart)));
  }
  if (!args.Has("--json") && !args.Has("--csv")) io.out += report::RooflineText(chart, io.terminal);
  return PrintTable(std::move(table), args, io);
}

}  // namespace

namespace commands {
extern const Command kRoofline;
const Command kRoofline = {
    .name = "roofline",
    .summary = "Roofline: arithmetic and bytes of each kernel against what the device can do",
    .group = Group::kTables,
    .operands = "FILE...",
    .details =
        "From hardware counters of kernels (Nsight Compute, rocprof-compute, warpscope counters, and sampled by record "
        "--counters, which tell the most that it can have been): FLOP and bytes a second, FLOP a "
        "byte, the side of the ridge, and how much of the roof there is reached. Peaks are the report's own where it "
        "carries them. A timeline beside the counters weights the kernels by their time in it. A timeline alone gives "
        "an "
        "estimate from the shapes of PyTorch's operators (matrix products, convolutions, attention, element by "
        "element), "
        "with the least bytes that must move. What the data do not count gets no place, and the reason. "
        "docs/roofline.md "
        "names every metric and formula.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = kFlags,
    .run = RunRoofline,
};
}  // namespace commands
}  // namespace warpscope::cli
