#include "import/perfetto/args.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/perfetto_fields.h"

namespace warpscope::import::perfetto {
namespace {

namespace annotation = warpscope::perfetto::annotation;
using protobuf::Fields;

bool Has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

// "(64,1,1)", "[64, 1, 1]", "64": up to three whole numbers.
std::vector<int64_t> Numbers(std::string_view text) {
  std::vector<int64_t> out;
  for (size_t at = 0; at < text.size() && out.size() < 3;) {
    if (text[at] < '0' || text[at] > '9') {
      ++at;
      continue;
    }
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc()) return {};
    out.push_back(value);
    at = static_cast<size_t>(end - text.data());
  }
  return out;
}

void SetTriple(const Value& value, uint32_t (&to)[3]) {
  std::vector<int64_t> numbers = value.list;
  if (value.whole) numbers = {*value.whole};
  if (numbers.empty()) numbers = Numbers(value.text);
  if (numbers.empty() || numbers.size() > 3) return;
  for (const int64_t number : numbers) {
    if (number < 0 || number > UINT32_MAX) return;
  }
  for (size_t i = 0; i < 3; ++i) to[i] = i < numbers.size() ? static_cast<uint32_t>(numbers[i]) : 1;
}

std::optional<int64_t> Whole(const Value& value) {
  if (value.whole) return value.whole;
  std::string_view text = value.text;
  const bool hex = text.substr(0, 2) == "0x";
  if (hex) text.remove_prefix(2);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<int64_t>(number);
}

std::optional<uint32_t> Small(const Value& value) {
  const auto number = Whole(value);
  return number && *number >= 0 && *number <= UINT32_MAX ? std::optional(static_cast<uint32_t>(*number)) : std::nullopt;
}

// "Fwd_Thread-Id" and "fwd thread id" are the same name.
bool SameName(std::string_view a, std::string_view b) {
  const auto fold = [](char c) {
    return c == ' ' || c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return fold(x) == fold(y); });
}

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view other) { return SameName(name, other); });
}

model::CopyKind KindOf(std::string_view name) {
  using model::CopyKind;
  struct Word {
    std::string_view text;
    CopyKind kind;
  };
  // MEMORY_COPY_HOST_TO_DEVICE (rocprofiler-sdk), CopyHostToDevice (roctracer), "Memcpy HtoD (Pageable -> Device)".
  static constexpr Word kWords[] = {
      {"HOST_TO_DEVICE", CopyKind::kHostToDevice},
      {"HostToDevice", CopyKind::kHostToDevice},
      {"HtoD", CopyKind::kHostToDevice},
      {"DEVICE_TO_HOST", CopyKind::kDeviceToHost},
      {"DeviceToHost", CopyKind::kDeviceToHost},
      {"DtoH", CopyKind::kDeviceToHost},
      {"DEVICE_TO_DEVICE", CopyKind::kDeviceToDevice},
      {"DeviceToDevice", CopyKind::kDeviceToDevice},
      {"DtoD", CopyKind::kDeviceToDevice},
      {"HOST_TO_HOST", CopyKind::kHostToHost},
      {"HostToHost", CopyKind::kHostToHost},
      {"PtoP", CopyKind::kPeerToPeer},
  };
  for (const Word& word : kWords) {
    if (Has(name, word.text)) return word.kind;
  }
  return CopyKind::kUnknown;
}

void ReadArray(std::string_view bytes, std::vector<int64_t>* list) {
  constexpr size_t kMost = 16;
  for (Fields fields(bytes); fields.Next();) {
    if ((fields->number == annotation::kInt || fields->number == annotation::kUint) && fields->is_number() &&
        list->size() < kMost)
      list->push_back(fields->Signed());
  }
}

}  // namespace

