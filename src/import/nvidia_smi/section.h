// Section: one kind of output of nvidia-smi within a text, read line by line. The importer offers each line to the
// sections' beginnings; the one that takes it gets the lines behind it until it says that a line is none of its own.
// [one thread].
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "import/monitor/line_reader.h"
#include "import/monitor/recorder.h"

namespace warpscope::import::nvidia_smi {

using monitor::DeviceNames;
using monitor::Line;
using monitor::Recorder;
using monitor::Sample;
using monitor::Value;

// What the sections of one file share.
struct Shared {
  Recorder* recorder;
  // Fields of the last command line in the text ("$ nvidia-smi --query-gpu=a,b --format=csv,noheader"); names for a
  // table without a header.
  std::vector<std::string> asked_fields;
  std::optional<int64_t> seen_time_ns;  // a date line above a table
  std::string tool_version;             // of nvidia-smi itself
};

class Section {
 public:
  virtual ~Section() = default;
  // False: the line belongs to something else, and the section is over.
  virtual bool Take(const Line& line) = 0;
  // Writes what is still held back. Called once, at the end of the section or of the file.
  virtual void End() = 0;
};

struct SectionKind {
  std::string_view option;  // "-q": for the source's description
  // The section that begins with this line, already fed with it; null if it begins none.
  std::unique_ptr<Section> (*begin)(const Line& line, Shared& shared);
};

// In the order in which they are asked.
const std::vector<SectionKind>& SectionKinds();

namespace sections {
std::unique_ptr<Section> BeginQuery(const Line& line, Shared& shared);     // -q
std::unique_ptr<Section> BeginXml(const Line& line, Shared& shared);       // -q -x
std::unique_ptr<Section> BeginCsv(const Line& line, Shared& shared);       // --query-gpu
std::unique_ptr<Section> BeginApps(const Line& line, Shared& shared);      // --query-compute-apps and the like
std::unique_ptr<Section> BeginDmon(const Line& line, Shared& shared);      // dmon
std::unique_ptr<Section> BeginPmon(const Line& line, Shared& shared);      // pmon
std::unique_ptr<Section> BeginTable(const Line& line, Shared& shared);     // without options
std::unique_ptr<Section> BeginTopology(const Line& line, Shared& shared);  // topo -m
std::unique_ptr<Section> BeginList(const Line& line, Shared& shared);      // -L and nvlink -s
std::unique_ptr<Section> BeginVersion(const Line& line, Shared& shared);   // --version
}  // namespace sections

// Fields of a line that are separated by commas, trimmed, quotes taken away.
std::vector<std::string_view> SplitCommas(std::string_view line);
std::vector<std::string_view> SplitBlanks(std::string_view line);
// A line of a table that --query-gpu printed, by its header: at least half of the fields are known ones.
bool IsQueryHeader(std::string_view line);

}  // namespace warpscope::import::nvidia_smi
