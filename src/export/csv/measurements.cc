// Tables of measurements, which have no place in time.
#include "export/csv/table.h"
#include "export/csv/tables.h"
#include "export/csv/words.h"

namespace warpscope::exporting::csv {
namespace {

Status Profiles(const model::Trace& trace, const std::string& folder) {
  if (trace.kernel_profiles.empty()) return Status::Ok();
  Table out(folder, "kernel_profiles",
            "row,source,process,device,id,name,mangled_name,context,stream,dur_ns,grid_x,grid_y,grid_z,block_x,block_y,"
            "block_z",
            trace.strings);
  uint32_t number = 0;
  for (const model::KernelProfile& row : trace.kernel_profiles) {
    out.Number(number++).Number(row.source).Row(row.process).Row(row.device).Number(row.id).Name(row.name);
    out.Name(row.mangled_name).Number(row.context).Number(row.stream).Maybe(row.dur_ns);
    const bool known = row.config < trace.launch_configs.size();
    for (int i = 0; i < 3; ++i) known ? out.Number(trace.launch_configs[row.config].grid[i]) : out.Absent();
    for (int i = 0; i < 3; ++i) known ? out.Number(trace.launch_configs[row.config].block[i]) : out.Absent();
    out.End();
  }
  return out.Close();
}

Status Metrics(const model::Trace& trace, const std::string& folder) {
  if (trace.metrics.empty()) return Status::Ok();
  Table out(folder, "metrics", "kernel_profile,name,unit,value", trace.strings);
  for (uint32_t profile = 0; profile < trace.kernel_profiles.size(); ++profile) {
    const model::KernelProfile& of = trace.kernel_profiles[profile];
    for (uint32_t row = of.metric_begin; row < of.metric_end; ++row) {
      const model::Metric& metric = trace.metrics[row];
      out.Number(profile).Name(metric.name).Name(metric.unit);
      if (const auto* real = std::get_if<double>(&metric.value)) out.Number(*real);
      else if (const auto* whole = std::get_if<uint64_t>(&metric.value)) out.Number(*whole);
      else if (const auto* text = std::get_if<model::StringId>(&metric.value)) out.Name(*text);
      else out.Absent();
      out.End();
    }
  }
  return out.Close();
}

Status Advice(const model::Trace& trace, const std::string& folder) {
  if (trace.advice.empty()) return Status::Ok();
  Table out(folder, "advice", "kernel_profile,section,rule,title,kind,speedup_pct,text", trace.strings);
  for (uint32_t profile = 0; profile < trace.kernel_profiles.size(); ++profile) {
    const model::KernelProfile& of = trace.kernel_profiles[profile];
    for (uint32_t row = of.advice_begin; row < of.advice_end; ++row) {
      const model::Advice& advice = trace.advice[row];
      out.Number(profile).Name(advice.section).Name(advice.rule).Name(advice.title).Text(WordOf(advice.kind));
      out.Maybe(advice.speedup_pct).Name(advice.text).End();
    }
  }
  return out.Close();
}

Status Summaries(const model::Trace& trace, const std::string& folder) {
  if (trace.summaries.empty()) return Status::Ok();
  Table out(folder, "summaries", "source,kind,name,group,count,total_ns,min_ns,max_ns,rank", trace.strings);
  for (const model::SummaryRow& row : trace.summaries) {
    out.Number(row.source).Text(WordOf(row.kind)).Name(row.name).Name(row.group).Maybe(row.count);
    out.Maybe(row.total_ns).Maybe(row.min_ns).Maybe(row.max_ns).Maybe(row.rank).End();
  }
  return out.Close();
}

Status Readings(const model::Trace& trace, const std::string& folder) {
  if (trace.readings.empty()) return Status::Ok();
  Table out(folder, "readings", "source,device,time_ns,name,unit,value,text", trace.strings);
  for (const model::Reading& row : trace.readings) {
    out.Number(row.source).Row(row.device).Maybe(row.time_ns).Name(row.name).Name(row.unit).Maybe(row.value);
    out.Name(row.text).End();
  }
  return out.Close();
}

Status PcSamples(const model::Trace& trace, const std::string& folder) {
  if (trace.pc_samples.empty()) return Status::Ok();
  Table out(folder, "pc_samples", "process,function,code,offset_bytes,file,line,sass,reason,samples", trace.strings);
  for (const model::PcSample& row : trace.pc_samples) {
    out.Row(row.process).Name(row.function).Number(row.code).Number(row.offset_bytes).Name(row.file);
    row.line > 0 ? out.Number(row.line) : out.Absent();
    out.Name(row.sass).Name(row.reason).Number(row.samples).End();
  }
  return out.Close();
}

Status PcWindows(const model::Trace& trace, const std::string& folder) {
  if (trace.pc_windows.empty()) return Status::Ok();
  Table out(folder, "pc_windows", "process,device,period_log2,start_ns,dur_ns,samples,dropped,foreign,buffer_full",
            trace.strings);
  for (const model::PcWindow& row : trace.pc_windows) {
    out.Row(row.process).Row(row.device).Number(row.period_log2).Number(row.start_ns).Number(row.dur_ns);
    out.Number(row.samples).Number(row.dropped).Number(row.foreign).Number(row.buffer_full ? 1 : 0).End();
  }
  return out.Close();
}

}  // namespace

Status WriteMeasurements(const model::Trace& trace, const std::string& folder) {
  for (const auto write : {&Profiles, &Metrics, &Advice, &Summaries, &Readings, &PcSamples, &PcWindows})
    WS_RETURN_IF_ERROR(write(trace, folder));
  return Status::Ok();
}

}  // namespace warpscope::exporting::csv