Value ReadAnnotation(std::string_view debug_annotation, const Sequence& sequence, const model::StringPool& strings) {
  Value value;
  const auto text_of = [&](const std::unordered_map<uint64_t, StringId>& table, uint64_t iid) {
    const auto it = table.find(iid);
    return it == table.end() ? std::string_view() : strings.Get(it->second);
  };
  for (Fields fields(debug_annotation); fields.Next();) {
    const protobuf::Field& field = *fields;
    switch (field.number) {
      case annotation::kNameIid: value.name = text_of(sequence.annotation_names, field.value); break;
      case annotation::kName: value.name = field.bytes; break;
      case annotation::kBool:
      case annotation::kPointer:
      case annotation::kUint:
        value.whole = field.Signed();
        value.number = static_cast<double>(field.value);
        break;
      case annotation::kInt:
        value.whole = field.Signed();
        value.number = static_cast<double>(field.Signed());
        break;
      case annotation::kDouble:
        if (field.type == protobuf::WireType::kFixed64) value.number = field.Double();
        break;
      case annotation::kString: value.text = field.bytes; break;
      case annotation::kStringIid: value.text = text_of(sequence.annotation_strings, field.value); break;
      case annotation::kArrayValues:
        if (field.is_bytes()) ReadArray(field.bytes, &value.list);
        break;
      default: break;
    }
  }
  return value;
}

void Args::Add(const Value& value, model::StringPool* strings) {
  const std::string_view name = value.name;
  const auto unsigned_of = [](std::optional<int64_t> number) {
    return number ? std::optional(static_cast<uint64_t>(*number)) : std::nullopt;
  };
  if (IsOneOf(name, {"corr_id", "correlation", "correlation_id"})) {
    correlation = unsigned_of(Whole(value));
  } else if (IsOneOf(name, {"External id", "external_id"})) {
    external_id = unsigned_of(Whole(value));
  } else if (IsOneOf(name, {"device", "device_id", "dst_agent_id"})) {
    device = Whole(value);
  } else if (IsOneOf(name, {"queue", "queue_id"})) {
    queue = Whole(value);
  } else if (IsOneOf(name, {"stream", "stream_id"})) {
    stream = Whole(value);
  } else if (IsOneOf(name, {"bytes", "copy_bytes", "Bytes"})) {
    bytes = unsigned_of(Whole(value));
  } else if (IsOneOf(name, {"grid_size"})) {
    SetTriple(value, grid);
    grid_is_threads = true;
  } else if (IsOneOf(name, {"grid"})) {
    SetTriple(value, grid);
  } else if (IsOneOf(name, {"workgroup_size", "block", "block_size"})) {
    SetTriple(value, block);
  } else if (IsOneOf(name, {"registers per thread"})) {
    registers_per_thread = Small(value);
  } else if (IsOneOf(name, {"shared memory", "group_segment_size"})) {
    shared_bytes = Small(value);
  } else if (IsOneOf(name, {"est. achieved occupancy %"})) {
    occupancy_pct = Small(value);
  } else if (IsOneOf(name, {"graph id"})) {
    graph_id = unsigned_of(Whole(value)).value_or(model::kNoId);
  } else if (IsOneOf(name, {"graph node id"})) {
    graph_node_id = unsigned_of(Whole(value)).value_or(model::kNoId);
  } else if (IsOneOf(name, {"Fwd thread id"})) {
    forward_thread = Whole(value);
  } else if (IsOneOf(name, {"Sequence number"})) {
    correlation = unsigned_of(Whole(value));
  } else if (IsOneOf(name, {"range form"})) {
    has_range = true;
    if (value.whole && *value.whole >= 0 && *value.whole <= static_cast<int64_t>(model::AnnotationForm::kMark))
      range.form = static_cast<model::AnnotationForm>(*value.whole);
  } else if (IsOneOf(name, {"range color"})) {
    range.color_argb = Small(value);
  } else if (!value.text.empty()) {
    if (IsOneOf(name, {"range domain"})) range.domain = strings->Intern(value.text);
    if (IsOneOf(name, {"range category"})) range.category = strings->Intern(value.text);
    if (IsOneOf(name, {"range payload"})) range.payload = strings->Intern(value.text);
    if (IsOneOf(name, {"Input Dims"})) operation.input_dims = strings->Intern(value.text);
    if (IsOneOf(name, {"Input type"})) operation.input_types = strings->Intern(value.text);
    if (IsOneOf(name, {"Input Strides"})) operation.input_strides = strings->Intern(value.text);
    if (IsOneOf(name, {"Concrete Inputs"})) operation.concrete_inputs = strings->Intern(value.text);
    if (IsOneOf(name, {"Call stack"})) operation.call_stack = strings->Intern(value.text);
  } else if (IsOneOf(name, {"copy kind"})) {
    copy_kind = value.whole;
  } else if (IsOneOf(name, {"src kind"})) {
    source_memory = value.whole;
  } else if (IsOneOf(name, {"dst kind"})) {
    target_memory = value.whole;
  }
}

