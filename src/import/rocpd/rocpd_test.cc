// Databases made here, with the tables of rocprofv3 (schema 3: times in the rows; schema 4: tracks and timestamps
// apart) and of rocmProfileData.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>

#include "import/import.h"

namespace warpscope::import {
namespace {

namespace fs = std::filesystem;
using model::Trace;

class RocpdTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = (fs::temp_directory_path() / ("warpscope_rocpd_" + std::to_string(::getpid()) + ".db")).string();
    fs::remove(path_);
  }
  void TearDown() override { fs::remove(path_); }

  Trace Load(const std::string& sql) {
    sqlite3* handle = nullptr;
    sqlite3_open(path_.c_str(), &handle);
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << error;
    sqlite3_close(handle);
    auto trace = import::Load({path_});
    EXPECT_TRUE(trace.ok()) << trace.status().message();
    return trace.ok() ? std::move(trace).value() : Trace();
  }

  std::string path_;
};

// One process; `u` stands in every table's name.
std::string Schema3(const std::string& u, int pid, int rank) {
  const std::string p = std::to_string(pid);
  return "CREATE TABLE rocpd_metadata" + u + "(id INTEGER, tag TEXT, value TEXT); INSERT INTO rocpd_metadata" + u +
         " VALUES (1, 'schema_version', '3');"
         "CREATE TABLE rocpd_string" +
         u + "(id INTEGER PRIMARY KEY, string TEXT); INSERT INTO rocpd_string" + u +
         " VALUES (1, 'HIP_RUNTIME_API'), (2, 'hipLaunchKernel'), (3, 'MEMORY_COPY_DEVICE_TO_HOST'), (4, "
         "'MARKER_CORE_RANGE_API'), (5, "
         "'roctxThreadRangeA'), (6, '');"
         "CREATE TABLE rocpd_info_process" +
         u +
         "(id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, command TEXT, environment TEXT);"
         "INSERT INTO rocpd_info_process" +
         u + " VALUES (" + p + ", 1, " + p + ", 'secret', '{\"RANK\": \"" + std::to_string(rank) +
         "\"}');"
         "CREATE TABLE rocpd_info_thread" +
         u +
         "(id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, name TEXT); INSERT INTO rocpd_info_thread" +
         u + " VALUES (60, 1, " + p +
         ", 61, 'main');"
         "CREATE TABLE rocpd_info_agent" +
         u +
         "(id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, type TEXT, absolute_index INTEGER, name TEXT, "
         "product_name TEXT, extdata TEXT);"
         "INSERT INTO rocpd_info_agent" +
         u + " VALUES (0, 1, " + p + ", 'CPU', 0, 'EPYC', 'EPYC', '{}'), (4, 1, " + p +
         ", 'GPU', 4, 'gfx942', 'AMD Instinct MI300X', '{\"cu_count\": 304, \"wave_front_size\": 64}');"
         "CREATE TABLE rocpd_info_kernel_symbol" +
         u +
         "(id INTEGER PRIMARY KEY, kernel_name TEXT, display_name TEXT, arch_vgpr_count INTEGER, accum_vgpr_count "
         "INTEGER);"
         "INSERT INTO rocpd_info_kernel_symbol" +
         u +
         " VALUES (9, '_Z1kv.kd', 'k()', 16, 0);"
         "CREATE TABLE rocpd_event" +
         u +
         "(id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id "
         "INTEGER, extdata TEXT);"
         "INSERT INTO rocpd_event" +
         u +
         " VALUES (1, 1, 7, 0, 0, '{}'), (2, 4, 8, 0, 0, '{\"message\": \"step\"}'), (3, NULL, 7, 7, 0, '{}'), (4, "
         "NULL, 9, 9, 0, '{}');"
         "CREATE TABLE rocpd_info_pmc" +
         u + "(id INTEGER PRIMARY KEY, agent_id INTEGER, name TEXT, symbol TEXT); INSERT INTO rocpd_info_pmc" + u +
         " VALUES (1, 4, 'SQ_WAVES', 'SQ_WAVES');"
         "CREATE TABLE rocpd_pmc_event" +
         u + "(id INTEGER PRIMARY KEY, event_id INTEGER, pmc_id INTEGER, value REAL); INSERT INTO rocpd_pmc_event" + u +
         " VALUES (1, 3, 1, 2), (2, 3, 1, 3);";
}

