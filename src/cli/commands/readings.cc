// warpscope readings FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/reading_table.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope readings smi.csv", "every reading of every device: first, lowest, mean, highest, last"},
    {"warpscope readings smi.csv --by time", "one line a look"},
    {"warpscope readings nodes/*.xml --by reading --match temperature", "one reading of many devices side by side"},
};

constexpr Flag kFlags[] = {
    {"--by", 0, FlagType::kChoice, "WHAT", "one row for each of these (default device)", "device|reading|time"},
};

constexpr Choice<view::ReadingsBy> kBy[] = {
    {"device", view::ReadingsBy::kDevice}, {"reading", view::ReadingsBy::kReading}, {"time", view::ReadingsBy::kTime}};

Result<view::Table> Build(const Loaded& loaded, const Args& args) {
  return view::ReadingTable(SubjectOf(loaded), Chosen(args, "--by", kBy));
}

}  // namespace

namespace commands {
extern const Command kReadings;
const Command kReadings = {
    .name = "readings",
    .summary = "What a monitor read from the devices: load, power, clocks, temperature, memory, errors",
    .group = Group::kTables,
    .operands = "FILE...",
    .details =
        "Reads nvidia-smi (-q, -q -x, --query-gpu, dmon, the table) and scrapes of Prometheus exporters. Names and "
        "units are the same for every tool. A monitor shows what the device did, not why: for that, record a "
        "timeline.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = kFlags,
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
