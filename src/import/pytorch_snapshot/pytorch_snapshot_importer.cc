#include "import/pytorch_snapshot/pytorch_snapshot_importer.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "import/pytorch_snapshot/history.h"

namespace warpscope::import::pytorch_snapshot {
namespace {

using Kind = Pickle::Kind;
using Value = Pickle::Value;
using model::LedgerCode;

constexpr uint32_t kMaxDevices = 1024;
constexpr int64_t kRangeThreads = 10'000;  // beside the threads of the devices' stacks

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

Confidence Sniff(const Head& head) {
  const std::string_view bytes = head.bytes;
  if (bytes.size() < 3 || bytes[0] != '\x80' || bytes[1] < 2 || bytes[1] > 5) return Confidence::kNo;
  const std::string_view begin = bytes.substr(0, 4096);
  const bool snapshot = Has(begin, "segments") || Has(begin, "device_traces");
  const bool segments = Has(begin, "total_size") && Has(begin, "segment_type");  // memory_snapshot() alone
  return snapshot || segments ? Confidence::kYes : Confidence::kNo;
}

// Ranges that the program named (torch.profiler.record_function), of one device.
class Ranges {
 public:
  Ranges(const Pickle& pickle, Appender* out) : pickle_(pickle), out_(*out) {}

  void Add(const Value& list) {
    for (const Value& item : pickle_.Items(list)) {
      const std::string_view stage = pickle_.TextOf(item, "stage"), name = pickle_.TextOf(item, "name");
      const Value* device = pickle_.Find(item, "device");
      const int64_t number = device != nullptr && device->kind == Kind::kInteger ? device->integer : -1;
      int64_t time_ns = 0;
      if (name.empty() || !TimeOf(pickle_, item, &time_ns)) {
        out_.Note(LedgerCode::kMissingField, 1, std::nullopt, "an annotation without name or time_us");
        continue;
      }
      auto& open = open_[{number, std::string(name)}];
      if (stage == "START") {
        open.push_back(time_ns);
      } else if (stage == "END" && !open.empty()) {
        Appender::Host row;
        row.name = out_.Text(name);
        row.thread = out_.Thread(out_.Process(-1), kRangeThreads + std::max<int64_t>(number, -1));
        out_.trace().threads[row.thread].name = out_.Text("ranges of the program");
        row.start_ns = open.back();
        row.dur_ns = time_ns - open.back();
        out_.Add(row);
        open.pop_back();
      }
    }
  }

 private:
  const Pickle& pickle_;
  Appender& out_;
  std::map<std::pair<int64_t, std::string>, std::vector<int64_t>> open_;
};

// Of the file that holds the snapshot, as it lies on disk; 0 for a pipe. An archive's entry is called "archive:entry".
uint64_t StoredBytes(const ByteSource& bytes, std::string_view path) {
  if (const uint64_t hint = bytes.size_hint_bytes(); hint > 0) return hint;
  for (;;) {
    std::error_code error;
    const std::filesystem::path file(path);
    if (std::filesystem::is_regular_file(file, error)) {
      const uint64_t size = std::filesystem::file_size(file, error);
      return error ? 0 : size;
    }
    const size_t colon = path.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return 0;
    path = path.substr(0, colon);
  }
}

// "" if no bound was reached.
std::string BoundOf(const Pickle& pickle, uint64_t stored_bytes) {
  if (pickle.reached_bound() == 0) return {};
  return "the memory snapshot makes more than " + std::to_string(pickle.reached_bound()) +
         " values, the most that is read of a file of " + std::to_string(stored_bytes) + " bytes";
}

// "" if no dict was left out.
std::string WideOf(const Pickle& pickle) {
  if (pickle.wide_dicts() == 0) return {};
  return "dicts of more than " + std::to_string(Pickle::kMaxKeys) + " keys were left out (" +
         std::to_string(pickle.wide_dicts()) + "); no event, block or frame has so many";
}

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  const uint64_t stored_bytes = StoredBytes(bytes, path);
  auto read = Pickle::Read(bytes, stored_bytes);
  if (!read.ok()) return {read.status().code(), path + ": " + read.status().message()};
  const Pickle& pickle = *read;
  Appender out(trace, path, "pytorch_snapshot");
  out.source().producer = "torch.cuda.memory._dump_snapshot";
  out.source().profile_memory = out.source().with_stack = true;
  out.source().text_bytes = pickle.offset_bytes();
  const std::string bound = BoundOf(pickle, stored_bytes);
  if (pickle.is_cut() || bytes.cut_short()) out.Note(LedgerCode::kTruncatedFile, 1, pickle.offset_bytes(), bound);
  const std::string wide = WideOf(pickle);
  if (!wide.empty()) out.Note(LedgerCode::kRecorderNote, 1, std::nullopt, wide);

  const Value& root = pickle.root();
  const bool bare = root.kind == Kind::kList;  // memory_snapshot(): the segments alone
  const auto segments = SegmentsOf(pickle, bare ? &root : pickle.Find(root, "segments"), &out);
  const Value* traces = pickle.Find(root, "device_traces");
  static const std::vector<Value> kNone;
  const std::vector<Value>& histories = traces == nullptr ? kNone : pickle.Items(*traces);
  uint32_t devices = static_cast<uint32_t>(std::min<size_t>(histories.size(), kMaxDevices));
  for (const auto& [device, of] : segments) {
    if (device < kMaxDevices) devices = std::max(devices, static_cast<uint32_t>(device) + 1);
  }
  trace->processes[out.Process(-1)].name = out.Text("PyTorch's allocator");
  Frames frames(&pickle, trace);
  uint64_t events = 0;
  const size_t before = trace->memory.size();
  for (uint32_t device = 0; device < devices; ++device) {
    const auto it = segments.find(device);
    const bool has_history = device < histories.size() && !pickle.Items(histories[device]).empty();
    if (!has_history && it == segments.end()) continue;
    events += AddHistory(pickle, has_history ? histories[device] : Value{}, device,
                         it == segments.end() ? Segments{} : it->second, &frames, &out);
  }
  if (const Value* ranges = pickle.Find(root, "external_annotations")) Ranges(pickle, &out).Add(*ranges);
  if (options.progress) options.progress(1.0);
  if (trace->memory.size() > before) {
    if (events == 0) {
      out.Note(LedgerCode::kRecorderNote, 1, std::nullopt,
               "the snapshot has no history, only what was in use at its moment; before the run call "
               "torch.cuda.memory._record_memory_history()");
    }
    return Status::Ok();
  }
  if (!bound.empty()) {
    return {StatusCode::kCorrupt, path + ": byte " + std::to_string(pickle.offset_bytes()) + ": " + bound +
                                      ", and holds no allocation up to there. Give the file that "
                                      "torch.cuda.memory._dump_snapshot() wrote."};
  }
  return {StatusCode::kCorrupt, path + ": byte " + std::to_string(pickle.offset_bytes()) +
                                    ": the memory snapshot holds no allocation" + (wide.empty() ? "" : "; " + wide) +
                                    ". Call torch.cuda.memory._record_memory_history() before the "
                                    "code of interest and _dump_snapshot() behind it."};
}

}  // namespace

const Importer kImporter = {"pytorch_snapshot", "PyTorch memory snapshot", &Sniff, &Read};

}  // namespace warpscope::import::pytorch_snapshot
