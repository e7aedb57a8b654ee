// Any bytes as what the sampler of C and C++ stacks reads of other processes: a ring of samples, an executable with its
// unwind tables, call frame information, line tables, maps of generated code.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "record/native/cfi.h"
#include "record/native/debug_line.h"
#include "record/native/elf_sections.h"
#include "record/native/module_file.h"
#include "record/native/native_watch.h"
#include "record/native/symbolize.h"

namespace native = warpscope::record::native;

namespace {

// A stack made of the input.
class Stack : public native::StackMemory {
 public:
  explicit Stack(std::string_view bytes) : bytes_(bytes) {}
  bool Word(uint64_t address, uint64_t* value) override {
    if (address >= bytes_.size() || bytes_.size() - address < sizeof(*value)) return false;
    std::memcpy(value, bytes_.data() + address, sizeof(*value));
    return true;
  }

 private:
  std::string_view bytes_;
};

void Walk(std::string_view bytes) {
  const auto file = native::ModuleFile::Open(native::ByteSource::OfBytes(bytes));
  if (file == nullptr) return;
  Stack stack(bytes);
  native::Registers registers;
  for (unsigned i = 0; i < native::kRegisters; ++i) registers.Set(i, i * 8);
  uint64_t pc = 0x1000;
  for (int step = 0; step < 64; ++step) {
    std::optional<uint64_t> function;
    bool signal = false;
    if (file->ToCaller(pc, step > 0, &registers, &stack, &function, &signal) != native::ModuleFile::Step::kFrame)
      pc += 16;
    else pc = registers.pc();
    file->AddressOfOffset(pc);
  }
}

void Interpret(std::string_view bytes) {
  native::Cie cie;
  cie.bytes = std::string(bytes);
  if (!native::ParseCie(&cie, 0)) {
    // What follows is then read under a plain one.
    using namespace std::string_literals;
    cie = {};
    cie.bytes = "\0\0\0\0\x01zR\0\x01\x78\x10\x01\x1b\x0c\x07\x08\x90\x01"s;
    if (!native::ParseCie(&cie, 0)) std::abort();
  }
  const auto fde = native::ParseFde(bytes, 0, cie);
  if (!fde) return;
  Stack stack(bytes);
  native::Registers registers;
  for (unsigned i = 0; i < native::kRegisters; ++i) registers.Set(i, i * 8);
  for (const uint64_t pc : {fde->begin, fde->begin + 1, fde->begin + (fde->end - fde->begin) / 2, fde->end - 1}) {
    const auto row = native::RowAt(cie, *fde, pc);
    if (row) native::CallerOf(*row, registers, &stack);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  native::NativeSample sample;
  if (native::ParseNewestSample(bytes, 0, &sample) && sample.stack.size() > size) std::abort();
  Walk(bytes);
  Interpret(bytes);
  native::FindLines({bytes, bytes, bytes}, {0, 0x1000, 0x1008, UINT64_MAX});
  native::NamesOfGenerated(bytes, {0, 0x7f10, UINT64_MAX});
  const auto source = native::ByteSource::OfBytes(bytes);
  const native::ElfSections sections(*source);
  sections.BuildId();
  sections.Contents(".debug_line", 1 << 20);
  return 0;
}
