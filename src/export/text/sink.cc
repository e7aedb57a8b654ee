#include "export/text/sink.h"

#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace warpscope::exporting {

struct Sink::Packer {
  isal_zstream stream;
  std::vector<uint8_t> level_room = std::vector<uint8_t>(ISAL_DEF_LVL1_DEFAULT);
  std::vector<uint8_t> out = std::vector<uint8_t>(size_t{1} << 18);
};

Sink::Sink(const std::string& path, bool packed) : path_(path), buffer_(kRoom) {
  // Opened anew, what a shell appends to would be cut, and written over by whoever writes next.
  file_ = path == "/dev/stdout" ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                                : ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) {
    status_ = Status(StatusCode::kOutput, path + ": cannot be written: " + std::generic_category().message(errno) +
                                              ". Give another place with -o.");
  }
  if (!packed) return;
  packer_ = std::make_unique<Packer>();
  isal_deflate_init(&packer_->stream);
  packer_->stream.level = 1;
  packer_->stream.level_buf = packer_->level_room.data();
  packer_->stream.level_buf_size = static_cast<uint32_t>(packer_->level_room.size());
  packer_->stream.gzip_flag = IGZIP_GZIP;
}

Sink::~Sink() {
  if (file_ >= 0) ::close(file_);
}

void Sink::AddLong(std::string_view text) {
  while (!text.empty()) {
    if (used_ == kRoom) Flush();
    const size_t size = std::min(text.size(), kRoom - used_);
    std::memcpy(buffer_.data() + used_, text.data(), size);
    used_ += size;
    text.remove_prefix(size);
  }
}

void Sink::Flush() {
  if (packer_ != nullptr) {
    Pack(false);
  } else {
    Write(buffer_.data(), used_);
  }
  used_ = 0;
}

void Sink::Pack(bool last) {
  isal_zstream& stream = packer_->stream;
  stream.next_in = reinterpret_cast<uint8_t*>(buffer_.data());
  stream.avail_in = static_cast<uint32_t>(used_);
  stream.end_of_stream = last ? 1 : 0;
  do {
    stream.next_out = packer_->out.data();
    stream.avail_out = static_cast<uint32_t>(packer_->out.size());
    if (isal_deflate(&stream) != COMP_OK) {
      status_ = Status(StatusCode::kOutput, path_ + ": the text cannot be packed. Write without .gz.");
      return;
    }
    Write(reinterpret_cast<const char*>(packer_->out.data()), packer_->out.size() - stream.avail_out);
  } while (stream.avail_out == 0 || (last && stream.internal_state.state != ZSTATE_END));
}

void Sink::Write(const char* data, size_t size) {
  while (size > 0 && status_.ok()) {
    const ssize_t done = ::write(file_, data, size);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      status_ = Status(StatusCode::kOutput, path_ + ": writing failed: " + std::generic_category().message(errno) +
                                                ". Free some room or give another place with -o.");
      return;
    }
    data += done;
    size -= static_cast<size_t>(done);
  }
}

Status Sink::Close() {
  if (packer_ != nullptr) {
    Pack(true);
  } else {
    Write(buffer_.data(), used_);
  }
  used_ = 0;
  if (file_ >= 0 && ::close(file_) != 0 && status_.ok() && errno != EINTR) {
    status_ = Status(StatusCode::kOutput, path_ + ": closing failed: " + std::generic_category().message(errno) +
                                              ". Free some room or give another place with -o.");
  }
  file_ = -1;
  return status_;
}

namespace {

// Length of the UTF-8 sequence that begins here; 0 if none does (Unicode 15, table 3-7).
size_t Utf8Length(std::string_view text) {
  const auto at = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto in = [&](size_t i, unsigned low, unsigned high) { return at(i) >= low && at(i) <= high; };
  const unsigned first = at(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return in(1, 0x80, 0xBF) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80, high = first == 0xED ? 0x9F : 0xBF;
    return in(1, low, high) && in(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80, high = first == 0xF4 ? 0x8F : 0xBF;
    return in(1, low, high) && in(2, 0x80, 0xBF) && in(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

}  // namespace

void AppendJsonText(std::string_view text, std::string* to) {
  constexpr char kHex[] = "0123456789abcdef";
  to->push_back('"');
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x80) {
      const size_t size = Utf8Length(text.substr(i));
      to->append(size == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(i, size));
      i += size == 0 ? 1 : size;
      continue;
    }
    ++i;
    if (c == '"' || c == '\\') {
      to->push_back('\\');
      to->push_back(static_cast<char>(c));
    } else if (c == '\n') {
      to->append("\\n");
    } else if (c == '\t') {
      to->append("\\t");
    } else if (c < 0x20 || c == 0x7F) {
      to->append("\\u00");
      to->push_back(kHex[c >> 4]);
      to->push_back(kHex[c & 15]);
    } else {
      to->push_back(static_cast<char>(c));
    }
  }
  to->push_back('"');
}

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t size = static_cast<unsigned char>(text[i]) < 0x80 ? 1 : Utf8Length(text.substr(i));
    if (size == 0) return false;
    i += size;
  }
  return true;
}

}  // namespace warpscope::exporting
