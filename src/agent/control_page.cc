#include "agent/control_page.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <initializer_list>

#include "wire/clock.h"

namespace warpscope::agent {
namespace {

// Field 22 of /proc/self/stat: with the pid it names the process for good. The name in field 2 may hold brackets and
// blanks, so fields are counted from the last bracket.
uint64_t OwnStartTicks() {
  char text[1024];
  const int descriptor = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  const ssize_t got = read(descriptor, text, sizeof(text) - 1);
  close(descriptor);
  if (got <= 0) return 0;
  text[got] = '\0';
  const char* at = strrchr(text, ')');
  for (int field = 2; field < 22 && at != nullptr; ++field) at = strchr(at + 1, ' ');
  return at == nullptr ? 0 : strtoull(at + 1, nullptr, 10);
}

bool IsFree(uint32_t pid, uint32_t state, uint32_t own) {
  if (pid == 0 || pid == own) return true;  // its own: of the program before exec
  return state == wire::kStateEnded || (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH);
}

}  // namespace

void ControlPage::Open(const char* run_folder) {
  char path[4200];
  snprintf(path, sizeof(path), "%s/%s", run_folder, wire::kControlName);
  bool writable = true;
  int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) {
    writable = false;
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  }
  if (descriptor < 0) return;
  struct stat facts {};
  void* memory = MAP_FAILED;
  if (fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
      facts.st_size == static_cast<off_t>(sizeof(wire::Control)))
    memory =
        mmap(nullptr, sizeof(wire::Control), writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (memory == MAP_FAILED) return;
  auto* page = static_cast<wire::Control*>(memory);
  if (page->magic != wire::kControlMagic || page->version != wire::kControlVersion) {
    munmap(memory, sizeof(wire::Control));
    return;
  }
  page_ = page;
  memcpy(path_, path, sizeof(path_));
  if (writable) TakeRow();
}

// Somebody who cuts the file under the mapping must not end the program with SIGBUS.
bool ControlPage::IsWhole() {
  if (page_ == nullptr) return false;
  struct stat facts {};
  if (stat(path_, &facts) == 0 && facts.st_size < static_cast<off_t>(sizeof(wire::Control))) {
    page_ = nullptr;
    row_ = nullptr;
  }
  return page_ != nullptr;
}

uint64_t ControlPage::command() {
  if (IsWhole()) last_command_ = page_->command.load(std::memory_order_relaxed);
  return last_command_;
}

void ControlPage::ReadSettings(wire::Control* settings) const {
  if (page_ == nullptr) return;
  settings->collect = page_->collect;
  settings->trigger = page_->trigger;
  settings->delay_ns = page_->delay_ns;
  settings->duration_ns = page_->duration_ns;
  settings->range_skip = page_->range_skip;
  settings->range_count = page_->range_count;
  settings->ring_ms = page_->ring_ms;
  settings->max_overhead_permille = page_->max_overhead_permille;
  settings->memory_limit_bytes = page_->memory_limit_bytes;
  memcpy(settings->range, page_->range, sizeof(settings->range));
  settings->range[sizeof(settings->range) - 1] = '\0';
}

void ControlPage::TakeRow() {
  const auto own = static_cast<uint32_t>(getpid());
  for (const bool free_only : {true, false}) {  // rows of ended processes only when there is no other
    for (wire::ProcessStatus& row : page_->processes) {
      uint32_t pid = row.pid.load();
      if (free_only ? pid != 0 && pid != own : !IsFree(pid, row.state.load(), own)) continue;
      if (!row.pid.compare_exchange_strong(pid, own)) continue;
      row.start_ticks.store(OwnStartTicks());
      row_ = &row;
      Report(wire::kStateWaiting, 0, 0, 0);
      return;
    }
  }
}

void ControlPage::Report(uint32_t state, uint64_t rows, uint64_t lost, uint64_t bytes) {
  if (row_ == nullptr || !IsWhole()) return;
  row_->state.store(state, std::memory_order_relaxed);
  row_->rows.store(rows, std::memory_order_relaxed);
  row_->lost.store(lost, std::memory_order_relaxed);
  row_->bytes.store(bytes, std::memory_order_relaxed);
  row_->seen_ns.store(wire::NowNs(), std::memory_order_relaxed);
}

}  // namespace warpscope::agent
