// Words for the columns of tables: their machine names made readable, in the interface's language.
import { language } from "./i18n";
import { columnsZh } from "./columns_zh";

const WORDS: Record<string, string> = { pct: "%", ns: "", bytes: "", per: "/", flop: "FLOP", l1: "L1", l2: "L2", dram: "DRAM", p95: "p95", sm: "SM", gpu: "GPU", api: "API" };
// Columns whose name says little without its unit-less remainder.
const WHOLE: Record<string, string> = { count: "count", bytes: "bytes", total_ns: "total", name: "name", kernel: "short name", share_of_busy_pct: "% of busy", share_of_window_pct: "% of window", share_of_idle_pct: "% of idle", share_of_kernels_pct: "% of kernels", occupancy_pct: "occup. %", registers_per_thread: "registers", intensity_flop_per_byte: "FLOP/byte", launch_count: "launches", communication_ns: "comm.", shorter_than_launch: "shorter", flop_per_s: "FLOP/s", bytes_per_s: "bytes/s", dur_ns: "duration", gaps: "gaps", holds_bytes: "holds", age_ns: "oldest", where: "allocated in" };

export function columnLabel(name: string): string {
  if (language() === "zh" && columnsZh[name]) return columnsZh[name];
  if (WHOLE[name]) return WHOLE[name];
  const text = name.replace(/_per_s$/, "/s").split("_").map((word) => WORDS[word] ?? word).filter(Boolean).join(" ").replace(/ \/ /g, "/");
  return text || name;
}

// Columns that are shown first, by table; all others are one click away.
export const MAIN_COLUMNS: Record<string, string[]> = {
  kernels: ["kernel", "name", "count", "total_ns", "share_of_busy_pct", "mean_ns", "max_ns", "category", "precision", "grid", "block", "occupancy_pct"],
  ops: ["name", "count", "self_device_ns", "self_device_pct", "total_device_ns", "self_host_ns", "self_host_pct", "total_host_ns", "kernels_self"],
  copies: ["kind", "memory", "count", "bytes", "total_ns", "bandwidth_bytes_per_s", "link_use_pct", "synchronous_count", "host_blocked_ns", "overlapped_pct"],
  steps: ["step", "label", "dur_ns", "busy_ns", "idle_ns", "idle_cause", "kernels", "launches", "copies", "sync_ns", "communication_ns", "remark"],
  launches: ["kernel", "count", "call_mean_ns", "kernel_mean_ns", "delay_median_ns", "delay_p95_ns", "shorter_than_launch", "call_ns", "kernel_ns"],
  roofline: ["mark", "kernel", "operator", "launch_count", "total_ns", "share_pct", "intensity_flop_per_byte", "flop_per_s", "bytes_per_s", "roof_pct", "bound", "precision", "counted_by"],
  counters: ["kernel", "launch_count", "total_ns", "share_of_measured_pct", "compute_pct", "memory_pct", "dram_pct", "l2_pct", "occupancy_pct", "top_stall", "top_stall_pct", "top_advice"],
  stalls: ["kernel", "samples", "share_of_samples_pct", "issuing_pct", "top_stall", "top_stall_pct", "second_stall", "second_stall_pct", "hottest_place", "hottest_place_pct"],
  devices: ["device", "name", "busy_ns", "busy_pct", "idle_ns", "compute_ns", "copy_ns", "communication_ns", "exposed_copy_ns", "exposed_communication_ns", "kernels", "copies"],
};
