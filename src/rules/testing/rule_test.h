// RuleTest: runs one rule on a hand-built trace. Header-only; for tests.
// [one thread]
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "model/testing/trace_builder.h"
#include "rules/context.h"
#include "rules/rule.h"

namespace warpscope::rules::testing {

// Finishes the builder's trace and evaluates the rule on its first rank. Findings carry the rule's id.
inline Outcome Evaluate(std::string_view rule_id, model::testing::TraceBuilder& builder,
                        std::optional<double> true_step_ms = std::nullopt) {
  const Rule* rule = FindRule(rule_id);
  EXPECT_NE(rule, nullptr) << rule_id << " is not in rules.def";
  if (rule == nullptr) return {};
  const analysis::Index index(builder.Finish());
  EXPECT_FALSE(index.ranks().empty());
  if (index.ranks().empty()) return {};
  const auto context = Context::Build(index, index.ranks().front(), {true_step_ms, "FILE"});
  Outcome outcome = rule->evaluate(*context);
  for (Finding& finding : outcome.findings) finding.id = rule->id;
  return outcome;
}

inline void ExpectFires(const Outcome& outcome) {
  ASSERT_FALSE(outcome.findings.empty());
  for (const Finding& finding : outcome.findings) {
    EXPECT_FALSE(finding.title.empty());
    EXPECT_FALSE(finding.evidence.empty());
    EXPECT_FALSE(finding.actions.empty());
    EXPECT_FALSE(finding.verify.empty());
    if (finding.predicted) {
      EXPECT_LE(finding.predicted->low_pct, finding.predicted->gain_pct);
      EXPECT_LE(finding.predicted->gain_pct, finding.predicted->high_pct);
    }
  }
}
inline void ExpectSilent(const Outcome& outcome) {
  EXPECT_TRUE(outcome.findings.empty());
  EXPECT_FALSE(outcome.abstention.has_value());
}
inline void ExpectAbstains(const Outcome& outcome) {
  EXPECT_TRUE(outcome.findings.empty());
  ASSERT_TRUE(outcome.abstention.has_value());
  EXPECT_FALSE(outcome.abstention->reason.empty());
  EXPECT_FALSE(outcome.abstention->record_instead.empty());
}

}  // namespace warpscope::rules::testing
