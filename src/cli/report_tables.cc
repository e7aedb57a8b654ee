#include "cli/report_tables.h"

#include <fmt/format.h>

#include <iterator>

#include "analysis/sampled_profiles.h"
#include "cli/report_texts.h"
#include "cli/table_command.h"
#include "page/parallel.h"
#include "report/table_language.h"
#include "report/table_report.h"
#include "view/format.h"
#include "view/memory_holders.h"
#include "view/reading_table.h"
#include "view/roofline.h"

namespace warpscope::cli {
namespace {

using view::Subject;
using view::Table;

bool Everything(std::string_view) { return true; }

Table Counters(const Subject& subject, view::CountersBy by) {
  const bool sampled = subject.trace().kernel_profiles.empty() && !subject.trace().counter_windows.empty();
  const view::CountersQuery query{Everything, Everything};
  return sampled && by == view::CountersBy::kKernel ? view::SampledCountersTable(subject, query)
                                                    : view::CountersTable(subject, by, query);
}

Table Roofline(const Subject& subject) {
  const analysis::Roofline roofline = subject.trace().kernel_profiles.empty()
                                          ? analysis::RooflineOfShapes(subject.index, subject.device_scope)
                                          : analysis::RooflineOfCounters(subject.index, subject.device_scope);
  return view::RooflineTable(subject, roofline, {});
}

// As the command shows it. kFollows: also of what follows from sampled counters.
enum class Of : uint8_t { kWhole, kSteps, kFollows };

struct Entry {
  std::string_view name;
  Of of;
  Table (*build)(const Subject& subject);
};

constexpr Entry kEntries[] = {
    {"kernels", Of::kSteps, [](const Subject& s) { return view::KernelTable(s, view::KernelsBy::kName); }},
    {"kernels:geometry", Of::kSteps, [](const Subject& s) { return view::KernelTable(s, view::KernelsBy::kGeometry); }},
    {"kernels:category", Of::kSteps, [](const Subject& s) { return view::KernelTable(s, view::KernelsBy::kCategory); }},
    {"ops", Of::kWhole, [](const Subject& s) { return view::OperatorTable(s, view::OpsBy::kOp); }},
    {"ops:shape", Of::kWhole, [](const Subject& s) { return view::OperatorTable(s, view::OpsBy::kShape); }},
    {"ops:module", Of::kWhole, [](const Subject& s) { return view::OperatorTable(s, view::OpsBy::kModule); }},
    {"ops:line", Of::kWhole, [](const Subject& s) { return view::OperatorTable(s, view::OpsBy::kLine); }},
    {"ops:annotation", Of::kWhole, [](const Subject& s) { return view::OperatorTable(s, view::OpsBy::kAnnotation); }},
    {"gaps", Of::kSteps, [](const Subject& s) { return view::GapTable(s, view::GapsBy::kCause); }},
    {"gaps:subject", Of::kSteps, [](const Subject& s) { return view::GapTable(s, view::GapsBy::kSubject); }},
    {"gaps:list", Of::kSteps, [](const Subject& s) { return view::GapTable(s, view::GapsBy::kGap); }},
    {"copies", Of::kWhole, [](const Subject& s) { return view::CopyTable(s, view::CopiesBy::kKind); }},
    {"copies:caller", Of::kWhole, [](const Subject& s) { return view::CopyTable(s, view::CopiesBy::kCaller); }},
    {"launches", Of::kSteps, [](const Subject& s) { return view::LaunchTable(s, view::LaunchesBy::kKernel); }},
    {"launches:summary", Of::kSteps, [](const Subject& s) { return view::LaunchTable(s, view::LaunchesBy::kSummary); }},
    {"syncs", Of::kSteps, [](const Subject& s) { return view::SyncTable(s, view::SyncsBy::kCaller); }},
    {"memory", Of::kWhole, [](const Subject& s) { return view::MemoryTable(s, view::MemoryBy::kDevice); }},
    {"memory:step", Of::kWhole, [](const Subject& s) { return view::MemoryTable(s, view::MemoryBy::kStep); }},
    {"memory:stack", Of::kWhole, [](const Subject& s) { return view::MemoryHoldersTable(s); }},
    {"steps", Of::kWhole, view::StepTable},
    {"streams", Of::kSteps, view::StreamTable},
    {"devices", Of::kSteps, view::DeviceTable},
    {"collectives", Of::kWhole, [](const Subject& s) { return view::CollectiveTable(s, view::CollectivesBy::kName); }},
    {"collectives:rank", Of::kWhole,
     [](const Subject& s) { return view::CollectiveTable(s, view::CollectivesBy::kRank); }},
    {"counters", Of::kWhole, [](const Subject& s) { return Counters(s, view::CountersBy::kKernel); }},
    {"counters:launch", Of::kWhole, [](const Subject& s) { return Counters(s, view::CountersBy::kLaunch); }},
    {"counters:advice", Of::kWhole, [](const Subject& s) { return Counters(s, view::CountersBy::kAdvice); }},
    {"roofline", Of::kFollows, Roofline},
    {"stalls", Of::kWhole, [](const Subject& s) { return view::StallTable(s, view::StallsBy::kKernel, {Everything}); }},
    {"stalls:line", Of::kWhole,
     [](const Subject& s) { return view::StallTable(s, view::StallsBy::kLine, {Everything}); }},
    {"readings", Of::kWhole, [](const Subject& s) { return view::ReadingTable(s, view::ReadingsBy::kDevice); }},
};

// The JSON of one table, and the sentence on what was cut off it; "" each if there is none. Its texts in English.
struct Built {
  std::string json, limit;
  std::vector<std::string> english;
};

Built Print(std::string_view name, Table table, const std::vector<model::LedgerEntry>& ledger,
            lang::Language language) {
  if (table.rows.empty()) return {};
  Built built;
  table.ledger = ledger;
  if (table.rows.size() > kReportRows) {
    built.limit =
        fmt::format("The table of {} has {} rows; the first {} are here.", name,
                    view::FormatCount(static_cast<int64_t>(table.rows.size())), view::FormatCount(kReportRows));
  }
  CollectTexts(table, &built.english);
  report::Translate(language, report::Words::kKeep, table);
  built.json = report::TableJson(table, kReportRows);
  return built;
}

}  // namespace

std::vector<page::JsonTable> ReportTables(const Loaded& loaded, lang::Language language,
                                          std::vector<std::string>* limits, std::vector<std::string>* english) {
  const auto ledger = loaded.trace->ledger.Entries();
  const Subject whole = SubjectOf(loaded), steps = StepSubjectOf(loaded);
  std::vector<Built> built(std::size(kEntries));
  const auto build = [&](size_t i) {
    const Entry& entry = kEntries[i];
    Table table = entry.of == Of::kSteps ? OfSteps(loaded, entry.build(steps)) : entry.build(whole);
    built[i] = Print(entry.name, std::move(table), ledger, language);
  };
  page::ForEachInParallel(std::size(kEntries), [&](size_t i) {
    if (kEntries[i].of != Of::kFollows) build(i);
  });
  // Only now: the others show what was recorded and not what follows from it.
  analysis::AddSampledProfiles(loaded.trace.get());
  for (size_t i = 0; i < std::size(kEntries); ++i) {
    if (kEntries[i].of == Of::kFollows) build(i);
  }
  std::vector<page::JsonTable> out;
  for (size_t i = 0; i < built.size(); ++i) {
    if (!built[i].limit.empty()) limits->push_back(std::move(built[i].limit));
    english->insert(english->end(), built[i].english.begin(), built[i].english.end());
    if (!built[i].json.empty()) out.push_back({"table:" + std::string(kEntries[i].name), std::move(built[i].json)});
  }
  if (Built env = Print("env", view::EnvironmentTable(whole), ledger, language); !env.json.empty()) {
    english->insert(english->end(), env.english.begin(), env.english.end());
    out.push_back({"env", std::move(env.json)});
  }
  Table trust = view::LedgerTable(*loaded.trace);
  CollectTexts(trust, english);
  report::Translate(language, report::Words::kKeep, trust);
  out.push_back({"ledger", report::TableJson(trust, 0)});
  return out;
}

}  // namespace warpscope::cli
