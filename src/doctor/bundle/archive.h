// A tar.gz in memory. [MT] Pure: the same files give the same bytes (no times, no owners).
#pragma once

#include <string>
#include <vector>

namespace warpscope::doctor {

struct ArchiveFile {
  std::string name;  // "logs/dmesg.txt": at most 99 bytes, no "..", no "/" in front
  std::string text;
};

// POSIX ustar (IEEE Std 1003.1) within gzip (RFC 1952).
std::string MakeTarGz(const std::vector<ArchiveFile>& files);

}  // namespace warpscope::doctor
