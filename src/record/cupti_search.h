// Which libcupti a recorded program will use, predicted from here: the order is that of the library inside the program
// (src/agent/cupti_loader.h, src/wire/cupti_names.h). [one thread]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/loader_search.h"
#include "record/python.h"
#include "record/system.h"

namespace warpscope::record {

struct CuptiSearch {
  std::optional<FoundLibrary> chosen;    // absent: none would be found
  std::optional<unsigned> chosen_major;  // of CUDA that it belongs to
  std::vector<FoundLibrary> candidates;  // all that lie on the way, the chosen one among them
};

// `driver_major`: of the newest CUDA that the driver offers, 0 if unknown. `python`: of the program, may be absent. A
// framework of Python loads the libcupti of its own package when it is imported, which is before CUDA starts.
CuptiSearch SearchCupti(const System& system, const std::optional<Python>& python, unsigned driver_major);

// libraries of NVIDIA's Python packages whose name begins with `start` ("libcupti.so").
std::vector<FoundLibrary> PackagedLibraries(const System& system, const Python& python, const std::string& start);

struct Toolkit {
  std::string folder, version;  // "13.0.1"; the folder's own words where no file tells it
};
// CUDA toolkits: CUDA_HOME, CUDA_PATH, that of nvcc in PATH, /usr/local/cuda*; each once, sorted by folder.
std::vector<Toolkit> FindToolkits(const System& system);

}  // namespace warpscope::record
