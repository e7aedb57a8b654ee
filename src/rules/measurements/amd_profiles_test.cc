// What is said of AMD's counters beside the causes: numbers that a cause would judge but for another one.
#include "rules/measurements/amd_profiles.h"

#include <gtest/gtest.h>

#include "rules/measurements/measurements.h"
#include "rules/testing/profiles.h"

namespace warpscope::rules::testing {
namespace {

model::Trace AmdTrace() {
  model::Trace trace;
  trace.sources.emplace_back();
  trace.sources[0].vendor = model::Vendor::kAmd;
  return trace;
}

Verdict Judge(const model::Trace& trace) {
  Verdict verdict;
  EXPECT_TRUE(JudgeProfiles(trace, "f", verdict));
  return verdict;
}

TEST(AmdProfiles, TrafficAndWhatNoCauseCouldJudge) {
  model::Trace trace = AmdTrace();
  AddProfile(trace, "copy", {}, 1000,
             {{"memory_read_bytes", 500000},
              {"memory_write_bytes", 500000},
              {"l2_hit_pct", 50},
              {"wave_wait_pct", 90},
              {"valu_active_lanes_pct", 25},
              {"lds_bank_conflict_pct", 40}});
  const Verdict verdict = Judge(trace);
  EXPECT_TRUE(verdict.findings.empty());
  ASSERT_GE(verdict.notes.size(), 2U);
  const std::string& note = verdict.notes[1];
  EXPECT_NE(note.find("at 1,000 GB/s"), std::string::npos) << note;
  EXPECT_NE(note.find("hits L2 in 50 %"), std::string::npos) << note;
  EXPECT_NE(note.find("wait 90 %"), std::string::npos) << note;
  EXPECT_NE(note.find("only 25 % of the lanes"), std::string::npos) << note;
  EXPECT_NE(note.find("banks in 40 %"), std::string::npos) << note;
}

TEST(AmdProfiles, WhatWasNotCountedIsNotSaidAndEachCauseNamesIt) {
  model::Trace trace = AmdTrace();
  AddProfile(trace, "k", {}, 0, {{"SQ_WAVES", 4}});
  const Verdict verdict = Judge(trace);
  EXPECT_TRUE(verdict.findings.empty());
  EXPECT_EQ(verdict.abstained.size(), AllKernelCauses().size());
  for (const Abstention& abstention : verdict.abstained) {
    SCOPED_TRACE(abstention.id);
    EXPECT_EQ(abstention.record_instead.find("ncu"), std::string::npos);
    if (abstention.id == "bank_conflict")
      EXPECT_NE(abstention.reason.find("SQ_LDS_BANK_CONFLICT"), std::string::npos) << abstention.reason;
    if (abstention.id == "barrier_stall")
      EXPECT_NE(abstention.reason.find("no counter of AMD's tools"), std::string::npos) << abstention.reason;
  }
}

}  // namespace
}  // namespace warpscope::rules::testing
