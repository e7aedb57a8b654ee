// Attaching to an interpreter, and its list of threads; python_stack.cc reads the stacks.
#include "record/host/python_process.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "record/host/elf_file.h"

namespace warpscope::record::host {
namespace {

constexpr size_t kScanHeads = 1024, kScanThreads = 16384;  // bytes looked through where the table does not fit

// ".../libpython3.10.so.1.0", ".../python3.9" -> 10, 9.
std::optional<uint32_t> MinorInPath(std::string_view path) {
  const size_t at = path.rfind("python3.");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = path.substr(at + 8);
  uint32_t minor = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  if (error != std::errc()) return std::nullopt;
  return minor;
}

bool MayHoldPython(std::string_view path, bool executable) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return executable || name.find("python") != std::string_view::npos;
}

}  // namespace

std::optional<PythonSymbols::Found> PythonSymbols::Of(const std::string& path, const std::string& key) {
  if (const auto it = known_.find(key); it != known_.end()) return it->second;
  constexpr size_t kMostKnown = 4096;
  if (known_.size() >= kMostKnown) known_.clear();
  std::optional<Found> found;
  if (const auto elf = ElfFile::Open(path)) {
    const auto symbols = elf->Find({"_PyRuntime", "PyCode_Type", "Py_Version"});
    if (symbols[0] && symbols[1])
      found = Found{*symbols[0], *symbols[1], symbols[2].value_or(0), elf->AddressOfOffset(0).value_or(0)};
  }
  return known_[key] = found;
}

PythonProcess::Attach PythonProcess::Open(int pid, PythonSymbols* symbols, std::unique_ptr<PythonProcess>* out,
                                          std::string* why) {
  const auto text = ReadProc(ProcFolder(pid) + "/maps", size_t{8} << 20);
  if (!text || text->empty()) return Attach::kNotReady;
  const std::string program = LinkTarget(ProcFolder(pid) + "/exe");
  for (const Mapping& map : ParseMaps(*text)) {
    const bool executable = map.path == program;
    if (map.offset_bytes != 0 || map.path.empty() || !MayHoldPython(map.path, executable)) continue;
    const auto found = symbols->Of(executable ? ProcFolder(pid) + "/exe" : FileOfMapping(pid, map), map.path);
    if (!found) continue;
    std::unique_ptr<PythonProcess> process(new PythonProcess(pid));
    const uint64_t bias = map.begin - found->load_address, runtime = bias + found->runtime;
    process->code_type_ = bias + found->code_type;
    process->path_ = map.path;
    std::array<char, kDebugOffsetsBytes> head{};
    if (!process->memory_.Read(runtime, head.data(), head.size()))
      return process->memory_.refused() ? Attach::kRefused : Attach::kNotReady;
    if (const auto layout = LayoutFromDebugOffsets({head.data(), head.size()})) {
      process->layout_ = *layout;
    } else {
      uint64_t version = 0;
      std::optional<uint32_t> minor = MinorInPath(map.path);
      if (found->version != 0 && process->memory_.Get(bias + found->version, &version) && version >> 24 == 3)
        minor = static_cast<uint32_t>(version >> 16 & 0xff);
      const PythonLayout* known = minor ? KnownLayout(*minor) : nullptr;
      if (known == nullptr) {
        *why = "Python " + (minor ? "3." + std::to_string(*minor) : "of an unknown version") + " (" + map.path +
               "): frames are read of 3.8 to 3.14 with the global lock";
        return Attach::kUnsupported;
      }
      process->layout_ = *known;
    }
    if (!process->FindInterpreter(runtime)) return Attach::kNotReady;
    *out = std::move(process);
    return Attach::kDone;
  }
  return Attach::kNoPython;
}

// A thread state points back to its interpreter: nothing else is likely to.
bool PythonProcess::Verifies(uint64_t interpreter, uint32_t threads_head) {
  uint64_t thread = 0, back = 0;
  return interpreter != 0 && memory_.Get(interpreter + threads_head, &thread) && thread != 0 &&
         memory_.Get(thread + layout_.thread_interpreter, &back) && back == interpreter;
}

bool PythonProcess::FindInterpreter(uint64_t runtime) {
  if (!memory_.Get(runtime + layout_.interpreters_head, &interpreter_)) return false;
  if (Verifies(interpreter_, layout_.threads_head)) return true;
  if (interpreter_ == 0) return false;
  // A build whose fields have moved: look for a pair that verifies.
  std::array<uint64_t, kScanHeads / 8> heads{};
  if (!memory_.Read(runtime, heads.data(), kScanHeads)) return false;
  for (const uint64_t candidate : heads) {
    std::vector<uint64_t> words(kScanThreads / 8);
    if (candidate < 4096 || candidate % 8 != 0 || !memory_.Read(candidate, words.data(), kScanThreads)) continue;
    for (uint32_t at = 0; at < words.size(); ++at) {
      if (words[at] < 4096 || words[at] % 8 != 0 || !Verifies(candidate, at * 8)) continue;
      interpreter_ = candidate;
      layout_.threads_head = at * 8;
      return true;
    }
  }
  return false;
}

