#include "record/host/python_layout.h"

#include <array>
#include <cstring>

namespace warpscope::record::host {
namespace {

constexpr PythonLayout Like(PythonLayout layout, uint32_t minor) {
  layout.minor = minor;
  return layout;
}

// By tools/python_layout.py from the headers of 3.8.18, 3.9.18, 3.10.13, 3.11.7 and 3.12.1.
constexpr PythonLayout kPython38 = {.minor = 8,
                                    .interpreters_head = 32,
                                    .threads_head = 8,
                                    .thread_next = 8,
                                    .thread_interpreter = 16,
                                    .thread_id = 176,
                                    .native_id = 0,
                                    .thread_frame = 24,
                                    .cframe_frame = 0,
                                    .has_cframe = false,
                                    .frame_previous = 24,
                                    .frame_code = 32,
                                    .frame_owner = 0,
                                    .code_file = 104,
                                    .code_name = 112,
                                    .code_first_line = 40,
                                    .text_length = 16,
                                    .text_state = 32,
                                    .text_ascii_bytes = 48,
                                    .text_compact_bytes = 72};
constexpr std::array<PythonLayout, 5> kLayouts = {{
    kPython38,
    Like(kPython38, 9),  // nothing that is read here moved
    Like(kPython38, 10),
    {.minor = 11,
     .interpreters_head = 40,
     .threads_head = 16,
     .thread_next = 8,
     .thread_interpreter = 16,
     .thread_id = 152,
     .native_id = 160,
     .thread_frame = 56,
     .cframe_frame = 8,
     .has_cframe = true,
     .frame_previous = 48,
     .frame_code = 32,
     .frame_owner = 0,
     .code_file = 112,
     .code_name = 120,
     .code_first_line = 72,
     .text_length = 16,
     .text_state = 32,
     .text_ascii_bytes = 48,
     .text_compact_bytes = 72},
    {.minor = 12,
     .interpreters_head = 40,
     .threads_head = 72,
     .thread_next = 8,
     .thread_interpreter = 16,
     .thread_id = 136,
     .native_id = 144,
     .thread_frame = 56,
     .cframe_frame = 0,
     .has_cframe = true,
     .frame_previous = 8,
     .frame_code = 0,
     .frame_owner = 70,
     .code_file = 112,
     .code_name = 120,
     .code_first_line = 68,
     .text_length = 16,
     .text_state = 32,
     .text_ascii_bytes = 40,
     .text_compact_bytes = 56},
}};

// Positions of fields among the 64-bit numbers of _Py_DebugOffsets (pycore_runtime.h of 3.13, pycore_debug_offsets.h of
// 3.14).
struct Positions {
  size_t interpreters_head, threads_head, thread_next, thread_interpreter, current_frame, thread_id, native_id,
      previous, executable, owner, file, name, first_line;
};
constexpr Positions k313 = {5, 9, 21, 22, 23, 24, 25, 29, 30, 33, 35, 36, 39};
constexpr Positions k314 = {5, 9, 24, 25, 26, 27, 28, 32, 33, 36, 40, 41, 44};

}  // namespace

const PythonLayout* KnownLayout(uint32_t minor) {
  for (const PythonLayout& layout : kLayouts) {
    if (layout.minor == minor) return &layout;
  }
  return nullptr;
}

std::optional<PythonLayout> LayoutFromDebugOffsets(std::string_view runtime) {
  std::array<uint64_t, kDebugOffsetsBytes / sizeof(uint64_t)> numbers{};
  if (runtime.size() < kDebugOffsetsBytes || runtime.substr(0, 8) != "xdebugpy") return std::nullopt;
  std::memcpy(numbers.data(), runtime.data(), kDebugOffsetsBytes);
  const uint64_t major = numbers[1] >> 24 & 0xff, minor = numbers[1] >> 16 & 0xff;
  const bool free_threaded = numbers[2] != 0;
  if (major != 3 || minor < 13 || minor > 14 || free_threaded) return std::nullopt;
  const Positions& at = minor == 13 ? k313 : k314;
  bool fits = true;
  // Bounds keep every field inside the piece that is read.
  const auto number = [&](size_t position, uint64_t most) {
    fits &= numbers[position] <= most;
    return static_cast<uint32_t>(numbers[position]);
  };
  constexpr uint64_t kThread = PythonLayout::kThreadBytes - 8, kFrame = PythonLayout::kFrameBytes - 8,
                     kCode = PythonLayout::kCodeBytes - 8, kFar = 1 << 20;
  PythonLayout layout;
  layout.minor = static_cast<uint32_t>(minor);
  layout.interpreters_head = number(at.interpreters_head, kFar);
  layout.threads_head = number(at.threads_head, kFar);
  layout.thread_next = number(at.thread_next, kThread);
  layout.thread_interpreter = number(at.thread_interpreter, kThread);
  layout.thread_id = number(at.thread_id, kThread);
  layout.native_id = number(at.native_id, kThread);
  layout.thread_frame = number(at.current_frame, kThread);
  layout.frame_previous = number(at.previous, kFrame);
  layout.frame_code = number(at.executable, kFrame);
  layout.frame_owner = number(at.owner, PythonLayout::kFrameBytes - 1);  // a byte
  layout.code_file = number(at.file, kCode);
  layout.code_name = number(at.name, kCode);
  layout.code_first_line = number(at.first_line, kCode);
  layout.text_length = 16;
  layout.text_state = 32;
  layout.text_ascii_bytes = 40;
  layout.text_compact_bytes = 56;
  if (!fits || layout.native_id == 0) return std::nullopt;
  return layout;
}

}  // namespace warpscope::record::host
