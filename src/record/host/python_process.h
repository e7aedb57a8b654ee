// PythonProcess: the Python stacks of another process, read from its memory while it runs.
// [one thread]
//
// A stack is read innermost frame first, following pointers. What the program does meanwhile can tear it: so every code
// object must be one (its type is PyCode_Type, its texts are texts), and the innermost frame is read again at the end.
// If it is another by then, the stack is read once more and only the outer frames that both readings agree on are told;
// if there are none, the sample is dropped and counted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "record/host/proc_files.h"
#include "record/host/python_layout.h"
#include "record/host/remote_memory.h"
#include "record/host/stack_table.h"

namespace warpscope::record::host {

// Where an executable or library has what a reader of Python needs; kept by path, since many processes share them.
class PythonSymbols {
 public:
  struct Found {
    uint64_t runtime = 0, code_type = 0, version = 0;  // in the file's addresses; 0: not there
    uint64_t load_address = 0;                         // of the file's first byte
  };
  // nullopt: no Python in that file.
  std::optional<Found> Of(const std::string& path, const std::string& key);

 private:
  std::unordered_map<std::string, std::optional<Found>> known_;
};

struct PythonThread {
  uint64_t address = 0;  // of its PyThreadState
  int tid = 0;
};

class PythonProcess {
 public:
  enum class Attach { kDone, kNoPython, kNotReady, kRefused, kUnsupported };
  // kNotReady: Python has not started yet. `why` is filled for kUnsupported.
  static Attach Open(int pid, PythonSymbols* symbols, std::unique_ptr<PythonProcess>* out, std::string* why);

  // All threads that Python knows; false if the memory cannot be read now.
  bool ReadThreads(std::vector<PythonThread>* out);

  // The number of the thread's innermost frame; 0: it runs no Python code. nullopt: torn, or the thread is gone.
  std::optional<uint32_t> ReadStack(const PythonThread& thread, StackTable* table);

  uint64_t torn() const { return torn_; }
  uint32_t minor() const { return layout_.minor; }
  const std::string& interpreter_path() const { return path_; }  // of the file that holds the interpreter
  // Paths of frames are told relative to these folders, as the interpreter would import them.
  void SetSearchFolders(std::vector<std::string> folders);
  std::string ShownPath(std::string_view path) const;

 private:
  static constexpr size_t kMostDepth = 1024, kKeptDepth = 128, kMostThreads = 4096;

  struct Code {
    uint64_t file_pointer = 0, name_pointer = 0;
    uint32_t line = 0;
    uint32_t function = 0, file = 0;  // texts
  };
  struct Frame {
    uint64_t address, code;
    bool operator==(const Frame&) const = default;
  };
  // What one thread's stack looked like before: the same pieces are likely wanted again.
  struct Guess {
    std::vector<uint64_t> frames;
    uint64_t cframe = 0;
  };
  // Its last stack, outermost first, and the number of each frame.
  struct Known {
    std::vector<Frame> frames;
    std::vector<uint32_t> numbers;
    unsigned readings = 0;
  };
  class Pieces;

  explicit PythonProcess(int pid) : memory_(pid) {}
  bool FindInterpreter(uint64_t runtime);
  bool Verifies(uint64_t interpreter, uint32_t threads_head);
  std::optional<uint64_t> InnermostFrame(const PythonThread& thread, Pieces* pieces);
  bool Walk(const PythonThread& thread, bool guess, std::vector<Frame>* out);
  const Code* CodeOf(uint64_t address, const char* bytes, StackTable* table);
  std::optional<uint32_t> NumberOf(const PythonThread& thread, const std::vector<Frame>& frames, StackTable* table);
  bool ReadText(uint64_t address, std::string* text);
  int NativeId(const char* thread_bytes);

  RemoteMemory memory_;
  std::string path_;
  PythonLayout layout_;
  uint64_t interpreter_ = 0, code_type_ = 0;
  uint32_t tid_at_ = 0;  // before 3.11: where glibc's thread descriptor holds the thread's number
  std::unordered_map<uint64_t, Code> codes_;
  std::unordered_map<uint64_t, Guess> guesses_;  // by thread address
  std::unordered_map<uint64_t, Known> known_;    // the same
  std::vector<std::string> folders_;             // each with a slash at its end, longest first
  uint64_t torn_ = 0;
};

// Where the interpreter of that command line looks first: the folder of its script, or its working directory.
std::vector<std::string> SearchFolders(const std::vector<std::string>& command, const std::string& working_folder);

}  // namespace warpscope::record::host
