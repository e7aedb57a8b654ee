#include "record/control.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "record/host/proc_files.h"

namespace warpscope::record {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

std::string PathOf(const std::string& folder) { return folder + "/" + wire::kControlName; }

wire::Control* Map(int descriptor) {
  void* memory = ::mmap(nullptr, sizeof(wire::Control), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<wire::Control*>(memory);
}

bool WriteWhole(int descriptor, const void* bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t put = ::write(descriptor, static_cast<const char*>(bytes) + done, size - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += static_cast<size_t>(put);
  }
  return true;
}

std::optional<uint64_t> StartTicks(uint32_t pid) {
  const auto text = host::ReadProc(host::ProcFolder(static_cast<int>(pid)) + "/stat");
  const auto stat = text ? host::ParseStat(*text) : std::nullopt;
  return stat ? std::optional(static_cast<uint64_t>(stat->start_ticks)) : std::nullopt;
}

}  // namespace

ControlFile::~ControlFile() {
  if (page_ != nullptr) ::munmap(page_, sizeof(wire::Control));
}
ControlFile::ControlFile(ControlFile&& other) noexcept
    : page_(std::exchange(other.page_, nullptr)), path_(std::move(other.path_)) {}
ControlFile& ControlFile::operator=(ControlFile&& other) noexcept {
  std::swap(page_, other.page_);
  std::swap(path_, other.path_);
  return *this;
}

Result<ControlFile> ControlFile::Create(const std::string& run_folder, const Settings& settings) {
  const auto page = std::make_unique<wire::Control>();
  page->collect = settings.collect;
  page->trigger = settings.trigger;
  page->delay_ns = settings.delay_ns;
  page->duration_ns = settings.duration_ns;
  page->range_skip = settings.range_skip;
  page->range_count = settings.range_count;
  page->ring_ms = settings.ring_ms;
  page->memory_limit_bytes = settings.memory_limit_bytes;
  page->max_overhead_permille = settings.max_overhead_permille;
  std::memcpy(page->range, settings.range.data(), std::min(settings.range.size(), sizeof(page->range) - 1));
  page->launcher_pid = static_cast<uint32_t>(::getpid());
  const std::string path = PathOf(run_folder);
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  ControlFile made;
  if (file.get() >= 0 && WriteWhole(file.get(), page.get(), sizeof(*page))) made.page_ = Map(file.get());
  made.path_ = path;
  if (!made.is_open())
    return Status(StatusCode::kOutput,
                  path + ": cannot be written: " + std::strerror(errno) + ". Choose another place with -o.");
  return made;
}

Result<ControlFile> ControlFile::Open(const std::string& run_folder) {
  const std::string path = PathOf(run_folder);
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0)
    return Status(errno == ENOENT || errno == ENOTDIR ? StatusCode::kNotFound : StatusCode::kIo,
                  run_folder + ": is no folder of a recorded run (" + path + ": " + std::strerror(errno) +
                      "). Name the folder that warpscope record made.");
  struct stat facts {};
  ControlFile opened;
  if (::fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode) &&
      facts.st_size == static_cast<off_t>(sizeof(wire::Control)))
    opened.page_ = Map(file.get());
  opened.path_ = path;
  if (!opened.is_open() || opened.page_->magic != wire::kControlMagic || opened.page_->version != wire::kControlVersion)
    return Status(
        StatusCode::kUnsupported,
        path + ": was written by another version of warpscope, or is damaged. Use the program that recorded the run.");
  return opened;
}

bool ControlFile::IsWhole() const {
  struct stat facts {};
  return page_ != nullptr &&
         !(::stat(path_.c_str(), &facts) == 0 && facts.st_size < static_cast<off_t>(sizeof(wire::Control)));
}

bool ControlFile::is_running() const {
  if (!IsWhole()) return false;
  const auto exists = [](uint32_t pid) {
    return pid != 0 && (::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM);
  };
  if (exists(page_->launcher_pid.load())) return true;
  const std::vector<RecordedProcess> processes = Processes();
  return std::any_of(processes.begin(), processes.end(), [](const RecordedProcess& process) { return process.alive; });
}

void ControlFile::LauncherEnded() {
  if (IsWhole()) page_->launcher_pid.store(0);
}

std::string ControlFile::Awaits() const {
  if (!IsWhole()) return "";
  const wire::Command last = wire::CommandOf(page_->command.load());
  if (last == wire::kCommandStop) return "stopped";
  if (last == wire::kCommandStart) return "recording from its first use of CUDA";
  switch (page_->trigger) {
    case wire::kTriggerRange: return "waiting for an NVTX range";
    case wire::kTriggerProfiler: return "waiting for cudaProfilerStart";
    case wire::kTriggerCommand: return "waiting for start";
    default: return "recording from its first use of CUDA";
  }
}

void ControlFile::Send(wire::Command command) {
  if (!IsWhole()) return;
  uint64_t word = page_->command.load();
  while (!page_->command.compare_exchange_weak(word, wire::NextCommand(word, command))) {
  }
}

void ControlFile::Toggle() {
  if (!IsWhole()) return;
  bool any = false, records = false;
  for (const wire::ProcessStatus& row : page_->processes) {
    const uint32_t pid = row.pid.load(), state = row.state.load();
    if (pid == 0 || state == wire::kStateEnded || (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)) continue;
    any = true;
    records = records || state == wire::kStateRecording;
  }
  const wire::Command last = wire::CommandOf(page_->command.load());
  if (!any)
    records = last == wire::kCommandStart || (last == wire::kCommandNone && page_->trigger == wire::kTriggerStart);
  Send(records ? wire::kCommandStop : wire::kCommandStart);
}

std::vector<RecordedProcess> ControlFile::Processes() const {
  std::vector<RecordedProcess> processes;
  if (!IsWhole()) return processes;
  for (const wire::ProcessStatus& row : page_->processes) {
    RecordedProcess process;
    process.pid = row.pid.load();
    if (process.pid == 0) continue;
    process.state = row.state.load();
    process.rows = row.rows.load();
    process.lost = row.lost.load();
    process.bytes = row.bytes.load();
    const auto ticks = StartTicks(process.pid);
    process.alive = ticks && *ticks == row.start_ticks.load();
    processes.push_back(process);
  }
  return processes;
}

}  // namespace warpscope::record
