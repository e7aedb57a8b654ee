#include "agent/threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
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

}  // namespace

int CountApplicationThreads() {
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return 0;
  int count = 0;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    char path[320], name[32] = {};
    snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) continue;
    const ssize_t got = read(descriptor, name, sizeof(name) - 1);
    close(descriptor);
    if (got > 0 && !IsHelper(name)) ++count;
  }
  closedir(folder);
  return count;
}

}  // namespace warpscope::agent