// Before 3.11 Python keeps the address of glibc's thread descriptor, which holds the number; where, the main thread
// tells, whose number is the process's.
int PythonProcess::NativeId(const char* thread_bytes) {
  uint64_t value = 0;
  if (layout_.native_id != 0) {
    std::memcpy(&value, thread_bytes + layout_.native_id, sizeof(value));
    return value <= INT32_MAX ? static_cast<int>(value) : 0;
  }
  std::memcpy(&value, thread_bytes + layout_.thread_id, sizeof(value));
  int tid = 0;
  if (tid_at_ != 0) return memory_.Get(value + tid_at_, &tid) ? tid : 0;
  constexpr size_t kUsual = 720, kFirst = 640, kLast = 832;  // of x86-64 since 2.4; what lies before are pointers
  std::array<int32_t, kLast / 4> words{};
  if (!memory_.Read(value, words.data(), sizeof(words))) return 0;
  if (words[kUsual / 4] == memory_.pid()) tid_at_ = kUsual;
  for (size_t at = kFirst; at < kLast && tid_at_ == 0; at += 4) {
    if (words[at / 4] == memory_.pid()) tid_at_ = static_cast<uint32_t>(at);
  }
  return tid_at_ == 0 ? 0 : words[tid_at_ / 4];
}

bool PythonProcess::ReadThreads(std::vector<PythonThread>* out) {
  out->clear();
  uint64_t address = 0;
  if (!memory_.Get(interpreter_ + layout_.threads_head, &address)) return false;
  std::vector<PythonThread> nameless;
  for (size_t count = 0; address != 0 && count < kMostThreads; ++count) {
    std::array<char, PythonLayout::kThreadBytes> bytes{};
    uint64_t back = 0, next = 0;
    if (!memory_.Read(address, bytes.data(), bytes.size())) return false;
    std::memcpy(&back, bytes.data() + layout_.thread_interpreter, sizeof(back));
    if (back != interpreter_) return false;  // the list changed under us
    const int tid = NativeId(bytes.data());
    (tid > 0 ? *out : nameless).push_back({address, tid});
    std::memcpy(&next, bytes.data() + layout_.thread_next, sizeof(next));
    address = next;
  }
  // New threads stand first, the main thread last: it may have told only now where numbers lie.
  for (PythonThread& thread : nameless) {
    std::array<char, PythonLayout::kThreadBytes> bytes{};
    if (!memory_.Read(thread.address, bytes.data(), bytes.size())) continue;
    thread.tid = NativeId(bytes.data());
    if (thread.tid > 0) out->push_back(thread);
  }
  const auto gone = [&](const auto& item) {
    return std::none_of(out->begin(), out->end(), [&](const PythonThread& t) { return t.address == item.first; });
  };
  std::erase_if(guesses_, gone);
  std::erase_if(known_, gone);
  return true;
}

void PythonProcess::SetSearchFolders(std::vector<std::string> folders) {
  for (std::string& folder : folders) {
    if (folder.empty() || folder.back() != '/') folder += '/';
  }
  std::erase_if(folders, [](const std::string& folder) { return folder.size() < 2; });
  std::sort(folders.begin(), folders.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  folders_ = std::move(folders);
}

std::string PythonProcess::ShownPath(std::string_view path) const {
  for (const std::string_view part : {"/site-packages/", "/dist-packages/"}) {
    if (const size_t at = path.rfind(part); at != std::string_view::npos)
      return std::string(path.substr(at + part.size()));
  }
  for (const std::string_view part : {"/lib/python3.", "/lib64/python3."}) {
    const size_t at = path.find(part);
    const size_t end = at == std::string_view::npos ? at : path.find('/', at + part.size());
    if (end != std::string_view::npos) return std::string(path.substr(end + 1));
  }
  for (const std::string& folder : folders_) {
    if (path.substr(0, folder.size()) == folder) return std::string(path.substr(folder.size()));
  }
  return std::string(path);
}

std::vector<std::string> SearchFolders(const std::vector<std::string>& command, const std::string& working_folder) {
  std::vector<std::string> folders = {working_folder};
  for (size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word == "-m" || word == "-c" || word == "-") break;
    if (word == "-X" || word == "-W") {
      ++i;
      continue;
    }
    if (word.empty() || word.front() == '-') continue;
    const std::string script = word.front() == '/' ? word : working_folder + "/" + word;
    folders.push_back(script.substr(0, script.rfind('/')));
    break;
  }
  return folders;
}

}  // namespace warpscope::record::host
