// Small inputs that imitate rocprofv3's output of several versions.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "import/import.h"

namespace warpscope::import {
namespace {

namespace fs = std::filesystem;
using model::LedgerCode;
using model::Trace;

Trace Read(std::string_view text, std::string_view name = "x") {
  auto trace = LoadBytes(text, name);
  EXPECT_TRUE(trace.ok()) << trace.status().message();
  return trace.ok() ? std::move(trace).value() : Trace();
}

const model::LaunchConfig& ConfigOf(const Trace& trace, uint32_t row) {
  return trace.launch_configs[trace.gpu.detail[row]];
}

TEST(Rocprofv3Csv, KernelsOfEveryVersionCountTheirGridInWorkgroups) {
  const Trace old = Read(
      R"~("Kind","Agent_Id","Queue_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","Private_Segment_Size","Group_Segment_Size","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH",1,3,69,1,16,"void scale<float>(float*, int) [clone .kd]",7,1000,1500,0,512,64,2,1,1000,8,1
)~");
  ASSERT_EQ(old.gpu.size(), 1U);
  EXPECT_EQ(old.GpuName(0), "void scale<float>(float*, int)");
  EXPECT_EQ(old.gpu.dur_ns[0], 500);
  EXPECT_EQ(ConfigOf(old, 0).grid[0], 16U);  // 1000 work-items in groups of 64: the last one is not full
  EXPECT_EQ(ConfigOf(old, 0).grid[1], 4U);
  EXPECT_EQ(ConfigOf(old, 0).block[0], 64U);
  EXPECT_EQ(ConfigOf(old, 0).shared_bytes, 512U);
  EXPECT_EQ(old.streams[old.gpu.stream[0]].id, 3);
  EXPECT_EQ(old.devices[old.streams[old.gpu.stream[0]].device].id, 1);

  const Trace fresh = Read(
      R"~("Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH","Agent 4",1,2,69,1,16,"a",7,1000,1500,1024,0,32,8,16,256,1,1,256,1,1
"KERNEL_DISPATCH","Agent 4",1,5,69,2,16,"a",8,1600,1700,1024,0,32,8,16,256,1,1,512,1,1
)~");
  ASSERT_EQ(fresh.gpu.size(), 2U);
  EXPECT_EQ(ConfigOf(fresh, 0).registers_per_thread, 40U);
  EXPECT_EQ(fresh.streams[fresh.gpu.stream[1]].id, 5);
  EXPECT_EQ(fresh.devices[0].id, 4);
  EXPECT_EQ(fresh.sources[0].vendor, model::Vendor::kAmd);
}

TEST(Rocprofv3Csv, QueuesAreTheLanesWhereNoStreamWasNamed) {
  const Trace trace = Read(
      R"~("Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp"
"KERNEL_DISPATCH",1,1,0,69,1,16,"a",7,1000,1500
"KERNEL_DISPATCH",1,2,0,69,2,16,"b",8,1100,1600
)~");
  EXPECT_NE(trace.gpu.stream[0], trace.gpu.stream[1]);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kOverlapOnStream), 0U);
}

TEST(Rocprofv3Csv, CallsMarkersAndTotals) {
  const Trace calls = Read(
      R"~("Guid","Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"
"g","HIP_RUNTIME_API","hipLaunchKernel",5,6,1,100,200
"g","HSA_AMD_EXT_API","hsa_amd_memory_pool_allocate",5,6,2,120,130
"g","MARKER_CORE_API","forward, backward",5,6,3,90,300
"g","MARKER_CORE_API","roctxRangePop",5,6,4,300,300
)~");
  ASSERT_EQ(calls.host.size(), 3U);
  EXPECT_EQ(calls.host.kind[0], model::HostKind::kAnnotation);
  EXPECT_EQ(calls.HostName(0), "forward, backward");
  EXPECT_EQ(calls.host.kind[2], model::HostKind::kDriverCall);
  EXPECT_EQ(calls.processes[0].pid, 5);
  EXPECT_EQ(calls.ledger.Count(LedgerCode::kUnknownEvent), 1U);

  const Trace totals = Read(R"~("Name","Calls","TotalDurationNs","AverageNs","Percentage"
"gemm.kd",4,4000,1000,80.0
"hipFree",1,1000,1000,20.0
)~");
  ASSERT_EQ(totals.summaries.size(), 2U);
  EXPECT_EQ(totals.Text(totals.summaries[0].name), "gemm");
  EXPECT_EQ(totals.summaries[1].kind, model::SummaryKind::kApiCall);
  EXPECT_EQ(totals.sources[0].producer, "rocprof");
}

