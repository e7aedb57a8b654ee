// PythonProcess: walking one thread's frames.
#include <algorithm>
#include <array>
#include <cstring>

#include "record/host/python_process.h"

namespace warpscope::record::host {
namespace {

constexpr size_t kMostGuessed = 200, kMostTextBytes = 1024;
constexpr size_t kMostCodes = 1u << 18;

}  // namespace

// Bytes of thread state and frames that one system call brought. The kernel takes its time for every piece, not for its
// length, so frames that lie close together (from 3.11 on they are pushed on one stack) are one piece.
class PythonProcess::Pieces {
 public:
  explicit Pieces(RemoteMemory* memory) : memory_(memory) {}

  void Fetch(const PythonThread& thread, const Guess& guess) {
    Plan(guess.frames);
    std::vector<RemotePiece> wanted = {{thread.address, thread_.data(), thread_.size()}};
    const bool cframe = guess.cframe != 0;
    if (cframe) wanted.push_back({guess.cframe, cframe_.data(), cframe_.size()});
    for (const Range& range : ranges_) wanted.push_back({range.begin, bytes_.data() + range.at, range.size_bytes});
    const size_t got = memory_->ReadMany(wanted), head = cframe ? 2 : 1;
    has_thread_ = got >= 1;
    cframe_address_ = cframe && got >= 2 ? guess.cframe : 0;
    ranges_.resize(got > head ? got - head : 0);
  }
  const char* Thread(const PythonThread& thread) {
    if (!has_thread_) has_thread_ = memory_->Read(thread.address, thread_.data(), thread_.size());
    return has_thread_ ? thread_.data() : nullptr;
  }
  const char* CFrame(uint64_t address) {
    if (cframe_address_ != address)
      cframe_address_ = memory_->Read(address, cframe_.data(), cframe_.size()) ? address : 0;
    return cframe_address_ != 0 ? cframe_.data() : nullptr;
  }
  const char* Frame(uint64_t address) {
    auto range = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                  [](uint64_t at, const Range& r) { return at < r.begin; });
    if (range != ranges_.begin()) {
      --range;
      const uint64_t inside = address - range->begin;
      if (inside + PythonLayout::kFrameBytes <= range->size_bytes) return bytes_.data() + range->at + inside;
    }
    return memory_->Read(address, single_.data(), single_.size()) ? single_.data() : nullptr;
  }

 private:
  struct Range {
    uint64_t begin;
    size_t size_bytes, at;  // in bytes_
  };

  void Plan(std::vector<uint64_t> frames) {
    constexpr size_t kMostGap = 512, kMostRange = 16384;
    std::sort(frames.begin(), frames.end());
    frames.resize(std::min(frames.size(), kMostGuessed));
    size_t total = 0;
    for (const uint64_t frame : frames) {
      if (!ranges_.empty()) {
        Range& last = ranges_.back();
        const uint64_t size = frame + PythonLayout::kFrameBytes - last.begin;
        if (size <= last.size_bytes + PythonLayout::kFrameBytes + kMostGap && size <= kMostRange) {
          total += static_cast<size_t>(size) - last.size_bytes;
          last.size_bytes = static_cast<size_t>(size);
          continue;
        }
      }
      ranges_.push_back({frame, PythonLayout::kFrameBytes, total});
      total += PythonLayout::kFrameBytes;
    }
    bytes_.resize(total);
  }

  RemoteMemory* memory_;
  std::array<char, PythonLayout::kThreadBytes> thread_;
  std::array<char, 16> cframe_;
  std::array<char, PythonLayout::kFrameBytes> single_;
  std::vector<Range> ranges_;  // by address
  std::vector<char> bytes_;
  bool has_thread_ = false;
  uint64_t cframe_address_ = 0;
};

namespace {

uint64_t PointerAt(const char* bytes, uint32_t offset) {
  uint64_t value = 0;
  std::memcpy(&value, bytes + offset, sizeof(value));
  return value;
}

}  // namespace

