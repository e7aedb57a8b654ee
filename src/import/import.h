// Reading files into a Trace: what the rest of the program calls.
// [one thread]; an import may use worker threads of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/trace.h"

namespace warpscope::import {

struct Options {
  unsigned threads = 0;  // workers; 0 = as many as the machine has
  bool alone = false;    // set by Load(): no other input follows, so an importer may give a finished trace
  // Called now and then from the calling thread with the share done (0..1; of compressed bytes where compressed).
  std::function<void(double done_ratio)> progress;
};

// Reads one or more inputs into one finished Trace. An input is a file, "-" (standard input), or a folder of rank
// files. A file that cannot be read costs that file (ledger: failed_file); fails only if nothing usable is left.
Result<model::Trace> Load(const std::vector<std::string>& inputs, const Options& options = {});

// The same on bytes in memory (tests, fuzzing). `name` stands for the path.
Result<model::Trace> LoadBytes(std::string_view bytes, std::string_view name, const Options& options = {});

}  // namespace warpscope::import
