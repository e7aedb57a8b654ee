// The command line without files: dispatch, parsing, messages, help, completion.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "cli/app.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/report_texts.h"
#include "cli/shell_quote.h"
#include "cli/suggest.h"
#include "report/text.h"

namespace warpscope::cli {
namespace {

struct Outcome {
  int code;
  std::string out, err;
};

Outcome RunWords(const std::vector<std::string>& words) {
  Io io;
  const int code = Run(words, io);
  return {code, io.out, io.err};
}

TEST(Args, ADurationIsInSecondsUnlessItSaysOtherwise) {
  EXPECT_EQ(ParseDurationNs("2"), 2'000'000'000);
  EXPECT_EQ(ParseDurationNs("0.5s"), 500'000'000);
  EXPECT_EQ(ParseDurationNs("500ms"), 500'000'000);
  EXPECT_EQ(ParseDurationNs("1.5m"), 90'000'000'000);
  EXPECT_EQ(ParseDurationNs("2h"), 7'200'000'000'000);
  for (const char* wrong : {"", "m", "s", "-1", "1 s", "5sm", "99999999999h", "1e3"})
    EXPECT_FALSE(ParseDurationNs(wrong)) << wrong;
}

TEST(App, AloneSaysHowToBegin) {
  const Outcome outcome = RunWords({});
  EXPECT_EQ(outcome.code, kExitOk);
  EXPECT_NE(outcome.out.find("warpscope trace.json.gz"), std::string::npos);
}

TEST(App, TyposGetTheNearestCommand) {
  const Outcome outcome = RunWords({"lanches"});
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_NE(outcome.err.find("did you mean: warpscope launches?"), std::string::npos);
  EXPECT_NE(RunWords({"zzzzzzzz"}).err.find("warpscope --help"), std::string::npos);
  EXPECT_EQ(RunWords({""}).code, kExitUsage);
  EXPECT_EQ(RunWords({"help", "lanches"}).code, kExitUsage);
}

TEST(App, UnknownOptionGetsTheNearest) {
  const Outcome outcome = RunWords({"launches", "trace.json", "--limt", "3"});
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_NE(outcome.err.find("did you mean --limit?"), std::string::npos);
}

TEST(App, MissingFileIsAnInputErrorThatNamesIt) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"analyze", "no/such.json"}, {"no/such.json"}, {"--json", "no/such.json"}}) {
    const Outcome outcome = RunWords(words);
    EXPECT_EQ(outcome.code, kExitInput);
    EXPECT_TRUE(outcome.out.empty());
    EXPECT_NE(outcome.err.find("no/such.json"), std::string::npos) << outcome.err;
  }
}

TEST(App, HelpNamesTheCodesOfEveryCommand) {
  std::set<int> codes;
  for (const ExitCodeRow& row : ExitCodes()) codes.insert(row.code);
  EXPECT_EQ(codes, (std::set<int>{0, 1, 2, 3, 4, 5, 10, 11, 12, 125, 126, 127}));
}

// 1 and 2 are answers of gate: a slip of its command line is neither, wherever it is seen.
TEST(App, GateTellsAWrongCommandLineFromAnAnswer) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"gate"},
                                                {"gate", "--no-such-flag"},
                                                {"gate", "-b", "x", "y", "--max-regression", "two"},
                                                {"gate", "-b", "no/such.json", "no/such.json"}}) {
    const Outcome outcome = RunWords(words);
    EXPECT_EQ(outcome.code, kExitNoAnswer);
    EXPECT_TRUE(outcome.out.empty());
    EXPECT_FALSE(outcome.err.empty());
  }
}

TEST(App, NoFileIsAUsageError) { EXPECT_EQ(RunWords({"launches"}).code, kExitUsage); }

TEST(App, MessagesCannotDriveTheTerminal) {
  const Outcome outcome = RunWords({"\x1b]0;owned\x07.json"});
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
  EXPECT_EQ(outcome.err.find('\x07'), std::string::npos);
}

TEST(App, OccupancyNeedsNoFile) {
  const Outcome outcome = RunWords({"occupancy", "--cc", "9.0", "--block", "256", "--regs", "64", "--smem", "0"});
  EXPECT_EQ(outcome.code, kExitOk);
  EXPECT_NE(outcome.out.find("32 of 64 warps"), std::string::npos);
  EXPECT_EQ(RunWords({"occupancy", "--cc", "4.2"}).code, kExitUsage);
  EXPECT_EQ(RunWords({"occupancy", "--cc", "9."}).code, kExitUsage);
  EXPECT_EQ(RunWords({"occupancy", "--block", "2048"}).code, kExitUsage);
  EXPECT_EQ(RunWords({"occupancy", "--regs", "256"}).code, kExitUsage);
  EXPECT_EQ(RunWords({"occupancy", "--json", "--csv"}).code, kExitUsage);
  EXPECT_EQ(RunWords({"occupancy", "--sort", "speed"}).code, kExitUsage);
}

