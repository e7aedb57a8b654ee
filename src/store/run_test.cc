// Round trips of run folders: every table, every column, and what is wrong with damaged folders.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "model/adopt.h"
#include "model/testing/trace_builder.h"
#include "store/duckdb/database.h"
#include "store/manifest.h"
#include "store/run_reader.h"
#include "store/run_writer.h"

namespace warpscope::store {
namespace {

namespace fs = std::filesystem;
using model::kNoId;
using model::kNone;
using model::Trace;

class RunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto api = duckdb::Load(); !api.ok()) GTEST_SKIP() << api.status().message();
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("ws run*[" + std::string(info->name()) + "] " + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  RunPlace Place(const std::string& name = "run") const {
    return {(folder_ / name).string(), "", (folder_ / name).string()};
  }
  Trace Read(const RunPlace& place, ReadOptions options = {}) {
    Trace trace;
    const Status status = ReadRun(place, options, &trace);
    EXPECT_TRUE(status.ok()) << status.message();
    return trace;
  }
  std::string Refusal(const RunPlace& place) {
    Trace trace;
    const Status status = ReadRun(place, {}, &trace);
    EXPECT_FALSE(status.ok());
    return status.message();
  }
  // Replaces a table by what `sql` says; $T stands for reading the old one.
  void Change(const RunPlace& place, const std::string& table, std::string sql) {
    duckdb::Options options;
    // The folder's name holds a pattern's characters, so the file is changed elsewhere.
    const fs::path other = fs::temp_directory_path() / ("ws_change_" + std::to_string(::getpid()));
    fs::create_directories(other);
    const fs::path file = fs::path(place.folder) / (table + ".parquet");
    fs::copy_file(file, other / "old.parquet", fs::copy_options::overwrite_existing);
    options.folders = {other.string()};
    auto database = duckdb::Database::Open(options);
    auto connection = database->Connect();
    sql.replace(sql.find("$T"), 2, "read_parquet(" + duckdb::Quote((other / "old.parquet").string()) + ")");
    const Status status = connection->Run("COPY (" + sql + ") TO " + duckdb::Quote((other / "new.parquet").string()) +
                                          " (FORMAT parquet)");
    ASSERT_TRUE(status.ok()) << status.message();
    fs::copy_file(other / "new.parquet", file, fs::copy_options::overwrite_existing);
    fs::remove_all(other);
  }

  fs::path folder_;
};

// Every table and every column filled, absent values beside present ones.
Trace EveryTable() {
  model::testing::TraceBuilder b;
  b.AddOp("aten::mul", 0, 1000);
  b.Launch("a kernel with a name that is longer than twelve bytes", 200, 300, 600, 50);
  b.Launch("short", 500, 100, 700, 50);
  b.AddOp("", 1000, 10);
  Trace trace = std::move(const_cast<Trace&>(b.Finish()));
  auto text = [&](std::string_view words) { return trace.strings.Intern(words); };
  model::Source& source = trace.sources[0];
  source = {"dir/a b.json",
            "test",
            "maker 1",
            "2.3",
            3,
            8,
            1234567890123456789,
            "node'1",
            true,
            false,
            std::nullopt,
            10'000'000,
            model::Vendor::kAmd,
            "part",
            "csv",
            1500,
            true,
            77};
  trace.sources.push_back({});
  model::Device& device = trace.devices[0];
  device = {0, -5, "GPU \"X\"", true, UINT64_MAX / 3, 9, 0, 132, 32, 1024, 2048, 65536, 65536, 49152, 232448, 233472};
  device.attribute_begin = 3;
  device.attribute_end = 4;
  trace.devices.push_back({1, 1, "", false, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}});
  trace.processes[0].name = text("python");
  trace.processes[0].rank = -1;
  trace.threads[0].name = text("main");
  trace.streams[0].context = 1;
  trace.streams[0].name = text("stream");
  trace.op_details.push_back({text("[[1]]"), text("[]"), model::kNoString, text("x\ny"), text("a.py(1): f")});
  trace.host.detail[0] = 0;
  trace.host.external_id[0] = UINT64_MAX - 1;
  trace.host.forward_thread[0] = 7;
  trace.host.start_ns[0] = -12;
  trace.annotation_details.push_back({model::AnnotationForm::kMark, text("NCCL"), text("c"), 0xFF00FF00u, text("p=1")});
  trace.host.kind[1] = model::HostKind::kAnnotation;
  trace.host.detail[1] = 0;
  trace.launch_configs.push_back({{1, 2, UINT32_MAX}, {4, 5, 6}, 255, 0, 100, 9, kNoId});
  trace.copy_details.push_back(
      {model::CopyKind::kPeerToPeer, model::MemoryKind::kArray, model::MemoryKind::kPinned, 0});
  trace.gpu.detail[0] = 0;
  trace.gpu.kind[1] = model::GpuKind::kCopy;
  trace.gpu.detail[1] = 0;
  trace.gpu_annotations.push_back({5, 6, text("range"), 0});
  trace.syncs.push_back({1, 2, model::SyncKind::kStreamWaitEvent, 0, 0, 5, 6, 0, 1});
  trace.syncs.push_back({3, 4, model::SyncKind::kUnknown, kNone, kNone, kNoId, kNoId, kNone, kNone});
  trace.memory.push_back({1, INT64_MIN, UINT64_MAX, 0, 0, 5, INT64_MAX});
  trace.memory.push_back({2, 5, 0, kNone, kNone, std::nullopt, std::nullopt});
  trace.counters.push_back({1, text("power"), 0, 1.0 / 3, text("watts")});
  trace.counters.push_back({2, text("nul\0byte"), kNone, -0.0, model::kNoString});
  trace.collectives.push_back({0, 0, text("allreduce"), text("f32"), text("g"), text("[0, 1]"),
                               text("18446744073709551557"), 1, UINT64_MAX, 2, 0});
  trace.collectives.push_back({});
  trace.metrics.push_back({text("m"), text("ns"), 1.5});
  trace.metrics.push_back({text("i"), model::kNoString, UINT64_MAX});
  trace.metrics.push_back({text("t"), model::kNoString, text("words")});
  trace.metrics.push_back({text("none"), model::kNoString, {}});
  trace.advice.push_back({text("s"), text("r"), text("t"), text("w"), model::AdviceKind::kOptimization, 12.5, true});
  trace.kernel_codes.push_back({text("SASS"), model::kNoString, text("f.cu"), 99});
  trace.kernel_profiles.push_back({0, 0, 0, 4, text("k"), text("_Zk"), 0, 1, 7, 12, 1, 4, 0, 1, 0});
  trace.kernel_profiles.push_back(
      {1, kNone, kNone, 0, model::kNoString, model::kNoString, kNone, -1, -1, std::nullopt, 4, 4, 1, 1, kNone});
  trace.summaries.push_back({0, model::SummaryKind::kStepPart, text("part"), text("group"), 1, 2, 3, 4, 5});
  trace.summaries.push_back({});
  trace.readings.push_back({0, 0, 5, text("temperature_gpu"), text("celsius"), 40.5, model::kNoString});
  trace.readings.push_back({1, kNone, std::nullopt, text("state"), model::kNoString, std::nullopt, text("P0")});
  trace.ledger.Add(model::LedgerCode::kBadName, 3, 17, "here", "a.json");
  return trace;
}

