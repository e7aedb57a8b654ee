// The small tables that others refer to, and the texts.
#include "store/rows_of.h"
#include "store/schema.h"

namespace warpscope::store {
namespace {

using model::Trace;

// A new member needs a column below (and a line in the round trip test); then its size goes here.
static_assert(sizeof(model::Source) == 336, "new member of Source: give it a column");
static_assert(sizeof(model::Device) == 168, "new member of Device: give it a column");
static_assert(sizeof(model::Process) == 40, "new member of Process: give it a column");
static_assert(sizeof(model::Thread) == 24, "new member of Thread: give it a column");
static_assert(sizeof(model::Stream) == 32, "new member of Stream: give it a column");
static_assert(sizeof(model::OpDetail) == 20, "new member of OpDetail: give it a column");
static_assert(sizeof(model::AnnotationDetail) == 24, "new member of AnnotationDetail: give it a column");
static_assert(sizeof(model::LaunchConfig) == 64, "new member of LaunchConfig: give it a column");
static_assert(sizeof(model::CopyDetail) == 24, "new member of CopyDetail: give it a column");

constexpr std::string_view kVendors[] = {"unknown", "nvidia", "amd", "intel", "huawei"};
constexpr std::string_view kAnnotationForms[] = {"nested", "start_end", "mark"};
constexpr std::string_view kCopyKinds[] = {"unknown",          "host_to_device", "device_to_host",
                                           "device_to_device", "host_to_host",   "peer_to_peer"};
constexpr std::string_view kMemoryKinds[] = {"unknown", "pageable", "pinned", "device", "managed", "array"};

TableSchema Sources() {
  using S = model::Source;
  constexpr auto kRows = &Trace::sources;
  return RowsOf<kRows>(
      "sources", "The input files that the run was made of.",
      {
          Words("path", "as the user named it", kCell<kRows, &S::path>),
          Words("format", "of the input: kineto, nsys ...", kCell<kRows, &S::format>),
          Words("producer", "the recording tool", kCell<kRows, &S::producer>),
          Words("version", "of the recording tool", kCell<kRows, &S::version>),
          Value("rank_id", "of the recorded process", kCell<kRows, &S::rank>),
          Value("world_size", "ranks in the job", kCell<kRows, &S::world_size>),
          Value("base_time_ns", "epoch time of the file's time 0", kCell<kRows, &S::base_time_ns>),
          Words("host_name", "the machine", kCell<kRows, &S::host_name>),
          Value("record_shapes", "shapes were recorded", kCell<kRows, &S::record_shapes>),
          Value("with_stack", "stacks were recorded", kCell<kRows, &S::with_stack>),
          Value("profile_memory", "memory was recorded", kCell<kRows, &S::profile_memory>),
          Value("sample_period_ns",
                "its Python and operating-system rows were seen from outside, at most so far apart; 0: told exactly",
                kCell<kRows, &S::sample_period_ns>),
          Word("vendor", "of the devices", kVendors, kCell<kRows, &S::vendor>),
          Words("part_of", "files of one recording carry the same text", kCell<kRows, &S::part_of>),
          Words("representation", "csv, db ...: one of several views of one recording",
                kCell<kRows, &S::representation>),
          Value("launch_cost_ns", "added to a launch by the recording, as the recorder measured it",
                kCell<kRows, &S::launch_cost_ns>),
          Value("has_sync_rows", "the recorder wrote rows into syncs", kCell<kRows, &S::has_sync_rows>),
          Value("text_bytes", "size of the input, uncompressed", kCell<kRows, &S::text_bytes>),
      });
}

TableSchema Devices() {
  using D = model::Device;
  constexpr auto kRows = &Trace::devices;
  const auto number = [](std::string name, auto at) { return Value(std::move(name), "limit of the device", at); };
  return RowsOf<kRows>("devices", "GPUs and their limits, as far as they were recorded.",
                       {
                           RowOf("source", "row of sources", Target::kSources, true, kCell<kRows, &D::source>),
                           Value("id", "as the input numbers it", kCell<kRows, &D::id>),
                           Words("name", "product name", kCell<kRows, &D::name>),
                           Value("used", "some row of gpu ran on it", kCell<kRows, &D::used>),
                           Value("memory_bytes", "size of its memory", kCell<kRows, &D::memory_bytes>),
                           number("cc_major", kCell<kRows, &D::cc_major>),
                           number("cc_minor", kCell<kRows, &D::cc_minor>),
                           number("sm_count", kCell<kRows, &D::sm_count>),
                           number("warp_size", kCell<kRows, &D::warp_size>),
                           number("max_threads_per_block", kCell<kRows, &D::max_threads_per_block>),
                           number("max_threads_per_sm", kCell<kRows, &D::max_threads_per_sm>),
                           number("registers_per_block", kCell<kRows, &D::registers_per_block>),
                           number("registers_per_sm", kCell<kRows, &D::registers_per_sm>),
                           number("shared_bytes_per_block", kCell<kRows, &D::shared_bytes_per_block>),
                           number("shared_bytes_per_block_optin", kCell<kRows, &D::shared_bytes_per_block_optin>),
                           number("shared_bytes_per_sm", kCell<kRows, &D::shared_bytes_per_sm>),
                           EdgeOf("attribute_begin", "first row of metrics: what else the input says of it",
                                  Target::kMetrics, kCell<kRows, &D::attribute_begin>),
                           EdgeOf("attribute_end", "one behind the last row of metrics", Target::kMetrics,
                                  kCell<kRows, &D::attribute_end>),
                       });
}

TableSchema Processes() {
  using P = model::Process;
  constexpr auto kRows = &Trace::processes;
  return RowsOf<kRows>("processes", "Processes; each is a name space of correlation ids.",
                       {
                           RowOf("source", "row of sources", Target::kSources, true, kCell<kRows, &P::source>),
                           Value("pid", "process id; -1 if the input does not tell it", kCell<kRows, &P::pid>),
                           RowOf("link_domain", "correlation ids are unique within one", Target::kLinkDomains, true,
                                 kCell<kRows, &P::link_domain>),
                           Text("name", "its name", kCell<kRows, &P::name>),
                           Value("rank_id", "its rank in the job", kCell<kRows, &P::rank>),
                       });
}

TableSchema Threads() {
  using T = model::Thread;
  constexpr auto kRows = &Trace::threads;
  return RowsOf<kRows>("threads", "Host threads.",
                       {
                           RowOf("process", "row of processes", Target::kProcesses, true, kCell<kRows, &T::process>),
                           Value("tid", "thread id", kCell<kRows, &T::tid>),
                           Text("name", "its name", kCell<kRows, &T::name>),
                       });
}

TableSchema Streams() {
  using S = model::Stream;
  constexpr auto kRows = &Trace::streams;
  return RowsOf<kRows>("streams", "Streams (queues) of devices.",
                       {
                           RowOf("device", "row of devices", Target::kDevices, true, kCell<kRows, &S::device>),
                           RowOf("link_domain", "correlation ids are unique within one", Target::kLinkDomains, true,
                                 kCell<kRows, &S::link_domain>),
                           OrNull("context", "as the input numbers it", int64_t{-1}, kCell<kRows, &S::context>),
                           Value("id", "as the input numbers it", kCell<kRows, &S::id>),
                           Text("name", "its name", kCell<kRows, &S::name>),
                       });
}

TableSchema OpDetails() {
  using D = model::OpDetail;
  constexpr auto kRows = &Trace::op_details;
  return RowsOf<kRows>("op_details", "What operators were called with; equal ones share a row.",
                       {
                           Text("input_dims", "recorded text", kCell<kRows, &D::input_dims>),
                           Text("input_types", "recorded text", kCell<kRows, &D::input_types>),
                           Text("input_strides", "recorded text", kCell<kRows, &D::input_strides>),
                           Text("concrete_inputs", "recorded text", kCell<kRows, &D::concrete_inputs>),
                           Text("call_stack", "recorded text", kCell<kRows, &D::call_stack>),
                       });
}

TableSchema AnnotationDetails() {
  using A = model::AnnotationDetail;
  constexpr auto kRows = &Trace::annotation_details;
  return RowsOf<kRows>("annotation_details", "What annotations carried beside their name; equal ones share a row.",
                       {
                           Word("form", "nested ranges, ranges started and ended anywhere, or moments",
                                kAnnotationForms, kCell<kRows, &A::form>),
                           Text("domain", "of the library that made it", kCell<kRows, &A::domain>),
                           Text("category", "its category", kCell<kRows, &A::category>),
                           Value("color_argb", "its colour", kCell<kRows, &A::color_argb>),
                           Text("payload", "its payload as text", kCell<kRows, &A::payload>),
                       });
}

template <auto kMember, int kAxis>
constexpr auto kAxisCell = [](auto& trace, uint64_t row) -> auto& {
  return (trace.launch_configs[row].*kMember)[kAxis];
};

TableSchema LaunchConfigs() {
  using L = model::LaunchConfig;
  constexpr auto kRows = &Trace::launch_configs;
  return RowsOf<kRows>(
      "launch_configs", "How kernels were launched; equal ones share a row. A grid of 0 x 0 x 0 is unknown.",
      {
          Value("grid_x", "blocks", kAxisCell<&L::grid, 0>),
          Value("grid_y", "blocks", kAxisCell<&L::grid, 1>),
          Value("grid_z", "blocks", kAxisCell<&L::grid, 2>),
          Value("block_x", "threads", kAxisCell<&L::block, 0>),
          Value("block_y", "threads", kAxisCell<&L::block, 1>),
          Value("block_z", "threads", kAxisCell<&L::block, 2>),
          Value("registers_per_thread", "registers", kCell<kRows, &L::registers_per_thread>),
          Value("shared_bytes", "static + dynamic, of a block", kCell<kRows, &L::shared_bytes>),
          Value("recorded_occupancy_pct", "as the recorder estimated it", kCell<kRows, &L::recorded_occupancy_pct>),
          OrNull("graph_id", "CUDA graph", model::kNoId, kCell<kRows, &L::graph_id>),
          OrNull("graph_node_id", "node of the CUDA graph", model::kNoId, kCell<kRows, &L::graph_node_id>),
      });
}

TableSchema CopyDetails() {
  using C = model::CopyDetail;
  constexpr auto kRows = &Trace::copy_details;
  return RowsOf<kRows>("copy_details", "What was copied or set; equal ones share a row.",
                       {
                           Word("kind", "direction", kCopyKinds, kCell<kRows, &C::kind>),
                           Word("src", "memory that was read", kMemoryKinds, kCell<kRows, &C::src>),
                           Word("dst", "memory that was written", kMemoryKinds, kCell<kRows, &C::dst>),
                           Value("bytes", "size", kCell<kRows, &C::bytes>),
                       });
}

TableSchema Strings() {
  Field text{"text", duckdb::Type::kText, "the text", nullptr, nullptr, true};
  text.write = [](const Writing& from, uint64_t begin, size_t count, duckdb::ColumnWriter& to) {
    for (size_t i = 0; i < count; ++i)
      to.SetLastingText(i, from.texts.Get(static_cast<model::StringId>(begin + i + 1)));  // 0 is "absent"
  };
  text.read = [](const Cells& in, uint64_t, Reading& reading) {
    for (size_t i = 0; i < in.count; ++i) {
      if (in.Null(i)) return i;
      reading.trace->strings.Intern(duckdb::Chunk::View(in.Text(i)));
    }
    return in.count;
  };
  return {"strings",
          "Every text of the run once, in the order of first use; keeps ties in sorted outputs as they were.",
          [](const Trace& trace) { return uint64_t{trace.strings.size()} - 1; },
          nullptr,
          {text}};
}

}  // namespace

std::vector<TableSchema> DimensionTables() {
  return {Strings(), Sources(),   Devices(),           Processes(),     Threads(),
          Streams(), OpDetails(), AnnotationDetails(), LaunchConfigs(), CopyDetails()};
}

}  // namespace warpscope::store
