// trace -> nsys SQLite -> trace: the same events and the same verdict.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "export/export.h"
#include "export/place.h"
#include "import/import.h"
#include "model/testing/trace_builder.h"
#include "rules/engine.h"

namespace warpscope {
namespace {

using model::HostKind;
using model::kNone;
using model::kNoString;
using model::Trace;

using Lines = std::vector<std::string>;

template <typename T>
std::string Show(const std::optional<T>& value) {
  return value ? std::to_string(*value) : "-";
}

std::string Text(const Trace& t, model::StringId id) { return id == kNoString ? "-" : std::string(t.Text(id)); }

std::string Join(std::initializer_list<std::string> parts) {
  std::string line;
  for (const std::string& part : parts) line += part + "|";
  return line;
}

std::string HostDetail(const Trace& t, uint32_t row) {
  const uint32_t at = t.host.detail[row];
  if (at == kNone) return "-";
  if (t.host.kind[row] == HostKind::kAnnotation) {
    const model::AnnotationDetail& d = t.annotation_details[at];
    return Join({std::to_string(static_cast<int>(d.form)), Text(t, d.domain), Text(t, d.category), Show(d.color_argb),
                 Text(t, d.payload)});
  }
  const model::OpDetail& d = t.op_details[at];
  return Join({Text(t, d.input_dims), Text(t, d.input_types), Text(t, d.input_strides), Text(t, d.concrete_inputs),
               Text(t, d.call_stack)});
}

std::string ThreadText(const Trace& t, uint32_t row) {
  if (row == kNone) return "-";
  const model::Thread& thread = t.threads[row];
  const model::Process& process = t.processes[thread.process];
  return Join({std::to_string(thread.tid), Text(t, thread.name), std::to_string(process.pid), Show(process.rank),
               Text(t, process.name)});
}

std::string StreamText(const Trace& t, uint32_t row) {
  if (row == kNone) return "-";
  const model::Stream& stream = t.streams[row];
  return Join({std::to_string(t.devices[stream.device].id), t.devices[stream.device].name,
               std::to_string(stream.context), std::to_string(stream.id), Text(t, stream.name)});
}

std::string HostLine(const Trace& t, uint32_t row) {
  const uint32_t parent = t.host.parent[row];
  return Join({std::to_string(t.host.start_ns[row]), std::to_string(t.host.dur_ns[row]), std::string(t.HostName(row)),
               std::to_string(static_cast<int>(t.host.kind[row])), ThreadText(t, t.host.thread[row]),
               std::to_string(t.host.correlation[row]), std::to_string(t.host.external_id[row]),
               std::to_string(t.host.forward_thread[row]), HostDetail(t, row),
               parent == kNone ? "-" : std::string(t.HostName(parent))});
}

std::string GpuLine(const Trace& t, uint32_t row) {
  std::string detail = "-";
  if (const model::LaunchConfig* c = t.Launch(row)) {
    detail = Join({std::to_string(c->grid[0]), std::to_string(c->grid[1]), std::to_string(c->grid[2]),
                   std::to_string(c->block[0]), std::to_string(c->block[1]), std::to_string(c->block[2]),
                   Show(c->registers_per_thread), Show(c->shared_bytes), Show(c->recorded_occupancy_pct),
                   std::to_string(c->graph_id), std::to_string(c->graph_node_id)});
  } else if (const model::CopyDetail* copy = t.Copy(row)) {
    detail = Join({std::to_string(static_cast<int>(copy->kind)), std::to_string(static_cast<int>(copy->src)),
                   std::to_string(static_cast<int>(copy->dst)), Show(copy->bytes)});
  }
  const uint32_t call = t.gpu.call[row];
  return Join({std::to_string(t.gpu.start_ns[row]), std::to_string(t.gpu.dur_ns[row]), std::string(t.GpuName(row)),
               std::to_string(static_cast<int>(t.gpu.kind[row])), StreamText(t, t.gpu.stream[row]),
               std::to_string(t.gpu.correlation[row]), std::to_string(t.gpu.external_id[row]), detail,
               call == kNone ? "-" : HostLine(t, call)});
}

// One line an event, in an order that does not depend on row numbers.
Lines Describe(const Trace& t) {
  Lines lines;
  for (uint32_t row = 0; row < t.host.size(); ++row) lines.push_back("host " + HostLine(t, row));
  for (uint32_t row = 0; row < t.gpu.size(); ++row) lines.push_back("gpu " + GpuLine(t, row));
  for (const model::GpuAnnotation& a : t.gpu_annotations)
    lines.push_back("gpu_annotation " + Join({std::to_string(a.start_ns), std::to_string(a.dur_ns), Text(t, a.name),
                                              StreamText(t, a.stream)}));
  for (const model::Sync& s : t.syncs) {
    lines.push_back(
        "sync " + Join({std::to_string(s.start_ns), std::to_string(s.dur_ns), std::to_string(static_cast<int>(s.kind)),
                        StreamText(t, s.stream), StreamText(t, s.wait_on_stream), std::to_string(s.correlation),
                        std::to_string(s.event_record_correlation), s.call == kNone ? "-" : HostLine(t, s.call)}));
  }
  for (const model::MemoryEvent& m : t.memory) {
    lines.push_back("memory " +
                    Join({std::to_string(m.time_ns), std::to_string(m.bytes), std::to_string(m.address),
                          m.device == kNone ? "-" : std::to_string(t.devices[m.device].id), ThreadText(t, m.thread),
                          Show(m.total_allocated_bytes), Show(m.total_reserved_bytes)}));
  }
  for (const model::CounterSample& c : t.counters) {
    lines.push_back("counter " +
                    Join({std::to_string(c.time_ns), Text(t, c.name), Text(t, c.unit), std::to_string(c.value),
                          c.device == kNone ? "-" : std::to_string(t.devices[c.device].id)}));
  }
  for (const model::Collective& c : t.collectives) {
    lines.push_back(
        "collective " +
        Join({c.gpu_row == kNone ? "-" : GpuLine(t, c.gpu_row), c.host_row == kNone ? "-" : HostLine(t, c.host_row),
              Text(t, c.name), Text(t, c.dtype), Text(t, c.group_name), Text(t, c.group_ranks), Text(t, c.comms_id),
              Show(c.in_elements), Show(c.out_elements), Show(c.group_size), Show(c.sequence)}));
  }
  for (const model::Device& d : t.devices) {
    lines.push_back(
        "device " +
        Join({std::to_string(d.id), d.name, Show(d.memory_bytes), Show(d.cc_major), Show(d.cc_minor), Show(d.sm_count),
              Show(d.warp_size), Show(d.max_threads_per_block), Show(d.max_threads_per_sm), Show(d.registers_per_block),
              Show(d.registers_per_sm), Show(d.shared_bytes_per_block), Show(d.shared_bytes_per_block_optin),
              Show(d.shared_bytes_per_sm)}));
  }
  for (const model::LedgerEntry& e : t.ledger.Entries())
    lines.push_back("ledger " + Join({std::string(e.name), std::to_string(e.count)}));
  for (const model::Source& s : t.sources)
    lines.push_back("source " + Join({s.format, s.producer, Show(s.rank), s.host_name, std::to_string(s.has_sync_rows),
                                      Show(s.sample_period_ns), Show(s.launch_cost_ns)}));
  std::sort(lines.begin(), lines.end());
  return lines;
}

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("ws_round_trip_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string File(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

Trace ThereAndBack(const Trace& trace, const char* format) {
  const Folder folder;
  const exporting::Exporter* exporter = exporting::FindExporter(format);
  EXPECT_NE(exporter, nullptr);
  const std::string file = folder.File("out" + std::string(exporter->suffix));
  const auto written = exporting::WriteTo(*exporter, trace, {file, false, {}}, {});
  EXPECT_TRUE(written.ok()) << written.status().message();
  auto back = import::Load({file});
  EXPECT_TRUE(back.ok()) << back.status().message();
  return back.ok() ? std::move(back).value() : Trace();
}

void ExpectSame(const Lines& before, const Lines& after) {
  EXPECT_EQ(before.size(), after.size());
  Lines lost, new_ones;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(lost));
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(new_ones));
  for (size_t i = 0; i < lost.size() && i < 3; ++i) ADD_FAILURE() << "lost: " << lost[i];
  for (size_t i = 0; i < new_ones.size() && i < 3; ++i) ADD_FAILURE() << "new: " << new_ones[i];
}

Lines Findings(const Trace& trace) {
  auto verdict = rules::Analyze(trace, {});
  if (!verdict.ok()) return {verdict.status().message()};
  Lines lines = {verdict->answer};
  for (const rules::Finding& finding : verdict->findings)
    lines.push_back(finding.id + ": " + finding.title +
                    (finding.predicted ? " " + std::to_string(finding.predicted->step_ms_after) : ""));
  return lines;
}

TEST(RoundTripTest, RecordingsKeepEveryEventAndTheVerdict) {
  for (const char* name : {"tiny.pt.trace.json.gz", "slowloader.pt.trace.json.gz", "graph.pt.trace.json.gz",
                           "launch_bound.json.gz", "pageable_copy.json.gz", "host_sync.json.gz", "d2h_copy.json.gz"}) {
    SCOPED_TRACE(name);
    const std::string path = std::string(WS_TEST_DATA) + "/kineto/" + name;
    const auto trace = import::Load({path});
    ASSERT_TRUE(trace.ok()) << trace.status().message();
    const Trace back = ThereAndBack(trace.value(), "sqlite");
    ExpectSame(Describe(trace.value()), Describe(back));
    EXPECT_EQ(Findings(trace.value()), Findings(back));
  }
}

// Everything that the model knows, once.
TEST(RoundTripTest, TraceBuiltByHand) {
  model::testing::TraceBuilder b;
  Trace& t = b.trace();
  t.devices[0].name = "GPU";
  t.devices[0].cc_major = 9, t.devices[0].cc_minor = 0, t.devices[0].sm_count = 132;
  t.devices[0].warp_size = 32, t.devices[0].max_threads_per_sm = 2048;
  t.devices[0].memory_bytes = uint64_t{80} << 30;
  b.AddOp("aten::mul", 100, 900, "[[2, 3]]", "[\"float\"]");
  b.AddAutogradOp("MulBackward0", 1100, 200, 7, 1);
  b.AddPython("train.py(3): step", 50, 5000);
  b.AddHost(HostKind::kDriverCall, "cuLaunchKernel", 210, 20, 77);
  b.AddHost(HostKind::kOsCall, "poll", 3000, 500);
  b.AddHost(HostKind::kOverhead, "Activity Buffer Request", 3600, 10);
  model::AnnotationDetail detail;
  detail.form = model::AnnotationForm::kStartEnd;
  detail.domain = t.strings.Intern("my library");
  detail.category = t.strings.Intern("phase");
  detail.color_argb = 0xff00ff00;
  detail.payload = t.strings.Intern("42");
  t.annotation_details.push_back(detail);
  b.AddHost(HostKind::kAnnotation, "range \xCE\xB1", 60, 4000, model::kNoId, model::kNoId, 0, 0);
  model::AnnotationDetail mark;
  mark.form = model::AnnotationForm::kMark;
  t.annotation_details.push_back(mark);
  b.AddHost(HostKind::kAnnotation, "mark", 70, 0, model::kNoId, model::kNoId, 0, 1);
  b.AddAnnotation("aten::not_an_operator, seq = 3", 80, 10);
  b.Launch("void ns::f<int>(int*)", 200, 50, 600, 100);
  model::LaunchConfig config = model::testing::TraceBuilder::Config(5, 64, 40, 1024);
  config.graph_id = 3, config.graph_node_id = 9, config.recorded_occupancy_pct = 50;
  b.Launch("g", 300, 50, 800, 100, 8, config);
  b.LaunchCopy(model::CopyKind::kHostToDevice, model::MemoryKind::kPageable, model::MemoryKind::kDevice, 4096, 400, 50,
               1000, 10);
  b.AddMemset(64, 1100, 5, 0);
  b.AddGpu(model::GpuKind::kGraphLaunch, "a graph", 1200, 300, 55, b.StreamRow(7), kNone);
  b.AddGpu(model::GpuKind::kKernel, "no configuration", 1600, 10, model::kNoId, b.StreamRow(9), kNone);
  b.AddCollectiveOfLastKernel("allreduce", "0", 5, 1000);
  model::Sync sync;
  sync.start_ns = 1700, sync.dur_ns = 5, sync.kind = model::SyncKind::kStreamWaitEvent;
  sync.stream = b.StreamRow(7), sync.wait_on_stream = b.StreamRow(8);
  sync.correlation = 90, sync.event_record_correlation = 88;
  b.AddSync(sync);
  b.AddMemory(500, 1024, 0xdead, 0, 4096, 8192).AddMemory(700, -1024, 0xdead);
  t.counters.push_back({900, t.strings.Intern("SMs Active"), 0, 62.5, t.strings.Intern("Throughput %")});
  t.counters.push_back({950, t.strings.Intern("free words"), kNone, 3, kNoString});
  t.gpu_annotations.push_back({600, 300, t.strings.Intern("step"), b.StreamRow(7)});
  b.AddProcess(200, 1);
  b.UseThread(-5);
  b.AddCall("cudaLaunchKernel", 200, 10, 1);
  b.AddKernel("h", 300, 10, 1);
  b.UseThread(int64_t{1} << 40).AddCall("cudaFree", 500, 10);
  t.ledger.Add(model::LedgerCode::kTruncatedFile, 1, 500, "detail", "some/file.json");
  const Trace& trace = b.Finish();
  const Trace back = ThereAndBack(trace, "sqlite");
  ExpectSame(Describe(trace), Describe(back));
}

// Frames that were sampled mark no steps, and the recorder's cost is taken out of them: in every format.
TEST(RoundTripTest, HowAProgramWasRecordedPassesThrough) {
  model::testing::TraceBuilder b;
  b.trace().sources[0].sample_period_ns = 10'000'000, b.trace().sources[0].launch_cost_ns = 850;
  b.Launch("kernel", 200, 50, 600, 100);
  const Trace& trace = b.Finish();
  for (const char* format : {"sqlite", "perfetto", "chrome"}) {
    const Trace back = ThereAndBack(trace, format);
    ASSERT_EQ(back.sources.size(), 1U) << format;
    EXPECT_EQ(back.sources[0].sample_period_ns, 10'000'000) << format;
    EXPECT_EQ(back.sources[0].launch_cost_ns, 850) << format;
  }
}

// A range's detail is no operator's: a recording of ranges alone has no details of operators at all.
TEST(RoundTripTest, RangesWithDetailsPassThroughChrome) {
  model::testing::TraceBuilder b;
  Trace& t = b.trace();
  model::AnnotationDetail detail;
  detail.domain = t.strings.Intern("my library");
  detail.payload = t.strings.Intern("42");
  t.annotation_details.push_back({});
  t.annotation_details.push_back(detail);
  b.AddHost(HostKind::kAnnotation, "range", 60, 4000, model::kNoId, model::kNoId, 0, 1);
  const Trace back = ThereAndBack(b.Finish(), "chrome");
  ASSERT_EQ(back.host.size(), 1U);
  EXPECT_EQ(back.HostName(0), "range");
}

}  // namespace
}  // namespace warpscope