template <typename Row, typename... Members>
void ExpectRows(const char* table, const std::vector<Row>& a, const std::vector<Row>& b, Members... members) {
  ASSERT_EQ(a.size(), b.size()) << table;
  for (size_t row = 0; row < a.size(); ++row) {
    size_t member = 0;
    (..., [&] {
      EXPECT_TRUE(a[row].*members == b[row].*members) << table << " row " << row << " member " << member;
      ++member;
    }());
  }
}

void ExpectSame(const Trace& a, const Trace& b) {
  ASSERT_EQ(a.strings.size(), b.strings.size());
  for (uint32_t id = 0; id < a.strings.size(); ++id) ASSERT_EQ(a.strings.Get(id), b.strings.Get(id));
  using model::HostTable, model::GpuTable;
  EXPECT_EQ(a.host.start_ns, b.host.start_ns);
  EXPECT_EQ(a.host.dur_ns, b.host.dur_ns);
  EXPECT_EQ(a.host.name, b.host.name);
  EXPECT_EQ(a.host.thread, b.host.thread);
  EXPECT_EQ(a.host.kind, b.host.kind);
  EXPECT_EQ(a.host.correlation, b.host.correlation);
  EXPECT_EQ(a.host.external_id, b.host.external_id);
  EXPECT_EQ(a.host.forward_thread, b.host.forward_thread);
  EXPECT_EQ(a.host.detail, b.host.detail);
  EXPECT_EQ(a.host.parent, b.host.parent);
  EXPECT_EQ(a.gpu.start_ns, b.gpu.start_ns);
  EXPECT_EQ(a.gpu.dur_ns, b.gpu.dur_ns);
  EXPECT_EQ(a.gpu.name, b.gpu.name);
  EXPECT_EQ(a.gpu.kind, b.gpu.kind);
  EXPECT_EQ(a.gpu.stream, b.gpu.stream);
  EXPECT_EQ(a.gpu.correlation, b.gpu.correlation);
  EXPECT_EQ(a.gpu.external_id, b.gpu.external_id);
  EXPECT_EQ(a.gpu.detail, b.gpu.detail);
  EXPECT_EQ(a.gpu.call, b.gpu.call);
  EXPECT_EQ(a.op_details, b.op_details);
  EXPECT_EQ(a.annotation_details, b.annotation_details);
  EXPECT_EQ(a.launch_configs, b.launch_configs);
  EXPECT_EQ(a.copy_details, b.copy_details);
  EXPECT_EQ(a.stream_rows, b.stream_rows);
  ExpectRows("thread_rows", a.thread_rows, b.thread_rows, &Trace::RowRange::begin, &Trace::RowRange::end);
  using S = model::Source;
  ExpectRows("sources", a.sources, b.sources, &S::path, &S::format, &S::producer, &S::version, &S::rank, &S::world_size,
             &S::base_time_ns, &S::host_name, &S::record_shapes, &S::with_stack, &S::profile_memory, &S::vendor,
             &S::part_of, &S::representation, &S::launch_cost_ns, &S::has_sync_rows, &S::text_bytes);
  using D = model::Device;
  ExpectRows("devices", a.devices, b.devices, &D::source, &D::id, &D::name, &D::used, &D::memory_bytes, &D::cc_major,
             &D::cc_minor, &D::sm_count, &D::warp_size, &D::max_threads_per_block, &D::max_threads_per_sm,
             &D::registers_per_block, &D::registers_per_sm, &D::shared_bytes_per_block,
             &D::shared_bytes_per_block_optin, &D::shared_bytes_per_sm, &D::attribute_begin, &D::attribute_end);
  using P = model::Process;
  ExpectRows("processes", a.processes, b.processes, &P::source, &P::pid, &P::link_domain, &P::name, &P::rank);
  using T = model::Thread;
  ExpectRows("threads", a.threads, b.threads, &T::process, &T::tid, &T::name);
  using St = model::Stream;
  ExpectRows("streams", a.streams, b.streams, &St::device, &St::link_domain, &St::context, &St::id, &St::name);
  using An = model::GpuAnnotation;
  ExpectRows("gpu_annotations", a.gpu_annotations, b.gpu_annotations, &An::start_ns, &An::dur_ns, &An::name,
             &An::stream);
  using Sy = model::Sync;
  ExpectRows("syncs", a.syncs, b.syncs, &Sy::start_ns, &Sy::dur_ns, &Sy::kind, &Sy::stream, &Sy::wait_on_stream,
             &Sy::correlation, &Sy::event_record_correlation, &Sy::link_domain, &Sy::call);
  using M = model::MemoryEvent;
  ExpectRows("memory", a.memory, b.memory, &M::time_ns, &M::bytes, &M::address, &M::device, &M::thread,
             &M::total_allocated_bytes, &M::total_reserved_bytes);
  using C = model::CounterSample;
  ExpectRows("counters", a.counters, b.counters, &C::time_ns, &C::name, &C::device, &C::value, &C::unit);
  using Co = model::Collective;
  ExpectRows("collectives", a.collectives, b.collectives, &Co::gpu_row, &Co::host_row, &Co::name, &Co::dtype,
             &Co::group_name, &Co::group_ranks, &Co::comms_id, &Co::in_elements, &Co::out_elements, &Co::group_size,
             &Co::sequence);
  using Me = model::Metric;
  ExpectRows("metrics", a.metrics, b.metrics, &Me::name, &Me::unit, &Me::value);
  using A = model::Advice;
  ExpectRows("advice", a.advice, b.advice, &A::section, &A::rule, &A::title, &A::text, &A::kind, &A::speedup_pct,
             &A::speedup_is_global);
  using K = model::KernelProfile;
  ExpectRows("kernel_profiles", a.kernel_profiles, b.kernel_profiles, &K::source, &K::process, &K::device, &K::id,
             &K::name, &K::mangled_name, &K::config, &K::context, &K::stream, &K::dur_ns, &K::metric_begin,
             &K::metric_end, &K::advice_begin, &K::advice_end, &K::code);
  using Kc = model::KernelCode;
  ExpectRows("kernel_codes", a.kernel_codes, b.kernel_codes, &Kc::sass, &Kc::ptx, &Kc::source_file, &Kc::cubin_bytes);
  using Su = model::SummaryRow;
  ExpectRows("summaries", a.summaries, b.summaries, &Su::source, &Su::kind, &Su::name, &Su::group, &Su::count,
             &Su::total_ns, &Su::min_ns, &Su::max_ns, &Su::rank);
  using R = model::Reading;
  ExpectRows("readings", a.readings, b.readings, &R::source, &R::device, &R::time_ns, &R::name, &R::unit, &R::value,
             &R::text);
  const auto mine = a.ledger.Entries(), theirs = b.ledger.Entries();
  ExpectRows("ledger", mine, theirs, &model::LedgerEntry::code, &model::LedgerEntry::count,
             &model::LedgerEntry::first_offset_bytes, &model::LedgerEntry::file, &model::LedgerEntry::detail,
             &model::LedgerEntry::message);
}