std::string Rows3(const std::string& u, int pid) {
  const std::string p = std::to_string(pid);
  return "CREATE TABLE rocpd_region" + u +
         "(id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, "
         "event_id INTEGER);"
         "INSERT INTO rocpd_region" +
         u + " VALUES (1, 1, " + p + ", 60, 1000, 1100, 2, 1), (2, 1, " + p +
         ", 60, 900, 3000, 5, 2);"
         "CREATE TABLE rocpd_kernel_dispatch" +
         u +
         "(id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER, "
         "dispatch_id INTEGER,"
         " queue_id INTEGER, stream_id INTEGER, start BIGINT, end BIGINT, group_segment_size INTEGER, workgroup_size_x "
         "INTEGER, workgroup_size_y INTEGER,"
         " workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, region_name_id "
         "INTEGER, event_id INTEGER);"
         "INSERT INTO rocpd_kernel_dispatch" +
         u + " VALUES (1, 1, " + p +
         ", 60, 4, 9, 1, 1, 2, 1200, 1500, 64, 64, 1, 1, 640, 1, 1, 6, 3);"
         "CREATE TABLE rocpd_memory_copy" +
         u +
         "(id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, "
         "dst_agent_id INTEGER,"
         " src_agent_id INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER);"
         "INSERT INTO rocpd_memory_copy" +
         u + " VALUES (1, 1, " + p + ", 60, 1600, 1700, 3, 0, 4, 4096, 0, 2, 4);";
}

void ExpectProcess(const Trace& trace, uint32_t kernel) {
  EXPECT_EQ(trace.GpuName(kernel), "k()");
  ASSERT_NE(trace.gpu.call[kernel], model::kNone);
  EXPECT_EQ(trace.HostName(trace.gpu.call[kernel]), "hipLaunchKernel");
  EXPECT_EQ(trace.launch_configs[trace.gpu.detail[kernel]].grid[0], 10U);
  const model::Device& device = trace.devices[trace.streams[trace.gpu.stream[kernel]].device];
  EXPECT_EQ(device.id, 4);
  EXPECT_EQ(device.sm_count, 304U);
}

TEST_F(RocpdTest, OneProcess) {
  const Trace trace = Load(Schema3("_0a_1b", 42, 3) + Rows3("_0a_1b", 42) +
                           "CREATE VIEW rocpd_kernel_dispatch AS SELECT * FROM rocpd_kernel_dispatch_0a_1b;");
  ASSERT_EQ(trace.gpu.size(), 2U);  // the view tells the same rows
  ExpectProcess(trace, 0);
  EXPECT_EQ(trace.copy_details[trace.gpu.detail[1]].kind, model::CopyKind::kDeviceToHost);
  EXPECT_EQ(trace.copy_details[trace.gpu.detail[1]].bytes, 4096U);
  EXPECT_EQ(trace.gpu.stream[0], trace.gpu.stream[1]);
  ASSERT_EQ(trace.host.size(), 2U);
  EXPECT_EQ(trace.HostName(0), "step");
  EXPECT_EQ(trace.host.kind[0], model::HostKind::kAnnotation);
  EXPECT_EQ(trace.processes[0].pid, 42);
  EXPECT_EQ(trace.processes[0].rank, 3);
  EXPECT_EQ(trace.threads[0].tid, 61);
  ASSERT_EQ(trace.kernel_profiles.size(), 1U);
  EXPECT_EQ(std::get<double>(trace.metrics[0].value), 5.0);
  EXPECT_EQ(trace.sources[0].version, "schema 3");
}

TEST_F(RocpdTest, SeveralProcessesInOneFileKeepTheirIdsApart) {
  const Trace trace = Load(Schema3("_aa", 42, 0) + Rows3("_aa", 42) + Schema3("_bb", 42, 1) + Rows3("_bb", 42));
  ASSERT_EQ(trace.gpu.size(), 4U);
  std::vector<int64_t> ranks;
  for (const model::Process& process : trace.processes) ranks.push_back(process.rank.value_or(-1));
  EXPECT_EQ(ranks, (std::vector<int64_t>{0, 1}));  // the same process id on two machines
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.kind[row] == model::GpuKind::kKernel) ExpectProcess(trace, row);
  }
}

TEST_F(RocpdTest, TracksAndTimestampsApart) {
  const Trace trace =
      Load(Schema3("_cc", 42, 0) +
           "CREATE TABLE rocpd_track_cc(id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, agent_id "
           "INTEGER, queue_id INTEGER, stream_id INTEGER);"
           "INSERT INTO rocpd_track_cc VALUES (1, 1, 42, 60, NULL, NULL, NULL), (2, 1, 42, 60, 4, 1, 2);"
           "CREATE TABLE rocpd_timestamp_cc(id INTEGER PRIMARY KEY, value BIGINT); INSERT INTO rocpd_timestamp_cc "
           "VALUES (1, 1000), (2, 1100), (3, 1200), (4, 1500);"
           "CREATE TABLE rocpd_region_cc(id INTEGER PRIMARY KEY, track_id INTEGER, name_id INTEGER, start_id INTEGER, "
           "end_id INTEGER, event_id INTEGER);"
           "INSERT INTO rocpd_region_cc VALUES (1, 1, 2, 1, 2, 1);"
           "CREATE TABLE rocpd_kernel_dispatch_cc(id INTEGER PRIMARY KEY, track_id INTEGER, kernel_id INTEGER, "
           "dispatch_id INTEGER, start_id INTEGER, end_id INTEGER,"
           " workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, "
           "grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER);"
           "INSERT INTO rocpd_kernel_dispatch_cc VALUES (1, 2, 9, 1, 3, 4, 64, 1, 1, 640, 1, 1, 3);");
  ASSERT_EQ(trace.gpu.size(), 1U);
  ExpectProcess(trace, 0);
  EXPECT_EQ(trace.gpu.dur_ns[0], 300);
  EXPECT_EQ(trace.threads[trace.host.thread[0]].tid, 61);
}

