#include "record/program.h"

namespace warpscope::record {
namespace {

constexpr size_t kMostElfBytes = 8192;  // headers; program headers follow the file's directly
constexpr size_t kMostLineBytes = 4096;

// Little-endian number of a file; absent beyond its end.
std::optional<uint64_t> NumberAt(const std::string& bytes, uint64_t at, size_t size) {
  if (at > bytes.size() || size > bytes.size() - at) return std::nullopt;
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}

bool Runs(const System& system, const std::string& path) {
  const auto info = system.Stat(path);
  return info && info->is_regular && info->is_executable;
}

bool IsAssignment(const std::string& word) {
  const size_t equals = word.find('=');
  return equals != std::string::npos && equals > 0 && word.find('/') > equals;
}

// The program that `env ...` starts; "" if its words name none.
std::string BehindEnv(const std::vector<std::string>& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-u" || words[i] == "--unset") ++i;
    else if (words[i][0] != '-' && !IsAssignment(words[i])) return words[i];
  }
  return {};
}

}  // namespace

std::string FindProgram(const System& system, const std::string& word) {
  const std::string here = system.WorkingFolder();
  const auto absolute = [&](const std::string& path) {
    if (!path.empty() && path[0] == '/') return path;
    return here + "/" + (path.rfind("./", 0) == 0 ? path.substr(2) : path);
  };
  if (word.empty()) return {};
  if (word.find('/') != std::string::npos) return system.Exists(absolute(word)) ? absolute(word) : std::string();
  for (const std::string& folder : Split(system.Variable("PATH").value_or("/bin:/usr/bin"), ':')) {
    const std::string path = absolute(folder + "/" + word);
    if (Runs(system, path)) return path;
  }
  return {};
}

std::optional<ElfFacts> ReadElf(const System& system, const std::string& path) {
  const auto bytes = system.Read(path, kMostElfBytes);
  if (!bytes || bytes->size() < 52 ||
      bytes->compare(0, 4,
                     "\x7f"
                     "ELF") != 0)
    return std::nullopt;
  ElfFacts facts;
  facts.is_64_bit = (*bytes)[4] == 2;
  facts.machine = static_cast<unsigned>(NumberAt(*bytes, 18, 2).value_or(0));
  // Offsets of the ELF format (elf.h): e_phoff, e_phentsize, e_phnum.
  const auto table = facts.is_64_bit ? NumberAt(*bytes, 32, 8) : NumberAt(*bytes, 28, 4);
  const auto entry = NumberAt(*bytes, facts.is_64_bit ? 54 : 42, 2);
  const auto count = NumberAt(*bytes, facts.is_64_bit ? 56 : 44, 2);
  constexpr uint64_t kInterpreter = 3;  // PT_INTERP
  for (uint64_t i = 0; table && entry && *entry > 0 && i < count.value_or(0) && *table < kMostElfBytes; ++i) {
    const auto type = NumberAt(*bytes, *table + i * *entry, 4);
    if (!type) break;
    if (*type == kInterpreter) facts.has_interpreter = true;
  }
  return facts;
}

std::optional<std::vector<std::string>> InterpreterOf(const System& system, const std::string& path) {
  const auto bytes = system.Read(path, kMostLineBytes);
  if (!bytes || bytes->compare(0, 2, "#!") != 0) return std::nullopt;
  std::vector<std::string> words;
  for (const std::string& part : Split(bytes->substr(2, bytes->find('\n') - 2), ' ')) {
    for (const std::string& word : Split(Trimmed(part), '\t')) words.push_back(word);
  }
  if (words.empty()) return std::nullopt;
  return words;
}

ProgramChain FollowProgram(const System& system, const std::string& word) {
  ProgramChain chain;
  std::string next = word;
  while (chain.paths.size() < ProgramChain::kMostLinks) {
    const std::string path = FindProgram(system, next);
    if (path.empty()) {
      chain.missing = next;
      return chain;
    }
    chain.paths.push_back(path);
    chain.elf = ReadElf(system, path);
    if (chain.elf) return chain;
    const auto interpreter = InterpreterOf(system, path);
    if (!interpreter) return chain;
    next = interpreter->front();
    if (BaseName(next) == "env") {
      const std::string behind = BehindEnv(*interpreter);
      if (!behind.empty()) next = behind;
    }
  }
  return chain;
}

}  // namespace warpscope::record
