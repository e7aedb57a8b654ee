// GPU render stages (graphics and compute work on hardware queues) and GPU counters.
#include <algorithm>

#include "base/perfetto_fields.h"
#include "import/perfetto/reader.h"

namespace warpscope::import::perfetto {

namespace pf = warpscope::perfetto;
namespace stage = warpscope::perfetto::stage;
using protobuf::Fields;

namespace {

void ReadDim3(std::string_view bytes, uint32_t (&to)[3]) {
  uint32_t values[3] = {1, 1, 1};
  for (Fields fields(bytes); fields.Next();) {
    if (fields->number >= 1 && fields->number <= 3 && fields->is_number())
      values[fields->number - 1] = static_cast<uint32_t>(std::min<uint64_t>(fields->value, UINT32_MAX));
  }
  std::copy(std::begin(values), std::end(values), std::begin(to));
}

}  // namespace

// Old traces enumerate queues and stages in one event without times.
void Reader::AddStageSpecifications(std::string_view bytes) {
  for (Fields fields(bytes); fields.Next();) {
    auto* names = fields->number == stage::kSpecHwQueue ? &queue_names_
                  : fields->number == stage::kSpecStage ? &stage_names_
                                                        : nullptr;
    if (names == nullptr || !fields->is_bytes()) continue;
    std::string name;
    for (Fields inner(fields->bytes); inner.Next();) {
      if (inner->number == stage::kSpecName && inner->is_bytes()) name = inner->bytes;
    }
    names->emplace(names->size(), std::move(name));
  }
}

void Reader::AddRenderStage(std::string_view bytes, int64_t time_ns, Sequence& sequence) {
  int64_t gpu_id = 0, pid = -1;
  std::optional<uint64_t> duration;
  StringId queue = model::kNoString, name = model::kNoString, stage_name = model::kNoString;
  model::LaunchConfig config;
  bool launch = false;
  const auto look_up = [](const std::unordered_map<uint64_t, StringId>& table, uint64_t iid) {
    const auto it = table.find(iid);
    return it == table.end() ? model::kNoString : it->second;
  };
  const auto numbered = [&](const std::unordered_map<uint64_t, std::string>& table, uint64_t number) {
    const auto it = table.find(number);
    return it == table.end() ? model::kNoString : trace_->strings.Intern(it->second);
  };
  Fields fields(bytes);
  while (fields.Next()) {
    switch (fields->number) {
      case stage::kDuration: duration = fields->value; break;
      case stage::kGpuId: gpu_id = static_cast<int32_t>(fields->value); break;
      case stage::kContext:
        if (const auto it = sequence.context_pids.find(fields->value); it != sequence.context_pids.end())
          pid = it->second;
        break;
      case stage::kHwQueueIid: queue = look_up(sequence.gpu_specifications, fields->value); break;
      case stage::kStageIid: stage_name = look_up(sequence.gpu_specifications, fields->value); break;
      case stage::kHwQueueId: queue = numbered(queue_names_, fields->value); break;
      case stage::kStageId: stage_name = numbered(stage_names_, fields->value); break;
      case stage::kName: name = trace_->strings.Intern(fields->bytes); break;
      case stage::kNameIid: name = look_up(sequence.names, fields->value); break;
      case stage::kKernelIid: name = look_up(sequence.kernels, fields->value); break;
      case stage::kSpecifications: AddStageSpecifications(fields->bytes); break;
      case stage::kLaunch:
        launch = true;
        for (Fields inner(fields->bytes); inner.Next();) {
          if (inner->number == stage::kGridSize && inner->is_bytes()) ReadDim3(inner->bytes, config.grid);
          if (inner->number == stage::kWorkgroupSize && inner->is_bytes()) ReadDim3(inner->bytes, config.block);
        }
        break;
      default: break;
    }
  }
  if (fields.damaged()) ++broken_;
  if (!duration) {
    ++passed_over_;
    return;
  }
  if (name == model::kNoString) name = stage_name;
  const auto [it, fresh] = render_streams_.try_emplace({gpu_id, queue}, model::kNone);
  if (fresh) {
    it->second = out_.Stream(out_.Process(pid), out_.Device(gpu_id), -1, static_cast<int64_t>(render_streams_.size()));
    if (queue != model::kNoString) trace_->streams[it->second].name = queue;
  }
  Appender::Gpu row;
  row.name = name == model::kNoString ? trace_->strings.Intern("GPU work") : name;
  row.stream = it->second;
  row.start_ns = time_ns;
  row.dur_ns = static_cast<int64_t>(std::min<uint64_t>(*duration, static_cast<uint64_t>(INT64_MAX)));
  const std::string_view text = trace_->strings.Get(row.name);
  if (text.find("memcpy") != std::string_view::npos || text.find("Memcpy") != std::string_view::npos) {
    row.kind = model::GpuKind::kCopy;
    row.detail = out_.Copy(Args().Copy(text));
  } else if (launch) {
    row.detail = out_.Launch(config);
  }
  out_.Add(row);
  ++rows_;
}

void Reader::AddGpuCounters(std::string_view bytes, int64_t time_ns) {
  namespace gpu_counter = pf::gpu_counter;
  int64_t gpu_id = 0;
  for (Fields fields(bytes); fields.Next();) {
    if (fields->number == gpu_counter::kGpuId && fields->is_number()) gpu_id = static_cast<int32_t>(fields->value);
    if (fields->number != gpu_counter::kDescriptor || !fields->is_bytes()) continue;
    for (Fields specs(fields->bytes); specs.Next();) {
      if (specs->number != gpu_counter::kSpecs || !specs->is_bytes()) continue;
      uint64_t id = 0;
      StringId name = model::kNoString;
      for (Fields inner(specs->bytes); inner.Next();) {
        if (inner->number == gpu_counter::kSpecId && inner->is_number()) id = inner->value;
        if (inner->number == gpu_counter::kSpecName && inner->is_bytes()) name = trace_->strings.Intern(inner->bytes);
      }
      gpu_counter_names_[id] = {name, model::kNoString};
    }
  }
  for (Fields fields(bytes); fields.Next();) {
    if (fields->number != gpu_counter::kCounters || !fields->is_bytes()) continue;
    uint64_t id = 0;
    std::optional<double> value;
    for (Fields inner(fields->bytes); inner.Next();) {
      if (!inner->is_number()) continue;
      if (inner->number == gpu_counter::kCounterId) id = inner->value;
      if (inner->number == gpu_counter::kIntValue) value = static_cast<double>(inner->Signed());
      if (inner->number == gpu_counter::kDoubleValue && inner->type == protobuf::WireType::kFixed64)
        value = inner->Double();
    }
    const auto it = gpu_counter_names_.find(id);
    if (!value || it == gpu_counter_names_.end() || it->second.first == model::kNoString) {
      ++passed_over_;
      continue;
    }
    trace_->counters.push_back({time_ns, it->second.first, out_.Device(gpu_id), *value, it->second.second});
    ++rows_;
  }
}

}  // namespace warpscope::import::perfetto