TEST(Rocprofv3Csv, CountersOfADispatchBecomeOneProfileWithDerivedMetrics) {
  const Trace trace = Read(
      R"~("Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","SGPR_Count","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"
1,1,1,1,9,9,1048576,16,"k",64,0,0,8,16,"TCC_HIT_sum",300,1000,3000
2,2,1,1,9,9,1024,16,"k",64,0,0,8,16,"TCC_HIT_sum",0,4000,5000
1,1,1,1,9,9,1048576,16,"k",64,0,0,8,16,"TCC_MISS_sum",1.0e+02,1000,3000
)~");
  ASSERT_EQ(trace.kernel_profiles.size(), 2U);
  const model::KernelProfile& profile = trace.kernel_profiles[0];
  EXPECT_EQ(profile.dur_ns, 2000);
  EXPECT_EQ(trace.launch_configs[profile.config].grid[0], 16384U);
  std::map<std::string, double> metrics;
  for (uint32_t row = profile.metric_begin; row < profile.metric_end; ++row)
    metrics[std::string(trace.Text(trace.metrics[row].name))] = std::get<double>(trace.metrics[row].value);
  EXPECT_EQ(metrics, (std::map<std::string, double>{
                         {"TCC_HIT_sum", 300}, {"TCC_MISS_sum", 100}, {"l2_hit_pct", 75}, {"scratch_bytes", 0}}));
  EXPECT_FALSE(trace.has_timeline());
}

TEST(Rocprofv3Csv, FilesOfOneOutputAreOneRun) {
  const fs::path folder = fs::temp_directory_path() / ("warpscope_rocprofv3_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "12_kernel_trace.csv")
      << "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_"
         "Id\",\"Start_Timestamp\","
         "\"End_Timestamp\"\n\"KERNEL_DISPATCH\",1,3,69,1,16,\"k\",7,1300,1500\n";
  std::ofstream(folder / "12_hip_api_trace.csv")
      << "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\","
         "\"End_Timestamp\"\n\"HIP_RUNTIME_API\",\"hipLaunchKernel\",12,69,7,1000,1100\n";
  std::ofstream(folder / "12_memory_copy_trace.csv")
      << "\"Kind\",\"Direction\",\"Source_Agent_Id\",\"Destination_Agent_Id\",\"Correlation_Id\",\"Start_Timestamp\","
         "\"End_Timestamp\"\n"
         "\"MEMORY_COPY\",\"MEMORY_COPY_HOST_TO_DEVICE\",0,1,6,1200,1250\n";
  std::ofstream(folder / "12_agent_info.csv")
      << "\"Node_Id\",\"Agent_Type\",\"Cu_Count\",\"Wave_Front_Size\",\"Name\",\"Product_Name\"\n0,\"CPU\",0,0,"
         "\"EPYC\",\"EPYC\"\n1,\"GPU\",104,64,\"gfx90a\",\"AMD Instinct MI210\"\n";
  auto loaded = Load({folder.string()});
  fs::remove_all(folder);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const Trace& trace = *loaded;
  ASSERT_EQ(trace.gpu.size(), 2U);
  EXPECT_EQ(trace.gpu.kind[0], model::GpuKind::kCopy);
  ASSERT_NE(trace.gpu.call[1], model::kNone);
  EXPECT_EQ(trace.HostName(trace.gpu.call[1]), "hipLaunchKernel");
  const model::Device& device = trace.devices[trace.streams[trace.gpu.stream[1]].device];
  EXPECT_EQ(device.name, "AMD Instinct MI210");
  EXPECT_EQ(device.warp_size, 64U);
  EXPECT_EQ(trace.streams[trace.gpu.stream[0]].device, trace.streams[trace.gpu.stream[1]].device);
}

TEST(Rocprofv3Csv, ProcessesOfOneMachineShareItsClock) {
  const fs::path folder = fs::temp_directory_path() / ("warpscope_rocprofv3_two_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  for (const char* pid : {"12", "13"}) {
    std::ofstream(folder / (std::string(pid) + "_kernel_trace.csv"))
        << "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\","
           "\"Correlation_Id\",\"Start_Timestamp\","
           "\"End_Timestamp\"\n\"KERNEL_DISPATCH\",1,3,69,1,16,\"k\",7,1300,1500\n";
  }
  auto loaded = Load({folder.string()});
  fs::remove_all(folder);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->gpu.size(), 2U);
  EXPECT_EQ(loaded->ledger.Count(LedgerCode::kClockSkew), 0U);
}

