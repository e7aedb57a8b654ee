// Labels and names as the section headers of reports pair them (2025.3), and those of older versions ("SOL FB").
#include "import/ncu_csv/labels.h"

#include <algorithm>
#include <iterator>

namespace warpscope::import::ncu_csv {
namespace {

struct Pair {
  std::string_view label, metric;
};
// Sorted by bytes.
constexpr Pair kPairs[] = {
    {"# Pass Groups", "profiler__pmsampler_pass_groups"},
    {"# SMs", "launch__sm_count"},
    {"# TPCs", "launch__tpc_count"},
    {"Achieved Active Warps Per SM", "sm__warps_active.avg.per_cycle_active"},
    {"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"Active Warps Per Scheduler", "smsp__warps_active.avg.per_cycle_active"},
    {"Average DRAM Active Cycles", "dram__cycles_active.avg"},
    {"Average L1 Active Cycles", "l1tex__cycles_active.avg"},
    {"Average L2 Active Cycles", "lts__cycles_active.avg"},
    {"Average MC Channel Active Cycles", "mcc__cycles_active.avg"},
    {"Average SM Active Cycles", "sm__cycles_active.avg"},
    {"Average SMSP Active Cycles", "smsp__cycles_active.avg"},
    {"Avg. Active Threads Per Warp", "smsp__thread_inst_executed_per_inst_executed.ratio"},
    {"Avg. Divergent Branches", "smsp__sass_branch_targets_threads_divergent.avg"},
    {"Avg. Executed Instructions Per Scheduler", "smsp__inst_executed.avg"},
    {"Avg. Issued Instructions Per Scheduler", "smsp__inst_issued.avg"},
    {"Avg. Not Predicated Off Threads Per Warp", "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"},
    {"Block Limit Barriers", "launch__occupancy_limit_barriers"},
    {"Block Limit Registers", "launch__occupancy_limit_registers"},
    {"Block Limit SM", "launch__occupancy_limit_blocks"},
    {"Block Limit Shared Mem", "launch__occupancy_limit_shared_mem"},
    {"Block Limit Warps", "launch__occupancy_limit_warps"},
    {"Block Size", "launch__block_size"},
    {"Branch Efficiency", "smsp__sass_average_branch_targets_threads_uniform.pct"},
    {"Branch Instructions", "smsp__inst_executed_op_branch.sum"},
    {"Branch Instructions Ratio", "derived__smsp__inst_executed_op_branch_pct"},
    {"Cluster Occupancy", "launch__occupancy_cluster_pct"},
    {"Cluster Scheduling Policy", "launch__cluster_scheduling_policy"},
    {"Cluster Size", "launch__cluster_size"},
    {"Compute (SM) Throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"DRAM Frequency", "dram__cycles_elapsed.avg.per_second"},
    {"DRAM Throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Driver Shared Memory Per Block", "launch__shared_mem_per_block_driver"},
    {"Duration", "gpu__time_duration.sum"},
    {"Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic"},
    {"Elapsed Cycles", "gpc__cycles_elapsed.max"},
    {"Eligible Warps Per Scheduler", "smsp__warps_eligible.avg.per_cycle_active"},
    {"Enabled TPC IDs", "launch__tpc_enabled"},
    {"Executed Instructions", "smsp__inst_executed.sum"},
    {"Executed Ipc Active", "sm__inst_executed.avg.per_cycle_active"},
    {"Executed Ipc Elapsed", "sm__inst_executed.avg.per_cycle_elapsed"},
    {"Function Cache Configuration", "launch__func_cache_config"},
    {"Grid Size", "launch__grid_size"},
    {"Issue Slots Busy", "sm__inst_issued.avg.pct_of_peak_sustained_elapsed"},
    {"Issued Instructions", "smsp__inst_issued.sum"},
    {"Issued Ipc Active", "sm__inst_issued.avg.per_cycle_active"},
    {"Issued Warp Per Scheduler", "smsp__issue_active.avg.per_cycle_active"},
    {"L1/TEX Cache Throughput", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {"L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct"},
    {"L2 Cache Throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"L2 Compression Input Sectors", "lts__gcomp_input_sectors.sum"},
    {"L2 Compression Ratio", "lts__average_gcomp_output_sector_compression_achieved_rate.ratio"},
    {"L2 Compression Success Rate", "lts__average_gcomp_input_sector_success_rate.pct"},
    {"L2 Hit Rate", "lts__t_sector_hit_rate.pct"},
    {"L2 Persisting Size", "launch__persisting_l2_cache_size"},
    {"Local Memory Spilling Request Overhead", "derived__local_spilling_requests_pct"},
    {"Local Memory Spilling Requests", "derived__local_spilling_requests"},
    {"Max Active Clusters", "launch__cluster_max_active"},
    {"Max Bandwidth", "gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Max Cluster Size", "launch__cluster_max_potential_size"},
    {"Maximum Buffer Size", "profiler__pmsampler_buffer_size_bytes"},
    {"Mem Busy", "gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Mem Pipes Busy", "sm__memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Memory Frequency", "dram__cycles_elapsed.avg.per_second"},
    {"Memory [%]", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"No Eligible", "smsp__issue_inst0.avg.pct_of_peak_sustained_active"},
    {"One or More Eligible", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    {"Overall GPU Occupancy", "launch__occupancy_cluster_gpu_pct"},
    {"Preferred Cluster Size", "launch__preferred_cluster_size"},
    {"Registers Per Thread", "launch__registers_per_thread"},
    {"SM Active Cycles", "sm__cycles_active.avg"},
    {"SM Busy", "sm__instruction_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SM Frequency", "gpc__cycles_elapsed.avg.per_second"},
    {"SM [%]", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SOL DRAM", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SOL FB", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SOL L1/TEX Cache", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {"SOL L2 Cache", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SOL SM", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Shared Memory Configuration Size", "launch__shared_mem_config_size"},
    {"Stack Size", "launch__stack_size"},
    {"Static Shared Memory Per Block", "launch__shared_mem_per_block_static"},
    {"Theoretical Active Warps per SM", "sm__maximum_warps_avg_per_active_cycle"},
    {"Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct"},
    {"Threads", "launch__thread_count"},
    {"Total DRAM Elapsed Cycles", "dram__cycles_elapsed.sum"},
    {"Total L1 Elapsed Cycles", "l1tex__cycles_elapsed.sum"},
    {"Total L2 Elapsed Cycles", "lts__cycles_elapsed.sum"},
    {"Total MC Channel Elapsed Cycles", "mcc__cycles_elapsed.sum"},
    {"Total SM Elapsed Cycles", "sm__cycles_elapsed.sum"},
    {"Total SMSP Elapsed Cycles", "smsp__cycles_elapsed.sum"},
    {"Uses Green Context", "launch__uses_green_context"},
    {"Warp Cycles Per Executed Instruction", "smsp__average_warps_active_per_inst_executed.ratio"},
    {"Warp Cycles Per Issued Instruction", "smsp__average_warp_latency_per_inst_issued.ratio"},
    {"Waves Per SM", "launch__waves_per_multiprocessor"},
};
static_assert(std::is_sorted(std::begin(kPairs), std::end(kPairs),
                             [](const Pair& a, const Pair& b) { return a.label < b.label; }));

}  // namespace

std::string_view MetricOfLabel(std::string_view label, bool is_share) {
  if (label == "Memory Throughput")
    return is_share ? "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed" : "dram__bytes.sum.per_second";
  const auto* it = std::lower_bound(std::begin(kPairs), std::end(kPairs), label,
                                    [](const Pair& pair, std::string_view wanted) { return pair.label < wanted; });
  return it != std::end(kPairs) && it->label == label ? it->metric : label;
}

}  // namespace warpscope::import::ncu_csv
