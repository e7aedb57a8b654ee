// Files that others took on their machines, against the answer that each must give (tests/data/doctor/corpus.tsv). The
// files are not part of this repository; without them the test is skipped.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "doctor/read/read.h"
#include "doctor/testing/machines.h"

namespace warpscope::doctor {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Fields(const std::string& line, char separator) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, separator);) fields.push_back(field);
  return fields;
}

// "row_remapping@GPU 0=warning~no failure": a step, of a device if named, its state, a part of what it tells. "root=ID"
// names the first broken layer. "no ID" means that no such step is a warning or failure.
std::string Missing(const Diagnosis& diagnosis, const Machine& machine, const std::string& wanted) {
  if (wanted.starts_with("root=")) {
    const std::string root = testing::RootOf(diagnosis);
    return root == wanted.substr(5) ? "" : "root is " + root;
  }
  if (wanted.starts_with("input~")) {
    return !machine.inputs.empty() && machine.inputs[0].find(wanted.substr(6)) != std::string::npos
               ? ""
               : "input is " + (machine.inputs.empty() ? "none" : machine.inputs[0]);
  }
  if (wanted.starts_with("no ")) {
    for (const Step& step : diagnosis.steps) {
      if (step.id == wanted.substr(3) && (step.state == State::kFailure || step.state == State::kWarning))
        return step.evidence;
    }
    return "";
  }
  const size_t equals = wanted.find('='), tilde = wanted.find('~');
  std::string id = wanted.substr(0, equals), subject;
  if (const size_t at = id.find('@'); at != std::string::npos) subject = id.substr(at + 1), id = id.substr(0, at);
  const std::string state = wanted.substr(equals + 1, tilde == std::string::npos ? tilde : tilde - equals - 1);
  const std::string part = tilde == std::string::npos ? "" : wanted.substr(tilde + 1);
  std::string seen = "no such step";
  for (const Step& step : diagnosis.steps) {
    if (step.id != id || (!subject.empty() && !step.subject.starts_with(subject))) continue;
    seen = std::string(NameOf(step.state)) + ": " + step.evidence;
    if (NameOf(step.state) == state && step.evidence.find(part) != std::string::npos) return "";
  }
  return seen;
}

TEST(Corpus, EveryFileGivesItsAnswer) {
  const fs::path shared = fs::path(WS_SHARED) / "corpus";
  if (!fs::exists(shared)) GTEST_SKIP() << "the corpus is not here";
  std::ifstream table(fs::path(WS_TEST_DATA) / "doctor" / "corpus.tsv");
  ASSERT_TRUE(table.good());
  std::set<std::string> listed;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = Fields(line, '\t');
    ASSERT_EQ(fields.size(), 3u) << line;
    listed.insert(fields[0]);
    if (!fs::exists(shared / fields[0])) continue;
    FactFiles files;
    ASSERT_TRUE(files.AddFile((shared / fields[0]).string()).ok()) << fields[0];
    const Machine machine = files.Finish();
    const Diagnosis diagnosis = Diagnose(machine);
    EXPECT_EQ(std::to_string(diagnosis.exit_code), fields[1]) << fields[0] << ": " << diagnosis.answer;
    for (const std::string& wanted : Fields(fields[2], ';')) {
      EXPECT_EQ(Missing(diagnosis, machine, wanted), "") << fields[0] << ": " << wanted << "\n" << diagnosis.answer;
    }
  }
  // No file of these folders is left out.
  for (const char* folder : {"xid_logs", "nvidia_smi", "pci", "amd_smi", "amd_logs", "intel"}) {
    for (const auto& entry : fs::directory_iterator(shared / folder))
      EXPECT_TRUE(listed.contains(std::string(folder) + "/" + entry.path().filename().string())) << entry.path();
  }
}

}  // namespace
}  // namespace warpscope::doctor
