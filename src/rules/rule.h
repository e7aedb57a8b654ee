// Rule: one cause of lost time. A rule reads the Context, claims no more than its evidence, and answers with
// findings, with nothing (clean), or with an abstention that says what to record instead. It prints nothing.
// Adding one: one file src/rules/<layer>/<id>.cc that defines `const Rule k<Id>Rule`, one line in rules.def, one test
// file with three kinds of tests (fires, stays silent, abstains). See docs/adding/rule.md.
// [MT] evaluate() is a pure function of the Context.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/context.h"
#include "rules/finding.h"

namespace warpscope::rules {

struct Outcome {
  std::vector<Finding> findings;
  std::optional<Abstention> abstention;
};

// How far a rule explains. Ranking: a specific cause is worth what its change gains alone; a general one is worth
// only what it gains beyond the specific ones (a CUDA graph also removes what a fused optimizer would, but says less).
// A residual one sums up many small costs that no place in the program stands for: a general one of nearly its worth,
// which names a place, goes first.
enum class Breadth : uint8_t { kSpecific, kGeneral, kResidual };

struct Rule {
  std::string_view id;
  Layer layer;
  Dimension dimension;
  Breadth breadth;
  Outcome (*evaluate)(const Context& context);
  std::string_view
      concept_text;  // for newcomers: what this is, in two or three sentences; "" if each finding has its own
};

// All rules, in the order of rules.def (sorted by id).
const std::vector<const Rule*>& AllRules();
const Rule* FindRule(std::string_view id);

inline Outcome Clean() { return {}; }
inline Outcome Abstain(std::string reason, std::string record_instead) {
  return {{}, Abstention{"", std::move(reason), std::move(record_instead)}};
}
inline Outcome Found(Finding finding) {
  Outcome outcome;
  outcome.findings.push_back(std::move(finding));
  return outcome;
}

}  // namespace warpscope::rules
