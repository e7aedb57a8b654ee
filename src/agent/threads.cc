#include "agent/threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <initializer_list>

namespace warpscope::agent {
namespace {

bool IsHelper(const char* name) {
  // Threads that the driver and CUPTI name so, and ours.
  for (const char* start : {"cuda", "cupti", "warpscope"}) {
    if (strncmp(name, start, strlen(start)) == 0) return true;
  }
  return false;
}

// The beginning of /proc/self/task/TID/FILE as text; false if it cannot be read.
bool ReadOf(const char* tid, const char* file, char* text, size_t size) {
  char path[320];
  snprintf(path, sizeof(path), "/proc/self/task/%s/%s", tid, file);
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const ssize_t got = read(descriptor, text, size - 1);
  close(descriptor);
  text[got > 0 ? got : 0] = '\0';
  return got > 0;
}

// CPU time of a thread: the first number of schedstat (proc(5)). 0 where the kernel does not count it.
unsigned long long CpuNs(const char* tid) {
  char text[96];
  return ReadOf(tid, "schedstat", text, sizeof(text)) ? strtoull(text, nullptr, 10) : 0;
}

}  // namespace

Threads LookAtThreads() {
  constexpr unsigned long long kLittleNs = 50'000'000;  // a thread that launches has used as much within a second
  Threads seen;
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return seen;
  char main_thread[16];
  snprintf(main_thread, sizeof(main_thread), "%d", static_cast<int>(getpid()));
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    char name[32];
    if (!ReadOf(entry->d_name, "comm", name, sizeof(name)) || IsHelper(name)) continue;
    ++seen.count;
    if (!seen.others_work && strcmp(entry->d_name, main_thread) != 0)
      seen.others_work = CpuNs(entry->d_name) > kLittleNs;
  }
  closedir(folder);
  return seen;
}

}  // namespace warpscope::agent
