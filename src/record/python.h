// The Python that a program would run in, and what is installed in it, found without starting it: by PATH, "#!" lines,
// pyvenv.cfg, PYTHONPATH and the names of *.dist-info folders. [one thread]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/system.h"

namespace warpscope::record {

struct Python {
  std::string interpreter;           // as it is found
  std::string version;               // "3.12"; "" if unknown
  std::string prefix;                // of the environment
  std::vector<std::string> folders;  // searched for packages, in Python's order
};

// `program`: the words of the command; empty: the Python that a shell would start here. Absent for programs that run no
// Python as far as their words and "#!" lines tell.
std::optional<Python> FindPython(const System& system, const std::vector<std::string>& program);

struct Package {
  std::string name;  // in small letters, with "-": "torch", "nvidia-nccl-cu12"
  std::string version;
  std::string folder;
};
// Packages that matter to GPU work, sorted by name; of one that is there twice the one that Python takes.
std::vector<Package> PackagesOf(const System& system, const Python& python);

// The CUDA version that PyTorch in these folders was built for ("13.0"); "" if it is not there or built for none.
std::string TorchCudaVersion(const System& system, const Python& python);

}  // namespace warpscope::record