TEST(App, VersionAndManual) {
  EXPECT_EQ(RunWords({"version"}).out, RunWords({"--version"}).out);
  EXPECT_EQ(RunWords({"man"}).out.substr(0, 3), ".TH");
  EXPECT_EQ(RunWords({"completion", "tcsh"}).code, kExitUsage);
}

// A case of a command in bash's script: from its name to ";;".
std::string CaseOf(const std::string& script, const std::string& command) {
  const size_t begin = script.find("\n    " + command + ")\n");
  return begin == std::string::npos ? "" : script.substr(begin, script.find(";;\n", begin) - begin);
}

TEST(Completion, OffersFixedWordsBesideFilesAndRunFolders) {
  const std::string bash = RunWords({"completion", "bash"}).out;
  EXPECT_NE(CaseOf(bash, "ctl").find("words=\"start stop freeze status\""), std::string::npos) << CaseOf(bash, "ctl");
  EXPECT_NE(CaseOf(bash, "ctl").find("files=folders"), std::string::npos);
  EXPECT_NE(CaseOf(bash, "doctor").find("words=\"capture\""), std::string::npos) << CaseOf(bash, "doctor");
  EXPECT_EQ(CaseOf(bash, "doctor").find("files=\n"), std::string::npos);
  EXPECT_NE(CaseOf(bash, "completion").find("words=\"bash zsh fish\"\n      files=\n"), std::string::npos);
  EXPECT_EQ(CaseOf(bash, "counters").find("words="), std::string::npos) << CaseOf(bash, "counters");
  const std::string zsh = RunWords({"completion", "zsh"}).out, fish = RunWords({"completion", "fish"}).out;
  EXPECT_NE(zsh.find("_files -/; compadd -- start stop freeze status"), std::string::npos);
  EXPECT_NE(fish.find("seen_subcommand_from ctl' -a 'start stop freeze status'"), std::string::npos);
}

TEST(Args, ValuesAreChecked) {
  const Command& gaps = *FindCommand("gaps");
  const auto code = [&](std::vector<std::string> words) { return Args::Parse(gaps, words).status().code(); };
  EXPECT_EQ(code({"f", "--limit", "10", "--by", "subject"}), StatusCode::kOk);
  EXPECT_EQ(code({"f", "--limit", "-1"}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"f", "--limit", "ten"}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"f", "--limit"}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"f", "--by", "colour"}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"f", "--from", "3 days"}), StatusCode::kInvalidArgument);
  const Command& analyze = *FindCommand("analyze");
  EXPECT_FALSE(Args::Parse(analyze, {"f", "--step-ms", "0"}).ok());
  EXPECT_FALSE(Args::Parse(analyze, {"f", "--step-ms", "nan"}).ok());
  EXPECT_TRUE(Args::Parse(analyze, {"f", "--step-ms=3.84"}).ok());
}

TEST(Args, OperandsMayStandAnywhereAndLookLikeOptionsAfterTwoDashes) {
  auto args = Args::Parse(*FindCommand("gaps"), {"-", "-n", "3", "b.json", "--", "--json"});
  ASSERT_TRUE(args.ok()) << args.status().message();
  EXPECT_EQ(args->operands(), (std::vector<std::string>{"-", "b.json", "--json"}));
  EXPECT_FALSE(args->Has("--json"));
  EXPECT_EQ(args->Count("--limit"), 3U);
}

