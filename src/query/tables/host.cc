// host, api_calls, operators, annotations, python_frames, os_calls, profiler_overhead: what the threads did.
#include "analysis/call_kind.h"
#include "query/catalog.h"
#include "query/tables/common.h"

namespace warpscope::query {
namespace {

using model::HostKind;
using model::kNone;
using model::kNoString;

constexpr std::string_view kKinds[] = {"annotation", "python", "native", "operator",
                                       "runtime",    "driver", "os",     "overhead"};

std::vector<Column> CommonColumns(const Recording& r) {
  const model::Trace& t = r.trace();
  const auto thread = [&t](uint32_t row) -> const model::Thread& { return t.threads[t.host.thread[row]]; };
  return {
      Int("id", "", "row number in host: joins with parent_id, call_id, operator_id ...",
          [](uint32_t row) { return row; }),
      Name("name", "name as recorded", [&t](uint32_t row) { return t.host.name[row]; }),
      Int("start_ns", "ns", "start, since the first moment of the recording",
          [&r, &t](uint32_t row) { return t.host.start_ns[row] - r.origin_ns(); }),
      Int("end_ns", "ns", "end", [&r, &t](uint32_t row) { return t.host.end_ns(row) - r.origin_ns(); }),
      Int("dur_ns", "ns", "duration", [&t](uint32_t row) { return t.host.dur_ns[row]; }),
      Int("self_ns", "ns", "duration without the rows directly inside", [&r](uint32_t row) { return r.SelfNs(row); }),
      Int("tid", "", "thread", [thread](uint32_t row) { return thread(row).tid; }),
      Name("thread_name", "its name", [thread](uint32_t row) { return thread(row).name; }),
      Int("pid", "", "process", [&t, thread](uint32_t row) { return t.processes[thread(row).process].pid; }),
      Int("rank", "", "rank of the process, if the file tells",
          [&t, thread](uint32_t row) { return t.processes[thread(row).process].rank; }),
      Int("parent_id", "", "innermost row of the same thread around it",
          [&t](uint32_t row) { return RowOrAbsent(t.host.parent[row]); }),
      Int("depth", "", "number of rows around it",
          [&t](uint32_t row) {
            int64_t depth = 0;
            for (uint32_t at = t.host.parent[row]; at != kNone; at = t.host.parent[at]) ++depth;
            return depth;
          }),
      Int("step", "", "number of the step in which it starts, from 0 in each rank",
          [&r](uint32_t row) { return r.StepOfHost(row); }),
  };
}

Column Around(const Recording& r, HostKind kind, std::string_view name, std::string_view meaning) {
  const model::Trace& t = r.trace();
  return Name(name, meaning, [&r, &t, kind](uint32_t row) {
    const uint32_t found = r.Innermost(t.host.parent[row], kind);
    return found == kNone ? kNoString : t.host.name[found];
  });
}
Column AroundId(const Recording& r, HostKind kind, std::string_view name, std::string_view meaning) {
  const model::Trace& t = r.trace();
  return Int(name, "", meaning,
             [&r, &t, kind](uint32_t row) { return RowOrAbsent(r.Innermost(t.host.parent[row], kind)); });
}

std::vector<Column> ApiColumns(Recording& r) {
  const model::Trace& t = r.trace();
  constexpr size_t kCallKinds = static_cast<size_t>(analysis::CallKind::kAttribute) + 1;
  const NamedWords<kCallKinds, analysis::CallKind> kinds(r, &analysis::CallKindName);
  const uint32_t runtime = r.texts.Add("runtime"), driver = r.texts.Add("driver");
  return {
      UInt("correlation", "id that links it with device work",
           [&t](uint32_t row) { return IdOrAbsent(t.host.correlation[row]); }),
      Name("api", "\"runtime\" or \"driver\"",
           [&t, runtime, driver](uint32_t row) {
             return t.host.kind[row] == HostKind::kRuntimeCall ? runtime : driver;
           }),
      Name("call_kind", "what it does: \"launch\", \"stream sync\" ...",
           [&r, kinds](uint32_t row) { return kinds[r.index().call_kind(row)]; }),
      Int("gpu_count", "count", "device items that it issued",
          [&r](uint32_t row) { return r.index().IssuedBy(row).size(); }),
      AroundId(r, HostKind::kOperator, "operator_id", "row number in host of the innermost operator around it"),
      Around(r, HostKind::kOperator, "operator", "its name"),
      Around(r, HostKind::kAnnotation, "annotation", "innermost annotation around it"),
      Around(r, HostKind::kPython, "python_frame", "innermost Python frame around it"),
      Around(r, HostKind::kNative, "native_frame", "innermost frame of C, C++ and the like around it"),
  };
}

std::vector<Column> OperatorColumns(const Recording& r) {
  const model::Trace& t = r.trace();
  const auto detail = [&t](auto member) {
    return [&t, member](uint32_t row) {
      const uint32_t at = t.host.detail[row];
      return at == kNone ? kNoString : t.op_details[at].*member;
    };
  };
  return {
      Text("input_dims", "shapes of its inputs as recorded: \"[[16, 512]]\"", detail(&model::OpDetail::input_dims)),
      Text("input_types", "types of its inputs", detail(&model::OpDetail::input_types)),
      Text("input_strides", "strides of its inputs", detail(&model::OpDetail::input_strides)),
      Text("concrete_inputs", "plain arguments", detail(&model::OpDetail::concrete_inputs)),
      UInt("sequence", "autograd sequence number", [&t](uint32_t row) { return IdOrAbsent(t.host.correlation[row]); }),
      Int("forward_thread", "", "operators run by autograd: number of the forward thread",
          [&t](uint32_t row) {
            const uint32_t number = t.host.forward_thread[row];
            return number == 0 ? std::nullopt : std::optional<int64_t>(number);
          }),
      AroundId(r, HostKind::kOperator, "outer_operator_id", "row number in host of the next operator around it"),
      Around(r, HostKind::kAnnotation, "annotation", "innermost annotation around it"),
      Around(r, HostKind::kPython, "python_frame", "innermost Python frame around it"),
  };
}

std::vector<Column> AnnotationColumns(Recording& r) {
  const model::Trace& t = r.trace();
  constexpr std::string_view kStyles[] = {"PushPop", "StartEnd", "Mark"};
  const Words<3, model::AnnotationForm> styles(r, kStyles);
  const auto detail = [&t](uint32_t row) -> const model::AnnotationDetail* {
    const uint32_t at = t.host.detail[row];
    return at == kNone ? nullptr : &t.annotation_details[at];
  };
  return {
      AroundId(r, HostKind::kAnnotation, "outer_annotation_id", "row number in host of the next annotation around it"),
      Name("style", "\"PushPop\", \"StartEnd\" (may overlap others), or \"Mark\" (a moment)",
           [detail, styles](uint32_t row) {
             return styles[detail(row) ? detail(row)->form : model::AnnotationForm::kNested];
           }),
      Text("domain", "NVTX domain of the library that made it; absent for the default one",
           [detail](uint32_t row) { return detail(row) ? detail(row)->domain : kNoString; }),
      Text("category", "NVTX category",
           [detail](uint32_t row) { return detail(row) ? detail(row)->category : kNoString; }),
      Text("payload", "NVTX payload as text",
           [detail](uint32_t row) { return detail(row) ? detail(row)->payload : kNoString; }),
  };
}

template <typename... K>
std::function<Rows()> OfKinds(const model::Trace& t, K... kinds) {
  return RowsThat(t.host.size(), [&t, kinds...](uint32_t row) { return ((t.host.kind[row] == kinds) || ...); });
}

}  // namespace

void AddHostTables(Recording& r, std::vector<Table>& tables) {
  const model::Trace& t = r.trace();
  const Words<8, HostKind> kinds(r, kKinds);
  const std::vector<Column> common = CommonColumns(r);
  const auto add = [&](std::string_view name, std::string_view meaning, std::string_view record,
                       std::vector<Column> more, std::function<Rows()> rows) {
    tables.push_back({name, meaning, record, common + std::move(more), std::move(rows), std::nullopt});
  };
  tables.push_back(
      {"host", "one row a span of host time of any kind",
       "No host activity was recorded: nsys profile --trace=cuda,nvtx,osrt; torch.profiler with ProfilerActivity.CPU.",
       common + std::vector<Column>{Name(
                    "kind", "\"annotation\", \"python\", \"native\", \"operator\", \"runtime\", \"driver\", \"os\", \"overhead\"",
                    [&t, kinds](uint32_t row) { return kinds[t.host.kind[row]]; })},
       AllRows(t.host.size()), t.host.size()});
  add("api_calls", "one row a call of the CUDA or HIP runtime or driver",
      "No API call was recorded: nsys profile --trace=cuda; torch.profiler with ProfilerActivity.CUDA; rocprofv3 "
      "--hip-trace.",
      ApiColumns(r), OfKinds(t, HostKind::kRuntimeCall, HostKind::kDriverCall));
  add("operators", "one row a call of a framework operator",
      "No framework operator was recorded: torch.profiler with ProfilerActivity.CPU; nsys profile "
      "--pytorch=autograd-nvtx.",
      OperatorColumns(r), OfKinds(t, HostKind::kOperator));
  add("annotations", "one row an NVTX range, record_function or step marker",
      "No annotation was recorded: mark the program with NVTX ranges (nsys profile --trace=nvtx) or "
      "torch.profiler.record_function.",
      AnnotationColumns(r), OfKinds(t, HostKind::kAnnotation));
  add("python_frames", "one row a Python frame",
      "No Python frame was recorded: warpscope record, or torch.profiler with with_stack=True.", {},
      OfKinds(t, HostKind::kPython));
  add("native_frames", "one row a frame of C, C++ and the like",
      "No native frame was recorded: warpscope record -- a program that is not Python.", {},
      OfKinds(t, HostKind::kNative));
  add("os_calls", "one row a call into the operating system that lasted",
      "No operating-system call was recorded: warpscope record, or nsys profile --trace=osrt.", {},
      OfKinds(t, HostKind::kOsCall));
  add("profiler_overhead", "one row a span of the recorder's own work", "The recorder wrote none of its own work.", {},
      OfKinds(t, HostKind::kOverhead));
}

}  // namespace warpscope::query
