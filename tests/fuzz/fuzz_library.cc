// Any bytes as a library: its state, and the architectures of the GPU code in it, within bounds.
#include <cstdint>
#include <string>

#include "doctor/probe/probe.h"
#include "record/testing/fake_system.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  warpscope::record::testing::FakeSystem system;
  system.files["/lib"] = std::string(reinterpret_cast<const char*>(data), size);
  static_cast<void>(warpscope::doctor::StateOfLibrary(system, "/lib"));
  static_cast<void>(warpscope::doctor::ArchsInLibrary(system, "/lib"));
  static_cast<void>(warpscope::doctor::ArchsInText(system, "/lib"));
  return 0;
}