TEST(Rocprofv3Csv, WhatIsNoTimelineIsNamed) {
  const auto samples = LoadBytes(
      "\"Sample_Timestamp\",\"Exec_Mask\",\"Dispatch_Id\",\"Instruction\",\"Instruction_Comment\",\"Correlation_"
      "Id\"\n1,1,1,\"s_endpgm\",\"\",1\n",
      "x");
  ASSERT_FALSE(samples.ok());
  EXPECT_NE(samples.status().message().find("PC samples"), std::string::npos);
  const auto att =
      LoadBytes("\"CodeObj\",\"Vaddr\",\"Instruction\",\"Hitcount\",\"Latency\",\"Stall\",\"Idle\",\"Source\"\n", "x");
  ASSERT_FALSE(att.ok());
  EXPECT_NE(att.status().message().find("thread trace"), std::string::npos);
  for (const char* json :
       {R"~({"wave_filenames": {"0": {}}, "gfxv": "vega"})~", R"~({"code": [], "header": "ISA, Vaddr, Hit"})~"}) {
    const auto part = LoadBytes(json, "x");
    ASSERT_FALSE(part.ok());
    EXPECT_NE(part.status().message().find("thread trace"), std::string::npos) << part.status().message();
  }
}

constexpr std::string_view kJson = R"~({"rocprofiler-sdk-tool": [{
 "metadata": {"pid": 77, "init_time": 1, "command": ["secret"], "environment": {"OMPI_COMM_WORLD_RANK": "3", "TOKEN": "hush"}, "node": {"hostname": "n1"}},
 "agents": [{"id": {"handle": 11}, "type": 1, "node_id": 0, "name": "EPYC"},
  {"id": {"handle": 22}, "type": 2, "node_id": 4, "name": "gfx942", "product_name": "AMD Instinct MI300X", "cu_count": 304, "wave_front_size": 64,
   "mem_banks": [{"heap_type": 1, "size_in_bytes": 1000}, {"heap_type": 0, "size_in_bytes": 7}]}],
 "counters": [{"id": {"handle": 5}, "name": "SQ_WAVES"}],
 "strings": {"callback_records": [], "buffer_records": [{"kind": "NONE", "operations": []}, {"kind": "HSA_CORE_API", "operations": ["hsa_init"]},
   {"kind": "HIP_RUNTIME_API", "operations": ["x", "hipLaunchKernel", "hipMemcpyAsync"]}, {"kind": "MEMORY_COPY", "operations": ["NONE", "H", "MEMORY_COPY_HOST_TO_DEVICE"]}],
  "marker_api": [{"key": 40, "value": "step"}]},
 "kernel_symbols": [{"kernel_id": 9, "kernel_name": "_Z1kv.kd", "formatted_kernel_name": "k()", "arch_vgpr_count": 24, "accum_vgpr_count": 4}],
 "callback_records": {"counter_collection": [{"thread_id": 1, "dispatch_data": {"start_timestamp": 100, "end_timestamp": 150, "correlation_id": {"internal": 1, "external": 0},
   "dispatch_info": {"agent_id": {"handle": 22}, "queue_id": {"handle": 1}, "kernel_id": 9, "dispatch_id": 1, "workgroup_size": {"x": 64, "y": 1, "z": 1}, "grid_size": {"x": 128, "y": 1, "z": 1}}},
   "records": [{"counter_id": {"handle": 5}, "value": 1}, {"counter_id": {"handle": 5}, "value": 2.5}]}]},
 "buffer_records": {
  "kernel_dispatch": [{"kind": 4, "operation": 1, "thread_id": 70, "correlation_id": {"internal": 2, "external": 0}, "start_timestamp": 2000, "end_timestamp": 2400,
    "dispatch_info": {"agent_id": {"handle": 22}, "queue_id": {"handle": 1}, "kernel_id": 9, "dispatch_id": 1, "group_segment_size": 256, "workgroup_size": {"x": 64, "y": 1, "z": 1}, "grid_size": {"x": 128, "y": 1, "z": 1}}, "stream_id": {"handle": 2}}],
  "hip_api": [{"kind": 2, "operation": 1, "thread_id": 70, "correlation_id": {"internal": 2, "external": 0}, "start_timestamp": 1000, "end_timestamp": 1100, "args": {"kname": "BAD"}}],
  "memory_copy": [{"kind": 3, "operation": 2, "thread_id": 70, "correlation_id": {"internal": 3, "external": 0}, "start_timestamp": 1500, "end_timestamp": 1600, "dst_agent_id": {"handle": 22}, "src_agent_id": {"handle": 11}, "bytes": 4096, "stream_id": {"handle": 2}}],
  "memory_allocation": [{"kind": 5, "operation": 1, "thread_id": 70, "correlation_id": {"internal": 4}, "start_timestamp": 10, "end_timestamp": 20, "agent_id": {"handle": 22}, "address": "0x0010", "allocation_size": 64},
    {"kind": 5, "operation": 3, "thread_id": 70, "correlation_id": {"internal": 5}, "start_timestamp": 3000, "end_timestamp": 3010, "agent_id": {"handle": 0}, "address": "0x0010", "allocation_size": 0}],
  "marker_api": [{"kind": 6, "operation": 1, "thread_id": 70, "correlation_id": {"internal": 40}, "start_timestamp": 900, "end_timestamp": 2500}]}}]})~";

