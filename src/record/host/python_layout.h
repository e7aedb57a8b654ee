// PythonLayout: where the fields that a stack walk needs lie in the objects of one CPython version.
// [MT] Values.
//
// 3.13 and later tell it themselves: _PyRuntime begins with _Py_DebugOffsets (cookie "xdebugpy"), a list of 64-bit
// numbers. For 3.8 to 3.12 the numbers are those that a compiler gives for the public headers of that version
// (Include/cpython and Include/internal, Py_BUILD_CORE, x86-64 and other LP64 systems); tools/python_layout.py makes
// the table from installed headers, and checks it against them. They did not move within a minor version; a reader
// checks them all the same, by the back pointer from a thread to its interpreter.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpscope::record::host {

struct PythonLayout {
  uint32_t minor = 0;                                               // of version 3
  uint32_t interpreters_head = 0;                                   // in _PyRuntime
  uint32_t threads_head = 0;                                        // in PyInterpreterState
  uint32_t thread_next = 0, thread_interpreter = 0, thread_id = 0;  // in PyThreadState
  uint32_t native_id = 0;                                           // the same; 0: before 3.11 there is none
  // A thread's innermost frame: `thread_frame` in PyThreadState; with `has_cframe` that is a structure on the C stack
  // that holds the pointer at `cframe_frame` (3.11, 3.12).
  uint32_t thread_frame = 0, cframe_frame = 0;
  bool has_cframe = false;
  uint32_t frame_previous = 0, frame_code = 0;
  uint32_t frame_owner = 0;  // a byte; 0: before 3.12 there are no frames without code
  uint32_t code_file = 0, code_name = 0, code_first_line = 0;
  uint32_t text_length = 0, text_state = 0, text_ascii_bytes = 0, text_compact_bytes = 0;

  // Sizes of what is read in one piece.
  static constexpr uint32_t kThreadBytes = 256, kFrameBytes = 80, kCodeBytes = 160;
};

// Frames from this owner on belong to the interpreter's own C code: FRAME_OWNED_BY_CSTACK (3.12, 3.13),
// FRAME_OWNED_BY_INTERPRETER and above (3.14).
inline constexpr uint8_t kFirstShimOwner = 3;

// Versions 3.8 to 3.12; null for others.
const PythonLayout* KnownLayout(uint32_t minor);
// The numbers that _PyRuntime of 3.13 and later begins with; nullopt if they are none, of another form or of a build
// without the global lock (its objects are laid out in another way).
inline constexpr size_t kDebugOffsetsBytes = 512;
std::optional<PythonLayout> LayoutFromDebugOffsets(std::string_view runtime);

}  // namespace warpscope::record::host
