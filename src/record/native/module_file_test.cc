#include "record/native/module_file.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <ucontext.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "record/native/module_table.h"
#include "record/native/symbolize.h"

namespace warpscope::record::native {
namespace {

// This process's own memory.
class OwnStack : public StackMemory {
 public:
  OwnStack(uint64_t begin, uint64_t end) : begin_(begin), end_(end) {}
  bool Word(uint64_t address, uint64_t* value) override {
    if (address < begin_ || address > end_ - sizeof(*value)) return false;
    std::memcpy(value, reinterpret_cast<const void*>(address), sizeof(*value));
    return true;
  }

 private:
  uint64_t begin_, end_;
};

struct Walk {
  std::vector<uint64_t> functions;  // addresses in the file, innermost first
  ModuleFile::Step last = ModuleFile::Step::kUnknown;
};

// Address of the program's first byte, as the linker has placed it.
extern "C" const char __executable_start;

// From the caller's registers up while the code is this program's.
[[gnu::noinline]] void WalkFromHere(ModuleFile* file, Walk* out) {
  ucontext_t here;
  getcontext(&here);
  const greg_t* from = here.uc_mcontext.gregs;
  Registers registers;
  registers.Set(3, static_cast<uint64_t>(from[REG_RBX]));
  registers.Set(kFramePointer, static_cast<uint64_t>(from[REG_RBP]));
  registers.Set(kStackPointer, static_cast<uint64_t>(from[REG_RSP]));
  for (unsigned i = 12; i < 16; ++i) registers.Set(i, static_cast<uint64_t>(from[REG_R12 + int(i) - 12]));
  registers.Set(kReturnAddress, static_cast<uint64_t>(from[REG_RIP]));
  OwnStack stack(registers.sp() - 128, registers.sp() + 65536);
  const auto base = reinterpret_cast<uint64_t>(&__executable_start);
  for (bool is_call = false; out->functions.size() < 64; is_call = true) {
    std::optional<uint64_t> function;
    bool signal = false;
    out->last = file->ToCaller(registers.pc() - base, is_call, &registers, &stack, &function, &signal);
    if (out->last != ModuleFile::Step::kFrame) return;
    out->functions.push_back(*function);
  }
}

[[gnu::noinline]] void MiddleOfTheWalk(ModuleFile* file, Walk* out) {
  WalkFromHere(file, out);
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void OuterOfTheWalk(ModuleFile* file, Walk* out) {
  MiddleOfTheWalk(file, out);
  asm volatile("" ::: "memory");
}

TEST(ModuleFile, WalksAndNamesThisProgram) {
  ModuleTable table;
  const uint32_t number = table.Of("/proc/self/exe", "/proc/self/exe");
  ASSERT_NE(number, ModuleTable::kNone);
  EXPECT_EQ(table.Of("/proc/self/exe", "/proc/self/exe"), number);
  ModuleFile* file = table.at(number).file.get();
  ASSERT_NE(file, nullptr);
  for (int again = 0; again < 2; ++again) {  // the second time from what was kept
    Walk walk;
    OuterOfTheWalk(file, &walk);
    ASSERT_GE(walk.functions.size(), 4U);
    std::set<uint64_t> sorted(walk.functions.begin(), walk.functions.end());
    const auto names = NamesOf(table.at(number), {sorted.begin(), sorted.end()});
    const auto name = [&](size_t at) {
      const auto it = names.find(walk.functions[at]);
      return it == names.end() ? std::string() : it->second.name;
    };
    EXPECT_NE(name(0).find("WalkFromHere"), std::string::npos) << name(0);
    EXPECT_NE(name(1).find("MiddleOfTheWalk"), std::string::npos) << name(1);
    EXPECT_NE(name(2).find("OuterOfTheWalk"), std::string::npos) << name(2);
  }
}

// As in a static program, whose linker makes no sorted table.
TEST(ModuleFile, FindsFunctionsWithoutASortedTable) {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const size_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + at, sizeof(segment));
    if (segment.p_type == PT_GNU_EH_FRAME) std::memset(bytes.data() + at, 0, sizeof(segment.p_type));
  }
  const auto without = ModuleFile::Open(ByteSource::OfBytes(bytes));
  const auto with = ModuleFile::Open(ByteSource::OfFile("/proc/self/exe"));
  ASSERT_TRUE(without != nullptr && with != nullptr);
  std::vector<uint64_t> functions[2];
  for (const auto* file : {&without, &with}) {
    Walk walk;
    OuterOfTheWalk(file->get(), &walk);
    functions[file == &with ? 1 : 0] = walk.functions;
  }
  EXPECT_GE(functions[0].size(), 4U);
  EXPECT_EQ(functions[0], functions[1]);
}

TEST(ModuleFile, KnowsTheKernelsCode) {
  if (KernelCode().empty()) GTEST_SKIP() << "there is none";
  EXPECT_NE(ModuleFile::Open(ByteSource::OfBytes(KernelCode())), nullptr);
}

TEST(ModuleFile, SurvivesCutAndDamagedFiles) {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto use = [](const std::string& bytes) {
    const auto file = ModuleFile::Open(ByteSource::OfBytes(bytes));
    if (file == nullptr) return;
    OwnStack nothing(0, 8);
    for (const uint64_t pc : {uint64_t{0}, uint64_t{0x1000}, uint64_t{0x40000}, UINT64_MAX}) {
      Registers registers;
      std::optional<uint64_t> function;
      bool signal = false;
      file->ToCaller(pc, true, &registers, &nothing, &function, &signal);
      file->AddressOfOffset(pc);
    }
  };
  for (size_t size = 0; size < whole.size(); size = size * 2 + 7) use(whole.substr(0, size));
  for (size_t at = 0; at < 128; ++at) {
    std::string damaged = whole.substr(0, 1 << 18);
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    use(damaged);
  }
  use("");
}

}  // namespace
}  // namespace warpscope::record::native
