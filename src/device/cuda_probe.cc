#include "device/cuda_probe.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <string_view>

namespace warpscope::device {
namespace {

constexpr int kTimeoutMs = 30'000;  // a driver that is not kept loaded takes some seconds a device
constexpr size_t kMostBytes = 64u << 10;

template <typename F>
F Symbol(void* library, const char* name) {
  return reinterpret_cast<F>(::dlsym(library, name));
}

int Attribute(int (*get)(int*, int, int), int attribute, int device) {
  int value = 0;
  return get != nullptr && get(&value, attribute, device) == 0 ? value : 0;
}

// In the child: "load WORDS", "init N", "version N", "device MAJOR MINOR INTEGRATED BYTES BUS NAME". Written line by
// line, so that what came before a crash is known.
class Teller {
 public:
  explicit Teller(int pipe) : pipe_(pipe) {}
  void Line(const std::string& line) const {
    const std::string text = line + "\n";
    size_t done = 0;
    while (done < text.size()) {
      const ssize_t wrote = ::write(pipe_, text.data() + done, text.size() - done);
      if (wrote <= 0) return;
      done += static_cast<size_t>(wrote);
    }
  }

 private:
  int pipe_;
};

void Tell(const Teller& to) {
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const words = ::dlerror();
    return to.Line(std::string("load ") + (words == nullptr ? "failed" : words));
  }
  const auto init = Symbol<int (*)(unsigned)>(library, "cuInit");
  if (init == nullptr) return to.Line("load it has no cuInit: it is not the driver's library");
  to.Line("loaded");
  int result = init(0);
  int version = 0, count = 0;
  if (const auto get = Symbol<int (*)(int*)>(library, "cuDriverGetVersion"); get != nullptr && get(&version) == 0)
    to.Line("version " + std::to_string(version));
  const auto counts = Symbol<int (*)(int*)>(library, "cuDeviceGetCount");
  if (result == 0 && counts != nullptr) result = counts(&count);
  to.Line("init " + std::to_string(result));
  const auto attribute = Symbol<int (*)(int*, int, int)>(library, "cuDeviceGetAttribute");
  const auto name_of = Symbol<int (*)(char*, int, int)>(library, "cuDeviceGetName");
  const auto bus_of = Symbol<int (*)(char*, int, int)>(library, "cuDeviceGetPCIBusId");
  const auto memory_of = Symbol<int (*)(size_t*, int)>(library, "cuDeviceTotalMem_v2");
  for (int device = 0; result == 0 && device < count; ++device) {
    constexpr int kMajor = 75, kMinor = 76, kIntegrated = 18;  // enum CUdevice_attribute of cuda.h
    std::array<char, 128> name{}, bus{};
    size_t bytes = 0;
    if (name_of != nullptr) name_of(name.data(), static_cast<int>(name.size()) - 1, device);
    if (bus_of != nullptr) bus_of(bus.data(), static_cast<int>(bus.size()) - 1, device);
    if (memory_of != nullptr) memory_of(&bytes, device);
    std::string line = "device";
    for (const int number : {kMajor, kMinor, kIntegrated})
      line += " " + std::to_string(Attribute(attribute, number, device));
    line += " " + std::to_string(bytes) + " " + (bus[0] == '\0' ? "-" : bus.data()) + " " + name.data();
    to.Line(line);
  }
}

// Everything until the child closes its end; false if it took too long.
bool ReadAll(int pipe, std::string* text) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(kTimeoutMs);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd wait{pipe, POLLIN, 0};
    if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0) return false;
    std::array<char, 4096> buffer{};
    const ssize_t got = ::read(pipe, buffer.data(), buffer.size());
    if (got <= 0) return true;
    if (text->size() < kMostBytes) text->append(buffer.data(), static_cast<size_t>(got));
  }
}

std::string_view Word(std::string_view* rest) {
  const size_t end = rest->find(' ');
  const std::string_view word = rest->substr(0, end);
  rest->remove_prefix(end == std::string_view::npos ? rest->size() : end + 1);
  return word;
}

template <typename N>
N NumberOf(std::string_view text) {
  N value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

CudaAnswer ReadCudaAnswer(const std::string& text) {
  CudaAnswer answer;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view rest = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    const std::string_view key = Word(&rest);
    if (key == "load") answer.problem = rest;
    if (key == "loaded") answer.loaded = true;
    if (key == "version") answer.version = NumberOf<int>(rest);
    if (key == "init") answer.result = NumberOf<int>(rest);
    if (key != "device") continue;
    CudaDevice device;
    device.compute_major = NumberOf<int>(Word(&rest));
    device.compute_minor = NumberOf<int>(Word(&rest));
    device.integrated = NumberOf<int>(Word(&rest)) != 0;
    if (const auto bytes = NumberOf<uint64_t>(Word(&rest)); bytes > 0) device.memory_bytes = bytes;
    device.bus_id = Word(&rest);
    if (device.bus_id == "-") device.bus_id.clear();
    device.name = rest;
    answer.devices.push_back(std::move(device));
  }
  return answer;
}

CudaAnswer AskCuda() {
  CudaAnswer answer;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    answer.problem = "no pipe to a child process could be made";
    return answer;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    // What a library prints is not ours to show.
    const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) ::dup2(null, STDOUT_FILENO), ::dup2(null, STDERR_FILENO);
    Tell(Teller(ends[1]));
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  const bool in_time = child > 0 && ReadAll(ends[0], &text);
  ::close(ends[0]);
  if (child < 0) {
    answer.problem = "no child process could be started";
    return answer;
  }
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  // A child that hangs inside the driver cannot be killed: it is left behind rather than waited for.
  ::waitpid(child, &status, in_time ? 0 : WNOHANG);
  answer = ReadCudaAnswer(text);
  if (!in_time) answer.problem = "cuInit did not come back within 30 s";
  else if (WIFSIGNALED(status))
    answer.problem = "loading it or cuInit crashed (signal " + std::to_string(WTERMSIG(status)) + ")";
  return answer;
}

std::string NameOfCudaResult(int result) {
  struct Name {
    int result;
    const char* name;
  };
  constexpr std::array kNames = {
      Name{0, "CUDA_SUCCESS"},
      Name{1, "CUDA_ERROR_INVALID_VALUE"},
      Name{2, "CUDA_ERROR_OUT_OF_MEMORY"},
      Name{3, "CUDA_ERROR_NOT_INITIALIZED"},
      Name{34, "CUDA_ERROR_STUB_LIBRARY"},
      Name{46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
      Name{100, "CUDA_ERROR_NO_DEVICE"},
      Name{101, "CUDA_ERROR_INVALID_DEVICE"},
      Name{304, "CUDA_ERROR_OPERATING_SYSTEM"},
      Name{801, "CUDA_ERROR_NOT_SUPPORTED"},
      Name{802, "CUDA_ERROR_SYSTEM_NOT_READY"},
      Name{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
      Name{804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
      Name{999, "CUDA_ERROR_UNKNOWN"},
  };
  for (const Name& one : kNames) {
    if (one.result == result) return one.name;
  }
  return {};
}

}  // namespace warpscope::device
