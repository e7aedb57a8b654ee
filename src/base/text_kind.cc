#include "base/text_kind.h"

#include <algorithm>
#include <cstddef>

namespace warpscope {
namespace {

using std::string_view_literals::operator""sv;

struct Known {
  std::string_view begin;
  BinaryKind kind;
};
// Their first bytes: file(1)'s magic, and the formats' own documents.
constexpr Known kKnown[] = {
    {"\x7F"
     "ELF"sv,
     {"a program or library", ""}},
    {"MZ\x90\0"sv, {"a program or library of Windows", ""}},
    {"LPKSHHRH"sv, {"a journal of systemd", "print it: journalctl --file FILE -k -o short-iso-precise"}},
    {"ElfFile\0"sv, {"an event log of Windows", "print it there: wevtutil qe FILE /lf:true /f:text"}},
    {"PK\x03\x04"sv, {"a zip archive", "unpack it, and give the files in it"}},
    {"\xFD\x37zXZ\0"sv, {"compressed by xz", "unpack it: xz -dk FILE"}},
    {"\x28\xB5\x2F\xFD"sv, {"compressed by zstd", "unpack it: zstd -d FILE"}},
    {"BZh"sv, {"compressed by bzip2", "unpack it: bzip2 -dk FILE"}},
    {"7z\xBC\xAF"sv, {"a 7z archive", "unpack it, and give the files in it"}},
    {"\x89PNG"sv, {"a picture", "give the text itself: a picture of it cannot be read"}},
    {"\xFF\xD8\xFF"sv, {"a picture", "give the text itself: a picture of it cannot be read"}},
    {"%PDF-"sv, {"a PDF document", "give the text itself"}},
};
constexpr size_t kTarMagicAt = 257;  // POSIX ustar: "ustar" there

bool IsMostlyControl(std::string_view sample) {
  const auto is_control = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\x1b' && c != '\b' && c != '\f') ||
           byte == 0x7F;
  };
  constexpr size_t kShare = 20;  // one in so many
  const auto count = static_cast<size_t>(std::count_if(sample.begin(), sample.end(), is_control));
  return count * kShare > sample.size();
}

}  // namespace

BinaryKind BinaryKindOf(std::string_view bytes) {
  for (const Known& known : kKnown) {
    if (bytes.starts_with(known.begin)) return known.kind;
  }
  if (bytes.size() > kTarMagicAt + 5 && bytes.substr(kTarMagicAt, 5) == "ustar")
    return {"a tar archive", "unpack it, and give the files in it"};
  constexpr size_t kSamples = 16, kSampleBytes = 4096;
  const size_t stride = std::max(bytes.size() / kSamples, kSampleBytes);
  size_t samples = 0, odd = 0;
  for (size_t at = 0; at < bytes.size() && samples < kSamples; at += stride) {
    ++samples;
    odd += IsMostlyControl(bytes.substr(at, kSampleBytes)) ? 1 : 0;
  }
  if (odd * 2 > samples) return {"no text", ""};
  return {};
}

}  // namespace warpscope
