#include "agent/counters/replay_images.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <initializer_list>

#include "wire/counter_plan.h"

namespace warpscope::agent {
namespace {

struct Header {  // of an image's file
  uint64_t launch;
  uint64_t bytes;
};

uint64_t Hash(const void* bytes, size_t size, uint64_t hash = 14695981039346656037ULL) {  // FNV-1a
  const auto* at = static_cast<const uint8_t*>(bytes);
  for (size_t i = 0; i < size; ++i) hash = (hash ^ at[i]) * 1099511628211ULL;
  return hash;
}

uint64_t HashOf(const char* name, const LaunchCall& call) {
  uint64_t hash = Hash(name, strlen(name));
  hash = Hash(call.grid, sizeof(call.grid), hash);
  hash = Hash(call.block, sizeof(call.block), hash);
  return Hash(&call.dynamic_shared, sizeof(call.dynamic_shared), hash);
}

bool ReadAll(int file, void* bytes, size_t size) {
  auto* at = static_cast<uint8_t*>(bytes);
  while (size > 0) {
    const ssize_t got = read(file, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got, size -= static_cast<size_t>(got);
  }
  return true;
}
bool WriteAll(int file, const void* bytes, size_t size) {
  const auto* at = static_cast<const uint8_t*>(bytes);
  while (size > 0) {
    const ssize_t put = write(file, at, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put, size -= static_cast<size_t>(put);
  }
  return true;
}

// Its command line, and its rank where a launcher of ranks tells it.
uint64_t HashOfProcess() {
  uint64_t hash = Hash("", 0);
  char part[4096];
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    const ssize_t got = read(file, part, sizeof(part));
    if (got > 0) hash = Hash(part, static_cast<size_t>(got), hash);
    close(file);
  }
  for (const char* variable : {"RANK", "LOCAL_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "PMI_RANK"}) {
    const char* value = getenv(variable);
    if (value != nullptr) hash = Hash(value, strlen(value) + 1, hash);
  }
  return hash;
}

}  // namespace

bool ReplayImages::Init(const char* run_folder, uint32_t turn, uint32_t pass) {
  if (snprintf(run_folder_, sizeof(run_folder_), "%s", run_folder) >= static_cast<int>(sizeof(run_folder_)))
    return false;
  char path[4300];
  snprintf(path, sizeof(path), "%s/%s", run_folder_, wire::kCounterImagesFolder);
  if (mkdir(path, 0777) != 0 && errno != EEXIST) return false;
  process_ = HashOfProcess();
  constexpr uint32_t kMostAlike = 64;
  for (number_ = 0; number_ < kMostAlike; ++number_) {
    snprintf(path, sizeof(path), "%s/%s/%016llx-%u.run-%u-%u", run_folder_, wire::kCounterImagesFolder,
             static_cast<unsigned long long>(process_), number_, turn, pass);
    const int claim = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (claim >= 0) {
      close(claim);
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

void ReplayImages::PathOf(uint64_t ordinal, char* path, size_t size) const {
  snprintf(path, size, "%s/%s/%016llx-%u.launch-%llu", run_folder_, wire::kCounterImagesFolder,
           static_cast<unsigned long long>(process_), number_, static_cast<unsigned long long>(ordinal));
}

bool ReplayImages::Load(uint64_t ordinal, const char* name, const LaunchCall& call, uint8_t* image, size_t bytes,
                        char* reason, size_t reason_size) const {
  char path[4300];
  PathOf(ordinal, path, sizeof(path));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  Header header{};
  const bool is_same = file >= 0 && ReadAll(file, &header, sizeof(header)) && header.launch == HashOf(name, call) &&
                       header.bytes == bytes;
  const bool whole = is_same && ReadAll(file, image, bytes);
  if (file >= 0) close(file);
  if (!whole)
    snprintf(
        reason, reason_size,
        "launch %llu of the process is another one than in the run before: application replay needs a program that "
        "launches the same in every run",
        static_cast<unsigned long long>(ordinal));
  return whole;
}

bool ReplayImages::Save(uint64_t ordinal, const char* name, const LaunchCall& call, const uint8_t* image,
                        size_t bytes) const {
  char path[4300];
  PathOf(ordinal, path, sizeof(path));
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return false;
  const Header header = {HashOf(name, call), bytes};
  const bool whole = WriteAll(file, &header, sizeof(header)) && WriteAll(file, image, bytes);
  close(file);
  if (!whole) unlink(path);
  return whole;
}

void ReplayImages::TellPasses(uint32_t passes) const { TellNumber("passes", passes); }
void ReplayImages::TellLaunches(uint64_t launches) const { TellNumber("launches", launches); }

void ReplayImages::TellKept() const { TellNumber("kept", 1); }

void ReplayImages::TellNumber(const char* name, uint64_t number) const {
  char path[4300], text[24];
  snprintf(path, sizeof(path), "%s/%s/%s", run_folder_, wire::kCounterImagesFolder, name);
  // Of several processes the largest holds.
  if (const int before = open(path, O_RDONLY | O_CLOEXEC); before >= 0) {
    const ssize_t got = read(before, text, sizeof(text) - 1);
    close(before);
    text[got > 0 ? got : 0] = '\0';
    if (strtoull(text, nullptr, 10) >= number) return;
  }
  const int size = snprintf(text, sizeof(text), "%llu\n", static_cast<unsigned long long>(number));
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  WriteAll(file, text, static_cast<size_t>(size));
  close(file);
}

}  // namespace warpscope::agent
