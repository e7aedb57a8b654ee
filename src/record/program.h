// What a program is before it runs: where the shell's search finds it, which interpreter runs it, whether a library can
// be loaded into it. [one thread] Reads files, starts nothing; any bytes are safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/system.h"

namespace warpscope::record {

// Absolute path of a program as execvp() finds it (PATH only for words without a slash); "" if there is none.
std::string FindProgram(const System& system, const std::string& word);

struct ElfFacts {
  bool is_64_bit = false;
  unsigned machine = 0;          // e_machine: 62 x86-64, 183 aarch64
  bool has_interpreter = false;  // a dynamic loader runs first: no static program
};
// Absent for anything that is no ELF file.
std::optional<ElfFacts> ReadElf(const System& system, const std::string& path);

// The words of "#!" of a script, absent without one. "env NAME=VALUE -S prog x" comes as it stands.
std::optional<std::vector<std::string>> InterpreterOf(const System& system, const std::string& path);

// What really runs in the end: a chain from the program to an ELF file, over "#!" lines and "env".
struct ProgramChain {
  std::vector<std::string> paths;  // the first is the program; at most kMostLinks
  std::string missing;             // the word that could not be found; then the chain ends before it
  std::optional<ElfFacts> elf;     // of the last; absent for a script without "#!" (a shell runs it)
  static constexpr size_t kMostLinks = 6;
};
ProgramChain FollowProgram(const System& system, const std::string& word);

}  // namespace warpscope::record
