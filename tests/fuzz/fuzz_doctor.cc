// Any bytes as what was printed on a machine: no crash, and a diagnosis that holds what it promises.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "doctor/doctor.h"
#include "doctor/read/read.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace doctor = warpscope::doctor;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  doctor::FactFiles files;
  files.AddText(text.substr(0, size / 2), "first");
  files.AddText(text.substr(size / 2), "second");
  const doctor::Diagnosis diagnosis = doctor::Diagnose(files.Finish());
  if (diagnosis.answer.empty()) std::abort();
  bool fails = false;
  for (const doctor::Step& step : diagnosis.steps) {
    if (step.id.empty() || step.evidence.empty()) std::abort();
    fails = fails || step.state == doctor::State::kFailure;
  }
  // Something is broken exactly where a root is named, and a root follows from nothing.
  if (fails != (diagnosis.root >= 0)) std::abort();
  if (fails && !diagnosis.steps[static_cast<size_t>(diagnosis.root)].because_of.empty()) std::abort();
  return 0;
}
