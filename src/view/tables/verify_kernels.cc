// Counter reports before and after a change, one row a kernel.
#include <fmt/format.h>

#include "view/format.h"
#include "view/tables/shared.h"
#include "view/verify.h"

namespace warpscope::view {
namespace {

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string Ms(int64_t ns) { return FormatCell(Int(ns), Kind::kDurationNs); }

std::optional<double> Times(const rules::VerifiedKernel& kernel) {
  if (!kernel.before_ns || !kernel.after_ns || *kernel.after_ns <= 0) return std::nullopt;
  return static_cast<double>(*kernel.before_ns) / static_cast<double>(*kernel.after_ns);
}

// The kernel whose time changed most, in words.
std::string Answer(const std::vector<rules::VerifiedKernel>& kernels) {
  const rules::VerifiedKernel* most = nullptr;
  const auto change = [](const rules::VerifiedKernel& kernel) {
    return kernel.before_ns && kernel.after_ns ? std::abs(*kernel.before_ns - *kernel.after_ns) : -1;
  };
  for (const rules::VerifiedKernel& kernel : kernels) {
    if (change(kernel) >= 0 && (most == nullptr || change(kernel) > change(*most))) most = &kernel;
  }
  if (most == nullptr) return "No kernel was timed in both reports: nothing can be compared.";
  const std::string times =
      fmt::format("{}: {} -> {} a launch", ShortKernel(most->name), Ms(*most->before_ns), Ms(*most->after_ns));
  std::string answer = times;
  if (const auto ratio = Times(*most)) answer += fmt::format(", {:.2f} times as fast", *ratio);
  answer += most->gone.empty() ? "; no finding is gone" : "; no longer found: " + Joined(most->gone);
  if (most->promised && !most->gone.empty()) answer += fmt::format(" (promised {:.2f} times)", *most->promised);
  return answer + ".";
}

}  // namespace

Table VerifyKernelsTable(const std::vector<rules::VerifiedKernel>& kernels) {
  Table table;
  table.name = "verify_kernels";
  table.title = "Kernels before and after, by their counters";
  table.columns = {{"kernel", "kernel", Kind::kName},
                   {"new_name", "now called", Kind::kName, 3},
                   {"before_ns", "before", Kind::kDurationNs},
                   {"after_ns", "after", Kind::kDurationNs},
                   {"speedup", "x as fast", Kind::kNumber},
                   {"gone", "no longer found", Kind::kText},
                   {"remaining", "still found", Kind::kText},
                   {"added", "new", Kind::kText},
                   {"promised_speedup", "promised", Kind::kNumber, 4},
                   {"launches_before", "launches before", Kind::kCount, 5},
                   {"launches_after", "launches after", Kind::kCount, 5}};
  for (const rules::VerifiedKernel& kernel : kernels) {
    Cell name = Text(kernel.name);
    table.rows.push_back({std::move(name), kernel.new_name.empty() ? Cell{} : Text(kernel.new_name),
                          Maybe(kernel.before_ns), Maybe(kernel.after_ns), Maybe(Times(kernel)),
                          Text(Joined(kernel.gone)), Text(Joined(kernel.remaining)), Text(Joined(kernel.added)),
                          Maybe(kernel.promised), Int(static_cast<int64_t>(kernel.launches_before)),
                          Int(static_cast<int64_t>(kernel.launches_after))});
  }
  table.summary.push_back(Answer(kernels));
  table.notes.push_back(
      "before, after: the launch of median time, under the tool that measured it. What these kernels hold of a step is "
      "not in such reports: warpscope verify with timelines tells.");
  table.empty_text = "Neither report holds a kernel.";
  return table;
}

}  // namespace warpscope::view
