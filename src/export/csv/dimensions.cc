// The tables that other rows point to: sources, devices, processes, threads, streams; and the ledger.
#include "export/csv/table.h"
#include "export/csv/tables.h"
#include "export/csv/words.h"

namespace warpscope::exporting::csv {
namespace {

Status Sources(const model::Trace& trace, const std::string& folder) {
  Table out(folder, "sources",
            "row,path,format,producer,version,vendor,rank,world_size,base_time_ns,host_name,record_shapes,with_stack,"
            "profile_memory,text_bytes",
            trace.strings);
  uint32_t number = 0;
  for (const model::Source& row : trace.sources) {
    out.Number(number++).Text(row.path).Text(row.format).Text(row.producer).Text(row.version).Text(WordOf(row.vendor));
    out.Maybe(row.rank).Maybe(row.world_size).Maybe(row.base_time_ns).Text(row.host_name).Flag(row.record_shapes);
    out.Flag(row.with_stack).Flag(row.profile_memory).Number(row.text_bytes).End();
  }
  return out.Close();
}

Status Devices(const model::Trace& trace, const std::string& folder) {
  Table out(folder, "devices",
            "row,source,id,name,used,memory_bytes,cc_major,cc_minor,sm_count,warp_size,max_threads_per_block,"
            "max_threads_per_sm,registers_per_block,registers_per_sm,shared_bytes_per_block,"
            "shared_bytes_per_block_optin,shared_bytes_per_sm",
            trace.strings);
  uint32_t number = 0;
  for (const model::Device& row : trace.devices) {
    out.Number(number++).Number(row.source).Number(row.id).Text(row.name).Flag(row.used).Maybe(row.memory_bytes);
    out.Maybe(row.cc_major).Maybe(row.cc_minor).Maybe(row.sm_count).Maybe(row.warp_size);
    out.Maybe(row.max_threads_per_block).Maybe(row.max_threads_per_sm).Maybe(row.registers_per_block);
    out.Maybe(row.registers_per_sm).Maybe(row.shared_bytes_per_block).Maybe(row.shared_bytes_per_block_optin);
    out.Maybe(row.shared_bytes_per_sm).End();
  }
  return out.Close();
}

Status Processes(const model::Trace& trace, const std::string& folder) {
  Table out(folder, "processes", "row,source,pid,link_domain,name,rank", trace.strings);
  uint32_t number = 0;
  for (const model::Process& row : trace.processes) {
    out.Number(number++).Number(row.source).Number(row.pid).Number(row.link_domain).Name(row.name).Maybe(row.rank);
    out.End();
  }
  return out.Close();
}

Status Threads(const model::Trace& trace, const std::string& folder) {
  Table out(folder, "threads", "row,process,tid,name", trace.strings);
  uint32_t number = 0;
  for (const model::Thread& row : trace.threads)
    out.Number(number++).Row(row.process).Number(row.tid).Name(row.name).End();
  return out.Close();
}

Status Streams(const model::Trace& trace, const std::string& folder) {
  Table out(folder, "streams", "row,device,link_domain,context,id,name", trace.strings);
  uint32_t number = 0;
  for (const model::Stream& row : trace.streams) {
    out.Number(number++).Row(row.device).Number(row.link_domain);
    row.context == -1 ? out.Absent() : out.Number(row.context);
    out.Number(row.id).Name(row.name).End();
  }
  return out.Close();
}

Status Ledger(const model::Trace& trace, const std::string& folder) {
  Table out(folder, "ledger", "name,severity,count,first_offset_bytes,file,message", trace.strings);
  for (const model::LedgerEntry& row : trace.ledger.Entries()) {
    out.Text(row.name).Text(model::SeverityName(row.severity)).Number(row.count).Maybe(row.first_offset_bytes);
    out.Text(row.file).Text(row.message).End();
  }
  return out.Close();
}

}  // namespace

Status WriteDimensions(const model::Trace& trace, const std::string& folder) {
  for (const auto write : {&Sources, &Devices, &Processes, &Threads, &Streams, &Ledger})
    WS_RETURN_IF_ERROR(write(trace, folder));
  return Status::Ok();
}

}  // namespace warpscope::exporting::csv
