// Worker: turns RawEvents into rows of a Fragment. Its tables (strings, lanes, streams, details) live over many
// blocks, so that what repeats is looked up once.
// [one thread]
#pragma once

#include <memory>

#include "import/kineto/category.h"
#include "import/kineto/event.h"
#include "import/kineto/event_reader.h"
#include "import/kineto/fragment.h"

namespace warpscope::import::kineto {

class Worker {
 public:
  explicit Worker(uint32_t number);

  // Between these two every event goes into one fragment.
  void Begin(Fragment* fragment);
  void End();

  EventReader& reader() { return reader_; }
  Fragment& fragment() { return *fragment_; }
  // `offset_bytes`: where the event starts in the block.
  void Take(const RawEvent& event, uint64_t offset_bytes);
  void Count(model::LedgerCode code, uint64_t offset_bytes, std::string_view detail = {}) {
    fragment_->ledger.Add(code, 1, offset_bytes, detail);
  }

 private:
  struct Tables {
    model::StringPool strings;
    model::StringPool raw_json;  // texts as they stand in the file
    std::vector<model::StringId> raw_json_id;
    Interner<LaneKey> lanes;
    Interner<StreamKey> streams;
    Interner<model::OpDetail> op_details;
    Interner<model::LaunchConfig> launches;
    Interner<model::CopyDetail> copies;
  };
  // How much of each table earlier fragments have handed over.
  struct Marks {
    uint32_t strings = 1, lanes = 0, streams = 0, op_details = 0, launches = 0, copies = 0;
  };

  void TakeSpan(const RawEvent& event, Category category, uint64_t offset_bytes);
  void TakeHost(const RawEvent& event, model::HostKind kind, uint64_t offset_bytes);
  void TakeGpu(const RawEvent& event, model::GpuKind kind, uint64_t offset_bytes);
  void TakeHalf(const RawEvent& event, Category category, uint64_t offset_bytes);
  void TakeSync(const RawEvent& event);
  void TakeMemory(const RawEvent& event, uint64_t offset_bytes);
  void TakeCounter(const RawEvent& event, Category category, uint64_t offset_bytes);
  void TakeName(const RawEvent& event);
  void TakeFlow(const RawEvent& event, Category category);
  void TakePlainFlow(const RawEvent& event, LastRow before);
  void NoteLastRow(Category category, size_t host_rows, size_t gpu_rows);
  static bool HasExtra(const RawEvent& event);
  ExtraRow ExtraOf(const RawEvent& event, uint32_t row, bool is_gpu);
  void TakeHint(const RawEvent& event);
  void TakeCollective(const RawEvent& event, uint32_t host_row, uint32_t gpu_row);
  HostRow MakeHostRow(const RawEvent& event, model::HostKind kind, uint64_t offset_bytes);

  Category Categorise(const RawEvent& event);
  model::StringId Text(TextSpan span, uint64_t offset_bytes);
  model::StringId Json(TextSpan span);
  uint32_t Lane(const RawEvent& event);
  LaneKey MakeLaneKey(const RawEvent& event);
  uint32_t Stream(const RawEvent& event, std::optional<int64_t> stream);
  uint32_t OpDetails(const RawEvent& event, uint64_t offset_bytes);
  model::LaunchConfig LaunchOf(const RawEvent& event);
  uint32_t CopyOf(const RawEvent& event, model::GpuKind kind);
  bool InTime(const RawEvent& event, uint64_t offset_bytes);

  uint32_t number_;
  uint32_t epoch_ = 0;
  EventReader reader_;
  std::shared_ptr<Tables> tables_;  // shared with the fragments whose texts lie in it
  Marks marks_;
  Fragment* fragment_ = nullptr;

  std::string last_cat_;
  Category last_category_ = Category::kAbsent;
};

}  // namespace warpscope::import::kineto
