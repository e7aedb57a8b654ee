#include "doctor/bundle/archive.h"

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <cstdint>
#include <cstring>
#include <memory>

namespace warpscope::doctor {
namespace {

constexpr size_t kBlock = 512;

std::string Header(const std::string& name, size_t size) {
  std::string block(kBlock, '\0');
  const auto put = [&](size_t at, const std::string& text) { block.replace(at, text.size(), text); };
  put(0, name.substr(0, 99));
  put(100, "0000644"), put(108, "0000000"), put(116, "0000000");
  put(124, fmt::format("{:011o}", size));
  put(136, "00000000000");  // no time: the same content gives the same bytes
  put(148, "        ");     // the sum counts its own field as blanks
  put(156, "0");
  put(257, "ustar");
  put(263, "00");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum));
  block[154] = '\0';
  return block;
}

std::string Gzip(std::string& bytes) {
  const auto stream = std::make_unique<isal_zstream>();
  isal_deflate_init(stream.get());
  stream->gzip_flag = IGZIP_GZIP;
  stream->end_of_stream = 1;
  stream->flush = NO_FLUSH;
  stream->next_in = reinterpret_cast<uint8_t*>(bytes.data());
  stream->avail_in = static_cast<uint32_t>(bytes.size());
  std::string out, part(1u << 16, '\0');
  do {
    stream->next_out = reinterpret_cast<uint8_t*>(part.data());
    stream->avail_out = static_cast<uint32_t>(part.size());
    if (isal_deflate(stream.get()) != COMP_OK) break;
    out.append(part, 0, part.size() - stream->avail_out);
  } while (stream->avail_out == 0);
  return out;
}

}  // namespace

std::string MakeTarGz(const std::vector<ArchiveFile>& files) {
  std::string tar;
  for (const ArchiveFile& file : files) {
    tar += Header(file.name, file.text.size());
    tar += file.text;
    tar.append((kBlock - file.text.size() % kBlock) % kBlock, '\0');
  }
  tar.append(2 * kBlock, '\0');
  return Gzip(tar);
}

}  // namespace warpscope::doctor