TEST_F(RunTest, EveryColumnOfEveryTableComesBack) {
  const Trace trace = EveryTable();
  const auto written = WriteRun(trace, Place());
  ASSERT_TRUE(written.ok()) << written.status().message();
  const Trace back = Read(Place());
  EXPECT_TRUE(model::IsFinished(back));
  ExpectSame(trace, back);
}

TEST_F(RunTest, ATreeHoldsRunsByPartition) {
  const Trace trace = EveryTable();
  const RunPlace place{Place("tree").folder, "run=a/host=n1/rank=0", "tree"};
  ASSERT_TRUE(WriteRun(trace, place).ok());
  EXPECT_TRUE(fs::exists(folder_ / "tree/host/run=a/host=n1/rank=0/host.parquet"));
  for (const char* file :
       {"tree/manifest/run=a/host=n1/rank=0/manifest.json", "tree/gpu/run=a/host=n1/rank=0/gpu.parquet"}) {
    auto found = FindRun((folder_ / file).string(), file);
    ASSERT_TRUE(found.ok()) << found.status().message();
    ExpectSame(trace, Read(*found));
  }
}

TEST_F(RunTest, ASecondRunGetsRowsAndDomainsOfItsOwn) {
  ASSERT_TRUE(WriteRun(EveryTable(), Place()).ok());
  Trace trace;
  for (int i = 0; i < 2; ++i) {
    const Status status = ReadRun(Place(), {0, false}, &trace);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  EXPECT_FALSE(model::IsFinished(trace));
  trace.Finish();
  const Trace one = EveryTable();
  EXPECT_EQ(trace.host.size(), 2 * one.host.size());
  EXPECT_EQ(trace.gpu.size(), 2 * one.gpu.size());
  EXPECT_EQ(trace.processes[1].link_domain, 1u);
  EXPECT_EQ(trace.kernel_profiles[2].metric_begin, one.metrics.size() + 1);
  EXPECT_EQ(trace.collectives[2].host_row, trace.host.size() / 2);
}

TEST_F(RunTest, OneThreadGivesTheSame) {
  ASSERT_TRUE(WriteRun(EveryTable(), Place(), {1, nullptr}).ok());
  ExpectSame(EveryTable(), Read(Place(), {1, true}));
}

TEST_F(RunTest, BytesThatAreNotUtf8AreReplacedAndCounted) {
  model::testing::TraceBuilder b;
  b.AddOp("bad \xff\xc0\x80 name", 0, 1);
  const auto written = WriteRun(b.Finish(), Place());
  ASSERT_TRUE(written.ok()) << written.status().message();
  EXPECT_EQ(written.value().repaired_texts_count, 1u);
  const Trace back = Read(Place());
  EXPECT_EQ(back.HostName(0), "bad \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD name");
}

TEST_F(RunTest, RowsOutOfOrderAreFinishedAgain) {
  ASSERT_TRUE(WriteRun(EveryTable(), Place()).ok());
  Change(Place(), "gpu", "SELECT * FROM $T ORDER BY start_ns DESC");
  const Trace back = Read(Place());
  EXPECT_FALSE(model::IsFinished(back));
  EXPECT_TRUE(back.host.parent.empty());
}

TEST_F(RunTest, DamageIsNamedWithFileRowAndColumn) {
  const RunPlace place = Place();
  const auto broken = [&](const std::string& table, const std::string& sql) {
    fs::remove_all(place.folder);
    EXPECT_TRUE(WriteRun(EveryTable(), place).ok());
    Change(place, table, sql);
    return Refusal(place);
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(has(broken("host", "SELECT * REPLACE (99 AS thread) FROM $T"), "row 0, column thread"));
  EXPECT_TRUE(has(broken("host", "SELECT * REPLACE (-1 AS thread) FROM $T"), "column thread"));
  EXPECT_TRUE(has(broken("host", "SELECT * REPLACE (NULL AS thread) FROM $T"), "no value where one is needed"));
  EXPECT_TRUE(has(broken("host", "SELECT * REPLACE ('x' AS thread) FROM $T"), "Conversion Error"));
  EXPECT_TRUE(has(broken("host", "SELECT * REPLACE ('strange' AS kind) FROM $T"), "column kind"));
  EXPECT_TRUE(has(broken("host", "SELECT * REPLACE ('not in strings' AS name) FROM $T"), "column name"));
  EXPECT_TRUE(has(broken("host", "SELECT * REPLACE (-1 AS dur_ns) FROM $T"), "column dur_ns"));
  EXPECT_TRUE(has(broken("host", "SELECT * REPLACE (9223372036854775807 AS start_ns) FROM $T"), "column start_ns"));
  EXPECT_TRUE(has(broken("host", "SELECT * EXCLUDE (start_ns) FROM $T"), "column start_ns is missing"));
  EXPECT_TRUE(has(broken("host", "SELECT * FROM $T LIMIT 1"), "rows, not"));
  EXPECT_TRUE(has(broken("host", "SELECT unnest([1, 2, 3]), * FROM $T"), "more rows than it says"));
  EXPECT_TRUE(has(broken("gpu", "SELECT * REPLACE (5 AS launch_config) FROM $T"), "column launch_config"));
  EXPECT_TRUE(has(broken("gpu", "SELECT * REPLACE (77 AS call) FROM $T"), "column call"));
  EXPECT_TRUE(has(broken("strings", "SELECT * FROM $T LIMIT 2"), "rows"));
  EXPECT_TRUE(has(broken("kernel_profiles", "SELECT * REPLACE (99 AS metric_end) FROM $T"), "column metric_end"));
  EXPECT_TRUE(has(broken("kernel_profiles", "SELECT * REPLACE (0 AS metric_end) FROM $T"), "ends before it begins"));
  EXPECT_TRUE(has(broken("ledger", "SELECT * REPLACE ('of the future' AS code) FROM $T"), "column code"));
}

TEST_F(RunTest, CutAndMissingFilesAreRefused) {
  ASSERT_TRUE(WriteRun(EveryTable(), Place()).ok());
  const fs::path host = fs::path(Place().folder) / "host.parquet";
  fs::resize_file(host, fs::file_size(host) / 2);
  EXPECT_NE(Refusal(Place()).find("not a readable Parquet file"), std::string::npos);
  fs::remove(host);
  EXPECT_NE(Refusal(Place()).find("no such file"), std::string::npos);
  fs::create_symlink("/dev/zero", host);
  EXPECT_NE(Refusal(Place()).find("no such file"), std::string::npos);
}

TEST_F(RunTest, ATableThatTheManifestDoesNotNameIsNotLostSilently) {
  ASSERT_TRUE(WriteRun(EveryTable(), Place()).ok());
  const fs::path path = fs::path(Place().folder) / "manifest.json";
  std::ifstream in(path);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const size_t at = text.find("\"gpu\"");
  ASSERT_NE(at, std::string::npos);
  std::ofstream(path) << text.replace(at, 5, "\"../gpu\"");
  EXPECT_NE(Refusal(Place()).find("does not name this table"), std::string::npos) << Refusal(Place());
}

TEST_F(RunTest, ManifestsThatAreNoneAreRefused) {
  const auto refusal = [&](const std::string& text) {
    fs::create_directories(Place().folder);
    std::ofstream(fs::path(Place().folder) / "manifest.json") << text;
    return Refusal(Place());
  };
  EXPECT_NE(refusal("").find("not valid JSON"), std::string::npos);
  EXPECT_NE(refusal("[]").find("does not say"), std::string::npos);
  EXPECT_NE(refusal("{\"format\": \"warpscope-run\"}").find("no version"), std::string::npos);
  EXPECT_NE(refusal("{\"format\": \"warpscope-run\", \"version\": 99}").find("newer warpscope"), std::string::npos);
  EXPECT_NE(refusal("{\"format\": \"warpscope-run\", \"version\": 1, \"rows\": {\"host\": -1}}").find("impossible"),
            std::string::npos);
  EXPECT_NE(
      refusal("{\"format\": \"warpscope-run\", \"version\": 1, \"rows\": {\"host\": 4294967290, \"gpu\": 4294967290}}")
          .find("more than this machine has"),
      std::string::npos);
  EXPECT_NE(refusal("{\"format\": \"warpscope-run\", \"version\": 1, \"rows\": {\"../host\": 1}}").find("no source"),
            std::string::npos);
}

}  // namespace
}  // namespace warpscope::store
