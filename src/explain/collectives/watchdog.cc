#include "explain/collectives/watchdog.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "explain/text/pattern.h"
#include "explain/text/quantity.h"
#include "faults/catalogue.h"

namespace warpscope::explain {
namespace {

// One rank's report: "WorkNCCL(SeqNum=5, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600013
// milliseconds" (ProcessGroupNCCL.cpp; 1.x without Numel, some versions with TensorShape).
struct Report {
  int64_t rank = -1;
  std::optional<double> sequence, elements, timeout_ms, ran_ms;
  std::string operation;
};

Report ReadReport(const Match& match) {
  Report report;
  report.rank = match.rank;
  const std::string_view window = match.window;
  const std::string_view text = window.substr(0, window.find("Watchdog", 20));
  report.sequence = NumberAfter(text, "SeqNum=");
  report.elements = NumberAfter(text, "NumelIn=");
  report.timeout_ms = NumberAfter(text, "Timeout(ms)=");
  report.ran_ms = NumberAfter(text, "ran for");
  if (const auto found = Find("OpType={w}", text)) report.operation = std::string(found->captures[0]);
  return report;
}

std::string RankList(const std::set<int64_t>& ranks) {
  std::string text;
  size_t count = 0;
  for (const int64_t rank : ranks) {
    if (++count > 12) return text + fmt::format(" and {} more", ranks.size() - 12);
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  }
  return text;
}

// Ranks between 0 and the largest seen that sent no report.
std::set<int64_t> SilentRanks(const std::set<int64_t>& seen) {
  std::set<int64_t> silent;
  constexpr int64_t kMost = 4096;
  if (seen.empty() || *seen.rbegin() > kMost) return silent;
  for (int64_t rank = 0; rank < *seen.rbegin(); ++rank) {
    if (!seen.contains(rank)) silent.insert(rank);
  }
  return silent;
}

}  // namespace

void WorkWatchdog(std::span<const Match> matches, Answer* answer) {
  std::vector<Report> reports;
  for (const Match& match : matches) {
    Report report = ReadReport(match);
    if (report.sequence) reports.push_back(std::move(report));
  }
  if (reports.empty()) return;
  const Report& first = reports.front();
  const auto lowest = std::min_element(reports.begin(), reports.end(),
                                       [](const Report& a, const Report& b) { return *a.sequence < *b.sequence; });
  const auto highest = std::max_element(reports.begin(), reports.end(),
                                        [](const Report& a, const Report& b) { return *a.sequence < *b.sequence; });
  std::set<int64_t> ranks, behind;
  for (const Report& report : reports) {
    if (report.rank >= 0) ranks.insert(report.rank);
    if (report.rank >= 0 && *report.sequence == *lowest->sequence) behind.insert(report.rank);
  }
  answer->facts.push_back({"operation", "collective", first.operation, 0});
  answer->facts.push_back(
      {"sequence", "its number in the group", fmt::format("{:.0f}", *first.sequence), *first.sequence});
  if (first.elements)
    answer->facts.push_back(
        {"elements", "elements a rank gives", fmt::format("{:.0f}", *first.elements), *first.elements});
  if (first.ran_ms)
    answer->facts.push_back({"waited_s", "waited", FormatSeconds(*first.ran_ms / 1000), *first.ran_ms / 1000});
  if (first.timeout_ms)
    answer->facts.push_back({"limit_s", "limit", FormatSeconds(*first.timeout_ms / 1000), *first.timeout_ms / 1000});
  if (!ranks.empty())
    answer->facts.push_back(
        {"reporting_ranks", "ranks that report it", RankList(ranks), static_cast<double>(ranks.size())});
  const std::string wait = first.ran_ms ? FormatSeconds(*first.ran_ms / 1000) : std::string("the whole limit");
  answer->headline = fmt::format("A rank waited {} in {} number {:.0f} for the others; some rank did not come to it.",
                                 wait, first.operation, *first.sequence);
  const auto silent = SilentRanks(ranks);
  bool other_operation = false;
  for (const Report& report : reports)
    other_operation |= *report.sequence == *first.sequence && report.operation != first.operation;
  if (other_operation) {
    answer->cause =
        "At one number the ranks are in different collectives: their programs took different ways (an if on the rank, "
        "uneven data, an exception that one "
        "rank swallowed).";
  } else if (*lowest->sequence != *highest->sequence && !behind.empty() && behind.size() < ranks.size()) {
    answer->headline = fmt::format("Ranks are at different collectives: rank {} is at number {:.0f}, others at {:.0f}.",
                                   RankList(behind), *lowest->sequence, *highest->sequence);
    answer->cause = fmt::format("Rank {} fell behind or left out a collective; look at it first.", RankList(behind));
  } else if (!silent.empty() && silent.size() <= ranks.size()) {
    answer->headline = fmt::format("Rank {} never came to {} number {:.0f}; the others waited {} for it.",
                                   RankList(silent), first.operation, *first.sequence, wait);
    answer->cause = fmt::format(
        "Rank {} sent no report: it crashed, hangs, or its log is missing here. Its own log has the first error.",
        RankList(silent));
  } else if (first.elements && *first.elements <= 1) {
    answer->cause =
        "It is a barrier or a single value: one rank was still busy with something long that the others do not do - "
        "loading or preparing data, saving, evaluating, "
        "downloading.";
  } else {
    answer->cause =
        ranks.size() > 1
            ? "All ranks that report are at the same collective, so that the network or one GPU may hang; if the log "
              "lacks a rank, that rank is the one."
            : "One rank hangs or has crashed, or does longer work than the limit; the log of the others says which.";
  }
  if (first.timeout_ms && first.ran_ms && *first.ran_ms > 3 * *first.timeout_ms)
    answer->fixes.push_back(
        "The wait is far beyond the limit: the process itself was held (stopped, swapped, a suspended machine).");
}

void WorkMismatch(std::span<const Match> matches, Answer* answer) {
  const std::string_view window = matches.front().window;
  const auto match = Find("Rank {n} is running collective: CollectiveFingerPrint({*}TensorShape=[{*}]", window);
  const auto other = Find("but Rank {n} is running collective: CollectiveFingerPrint(", window);
  const auto differ = Find("Collectives differ in the following aspects:", window);
  if (!match || !other) return;
  const std::string a(match->captures[0]), b(other->captures[0]);
  const std::string_view rest = window.substr(other->end);
  const auto operation = Find("OpType={w}", window.substr(match->begin));
  const auto other_operation = Find("OpType={w}", rest);
  answer->facts.push_back({"rank_a", "one rank", a, NumberOf(a).value_or(0)});
  answer->facts.push_back({"rank_b", "other rank", b, NumberOf(b).value_or(0)});
  if (differ)
    answer->facts.push_back({"difference", "they differ in", std::string(window.substr(differ->end, 160)), 0});
  if (operation && other_operation && operation->captures[0] != other_operation->captures[0]) {
    answer->headline = fmt::format("Rank {} calls {} where rank {} calls {}.", a, operation->captures[0], b,
                                   other_operation->captures[0]);
    answer->cause =
        "The ranks' programs took different ways: a condition on the rank, uneven numbers of batches, or an exception "
        "handled on one rank.";
    return;
  }
  const auto shape = Find("TensorShape=[{*}]", rest);
  if (shape && shape->captures[0] != match->captures[2]) {
    answer->headline = fmt::format("Ranks {} and {} call {} with different shapes: [{}] and [{}].", a, b,
                                   operation ? operation->captures[0] : std::string_view("it"), match->captures[2],
                                   shape->captures[0]);
    answer->cause =
        "Data or parameters are divided unevenly between the ranks, or a part of the model is used on some of them "
        "only.";
  }
}

void WorkExitCode(std::span<const Match> matches, Answer* answer) {
  const auto code = NumberAfter(matches.front().window, "exitcode");
  const std::string_view window = matches.front().window;
  const bool negative = Has(window.substr(0, 200), "exitcode : -") || Has(window.substr(0, 200), "exitcode: -");
  double value = code.value_or(0);
  if (!code) {
    if (const auto match = Find("exitcode{*}: -{n}", window)) value = NumberOf(match->captures[1]).value_or(0);
  }
  const int signal = negative                     ? static_cast<int>(value)
                     : value > 128 && value < 160 ? static_cast<int>(value) - 128
                                                  : 0;
  if (signal == 9) {
    answer->headline = "A worker was killed from outside (signal 9).";
    answer->cause =
        "Host memory ran out, or the job's limit was reached; the system kills without a message of the program.";
    answer->checks = {{"Did the system kill it?", "dmesg | grep -iE 'killed process|oom'"},
                      {"Limits of the job?", "cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory.peak"}};
    answer->fixes = {"More host memory, fewer workers, or weights loaded without a second copy."};
  } else if (signal == 11) {
    answer->headline = "A worker crashed in native code (signal 11, invalid memory access on the host).";
    answer->cause = "A library built for another version, or an extension's fault.";
    answer->checks = {{"Where?", "python -X faulthandler PROGRAM; gdb -batch -ex bt PROGRAM core"}};
  } else if (signal == 6) {
    answer->headline =
        "A worker ended itself (signal 6, abort): after a failed check or an uncaught C++ exception, as the NCCL "
        "watchdog does.";
  } else if (signal == 15) {
    answer->headline = "A worker was asked to end (signal 15): the launcher ends all when one fails.";
  }
}

void WorkXid(std::span<const Match> matches, Answer* answer) {
  const Match& match = matches.front();
  const std::string code = match.captures.empty() ? std::string() : match.captures.back();
  const double number = NumberOf(code).value_or(0);
  constexpr double kMostCode = 1e6;
  const faults::Entry* known =
      number >= 1 && number < kMostCode ? faults::FindXid(static_cast<uint64_t>(number)) : nullptr;
  answer->headline = fmt::format("Xid {}: {}.", code, known == nullptr ? "an error of the driver" : known->title);
  if (known != nullptr) {
    answer->meaning = known->meaning;
    const auto causes = faults::Split(known->causes, '|');
    if (!causes.empty()) answer->cause = fmt::format("Most likely: {}.", causes.front());
    answer->fixes.insert(answer->fixes.begin(), fmt::format("What it calls for: {}.", faults::TitleOf(known->action)));
    answer->checks.insert(answer->checks.begin(),
                          {"All of its causes, checks and steps?", "warpscope faults --code " + code});
  }
  answer->facts.push_back({"xid", "Xid", code, number});
}

void WorkAssertion(std::span<const Match> matches, Answer* answer) {
  const std::string_view window = matches.front().window;
  const auto match = Find("Assertion `{*}` failed", window);
  if (!match) return;
  const std::string_view condition = match->captures[0];
  answer->facts.push_back({"assertion", "the rule broken", std::string(condition), 0});
  if (const auto block = Find("block: [{*}], thread: [{*}]", window))
    answer->facts.push_back(
        {"thread", "first block and thread", fmt::format("[{}], [{}]", block->captures[0], block->captures[1]), 0});
  if (Has(condition, "n_classes") || Has(condition, "cur_target")) {
    answer->headline =
        "A class label is out of range: the loss got a label below 0 or of at least the number of classes.";
    answer->cause =
        "The last layer has fewer outputs than there are classes, labels begin at 1, or an ignore value such as 255 or "
        "-1 is not told (ignore_index).";
    answer->checks = {{"Range of the labels?", "print(labels.min(), labels.max(), logits.shape)"}};
    answer->fixes = {"Make the last layer as wide as the largest label + 1, or map labels to 0 ... n-1.",
                     "Padding or unknown classes: CrossEntropyLoss(ignore_index=...)."};
  } else if (Has(condition, "srcIndex < srcSelectDimSize") || Has(condition, "index out of bounds") ||
             Has(condition, "ind >= 0") || Has(condition, "idx_dim") || Has(condition, "sizes[i]") ||
             Has(condition, "vectorized_gather") || Has(condition, "index")) {
    answer->headline = "An index is out of range in a gather, embedding or indexing operation.";
    answer->cause =
        "A token or position is at least as large as the embedding: tokenizer and model differ (added tokens), or the "
        "text is longer than the model's positions.";
    answer->checks = {
        {"Range of the indices?", "print(ids.min(), ids.max(), model.get_input_embeddings().num_embeddings)"}};
    answer->fixes = {"After adding tokens: model.resize_token_embeddings(len(tokenizer)).",
                     "Cut texts to the model's longest length (truncation=True)."};
  } else if (Has(condition, "input_val >= zero") || Has(condition, "target_val") || Has(condition, "*input >= 0")) {
    answer->headline = "BCELoss got a value outside 0 to 1.";
    answer->cause = "The sigmoid is missing, or values are NaN.";
    answer->fixes = {"Use BCEWithLogitsLoss on raw outputs.", "Look for NaN: torch.autograd.set_detect_anomaly(True)."};
  } else if (Has(condition, "inf") || Has(condition, "nan") || Has(condition, "cumdist") || Has(condition, "sum") ||
             Has(condition, "val >= 0")) {
    answer->headline = "Sampling got probabilities that are NaN, infinite or negative.";
    answer->cause = "Logits overflowed: fp16 weights of a model made for bf16, or training diverged.";
    answer->fixes = {
        "Load in bfloat16 or float32.",
        "Check: torch.isfinite(logits).all(); for padded batches pad on the left and give the attention mask."};
  }
}

}  // namespace warpscope::explain
