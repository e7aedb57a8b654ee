#include "record/native/native_process.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "wire/clock.h"

namespace warpscope::record::native {
namespace {

// The inner part of a stack as the kernel copied it; what lies further out is read from the process. That part may have
// changed meanwhile only if the functions there returned within the period.
class SampledStack : public StackMemory {
 public:
  SampledStack(const NativeSample& sample, host::RemoteMemory* memory)
      : begin_(sample.registers.sp()), stack_(sample.stack), memory_(memory) {}

  bool Word(uint64_t address, uint64_t* value) override {
    const uint64_t at = address - begin_;
    if (at < stack_.size() && stack_.size() - at >= sizeof(*value)) {
      std::memcpy(value, stack_.data() + at, sizeof(*value));
      return true;
    }
    constexpr uint64_t kMostStackBytes = uint64_t{64} << 20;
    if (address < begin_ || at > kMostStackBytes) return memory_->Get(address, value);
    const uint64_t page = address / kPage * kPage;
    if (address - page > kPage - sizeof(*value)) return memory_->Get(address, value);
    if (page != page_ && !memory_->Read(page, bytes_.data(), kPage)) return false;
    page_ = page;
    std::memcpy(value, bytes_.data() + (address - page), sizeof(*value));
    return true;
  }

 private:
  static constexpr uint64_t kPage = 4096;
  const uint64_t begin_;
  const std::string_view stack_;
  host::RemoteMemory* memory_;
  uint64_t page_ = UINT64_MAX;
  std::array<char, kPage> bytes_;
};

// Functions without tables that keep a frame pointer: the caller's lies where it points to, the return address above.
bool ToCallerByFramePointer(Registers* registers, StackMemory* memory) {
  constexpr uint64_t kWord = 8, kMostFrameBytes = 1u << 20;
  if (!registers->has(kFramePointer)) return false;
  const uint64_t frame = registers->value[kFramePointer];
  uint64_t outer = 0, caller = 0;
  if (frame < registers->sp() || frame - registers->sp() > kMostFrameBytes || frame % kWord != 0 ||
      !memory->Word(frame, &outer) || !memory->Word(frame + kWord, &caller) || outer <= frame)
    return false;
  *registers = {};
  registers->Set(kFramePointer, outer);
  registers->Set(kStackPointer, frame + 2 * kWord);
  registers->Set(kReturnAddress, caller);
  return true;
}

// Of a thread that waits the kernel tells no frame pointer. Functions that use one have stored the caller's beside the
// return address: the first such pair above the stack pointer is this function's, since those it called do not use one.
template <typename IsCode>
bool GuessFramePointer(Registers* registers, StackMemory* memory, IsCode&& is_code) {
  constexpr uint64_t kWord = 8, kMostWords = 512, kMostFrameBytes = 1u << 20;
  const uint64_t begin = (registers->sp() + kWord - 1) / kWord * kWord;
  uint64_t outer = 0, caller = 0;
  if (!memory->Word(begin, &outer)) return false;
  for (uint64_t at = begin; at < begin + kMostWords * kWord; at += kWord, outer = caller) {
    if (!memory->Word(at + kWord, &caller)) return false;
    if (outer <= at + kWord || outer - at > kMostFrameBytes || outer % kWord != 0 || !is_code(caller)) continue;
    registers->Set(kFramePointer, at);
    return true;
  }
  return false;
}

}  // namespace

void NativeProcess::ReadMap() {
  map_read_ns_ = wire::NowNs();
  constexpr size_t kMostBytes = size_t{8} << 20;
  const auto text = host::ReadProc(host::ProcFolder(pid_) + "/maps", kMostBytes);
  if (!text || text->empty()) return;
  map_.clear();
  const std::string nameless = "[anonymous " + std::to_string(pid_) + "]";
  for (const host::Mapping& part : host::ParseMaps(*text)) {
    if (!part.executable || part.path == "[vsyscall]") continue;
    Code code{part.begin, part.end, 0, ModuleTable::kNone, false};
    const bool has_file = !part.path.empty() && (part.path.front() == '/' || part.path == "[vdso]");
    code.module = modules_->Of(has_file ? part.path : nameless, has_file ? host::FileOfMapping(pid_, part) : "");
    if (code.module != ModuleTable::kNone && modules_->at(code.module).file != nullptr) {
      const auto address = modules_->at(code.module).file->AddressOfOffset(part.offset_bytes);
      code.to_address = address ? *address - part.begin : part.offset_bytes - part.begin;
    } else if (has_file) {
      code.to_address = part.offset_bytes - part.begin;
    }
    code.interpreter = !interpreter_path_.empty() && part.path == interpreter_path_;
    map_.push_back(code);
  }
  std::sort(map_.begin(), map_.end(), [](const Code& a, const Code& b) { return a.begin < b.begin; });
}

const NativeProcess::Code* NativeProcess::InMap(uint64_t address) const {
  auto it = std::upper_bound(map_.begin(), map_.end(), address,
                             [](uint64_t at, const Code& code) { return at < code.begin; });
  if (it == map_.begin()) return nullptr;
  --it;
  return address < it->end ? &*it : nullptr;
}

const NativeProcess::Code* NativeProcess::CodeAt(uint64_t address) {
  if (const Code* code = InMap(address)) return code;
  constexpr int64_t kPauseNs = 200'000'000;  // a walk that was led astray asks for anything
  if (wire::NowNs() - map_read_ns_ < kPauseNs) return nullptr;
  ReadMap();
  return InMap(address);
}

NativeStack NativeProcess::Unwind(const NativeSample& sample, bool to_interpreter) {
  constexpr int64_t kMapNs = 5'000'000'000;  // libraries are unloaded, and others loaded in their place
  if (wire::NowNs() - map_read_ns_ > kMapNs) ReadMap();
  NativeStack out;
  SampledStack memory(sample, &memory_);
  Registers registers = sample.registers;
  bool is_call = false;
  while (out.frames.size() < kMostDepth) {
    const uint64_t pc = registers.pc(), sp = registers.sp();
    const Code* code = CodeAt(pc - (is_call ? 1 : 0));
    if (code == nullptr) break;
    if (to_interpreter && code->interpreter) {
      out.end = NativeStack::End::kInterpreter;
      break;
    }
    ModuleFile* file = code->module == ModuleTable::kNone ? nullptr : modules_->at(code->module).file.get();
    std::optional<uint64_t> function;
    bool signal = false;
    auto step = ModuleFile::Step::kUnknown;
    if (file != nullptr) {
      const uint64_t at = pc + code->to_address;
      step = file->ToCaller(at, is_call, &registers, &memory, &function, &signal);
      if (step == ModuleFile::Step::kUnknown && function && !registers.has(kFramePointer) &&
          GuessFramePointer(&registers, &memory, [this](uint64_t address) { return InMap(address) != nullptr; }))
        step = file->ToCaller(at, is_call, &registers, &memory, &function, &signal);
    }
    if (code->module != ModuleTable::kNone)
      out.frames.push_back({code->module, function ? *function : pc - (is_call ? 1 : 0) + code->to_address});
    if (step == ModuleFile::Step::kOutermost) {
      out.end = NativeStack::End::kOutermost;
      break;
    }
    if (step == ModuleFile::Step::kUnknown && (function || !ToCallerByFramePointer(&registers, &memory))) break;
    if (!signal && registers.sp() <= sp) break;  // stacks grow downwards: a caller's lies above
    if (registers.pc() == 0) {
      out.end = NativeStack::End::kOutermost;
      break;
    }
    is_call = !signal;
  }
  return out;
}

uint32_t NativeProcess::Number(const NativeStack& stack, uint32_t outer, host::StackTable* table) {
  const size_t count = stack.frames.size();
  if (texts_.size() < modules_->size()) texts_.resize(modules_->size());
  for (size_t i = 0; i < std::min(count, kKeptDepth); ++i) {
    const NativeFrame& frame = stack.frames[count - 1 - i];
    // A function that calls itself is told once.
    if (i > 0 && frame == stack.frames[count - i]) continue;
    uint32_t& text = texts_[frame.module];
    if (text == 0) text = table->Text(modules_->at(frame.module).path);
    const uint32_t number = table->Frame(
        {.parent = outer, .kind = host::FrameKind::kNative, .function = 0, .file = text, .line = frame.address});
    if (number == 0) break;
    outer = number;
  }
  return outer;
}

}  // namespace warpscope::record::native
