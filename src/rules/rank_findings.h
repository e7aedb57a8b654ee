// Ranking: which of the found causes stand on their own, in which order, and which are symptoms of another.
// [MT] Pure function.
#pragma once

#include <vector>

#include "rules/context.h"
#include "rules/rule.h"

namespace warpscope::rules {

struct Candidate {
  const Rule* rule;
  Finding finding;
};

// Ordered findings: standing causes by worth, then the symptoms (caused_by set). Worth of a specific cause: what its
// change gains alone. Worth of a general one: a part of what it gains beyond the specific causes that stand and are not
// its own symptoms, never more than of its gain alone, since it asks for a rebuilt loop where they ask for one line;
// but one that names one place and brings more beyond a specific one than that one alone goes before it. Gains that
// print alike: the surer one first. Findings without a prediction come after those with one, but what ends the run
// (Finding::urgent) leads. A finding is a symptom of an earlier one whose change covers most of its own, or leaves
// little of its gain. One that stands below a smaller gain, or shrinks by what stands above, has a line of evidence
// that says what is left of it. device_saturated says that nothing outside the kernels is worth changing: it leads if
// no cause gains kNotableGainPct, and closes the list otherwise.
inline constexpr double kNotableGainPct = 5.0;
std::vector<Finding> RankFindings(const Context& context, std::vector<Candidate> candidates);

// Share (0-1) of the time touched by `inner`'s edits that `outer`'s edits touch too. Edits of `outer` after which work
// keeps over half of its length do not count: that cause slows it, no more.
double CoverRatio(const model::Trace& trace, const analysis::WhatIf& outer, const analysis::WhatIf& inner);

}  // namespace warpscope::rules
