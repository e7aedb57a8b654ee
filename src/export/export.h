// Exporter: writes a finished trace in another tool's format. exporters.def lists them, one file each.
// [one thread]
// What a format cannot carry is named in Written::left_out, never silently dropped; what it can carry reads back as the
// same events.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/trace.h"

// "export" is a word of the language, hence the namespace's name.
namespace warpscope::exporting {

struct Options {
  std::function<void(double done_ratio)> progress;  // 0..1; null where nobody watches
  std::string place;                                // as the user named it: ".gz" at its end packs a text
  enum class FoldBy : uint8_t { kDevice, kHost } fold_by = FoldBy::kDevice;  // what a stack's number counts
};

struct Written {
  uint64_t event_count = 0;           // timed rows: spans, device work, marks, samples
  std::vector<std::string> left_out;  // one sentence each: what of this trace the format has no place for
};

enum class Layout : uint8_t {
  kText,    // one file that may also go to a pipe
  kBinary,  // one file
  kFolder,  // several files in a folder
};

struct Exporter {
  std::string_view id;      // the word behind --to
  std::string_view title;   // for people
  std::string_view suffix;  // of the output's name: ".sqlite"
  Layout layout = Layout::kBinary;
  // Endings of the files that a folder of this format holds, separated by '|': a folder with anything else is never
  // replaced. "" for other layouts.
  std::string_view folder_endings = {};
  // Writes to `path`, which does not exist yet (for kFolder: is an empty folder); its place was chosen by the caller,
  // who also removes what a failure leaves behind. Messages name `path`.
  Result<Written> (*write)(const model::Trace& trace, const std::string& path, const Options& options) = nullptr;
};

// Sorted by id.
std::span<const Exporter* const> Exporters();
const Exporter* FindExporter(std::string_view id);

}  // namespace warpscope::exporting
