#include "rules/xla_words.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace warpscope::rules {
namespace {

using Words = std::pair<std::string_view, std::string_view>;

constexpr Words kXla[] = {
    {"torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])", "jax.profiler.start_trace()"},
    {"torch.profiler, nsys or rocprofv3", "jax.profiler, nsys or rocprofv3"},
    {"torch.profiler", "jax.profiler"},
};
constexpr std::string_view kOnlyTorch[] = {"torch",      "DataLoader", "pin_memory", ".item()", "model.",      "loader",
                                           "optimizer.", "PyTorch",    "autograd",   "loss.",   "non_blocking"};
constexpr std::string_view kOnlyCuda[] = {"cuda", "CUDA",  "cuDNN", "cuBLAS", "cublas",
                                          "TF32", "warps", "nsys",  "ncu ",   "rocprof"};

using Unfit = std::vector<std::string_view>;

bool HasAny(std::string_view text, const Unfit& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

void Turn(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// Every text of ours; commands, which hold the user's paths, and subjects stay.
template <typename F>
void ForEachText(Verdict& verdict, const F& visit) {
  visit(verdict.answer);
  for (TimePart& part : verdict.breakdown) visit(part.label);
  for (Finding& finding : verdict.findings) {
    visit(finding.title);
    for (Evidence& evidence : finding.evidence) visit(evidence.text);
    for (Action& action : finding.actions) visit(action.text), visit(action.code);
    visit(finding.verify);
    visit(finding.concept_text);
  }
  for (Abstention& abstention : verdict.abstained) visit(abstention.reason), visit(abstention.record_instead);
  for (std::string& note : verdict.notes) visit(note);
}

// At least one sentence of advice stays.
void KeepFitting(Finding& finding, const Unfit& unfit) {
  std::erase_if(finding.actions, [&](const Action& action) { return HasAny(action.text, unfit); });
  for (Action& action : finding.actions) {
    if (HasAny(action.code, unfit)) action.code.clear();
  }
  if (finding.actions.empty()) {
    finding.actions.push_back(
        {"How this is changed depends on the framework; the evidence shows which part of the program to look at.", ""});
  }
  if (HasAny(finding.verify, unfit)) finding.verify = "Record again and compare the step times.";
}

}  // namespace

void CallDevice(std::string_view device, Verdict& verdict) {
  ForEachText(verdict, [&](std::string& text) { Turn(text, "GPU", device); });
}

void SpeakXla(Verdict& verdict) {
  const bool tpu = verdict.source.producer.find("TPU") != std::string::npos;
  Unfit unfit(std::begin(kOnlyTorch), std::end(kOnlyTorch));
  if (tpu) unfit.insert(unfit.end(), std::begin(kOnlyCuda), std::end(kOnlyCuda));
  ForEachText(verdict, [](std::string& text) {
    for (const auto& [from, to] : kXla) Turn(text, from, to);
  });
  for (Finding& finding : verdict.findings) KeepFitting(finding, unfit);
  for (Abstention& abstention : verdict.abstained) {
    if (HasAny(abstention.record_instead, unfit))
      abstention.record_instead = "jax.profiler over some steps, with host_tracer_level and python_tracer_level on";
    if (tpu && HasAny(abstention.reason, unfit)) abstention.reason = "the recording lacks what this needs";
  }
  if (tpu) CallDevice("TPU", verdict);
}

}  // namespace warpscope::rules