// nullopt: the thread is gone. 0: no frame.
std::optional<uint64_t> PythonProcess::InnermostFrame(const PythonThread& thread, Pieces* pieces) {
  const char* bytes = pieces->Thread(thread);
  if (bytes == nullptr || PointerAt(bytes, layout_.thread_interpreter) != interpreter_) return std::nullopt;
  if (layout_.native_id != 0 && PointerAt(bytes, layout_.native_id) != static_cast<uint64_t>(thread.tid))
    return std::nullopt;
  const uint64_t frame = PointerAt(bytes, layout_.thread_frame);
  if (!layout_.has_cframe || frame == 0) return frame;
  const char* cframe = pieces->CFrame(frame);
  if (cframe == nullptr) return std::nullopt;
  guesses_[thread.address].cframe = frame;
  return PointerAt(cframe, layout_.cframe_frame);
}

// One reading of the whole chain, innermost first. False: torn or gone.
bool PythonProcess::Walk(const PythonThread& thread, bool guess, std::vector<Frame>* out) {
  out->clear();
  Pieces pieces(&memory_);
  if (guess) pieces.Fetch(thread, guesses_[thread.address]);
  const auto innermost = InnermostFrame(thread, &pieces);
  if (!innermost) return false;
  std::vector<uint64_t> seen;
  uint64_t address = *innermost;
  while (address != 0) {
    if (seen.size() >= kMostDepth) return false;
    const char* frame = pieces.Frame(address);
    if (frame == nullptr) return false;
    seen.push_back(address);
    const bool shim = layout_.frame_owner != 0 && static_cast<uint8_t>(frame[layout_.frame_owner]) >= kFirstShimOwner;
    // 3.14 marks in the low bits of a reference who counts it.
    const uint64_t code = PointerAt(frame, layout_.frame_code) & ~uint64_t{7};
    if (!shim && code != 0) out->push_back({address, code});
    const uint64_t previous = PointerAt(frame, layout_.frame_previous);
    if (previous == address || (previous != 0 && previous < 4096)) return false;
    address = previous;
  }
  guesses_[thread.address].frames.swap(seen);
  return true;
}

bool PythonProcess::ReadText(uint64_t address, std::string* text) {
  std::array<char, 80> head{};
  const uint32_t head_bytes = layout_.text_compact_bytes;
  if (address < 4096 || head_bytes > head.size() || !memory_.Read(address, head.data(), layout_.text_ascii_bytes))
    return false;
  const uint64_t length = PointerAt(head.data(), layout_.text_length);
  uint32_t state = 0;
  std::memcpy(&state, head.data() + layout_.text_state, sizeof(state));
  // Bits: interned, then kind (3), compact (1), ascii (1). How many bits interned takes differs (2; later a byte or
  // two); it is at most 3, so a wrong guess reads kind 0.
  unsigned kind = 0;
  bool compact = false, ascii = false;
  for (const unsigned interned_bits : {2U, 8U, 16U}) {
    const uint32_t bits = state >> interned_bits;
    kind = bits & 7;
    compact = (bits >> 3 & 1) != 0;
    ascii = (bits >> 4 & 1) != 0;
    if (kind != 0) break;
  }
  if (!compact || (kind != 1 && kind != 2 && kind != 4) || length > kMostTextBytes) return false;
  std::vector<unsigned char> bytes(length * kind);
  const uint64_t data = address + (ascii ? layout_.text_ascii_bytes : layout_.text_compact_bytes);
  if (!bytes.empty() && !memory_.Read(data, bytes.data(), bytes.size())) return false;
  text->clear();
  for (size_t i = 0; i < length; ++i) {
    uint32_t c = 0;
    std::memcpy(&c, bytes.data() + i * kind, kind);
    if (c < 0x20 || c > 0x10ffff) return false;
    if (c < 0x80) {
      *text += static_cast<char>(c);
    } else if (c < 0x800) {
      *text += {static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 0x3f))};
    } else if (c < 0x10000) {
      *text += {static_cast<char>(0xe0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3f)),
                static_cast<char>(0x80 | (c & 0x3f))};
    } else {
      *text += {static_cast<char>(0xf0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3f)),
                static_cast<char>(0x80 | (c >> 6 & 0x3f)), static_cast<char>(0x80 | (c & 0x3f))};
    }
  }
  return true;
}

