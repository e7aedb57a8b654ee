// Machine: what is known of one machine from its PCI bus to its frameworks and of the state of its devices. Filled by
// probing the machine that runs (probe/) or from files that were taken on another (read/), so that both are judged by
// the same checks. Absent means that nobody told, never "no". [MT] Values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "device/cuda_probe.h"
#include "explain/explain.h"
#include "faults/report.h"
#include "model/reading_names.h"

namespace warpscope::doctor {

using faults::Vendor;
using model::ReadingName;

// How a PCIe link runs and could run. The slot's own limits stand apart from the device's.
struct PcieLink {
  std::optional<double> gt_per_s, gt_per_s_max, slot_gt_per_s_max;  // 2.5 is generation 1, 32 is 5
  std::optional<unsigned> width, width_max, slot_width_max;         // lanes
};

struct PciDevice {
  std::string address;  // "0000:3b:00.0"
  Vendor vendor = Vendor::kAny;
  std::string name;     // "" if the list does not tell
  bool is_gpu = false;  // or another accelerator; graphics of server management are none
  bool is_nvswitch = false;
  bool is_gone = false;               // answers reads with ones only
  std::optional<std::string> driver;  // in use; "" for none
  PcieLink link;
};

struct DeviceNode {
  std::string path;
  bool readable = true, writable = true;
  // "Operation not permitted" though the mode would allow it: a control group of the container forbids the device.
  bool is_forbidden = false;
};

enum class FileState : uint8_t { kWhole, kBrokenLink, kNotElf, kTooShort, kOtherProcessor };

struct Library {
  std::string name;        // what is asked for: "libcuda.so.1", or what a list calls it
  std::string path;        // as it would be opened
  std::string place;       // "LD_LIBRARY_PATH", "loader cache" ...
  std::string version;     // of its file's name or package: "580.159.04"; "" if unknown
  bool is_chosen = false;  // this one is loaded
  FileState state = FileState::kWhole;
};

enum class Build : uint8_t { kUnknown, kCpu, kCuda, kRocm, kXpu, kNpu };

struct Framework {
  std::string id, title;  // "torch", "PyTorch"
  std::string version;    // "2.11.0+cu130"
  Build build = Build::kUnknown;
  std::string cuda, cudnn;           // that it was built for: "13.0"
  std::vector<std::string> archs;    // that its kernels were compiled for: "sm_90", "compute_90"
  std::optional<int> least, most;    // compute capabilities that it says it supports: 50, 90
  std::optional<bool> is_available;  // what the framework itself said
  std::string folder, package;       // where it was found; the package to install in place of a CPU build
};

struct Value {
  std::optional<double> number;
  std::string text;
  bool is_absent_word = false;  // the tool said that it has no value
  bool is_impossible = false;   // it said one that no device can have
};

// All readings of one device at one moment.
struct Look {
  std::optional<int64_t> time_ns;
  std::map<ReadingName, Value> values;

  std::optional<double> Number(ReadingName reading) const;
  std::string Text(ReadingName reading) const;
  bool Is(ReadingName reading) const { return Number(reading).value_or(0) != 0; }
};

struct Process {
  uint64_t pid = 0;  // 0: not told
  std::string name;
  std::optional<uint64_t> bytes;
  std::optional<bool> is_seen;  // in /proc here
  char state = 0;               // 'D', 'Z' ...; 0: unknown
};

// What the vendor's own tool calls unhealthy.
struct Complaint {
  enum class Grade : uint8_t { kMinor, kMajor, kCritical } grade = Grade::kMinor;
  std::string words;  // "npu-smi tells the health Alarm"
};

struct Gpu {
  std::optional<unsigned> index;  // as its management tool counts
  Vendor vendor = Vendor::kNvidia;
  std::string name, uuid;
  std::string address;  // "0000:3b:00.0"; "" if not told
  std::optional<int> compute_major, compute_minor;
  bool is_integrated = false;
  bool is_part = false;     // an instance of a split device (MIG)
  bool is_lost = false;     // its tool lists it and cannot read it
  std::vector<Look> looks;  // in order; at most kMostLooks
  std::vector<Complaint> complaints;
  // Holding a context; absent if nobody listed any.
  std::optional<std::vector<Process>> processes;