TEST_F(RocpdTest, RocmProfileData) {
  const Trace trace = Load(
      "CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, string TEXT); INSERT INTO rocpd_string VALUES (1, "
      "'hipLaunchKernel'), (2, 'UserMarker'), (3, 'KernelExecution'),"
      " (4, 'k.kd'), (5, 'CopyHostToDevice'), (6, 'hipMemcpyAsync'), (7, 'step');"
      "CREATE TABLE rocpd_api(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER, apiName_id "
      "INTEGER, args_id INTEGER);"
      "INSERT INTO rocpd_api VALUES (11, 5, 6, 100, 110, 1, 7), (12, 5, 6, 50, 900, 2, 7), (13, 5, 6, 120, 130, 6, 7);"
      "CREATE TABLE rocpd_op(id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, start INTEGER, end INTEGER, "
      "description_id INTEGER, opType_id INTEGER);"
      "INSERT INTO rocpd_op VALUES (21, 2, 0, 200, 260, 4, 3), (22, 2, 0, 300, 350, 0, 5);"
      "CREATE TABLE rocpd_api_ops(id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER); INSERT INTO rocpd_api_ops "
      "VALUES (1, 11, 21), (2, 13, 22);"
      "CREATE TABLE rocpd_copyapi(api_ptr_id INTEGER PRIMARY KEY, size INTEGER); INSERT INTO rocpd_copyapi VALUES (13, "
      "512);");
  ASSERT_EQ(trace.gpu.size(), 2U);
  EXPECT_EQ(trace.GpuName(0), "k");
  EXPECT_EQ(trace.HostName(trace.gpu.call[0]), "hipLaunchKernel");
  EXPECT_EQ(trace.copy_details[trace.gpu.detail[1]].bytes, 512U);
  EXPECT_EQ(trace.HostName(0), "step");
  EXPECT_EQ(trace.host.kind[0], model::HostKind::kAnnotation);
}

TEST_F(RocpdTest, RocprofVersionOne) {
  const Trace trace = Load(
      "CREATE TABLE HIP(BeginNs INTEGER, EndNs INTEGER, pid INTEGER, tid INTEGER, Name TEXT, args TEXT, \"Index\" "
      "INTEGER, Data TEXT, __section INTEGER, __lane INTEGER);"
      "INSERT INTO HIP VALUES (100, 110, 5, 6, 'hipLaunchKernel', '( kernel(k) )', 1, '', 2, 6), (120, 130, 5, 6, "
      "'hipMemcpyAsync', '( dst(0x1) sizeBytes(4096) kind(1))', 2, '', 2, 6);"
      "CREATE TABLE OPS(BeginNs INTEGER, EndNs INTEGER, \"dev-id\" INTEGER, \"queue-id\" INTEGER, Name TEXT, pid "
      "INTEGER, tid INTEGER, \"stream-id\" INTEGER, \"Index\" INTEGER, __section INTEGER);"
      "INSERT INTO OPS VALUES (200, 260, 0, 0, 'k [clone .kd]', 5, 6, 1, 1, 6), (260, 261, 0, 0, '\"<barrier "
      "packet>\"', 5, 6, 1, 9, 6);"
      "CREATE TABLE COPY(BeginNs INTEGER, EndNs INTEGER, \"dev-id\" INTEGER, \"queue-id\" INTEGER, Name TEXT, pid "
      "INTEGER, tid INTEGER, \"stream-id\" INTEGER, \"Index\" INTEGER, __section INTEGER);"
      "INSERT INTO COPY VALUES (300, 350, 0, 0, 'CopyHostToDevice', 5, 6, 1, 2, 1);");
  ASSERT_EQ(trace.gpu.size(), 2U);
  EXPECT_EQ(trace.GpuName(0), "k");
  EXPECT_EQ(trace.HostName(trace.gpu.call[0]), "hipLaunchKernel");
  EXPECT_EQ(trace.copy_details[trace.gpu.detail[1]].bytes, 4096U);
  EXPECT_EQ(trace.sources[0].format, "rocprof");
}

}  // namespace
}  // namespace warpscope::import
