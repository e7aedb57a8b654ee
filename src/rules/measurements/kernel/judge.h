// Judging profiled kernels by all causes: what the report's verdict and the timeline's counter rules share.
// [MT] Pure functions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/kernel_profiles.h"
#include "rules/measurements/kernel/cause.h"

namespace warpscope::rules {

struct JudgedKernel {
  analysis::ProfileGroup group;
  std::vector<std::pair<const KernelCause*, Diagnosis>> diagnoses;  // most waste first; one remainder at most
  std::set<std::string_view> judged;  // ids of the causes that its metrics could tell, found or not
  bool is_amd = false;                // of AMD's tools
  bool measured_wrongly = false;      // shares of a peak beyond 100 %: nothing is concluded
};

// What kept causes from judging: missing metrics by cause, of kernels that no other launch made up for.
using MissingMetrics = std::map<std::string_view, std::vector<std::string_view>>;

// Most time first.
std::vector<JudgedKernel> JudgeKernels(const model::Trace& trace, MissingMetrics* missing);

// The finding's speed-up with its interval: of the kernels that were judged unseen three of four became faster by less
// than 1.7 times more or less than predicted (docs/accuracy.md). Nothing where nothing is promised.
void SetKernelSpeedup(const Diagnosis& diagnosis, Finding& finding);

// "gemm<4>: its loads are scattered ..."
std::string KernelTitle(const model::Trace& trace, const JudgedKernel& kernel, const Diagnosis& diagnosis);
// The idea behind it, for the vendor of the kernel's device.
std::string_view ConceptOf(const KernelCause& cause, const JudgedKernel& kernel);
// Metrics that a cause misses, in words: "the counters lack A, B"; and how to get them.
struct Lack {
  std::string reason, record_instead;
};
Lack LackOf(const std::vector<std::string_view>& metrics, bool is_amd);
// Evidence of a diagnosis, and what the recording tool says about the same, in its words.
std::vector<Evidence> KernelEvidence(const model::Trace& trace, const JudgedKernel& kernel, const KernelCause& cause,
                                     const Diagnosis& diagnosis, const std::string& query);

}  // namespace warpscope::rules