  static constexpr size_t kMostLooks = 20000;
  std::string Label() const;  // "GPU 0 NVIDIA H200"
  // Of the last look that has it.
  std::optional<double> Number(ReadingName reading) const;
  std::string Text(ReadingName reading) const;
  bool Is(ReadingName reading) const { return Number(reading).value_or(0) != 0; }
};

// What the management library or its tool answered.
struct Management {
  bool works = false;
  std::string words;        // its error; "" if it works
  bool is_missing = false;  // there is no such library or tool
};

struct Service {
  bool is_running = false;
  std::string version, words;  // "" if unknown; of its state
};

struct NetworkPort {
  std::string adapter;
  unsigned port = 0;
  std::string state, physical_state, layer;
  std::optional<double> gbit_per_s;
};

struct Bridge {
  std::string address;
  bool redirects = false;  // access control services that send traffic between devices through the root
};

struct Machine {
  bool is_live = false;
  std::vector<std::string> inputs;  // files with what they were taken for
  // What is missing in them, or cannot be: "smi.xml: ... is cut short". Sentences without a full stop.
  std::vector<std::string> gaps;
  // Readings that no device can have and that were left out, located; how many more were.
  std::vector<std::string> impossible;
  size_t impossible_more = 0;
  std::vector<std::string> conflicts;  // files that contradict those before them; sentences as above

  std::string container;  // "docker", "kubernetes" ...; "" outside of one
  bool is_wsl = false, is_windows = false, is_virtual = false;

  // Bus and kernel.
  std::optional<std::vector<PciDevice>> pci;
  std::vector<Bridge> bridges;
  std::optional<bool> iommu_translates;  // on and not in pass-through
  std::optional<std::set<std::string>> modules;
  std::string nvidia_version;          // of the kernel module
  std::string nvidia_file_version;     // of the module's file, which the next start loads
  std::optional<bool> nvidia_is_open;  // the open kernel modules
  std::map<std::string, std::string> nvidia_params;
  std::optional<std::vector<DeviceNode>> nodes;
  bool nodes_are_partial = false;                        // single files were tried, nobody listed all
  std::vector<std::string> missing_nodes;                // that somebody looked for in vain
  std::optional<std::vector<std::string>> device_rules;  // of the control group: "c 195:* rwm"

  // Driver.
  std::optional<std::vector<Library>> libraries;
  std::optional<Management> management;
  std::string driver_version, driver_cuda;  // as the driver's tools tell
  std::string library_version;              // of the driver's libraries
  std::string package_version;              // of the packages that hold them
  std::optional<device::CudaAnswer> cuda;
  std::optional<Service> fabric_manager, persistence_daemon;
  std::optional<bool> mps_runs;

  // Software.
  struct Toolkit {
    std::string folder, version;
  };
  std::vector<Toolkit> toolkits;
  std::optional<std::vector<Framework>> frameworks;
  std::string python;                                           // interpreter that was looked at
  std::optional<std::map<std::string, std::string>> variables;  // that configure GPU work
  std::optional<bool> container_toolkit;                        // installed on a host with a container engine

  // Host.
  std::optional<unsigned> cpu_threads;
  std::optional<double> cpu_limit;         // processors that the control group allows
  std::optional<unsigned> ranks;           // processes of one job on this machine
  std::optional<unsigned> memory_modules;  // that are plugged in
  std::optional<uint64_t> memory_bytes;
  std::optional<double> uptime_s;  // since the machine was started; its driver was loaded later
  std::vector<NetworkPort> ports;
  std::string topology;  // as `nvidia-smi topo -m` prints it

  std::vector<Gpu> gpus;
  std::optional<std::vector<Process>> holders;  // programs that hold a device's node open
  // A list of processes of the machine was given or seen: those that it lacks are not there.
  std::optional<std::map<uint64_t, Process>> process_list;

  std::optional<faults::Report> faults;
  std::optional<explain::Diagnosis> errors;  // of programs, in texts that were given

  // Values of variables; "" if not set or not known.
  std::string Variable(std::string_view name) const;
  // Of GPUs on the bus.
  std::vector<const PciDevice*> PciGpus(Vendor vendor) const;
  const PciDevice* PciAt(const std::string& address) const;
  // Whose devices this machine computes with: NVIDIA's where there are any; kAny if nothing tells.
  Vendor MainVendor() const;
};

std::string_view NameOf(Vendor vendor);  // "NVIDIA"

// "580.159.04" against "575.57": -1, 0 or 1 by their numbers; parts that are missing count as equal.
int CompareVersions(std::string_view a, std::string_view b);
// The first number of a version, absent for "".
std::optional<int> MajorOf(std::string_view version);
// Compute capability by product name or architecture's name, where the driver does not tell it; absent if unknown.
// Source: developer.nvidia.com/cuda-gpus and the architectures' papers.
std::optional<std::pair<int, int>> ComputeCapabilityOf(std::string_view product, std::string_view architecture);
// "00000000:3B:00.0", "3b:00.0" and the like as "0000:3b:00.0"; "" if it is none.
std::string PlainAddress(std::string_view text);

}  // namespace warpscope::doctor
