// How functions of C and C++ stacks are called in a trace, from what the recorder wrote of them.
// [MT] Functions of their arguments. Names are of the recorded program: any bytes, any length.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpscope::import::capture {

struct NativeFunction {
  std::string_view module;          // path of the executable or library
  std::string_view function, file;  // as the linker knows it; "" if unknown
  uint64_t line = 0;
};

// "src/encode.cc(12): Encode" where the line is known, else "Encode"; of a library "memcpy [libc.so.6]"; where no name
// is known "[unknown in libfoo.so]". C++ names without parameters, template arguments and return type.
std::string NativeFrameName(const NativeFunction& function);

// "std::vector<int>::push_back(int&&)" -> "std::vector::push_back"; "_ZN3FooC2Ev" -> "Foo::Foo"; "run.cold" -> "run".
std::string PlainFunctionName(std::string_view name);

// The inside of the CUDA driver and runtime, and of the recorder: calls into them are recorded exactly.
bool IsInsideDriver(std::string_view module);
// What a stack shows that tells nothing: a call that is recorded exactly, and the code that starts programs and
// threads.
bool IsNotTold(std::string_view function);

}  // namespace warpscope::import::capture
