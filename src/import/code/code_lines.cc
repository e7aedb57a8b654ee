#include "import/code/code_lines.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "wire/counter_plan.h"

namespace warpscope::import::code {
namespace {

constexpr size_t kMostFileBytes = size_t{512} << 20, kMostSassLines = size_t{1} << 23;

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::optional<uint64_t> Hex(std::string_view digits) {
  constexpr size_t kMostDigits = 12;
  if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
  uint64_t value = 0;
  for (const char c : digits) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<uint64_t>(digit);
  }
  return value;
}

}  // namespace

bool IsCodeFile(std::string_view name) {
  const std::string folder = std::string(wire::kCodeFolder) + "/";
  constexpr std::string_view kEnd = ".cubin";
  if (!name.starts_with(folder) || !name.ends_with(kEnd)) return false;
  name = name.substr(folder.size(), name.size() - folder.size() - kEnd.size());
  constexpr size_t kMostDigits = 16;
  return !name.empty() && name.size() <= kMostDigits &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string CodeFileName(uint64_t checksum) {
  char digits[16];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), checksum, 16).ptr;
  return std::string(wire::kCodeFolder) + "/" + std::string(digits, end) + ".cubin";
}

// A mapped file.
class CodeText::File {
 public:
  explicit File(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return;
    struct stat facts {};
    if (::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0 &&
        static_cast<size_t>(facts.st_size) <= kMostFileBytes) {
      size_ = static_cast<size_t>(facts.st_size);
      mapping_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (mapping_ == MAP_FAILED) mapping_ = nullptr;
    }
    ::close(file);
  }
  ~File() {
    if (mapping_ != nullptr) ::munmap(mapping_, size_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string_view bytes() const {
    return mapping_ == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(mapping_), size_);
  }

 private:
  void* mapping_ = nullptr;
  size_t size_ = 0;
};

CodeText::CodeText() = default;
CodeText::~CodeText() = default;

// A line of the text: "        /*0010*/                   LDC R1, c[0x0][0x28] ;". Sections begin with
// "	.section	.text.NAME,...".
std::vector<SassLine> ParseSass(std::string_view text) {
  std::vector<SassLine> lines;
  std::string_view section;
  while (!text.empty() && lines.size() < kMostSassLines) {
    const size_t end = text.find('\n');
    const std::string_view line = Trimmed(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    constexpr std::string_view kSection = ".section", kOpen = "/*", kClose = "*/";
    if (line.starts_with(kSection)) {
      const std::string_view rest = Trimmed(line.substr(kSection.size()));
      section = rest.substr(0, rest.find(','));
    } else if (line.starts_with(kOpen) && !section.empty()) {
      const size_t close = line.find(kClose);
      if (close == std::string_view::npos) continue;
      const auto offset = Hex(line.substr(kOpen.size(), close - kOpen.size()));
      std::string_view instruction = Trimmed(line.substr(close + kClose.size()));
      instruction = Trimmed(instruction.substr(0, instruction.find(';')));
      if (offset && !instruction.empty() && !instruction.starts_with(kOpen))
        lines.push_back({section, *offset, instruction});
    }
  }
  return lines;
}

std::unique_ptr<CodeText> CodeText::Open(const std::string& path) {
  std::unique_ptr<CodeText> text(new CodeText());
  text->code_ = std::make_unique<File>(path);
  text->cubin_ = Cubin::FromBytes(text->code_->bytes());
  if (text->cubin_ != nullptr) text->lines_ = std::make_unique<LineTable>(*text->cubin_);
  text->sass_file_ = std::make_unique<File>(path.substr(0, path.rfind('.')) + ".sass");
  for (const SassLine& line : ParseSass(text->sass_file_->bytes()))
    text->sass_[line.section].push_back({line.offset, line.text});
  if (text->cubin_ == nullptr && text->sass_.empty()) return nullptr;
  for (auto& [section, instructions] : text->sass_) {
    std::stable_sort(instructions.begin(), instructions.end(),
                     [](const Instruction& a, const Instruction& b) { return a.offset < b.offset; });
  }
  return text;
}

std::optional<LineTable::Line> CodeText::LineOf(std::string_view function, uint64_t offset) const {
  const auto found = cubin_ == nullptr ? std::nullopt : cubin_->Find(function);
  return found ? lines_->Find(found->section, found->offset + offset) : std::nullopt;
}

std::string_view CodeText::SassOf(std::string_view function, uint64_t offset) const {
  // Without the code itself the name alone says where a kernel lies.
  const auto found = cubin_ == nullptr ? std::nullopt : cubin_->Find(function);
  const std::string own = ".text." + std::string(function);
  const auto instructions = sass_.find(found ? cubin_->SectionName(found->section) : std::string_view(own));
  if (instructions == sass_.end()) return {};
  const uint64_t wanted = (found ? found->offset : 0) + offset;
  const auto at = std::lower_bound(instructions->second.begin(), instructions->second.end(), wanted,
                                   [](const Instruction& one, uint64_t want) { return one.offset < want; });
  return at != instructions->second.end() && at->offset == wanted ? at->text : std::string_view();
}

std::optional<uint32_t> CodeText::SymbolOf(std::string_view function) const {
  const auto found = cubin_ == nullptr ? std::nullopt : cubin_->Find(function);
  return found ? std::optional(found->symbol) : std::nullopt;
}

}  // namespace warpscope::import::code
