// CodeText: what is known of the instructions of one kept module: source lines from the line table of its machine code
// (RUN/code/CHECKSUM.cubin), and their text from the disassembly beside it (CHECKSUM.sass). Either may be missing.
// [MT] after Open(). Any bytes may lie in both files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/code/cubin.h"
#include "import/code/line_table.h"

namespace warpscope::import::code {

// "code/1f2e.cubin": what a recorder may name; nothing else is opened.
bool IsCodeFile(std::string_view name);
// The same name, by the checksum of the code.
std::string CodeFileName(uint64_t checksum);

class CodeText {
 public:
  // `path`: of the .cubin. Null: neither file can be read.
  static std::unique_ptr<CodeText> Open(const std::string& path);
  ~CodeText();
  CodeText(const CodeText&) = delete;
  CodeText& operator=(const CodeText&) = delete;

  std::optional<LineTable::Line> LineOf(std::string_view function, uint64_t offset) const;
  std::string_view SassOf(std::string_view function, uint64_t offset) const;  // "": not known
  bool has_lines() const { return lines_ != nullptr && !lines_->empty(); }
  // The function's number among the symbols, as nvdisasm --cuda-function-index takes it.
  std::optional<uint32_t> SymbolOf(std::string_view function) const;

 private:
  class File;
  CodeText();
  std::unique_ptr<File> code_, sass_file_;
  std::unique_ptr<Cubin> cubin_;
  std::unique_ptr<LineTable> lines_;
  struct Instruction {
    uint64_t offset;
    std::string_view text;
  };
  std::unordered_map<std::string_view, std::vector<Instruction>> sass_;  // by section, in order of the text
};

// The disassembly of `nvdisasm -c` as (section, offset, instruction): visited in the order of the text.
struct SassLine {
  std::string_view section;
  uint64_t offset = 0;
  std::string_view text;
};
std::vector<SassLine> ParseSass(std::string_view text);

}  // namespace warpscope::import::code
