// Any bytes as an ELF file, as /proc/PID/maps, /proc/PID/stat and as a ring of switches: what the host sampler reads of
// other processes.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "record/host/elf_file.h"
#include "record/host/proc_files.h"
#include "record/host/python_layout.h"
#include "record/host/switch_watch.h"

namespace host = warpscope::record::host;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto elf = host::ElfFile::FromBytes(bytes)) {
    if (elf->Find({"_PyRuntime", "PyCode_Type"}).size() != 2) std::abort();
    uint64_t names = 0;
    elf->ForEachFunction([&](const host::ElfFile::Function& function) { names += function.name.size(); });
    for (const uint64_t offset : {uint64_t{0}, uint64_t{4096}, UINT64_MAX}) elf->AddressOfOffset(offset);
  }
  for (const host::Mapping& map : host::ParseMaps(bytes)) {
    if (map.end <= map.begin) std::abort();
  }
  host::ParseStat(bytes);
  host::ParseSyscall(bytes);
  host::ParseSchedStat(bytes);
  host::ParseCommandLine(bytes);
  host::LayoutFromDebugOffsets(bytes);
  std::vector<host::Switch> switches;
  host::ParseSwitches(data, size, 0, &switches);
  return 0;
}
