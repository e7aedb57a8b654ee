// JSON documents.
#include "import/ascend/documents.h"

#include <simdjson.h>

#include <cmath>
#include <optional>
#include <vector>

#include "import/ascend/folder.h"
#include "import/ascend/kernels.h"

namespace warpscope::import::ascend {
namespace {

namespace dom = simdjson::dom;
using model::SummaryKind;

constexpr int kMaxDepth = 8;

bool HasMember(std::string_view text, std::string_view quoted) { return text.find(quoted) != std::string_view::npos; }

// What the keys on the way to a value told.
struct Place {
  std::string_view step, operation;
};

std::optional<double> Number(const dom::object& object, std::string_view key) {
  double value = 0;
  if (object[key].get(value) != simdjson::SUCCESS || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<int64_t> LengthNs(const dom::object& object, std::string_view key, double unit_ns) {
  const auto value = Number(object, key);
  if (!value || *value < 0 || *value > 1e18 / unit_ns) return std::nullopt;
  return static_cast<int64_t>(*value * unit_ns);
}

class Communication {
 public:
  explicit Communication(Appender* out) : out_(out) {}

  void Walk(const dom::element& element, const Place& place, int depth) {
    dom::object object;
    if (depth > kMaxDepth || element.get(object) != simdjson::SUCCESS) return;
    for (const dom::key_value_pair member : object) {
      Place below = place;
      const std::string_view key = member.key;
      if (key.substr(0, 4) == "step") below.step = key;
      if (key.find('@') != std::string_view::npos || key.substr(0, 5) == "Total") below.operation = key;
      dom::object inner;
      if (member.value.get(inner) != simdjson::SUCCESS) continue;
      if (key == "Communication Time Info") AddTimes(inner, below);
      else if (key == "Communication Bandwidth Info") AddBandwidths(inner, below);
      else if (inner["Transport Type"].error() == simdjson::SUCCESS) AddLink(key, inner, below);
      else Walk(member.value, below, depth + 1);
    }
  }
  uint64_t rows() const { return rows_; }

 private:
  // "Total Op Info" sums the others and would count twice.
  static bool IsTotal(const Place& place) { return place.operation.substr(0, 5) == "Total"; }
  static std::string_view NameOf(const Place& place) { return place.operation.substr(0, place.operation.find('@')); }

  void AddTimes(const dom::object& times, const Place& place) {
    if (IsTotal(place) || place.operation.empty()) return;
    struct Part {
      std::string_view key, group;
    };
    for (const Part& part :
         {Part{"Elapse Time(ms)", ""}, Part{"Transit Time(ms)", "transit"}, Part{"Wait Time(ms)", "wait"},
          Part{"Synchronization Time(ms)", "synchronization"}, Part{"Idle Time(ms)", "idle"}}) {
      const auto total_ns = LengthNs(times, part.key, 1e6);
      if (!total_ns) continue;
      model::SummaryRow row;
      row.source = out_->source_row();
      row.kind = SummaryKind::kCollective;
      row.name = out_->Text(NameOf(place));
      if (!part.group.empty()) row.group = out_->Text(part.group);
      if (part.group.empty()) row.count = 1;
      row.total_ns = total_ns;
      row.rank = out_->source().rank;
      out_->trace().summaries.push_back(row);
      ++rows_;
    }
  }

  void AddBandwidths(const dom::object& links, const Place& place) {
    if (IsTotal(place)) return;
    for (const dom::key_value_pair link : links) {
      dom::object info;
      if (link.value.get(info) == simdjson::SUCCESS) AddBandwidth(link.key, info, place);
    }
  }

  void AddLink(std::string_view pair, const dom::object& info, const Place& place) {
    std::string_view transport;
    if (info["Transport Type"].get(transport) != simdjson::SUCCESS) transport = "";
    AddBandwidth(std::string(pair) + " " + std::string(transport), info, place);
  }

  // Links that carried nothing have no bandwidth.
  void AddBandwidth(std::string_view link, const dom::object& info, const Place& place) {
    const auto megabytes = Number(info, "Transit Size(MB)"), bandwidth = Number(info, "Bandwidth(GB/s)");
    if (!bandwidth || megabytes.value_or(0) <= 0) return;
    model::Reading row;
    row.source = out_->source_row();
    row.name = out_->Text("bandwidth " + std::string(link) + " " + std::string(NameOf(place)));
    row.unit = out_->Text("bytes_per_s");
    row.value = *bandwidth * 1e9;
    out_->trace().readings.push_back(row);
    ++rows_;
  }

  Appender* out_;
  uint64_t rows_ = 0;
};

void AddText(Appender* out, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  model::Reading row;
  row.source = out->source_row();
  row.name = out->Text(name);
  row.text = out->Text(text);
  out->trace().readings.push_back(row);
}

void SetRank(Appender* out, std::optional<int64_t> rank) {
  if (!rank || *rank < 0) return;
  out->source().rank = rank;
  // Joined with the others of the folder, the process takes the rank along.
  out->trace().processes[out->Process(-1)].rank = rank;
}

void ReadProfilerInfo(const dom::object& root, Appender* out) {
  int64_t rank = 0;
  if (root["rank_id"].get(rank) == simdjson::SUCCESS) SetRank(out, rank);
  std::string_view text;
  if (root["torch_npu_version"].get(text) == simdjson::SUCCESS) out->source().version = text;
  dom::object config;
  if (root["config"]["experimental_config"].get(config) == simdjson::SUCCESS) {
    for (const std::string_view key : {"_profiler_level", "_aic_metrics", "_export_type"}) {
      if (config[key].get(text) == simdjson::SUCCESS) AddText(out, key.substr(1), text);
    }
  }
  bool flag = false;
  if (root["config"]["common_config"].get(config) != simdjson::SUCCESS) return;
  if (config["record_shapes"].get(flag) == simdjson::SUCCESS) out->source().record_shapes = flag;
  if (config["with_stack"].get(flag) == simdjson::SUCCESS) out->source().with_stack = flag;
  if (config["profile_memory"].get(flag) == simdjson::SUCCESS) out->source().profile_memory = flag;
}

// Parallel sizes and groups; ENV_VARIABLES and addresses in the groups' keys stay out.
void ReadMetadata(const dom::object& root, Appender* out) {
  dom::object args, groups;
  if (root["distributed_args"].get(args) == simdjson::SUCCESS) {
    int64_t number = 0;
    if (args["world_size"].get(number) == simdjson::SUCCESS && number > 0) out->source().world_size = number;
    if (args["rank"].get(number) == simdjson::SUCCESS) SetRank(out, number);
    for (const dom::key_value_pair member : args) {
      if (member.value.get(number) == simdjson::SUCCESS && member.key.find("parallel") != std::string_view::npos)
        AddText(out, member.key, std::to_string(number));
    }
  }
  if (root["parallel_group_info"].get(groups) != simdjson::SUCCESS) return;
  for (const dom::key_value_pair member : groups) {
    std::string_view name;
    if (member.value["group_name"].get(name) != simdjson::SUCCESS) continue;
    dom::array ranks;
    if (member.value["global_ranks"].get(ranks) != simdjson::SUCCESS) continue;
    AddText(out, "group " + std::string(name), simdjson::minify(ranks));
  }
}

}  // namespace

Document SniffDocument(std::string_view head) {
  const size_t begin = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (begin == std::string_view::npos) return Document::kNone;
  const std::string_view text = head.substr(begin);
  if (text.front() == '+' && HasMember(text.substr(0, 400), "npu-smi")) return Document::kNpuSmi;
  if (text.front() != '{' || HasMember(text, "\"traceEvents\"")) return Document::kNone;
  if (HasMember(text, "\"Communication Time Info\"") || HasMember(text, "\"Transport Type\""))
    return Document::kCommunication;
  if (HasMember(text, "\"parallel_group_info\"") || HasMember(text, "\"distributed_args\"")) return Document::kMetadata;
  if (HasMember(text, "\"experimental_config\"") &&
      (HasMember(text, "\"common_config\"") || HasMember(text, "\"rank_id\"")))
    return Document::kProfilerInfo;
  return Document::kNone;
}

Status ReadJson(std::string_view text, const std::string& path, Document document, Appender* out) {
  dom::parser parser;
  dom::element root;
  const simdjson::padded_string padded(text);
  if (const auto error = parser.parse(padded).get(root); error != simdjson::SUCCESS) {
    return Status(StatusCode::kCorrupt, path + ": byte 0: the JSON is damaged or cut off (" +
                                            simdjson::error_message(error) + "). Copy the file again.");
  }
  dom::object object;
  if (root.get(object) != simdjson::SUCCESS)
    return Status(StatusCode::kCorrupt, path + ": byte 0: a JSON object was expected. Copy the file again.");
  if (document == Document::kProfilerInfo) {
    ReadProfilerInfo(object, out);
  } else if (document == Document::kMetadata) {
    ReadMetadata(object, out);
  } else {
    Communication communication(out);
    communication.Walk(root, {}, 0);
    if (communication.rows() == 0) {
      return Status(StatusCode::kUnsupported,
                    path +
                        ": byte 0: the file lists no communication that took time. Record more steps, at profiler "
                        "level 1 or higher.");
    }
  }
  return Status::Ok();
}

}  // namespace warpscope::import::ascend
