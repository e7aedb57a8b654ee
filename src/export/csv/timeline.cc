// The tables of a timeline: rows with a start or a moment, and the details of operators.
#include "export/csv/table.h"
#include "export/csv/tables.h"
#include "export/csv/words.h"

namespace warpscope::exporting::csv {
namespace {

Status Host(const model::Trace& trace, const std::string& folder) {
  const model::HostTable& host = trace.host;
  Table out(folder, "host",
            "row,start_ns,dur_ns,name,kind,thread,parent,correlation,external_id,forward_thread,op_detail",
            trace.strings);
  for (uint32_t row = 0; row < host.size(); ++row) {
    out.Number(row).Number(host.start_ns[row]).Number(host.dur_ns[row]).Name(host.name[row]);
    out.Text(WordOf(host.kind[row])).Row(host.thread[row]).Row(host.parent[row]);
    out.Id(host.correlation[row]).Id(host.external_id[row]);
    host.forward_thread[row] == 0 ? out.Absent() : out.Number(host.forward_thread[row]);
    out.Row(host.detail[row]).End();
  }
  return out.Close();
}

void Launch(const model::LaunchConfig* config, Table* out) {
  for (int i = 0; i < 3; ++i) config == nullptr || config->grid[0] == 0 ? out->Absent() : out->Number(config->grid[i]);
  for (int i = 0; i < 3; ++i)
    config == nullptr || config->block[0] == 0 ? out->Absent() : out->Number(config->block[i]);
  const model::LaunchConfig none;
  const model::LaunchConfig& said = config == nullptr ? none : *config;
  out->Maybe(said.registers_per_thread).Maybe(said.shared_bytes).Maybe(said.recorded_occupancy_pct);
  out->Id(said.graph_id).Id(said.graph_node_id);
}

Status Gpu(const model::Trace& trace, const std::string& folder) {
  const model::GpuTable& gpu = trace.gpu;
  Table out(folder, "gpu",
            "row,start_ns,dur_ns,name,kind,stream,call,correlation,external_id,grid_x,grid_y,grid_z,block_x,block_y,"
            "block_z,registers_per_thread,shared_bytes,recorded_occupancy_pct,graph_id,graph_node_id,copy_kind,"
            "copy_source,copy_target,copy_bytes",
            trace.strings);
  for (uint32_t row = 0; row < gpu.size(); ++row) {
    out.Number(row).Number(gpu.start_ns[row]).Number(gpu.dur_ns[row]).Name(gpu.name[row]);
    out.Text(WordOf(gpu.kind[row])).Row(gpu.stream[row]).Row(gpu.call[row]);
    out.Id(gpu.correlation[row]).Id(gpu.external_id[row]);
    Launch(trace.Launch(row), &out);
    if (const model::CopyDetail* copy = trace.Copy(row)) {
      out.Text(WordOf(copy->kind)).Text(WordOf(copy->src)).Text(WordOf(copy->dst)).Maybe(copy->bytes);
    } else {
      out.Absent().Absent().Absent().Absent();
    }
    out.End();
  }
  return out.Close();
}

Status Annotations(const model::Trace& trace, const std::string& folder) {
  Table out(folder, "gpu_annotations", "start_ns,dur_ns,name,stream", trace.strings);
  for (const model::GpuAnnotation& row : trace.gpu_annotations)
    out.Number(row.start_ns).Number(row.dur_ns).Name(row.name).Row(row.stream).End();
  return out.Close();
}

Status Syncs(const model::Trace& trace, const std::string& folder) {
  Table out(folder, "syncs", "start_ns,dur_ns,kind,stream,wait_on_stream,call,correlation,event_record_correlation",
            trace.strings);
  for (const model::Sync& row : trace.syncs) {
    out.Number(row.start_ns).Number(row.dur_ns).Text(WordOf(row.kind)).Row(row.stream).Row(row.wait_on_stream);
    out.Row(row.call).Id(row.correlation).Id(row.event_record_correlation).End();
  }
  return out.Close();
}

Status Memory(const model::Trace& trace, const std::string& folder) {
  Table out(folder, "memory", "time_ns,bytes,address,device,thread,total_allocated_bytes,total_reserved_bytes",
            trace.strings);
  for (const model::MemoryEvent& row : trace.memory) {
    out.Number(row.time_ns).Number(row.bytes).Number(row.address).Row(row.device).Row(row.thread);
    out.Maybe(row.total_allocated_bytes).Maybe(row.total_reserved_bytes).End();
  }
  return out.Close();
}

Status Counters(const model::Trace& trace, const std::string& folder) {
  Table out(folder, "counters", "time_ns,name,unit,device,value", trace.strings);
  for (const model::CounterSample& row : trace.counters)
    out.Number(row.time_ns).Name(row.name).Name(row.unit).Row(row.device).Number(row.value).End();
  return out.Close();
}

Status Collectives(const model::Trace& trace, const std::string& folder) {
  Table out(folder, "collectives",
            "gpu_row,host_row,name,dtype,group_name,group_ranks,comms_id,in_elements,out_elements,group_size,sequence",
            trace.strings);
  for (const model::Collective& row : trace.collectives) {
    out.Row(row.gpu_row).Row(row.host_row).Name(row.name).Name(row.dtype).Name(row.group_name).Name(row.group_ranks);
    out.Name(row.comms_id).Maybe(row.in_elements).Maybe(row.out_elements).Maybe(row.group_size).Maybe(row.sequence);
    out.End();
  }
  return out.Close();
}

Status Details(const model::Trace& trace, const std::string& folder) {
  Table out(folder, "op_details", "row,input_dims,input_types,input_strides,concrete_inputs,call_stack", trace.strings);
  uint32_t number = 0;
  for (const model::OpDetail& row : trace.op_details) {
    out.Number(number++).Name(row.input_dims).Name(row.input_types).Name(row.input_strides);
    out.Name(row.concrete_inputs).Name(row.call_stack).End();
  }
  return out.Close();
}

}  // namespace

Status WriteTimeline(const model::Trace& trace, const std::string& folder) {
  for (const auto write : {&Host, &Gpu, &Annotations, &Syncs, &Memory, &Counters, &Collectives, &Details})
    WS_RETURN_IF_ERROR(write(trace, folder));
  return Status::Ok();
}

}  // namespace warpscope::exporting::csv