void ExpectWhole(const Trace& trace) {
  ASSERT_EQ(trace.gpu.size(), 2U);
  ASSERT_EQ(trace.host.size(), 2U);
  EXPECT_EQ(trace.GpuName(1), "k()");
  EXPECT_EQ(trace.GpuName(0), "Memcpy HtoD");
  EXPECT_EQ(trace.copy_details[trace.gpu.detail[0]].bytes, 4096U);
  EXPECT_EQ(trace.HostName(0), "step");
  EXPECT_EQ(trace.HostName(1), "hipLaunchKernel");
  EXPECT_EQ(trace.gpu.call[1], 1U);
  EXPECT_EQ(ConfigOf(trace, 1).grid[0], 2U);
  EXPECT_EQ(trace.gpu.stream[0], trace.gpu.stream[1]);
  const model::Device& device = trace.devices[trace.streams[trace.gpu.stream[1]].device];
  EXPECT_EQ(device.id, 4);
  EXPECT_EQ(device.name, "AMD Instinct MI300X");
  EXPECT_EQ(device.memory_bytes, 1000U);
  ASSERT_EQ(trace.memory.size(), 2U);
  EXPECT_EQ(trace.memory[1].bytes, -64);
  EXPECT_EQ(trace.processes[0].pid, 77);
  EXPECT_EQ(trace.processes[0].rank, 3);
  ASSERT_EQ(trace.kernel_profiles.size(), 1U);
  EXPECT_EQ(std::get<double>(trace.metrics[0].value), 3.5);
}

TEST(Rocprofv3Json, WholeDocument) {
  const Trace trace = Read(kJson);
  ExpectWhole(trace);
  EXPECT_EQ(ConfigOf(trace, 1).registers_per_thread, 28U);
  EXPECT_EQ(trace.Text(trace.metrics[0].name), "SQ_WAVES");
}

TEST(Rocprofv3Json, NamesMayComeBehindTheRecords) {
  // The same document with its members in the opposite order.
  std::string text(kJson);
  const size_t agents = text.find("\"agents\""), buffers = text.find("\"buffer_records\": {\n"),
               end = text.rfind("}]}");
  const std::string records = text.substr(buffers, end - buffers);
  text = text.substr(0, agents) + records + ", " + text.substr(agents, text.rfind(',', buffers) - agents) + "}]}";
  ExpectWhole(Read(text));
}

TEST(Rocprofv3Json, BytesThatAreNoUtf8CostNothing) {
  std::string text(kJson);
  text.replace(text.find("BAD"), 3,
               "\xFF\xFE\x80"
               "abc");
  const Trace trace = Read(text);
  ExpectWhole(trace);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kBadName), 1U);
}

TEST(Rocprofv3Json, CutAnywhereKeepsWhatCameBefore) {
  const std::string text(kJson);
  for (size_t size = 1; size < text.size(); size += 7) {
    auto trace = LoadBytes(std::string_view(text).substr(0, size), "x");
    if (trace.ok()) {
      EXPECT_GT(trace->ledger.Count(LedgerCode::kTruncatedFile), 0U) << size;
    } else {
      EXPECT_FALSE(trace.status().message().empty());
    }
  }
  const Trace cut = Read(std::string_view(text).substr(0, text.find("\"memory_copy\"")));
  EXPECT_EQ(cut.gpu.size(), 1U);
  EXPECT_EQ(cut.host.size(), 1U);
}

TEST(Rocprofv3Json, SeveralProcessesKeepTheirIdsApart) {
  std::string text(kJson);
  const size_t open = text.find("[{"), close = text.rfind("}]}");
  std::string second = text.substr(open + 1, close - open);
  second.replace(second.find("\"pid\": 77"), 9, "\"pid\": 78");
  text.insert(close + 1, "," + second);
  const Trace trace = Read(text);
  ASSERT_EQ(trace.gpu.size(), 4U);
  EXPECT_EQ(trace.processes.size(), 2U);
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.call[row] == model::kNone) continue;
    EXPECT_EQ(trace.HostDomain(trace.gpu.call[row]), trace.GpuDomain(row));
  }
}

}  // namespace
}  // namespace warpscope::import