// Addresses are used again, so what is known of one is compared with what lies there now.
const PythonProcess::Code* PythonProcess::CodeOf(uint64_t address, const char* bytes, StackTable* table) {
  constexpr uint32_t kTypeAt = 8;  // PyObject: reference count, type
  if (PointerAt(bytes, kTypeAt) != code_type_) return nullptr;
  const uint64_t file = PointerAt(bytes, layout_.code_file), name = PointerAt(bytes, layout_.code_name);
  int32_t line = 0;
  std::memcpy(&line, bytes + layout_.code_first_line, sizeof(line));
  if (const auto it = codes_.find(address); it != codes_.end() && it->second.file_pointer == file &&
                                            it->second.name_pointer == name &&
                                            it->second.line == static_cast<uint32_t>(line))
    return &it->second;
  std::string file_text, name_text;
  if (line < 0 || !ReadText(file, &file_text) || !ReadText(name, &name_text) || name_text.empty()) return nullptr;
  if (codes_.size() >= kMostCodes) codes_.clear();
  Code& code = codes_[address];
  code = {file, name, static_cast<uint32_t>(line), table->Text(name_text), table->Text(ShownPath(file_text))};
  return &code;
}

// The number of the innermost of `frames`, which stand outermost first; nullopt: the code of one of them is none. What
// the thread's last stack had at the same place was looked at then; all is looked at again from time to time.
std::optional<uint32_t> PythonProcess::NumberOf(const PythonThread& thread, const std::vector<Frame>& frames,
                                                StackTable* table) {
  Known& known = known_[thread.address];
  size_t same = 0;
  constexpr unsigned kCheckAllEvery = 50;
  if (++known.readings % kCheckAllEvery != 0) {
    while (same < frames.size() && same < known.frames.size() && frames[same] == known.frames[same]) ++same;
  }
  std::vector<std::array<char, PythonLayout::kCodeBytes>> bytes(frames.size() - same);
  std::vector<RemotePiece> pieces;
  for (size_t i = same; i < frames.size(); ++i)
    pieces.push_back({frames[i].code, bytes[i - same].data(), PythonLayout::kCodeBytes});
  known.frames.resize(same);
  known.numbers.resize(same);
  if (memory_.ReadMany(pieces) != pieces.size()) return std::nullopt;
  uint32_t number = same == 0 ? 0 : known.numbers.back();
  for (size_t i = same; i < frames.size(); ++i) {
    const Code* code = CodeOf(frames[i].code, bytes[i - same].data(), table);
    if (code == nullptr) return std::nullopt;
    const uint32_t next = table->Frame({number, FrameKind::kPython, code->function, code->file, code->line});
    if (next == 0) break;
    number = next;
    known.frames.push_back(frames[i]);
    known.numbers.push_back(number);
  }
  return number;
}

std::optional<uint32_t> PythonProcess::ReadStack(const PythonThread& thread, StackTable* table) {
  std::vector<Frame> frames, again;
  Pieces check(&memory_);
  if (!Walk(thread, true, &frames) && !Walk(thread, false, &frames)) {
    ++torn_;
    return std::nullopt;
  }
  check.Fetch(thread, {.frames = {}, .cframe = guesses_[thread.address].cframe});
  const auto now = InnermostFrame(thread, &check);
  const std::vector<uint64_t>& seen = guesses_[thread.address].frames;
  if (!now || *now != (seen.empty() ? 0 : seen.front())) {
    if (!Walk(thread, true, &again)) {
      ++torn_;
      return std::nullopt;
    }
    size_t same = 0;
    while (same < frames.size() && same < again.size() &&
           frames[frames.size() - 1 - same] == again[again.size() - 1 - same])
      ++same;
    frames.erase(frames.begin(), frames.end() - static_cast<std::ptrdiff_t>(same));
    if (frames.empty()) {
      ++torn_;
      return std::nullopt;
    }
  }
  std::reverse(frames.begin(), frames.end());
  frames.resize(std::min(frames.size(), kKeptDepth));
  const auto number = NumberOf(thread, frames, table);
  if (!number) ++torn_;
  return number;
}

}  // namespace warpscope::record::host