TEST(Args, Times) {
  EXPECT_EQ(ParseTimeNs("12.5ms"), 12'500'000);
  EXPECT_EQ(ParseTimeNs("12.5"), 12'500'000);
  EXPECT_EQ(ParseTimeNs("300us"), 300'000);
  EXPECT_EQ(ParseTimeNs("2s"), 2'000'000'000);
  EXPECT_EQ(ParseTimeNs("500ns"), 500);
  EXPECT_EQ(ParseTimeNs(".5s"), 500'000'000);
  for (const char* bad : {"", "ms", "-1ms", "1e3ms", "1..2", "99999999999999999999s"})
    EXPECT_EQ(ParseTimeNs(bad), std::nullopt) << bad;
}

TEST(Suggest, NearestOnlyWhenNear) {
  constexpr std::string_view kKnown[] = {"kernels", "copies", "critical-path"};
  EXPECT_EQ(Nearest("kernel", kKnown), "kernels");
  EXPECT_EQ(Nearest("copise", kKnown), "copies");
  EXPECT_EQ(Nearest("crit", kKnown), "critical-path");
  EXPECT_EQ(Nearest("banana", kKnown), "");
  EXPECT_EQ(Nearest(std::string(1000, 'k'), kKnown), "");
}

TEST(ShellQuote, PastesAsOneWord) {
  EXPECT_EQ(ShellQuote("dir/trace.json.gz"), "dir/trace.json.gz");
  EXPECT_EQ(ShellQuote("my trace.json"), "'my trace.json'");
  EXPECT_EQ(ShellQuote("a'b;rm"), "'a'\\''b;rm'");
  EXPECT_EQ(ShellQuote(""), "''");
}

TEST(Commands, AreSortedCompleteAndHaveExamples) {
  std::string_view last;
  for (const Command* command : AllCommands()) {
    EXPECT_LT(last, command->name);
    last = command->name;
    EXPECT_FALSE(command->summary.empty()) << command->name;
    EXPECT_FALSE(command->summary.ends_with('.')) << command->name;
    EXPECT_FALSE(command->examples.empty()) << command->name;
    EXPECT_NE(command->run, nullptr);
    std::set<std::string_view> names;
    VisitFlags(*command, [&](const Flag& flag) {
      EXPECT_TRUE(names.insert(flag.name).second) << command->name << " has " << flag.name << " twice";
      EXPECT_EQ(flag.type == FlagType::kChoice, !flag.choices.empty()) << flag.name;
    });
  }
}

// Each example parses: documents cannot show what does not work.
TEST(Commands, ExamplesParse) {
  for (const Command* command : AllCommands()) {
    for (const Example& example : command->examples) {
      if (!example.line.starts_with("warpscope ")) continue;
      std::istringstream line{std::string(example.line)};
      std::vector<std::string> words;
      for (std::string word; line >> word && word != "|" && word != ">";) words.push_back(word);
      words.erase(words.begin());
      const Command* named = FindCommand(words[0]);
      if (named) words.erase(words.begin());
      EXPECT_TRUE(Args::Parse(named ? *named : *FindCommand("analyze"), words).ok()) << example.line;
    }
  }
}

TEST(Help, FitsTheTerminal) {
  for (const size_t columns : {100, 80}) {
    const report::Terminal terminal{.columns = columns};
    std::string all = ShortHelp(terminal) + FullHelp(terminal);
    for (const Command* command : AllCommands()) all += CommandHelp(*command, terminal);
    std::istringstream lines(all);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(report::Width(line), columns) << line;
  }
}

TEST(Completion, KnowsEveryCommand) {
  for (const Shell shell : {Shell::kBash, Shell::kZsh, Shell::kFish}) {
    const std::string script = CompletionScript(shell);
    for (const Command* command : AllCommands()) {
      if (command->hidden) continue;
      EXPECT_NE(script.find(command->name), std::string::npos) << command->name;
    }
  }
}

}  // namespace
TEST(ReportTexts, AComparisonIsReadInBothLanguages) {
  analysis::Diff diff;
  diff.outcome = analysis::Outcome::kFaster;
  diff.step.a_ms = 2, diff.step.b_ms = 1, diff.step.diff_ms = -1, diff.step.diff_pct = -50;
  diff.parts.push_back({.name = "idle_launches", .a_ms = 1, .b_ms = 0});
  diff.figures.push_back({.name = "launches", .a = 9, .b = 3});
  diff.causes.push_back({.kind = analysis::CauseKind::kIdle, .detail = "launches", .a_ms = 1, .diff_ms = -1});
  std::vector<std::string> english;
  CollectTexts(diff, &english);
  const std::string texts = TextsJson(lang::Language::kEnglish, english);
  for (const std::string_view title :
       {"B takes 50 % less time than A: ", "GPU idle: CPU launches work (launches 9 -> 3 a step)",
        "idle: CPU launches work"})
    EXPECT_NE(texts.find(title), std::string::npos) << title << "\n" << texts;
  EXPECT_NE(texts.find("每步启动 9 -> 3 次"), std::string::npos) << texts;
  EXPECT_EQ(texts.find("a step)\": \"GPU idle"), std::string::npos);
}

}  // namespace warpscope::cli
