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

// Bytes of thread state and frames that one system call brought, by address.
class PythonProcess::Pieces {
 public:
  explicit Pieces(RemoteMemory* memory) : memory_(memory) {}

  void Fetch(const PythonThread& thread, const Guess& guess) {
    frames_.resize(std::min(guess.frames.size(), kMostGuessed));
    std::vector<RemotePiece> wanted = {{thread.address, thread_.data(), thread_.size()}};
    const bool cframe = guess.cframe != 0;
    if (cframe) wanted.push_back({guess.cframe, cframe_.data(), cframe_.size()});
    for (size_t i = 0; i < frames_.size(); ++i) {
      frames_[i].address = guess.frames[i];
      wanted.push_back({frames_[i].address, frames_[i].bytes.data(), frames_[i].bytes.size()});
    }
    const size_t got = memory_->ReadMany(wanted), head = cframe ? 2 : 1;
    has_thread_ = got >= 1;
    cframe_address_ = cframe && got >= 2 ? guess.cframe : 0;
    frames_.resize(std::min(frames_.size(), got > head ? got - head : 0));
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
    // Mostly in the order of the last reading.
    for (size_t tried = 0; tried < frames_.size(); ++tried) {
      const size_t i = next_ + tried < frames_.size() ? next_ + tried : next_ + tried - frames_.size();
      if (frames_[i].address != address) continue;
      next_ = i + 1 < frames_.size() ? i + 1 : 0;
      return frames_[i].bytes.data();
    }
    return memory_->Read(address, single_.data(), single_.size()) ? single_.data() : nullptr;
  }

 private:
  struct Piece {
    uint64_t address;
    std::array<char, PythonLayout::kFrameBytes> bytes;
  };
  RemoteMemory* memory_;
  std::array<char, PythonLayout::kThreadBytes> thread_;
  std::array<char, 16> cframe_;
  std::array<char, PythonLayout::kFrameBytes> single_;
  std::vector<Piece> frames_;
  bool has_thread_ = false;
  uint64_t cframe_address_ = 0;
  size_t next_ = 0;
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

// The number of the innermost of `frames`, which stand outermost first; nullopt: one of them is no code.
std::optional<uint32_t> PythonProcess::NumberOf(const std::vector<uint64_t>& codes, StackTable* table) {
  std::vector<std::array<char, PythonLayout::kCodeBytes>> bytes(codes.size());
  std::vector<RemotePiece> pieces;
  for (size_t i = 0; i < codes.size(); ++i) pieces.push_back({codes[i], bytes[i].data(), bytes[i].size()});
  if (memory_.ReadMany(pieces) != pieces.size()) return std::nullopt;
  uint32_t frame = 0;
  for (size_t i = 0; i < codes.size(); ++i) {
    const Code* code = CodeOf(codes[i], bytes[i].data(), table);
    if (code == nullptr) return std::nullopt;
    const uint32_t next = table->Frame({frame, FrameKind::kPython, code->function, code->file, code->line});
    if (next == 0) break;
    frame = next;
  }
  return frame;
}

std::optional<uint32_t> PythonProcess::ReadStack(const PythonThread& thread, StackTable* table) {
  std::vector<Frame> frames, again;
  Pieces check(&memory_);
  if (!Walk(thread, true, &frames) && !Walk(thread, false, &frames)) {
    ++torn_;
    return std::nullopt;
  }
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
  std::vector<uint64_t> codes;  // outermost first
  for (size_t i = 0; i < std::min(frames.size(), kKeptDepth); ++i) codes.push_back(frames[frames.size() - 1 - i].code);
  const auto number = NumberOf(codes, table);
  if (!number) ++torn_;
  return number;
}

}  // namespace warpscope::record::host
