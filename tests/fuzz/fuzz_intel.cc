// Any bytes as one of Intel's texts.
#include <cstdint>
#include <string>

#include "import/import.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr const char* kHeads[] = {
      "", "=== Device Timing Summary ===\n== L0 Backend ==\nKernel, Calls, Time (ns), Min (ns), Max (ns)\n",
      "Kernel, GlobalInstanceId, GpuTime[ns], A[%]\n", "Timestamp, DeviceId, TileId, GPU Power (W), X (%)\n",
      "{\"period\":{\"duration\":1},\"engines\":{\"Render/3D\":{\"busy\":1}},\"frequency\":{}}"};
  if (size == 0) return 0;
  std::string text = kHeads[data[0] % std::size(kHeads)];
  text.append(reinterpret_cast<const char*>(data) + 1, size - 1);
  warpscope::import::Options options;
  options.threads = 1;
  static_cast<void>(warpscope::import::LoadBytes(text, "fuzz.txt", options));
  return 0;
}
