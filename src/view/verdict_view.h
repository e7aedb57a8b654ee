// What the renderers of a verdict need besides its fields: the words of its enums, which symptom belongs under which
// cause, and a prediction in words.
// [MT] Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/finding.h"

namespace warpscope::view {

std::string_view LayerName(rules::Layer layer);                 // "application", "framework", "driver", "kernel"
std::string_view DimensionName(rules::Dimension dimension);     // "compute", "memory", "latency", "hardware"
std::string_view ConfidenceName(rules::Confidence confidence);  // "high", "medium", "low"

// Indices into verdict.findings of the causes that stand alone, in rank order. A finding whose caused_by names none of
// the others stands alone too.
std::vector<size_t> StandingFindings(const rules::Verdict& verdict);
// Those explained by findings[cause], in rank order.
std::vector<size_t> SymptomsOf(const rules::Verdict& verdict, size_t cause);

// "12.4 ms -> 7.9 ms a step (-36 %, between -20 and -45 %)"; `arrow` is "->" or what the terminal has.
std::string PredictionText(const analysis::Prediction& prediction, std::string_view arrow);

}  // namespace warpscope::view
