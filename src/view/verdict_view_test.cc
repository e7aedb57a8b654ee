#include "view/verdict_view.h"

#include <gtest/gtest.h>

namespace warpscope::view {
namespace {

rules::Finding Named(std::string id, std::string caused_by = "") {
  rules::Finding finding;
  finding.id = std::move(id);
  finding.caused_by = std::move(caused_by);
  return finding;
}

TEST(VerdictView, SymptomsGoUnderTheirRootCause) {
  rules::Verdict verdict;
  verdict.findings = {Named("a"), Named("b", "a"), Named("c", "b"), Named("d", "unknown")};
  EXPECT_EQ(StandingFindings(verdict), (std::vector<size_t>{0, 3}));
  EXPECT_EQ(SymptomsOf(verdict, 0), (std::vector<size_t>{1, 2}));
  EXPECT_TRUE(SymptomsOf(verdict, 3).empty());
}

TEST(VerdictView, ACircleLosesNoFinding) {
  rules::Verdict verdict;
  verdict.findings = {Named("a", "b"), Named("b", "a")};
  size_t shown = StandingFindings(verdict).size();
  for (const size_t cause : StandingFindings(verdict)) shown += SymptomsOf(verdict, cause).size();
  EXPECT_GE(shown, 2U);
}

TEST(VerdictView, PredictionReadsAsAChangeOfTheStep) {
  EXPECT_EQ(PredictionText({12.4, 7.9, 36.3, 20, 45}, "->"),
            "12.4 ms -> 7.90 ms a step (-36 %, between -20 and -45 %)");
  EXPECT_EQ(PredictionText({12.4, 7.9, 36.3, 36.3, 36.3}, "->"), "12.4 ms -> 7.90 ms a step (-36 %)");
  EXPECT_EQ(PredictionText({10, 10.2, -2, -3, 0}, "->"), "10.0 ms -> 10.2 ms a step (+2.0 %, between +3.0 and 0 %)");
}

}  // namespace
}  // namespace warpscope::view