bool AddToCollective(const Value& value, model::StringPool* strings, std::optional<model::Collective>* collective) {
  model::Collective row;
  if (*collective) row = **collective;
  const auto number = Whole(value);
  const auto count = number && *number >= 0 ? std::optional(static_cast<uint64_t>(*number)) : std::nullopt;
  if (IsOneOf(value.name, {"Collective name"})) row.name = strings->Intern(value.text);
  else if (IsOneOf(value.name, {"dtype"})) row.dtype = strings->Intern(value.text);
  else if (IsOneOf(value.name, {"Process Group Name"})) row.group_name = strings->Intern(value.text);
  else if (IsOneOf(value.name, {"Process Group Ranks"})) row.group_ranks = strings->Intern(value.text);
  else if (IsOneOf(value.name, {"Comms Id"})) row.comms_id = strings->Intern(value.text);
  else if (IsOneOf(value.name, {"In msg nelems"})) row.in_elements = count;
  else if (IsOneOf(value.name, {"Out msg nelems"})) row.out_elements = count;
  else if (IsOneOf(value.name, {"Group size"})) row.group_size = count;
  else if (IsOneOf(value.name, {"Seq"})) row.sequence = count;
  else return false;
  *collective = row;
  return true;
}

model::LaunchConfig Args::Launch() const {
  model::LaunchConfig config;
  std::copy(std::begin(grid), std::end(grid), std::begin(config.grid));
  std::copy(std::begin(block), std::end(block), std::begin(config.block));
  for (size_t i = 0; grid_is_threads && i < 3; ++i) {
    if (block[i] > 0) config.grid[i] = grid[i] / block[i] + (grid[i] % block[i] != 0 ? 1 : 0);
  }
  config.registers_per_thread = registers_per_thread;
  config.shared_bytes = shared_bytes;
  config.recorded_occupancy_pct = occupancy_pct;
  config.graph_id = graph_id;
  config.graph_node_id = graph_node_id;
  return config;
}

model::CopyDetail Args::Copy(std::string_view name) const {
  using model::CopyKind;
  using model::MemoryKind;
  const auto memory = [](std::optional<int64_t> number) {
    return number && *number >= 0 && *number <= static_cast<int64_t>(MemoryKind::kArray)
               ? static_cast<MemoryKind>(*number)
               : MemoryKind::kUnknown;
  };
  model::CopyDetail detail;
  detail.bytes = bytes;
  detail.src = memory(source_memory);
  detail.dst = memory(target_memory);
  detail.kind = copy_kind && *copy_kind >= 0 && *copy_kind <= static_cast<int64_t>(CopyKind::kPeerToPeer)
                    ? static_cast<CopyKind>(*copy_kind)
                    : KindOf(name);
  if (copy_kind) return detail;
  if (detail.kind == CopyKind::kHostToDevice || detail.kind == CopyKind::kDeviceToDevice)
    detail.dst = MemoryKind::kDevice;
  if (detail.kind == CopyKind::kDeviceToHost || detail.kind == CopyKind::kDeviceToDevice)
    detail.src = MemoryKind::kDevice;
  return detail;
}

}  // namespace warpscope::import::perfetto
