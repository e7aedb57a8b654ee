#include "record/not_started.h"

#include <cerrno>
#include <cstring>
#include <optional>

#include "record/program.h"

namespace warpscope::record {
namespace {

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// What runs a script, by its first line, else by its name; "" if neither tells.
std::string InterpreterFor(const System& system, const std::string& path) {
  if (const auto words = InterpreterOf(system, path)) {
    const bool env = BaseName(words->front()) == "env" && words->size() > 1 && words->back()[0] != '-';
    return BaseName(env ? words->back() : words->front());
  }
  if (EndsWith(path, ".py")) return "python3";
  if (EndsWith(path, ".sh")) return "bash";
  return {};
}

std::string WhyForbidden(const System& system, const std::string& word, const std::string& path) {
  const auto info = system.Stat(path);
  if (info && info->is_folder) return "it is a folder. Name the program in it";
  if (!info || info->is_executable)
    return "permission denied. Check the rights of the file, of the folders above it, and that its file system is not "
           "mounted with noexec";
  const std::string interpreter = InterpreterFor(system, path);
  if (interpreter.empty()) return "it is not executable. Do: chmod +x " + word;
  return "it is not executable. Start it with its interpreter (" + interpreter + " " + word + "), or do: chmod +x " +
         word;
}

std::string WhyNotFound(const System& system, const std::string& word, const std::string& path) {
  if (path.empty() && word.find('/') == std::string::npos) {
    const auto here = system.Stat(system.WorkingFolder() + "/" + word);
    if (here && here->is_regular) return "it is in none of the folders of PATH, but in this one. Give it as ./" + word;
    return "there is no such program in the folders of PATH. Check the name, or give its path";
  }
  if (path.empty()) return "there is no such file. Check the path; it counts from " + system.WorkingFolder();
  if (const auto interpreter = InterpreterOf(system, path))
    return "its first line names " + interpreter->front() +
           ", which is not there. Install that, correct the line, or start it with its interpreter";
  return "its dynamic loader is not there: it was built for another system. Run it in its own container or environment";
}

}  // namespace

std::string WhyNotStarted(const System& system, const std::string& word, int error) {
  const std::string start = word + ": cannot be started: ";
  const std::string path = FindProgram(system, word);
  if (error == ENOENT) return start + WhyNotFound(system, word, path) + ".";
  if (error == EACCES) {
    // The search of PATH ends with this error if some file of that name may not be run.
    return start + WhyForbidden(system, word, path.empty() ? word : path) + ".";
  }
  return start + std::strerror(error) + ". Check the name and PATH.";
}

}  // namespace warpscope::record
