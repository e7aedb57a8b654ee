// What recordings share, pair by pair: from these figures docs/gate.md derives when two runs are of different programs.
//
//   program_likeness GROUP=FILE...    every pair of files; pairs of one GROUP are one program
//
// One row a pair: same program or not, shares, the answer of the thresholds; last, how many are wrong.
#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/gate/other_program.h"
#include "analysis/index.h"
#include "baseline/baseline.h"
#include "import/import.h"

namespace warpscope {
namespace {

struct Recording {
  std::string group, path;
  analysis::RunSide side;
};

std::string LastPart(const std::string& path) { return path.substr(path.rfind('/') + 1); }

int Main(int argc, char** argv) {
  analysis::Words words;
  std::vector<Recording> recordings;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const size_t at = word.find('=');
    if (at == std::string::npos) return 2;
    const std::string path = word.substr(at + 1);
    auto trace = import::Load({path}, {});
    if (!trace.ok()) continue;
    auto side = baseline::SideForBaseline(trace.value(), std::nullopt, &words);
    if (!side.ok() || side->parts.counted == 0 || side->parts.kernels == 0) continue;
    recordings.push_back({word.substr(0, at), path, std::move(side).value()});
  }
  int same = 0, other = 0, false_other = 0, false_same = 0;
  for (size_t i = 0; i < recordings.size(); ++i) {
    for (size_t k = i + 1; k < recordings.size(); ++k) {
      const bool one = recordings[i].group == recordings[k].group;
      analysis::Likeness likeness = analysis::LikenessOf(recordings[i].side, recordings[k].side, words);
      const bool by_command = std::exchange(likeness.same_command, false);
      const bool told = analysis::IsOtherProgram(likeness);
      ++(one ? same : other);
      false_other += one && told, false_same += !one && !told;
      fmt::print("{}\t{:.1f}\t{:.1f}\t{:.2f}\t{:.0f}\t{}\t{}\t{}{}\n", one ? "same" : "other", likeness.partnered_pct,
                 likeness.kinds_pct, likeness.times_as_many, likeness.operators_pct, told ? "other" : "same",
                 LastPart(recordings[i].path), LastPart(recordings[k].path), by_command ? "\tsame command" : "");
    }
  }
  fmt::print("{} pairs of one program, {} of them called others; {} pairs of others, {} of them called one\n", same,
             false_other, other, false_same);
  return 0;
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) { return warpscope::Main(argc, argv); }
