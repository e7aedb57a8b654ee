// Texts between a Trace's string pool and text columns.
// WritableTexts [MT] once made; Texts [one thread] each.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/string_pool.h"
#include "store/duckdb/database.h"

namespace warpscope::store {

bool IsUtf8(std::string_view text);
// Bytes that are not UTF-8 become U+FFFD.
std::string ToUtf8(std::string_view text);

// The pool's texts as they can be written: files hold only UTF-8.
class WritableTexts {
 public:
  explicit WritableTexts(const model::StringPool& pool);
  std::string_view Get(model::StringId id) const {
    if (!repaired_.empty()) {
      if (const auto it = repaired_.find(id); it != repaired_.end()) return it->second;
    }
    return pool_->Get(id);
  }
  size_t repaired_count() const { return repaired_.size(); }

 private:
  const model::StringPool* pool_;
  std::unordered_map<model::StringId, std::string> repaired_;
};

// From a text in a column to its id, quickly where few texts repeat.
class Texts {
 public:
  // may_intern: new texts get ids; only one such object may then use the pool. Else the pool is only read.
  Texts(model::StringPool* pool, bool may_intern) : pool_(pool), may_intern_(may_intern) {}

  // kNoString if the text is not in the pool and may not be put there. A dictionary page gives the same address for the
  // same text again and again, which finds the slot; the text itself decides.
  model::StringId IdOf(const duckdb::c::String& text) {
    const std::string_view view = duckdb::Chunk::View(text);
    Slot& slot = slots_[SlotOf(text)];
    if (slot.id != model::kNoString && slot.text == view) return slot.id;
    slot.id = may_intern_ ? pool_->Intern(view) : pool_->Find(view);
    slot.text = pool_->Get(slot.id);
    return slot.id;
  }

 private:
  static constexpr size_t kSlots = 4096;
  struct Slot {
    model::StringId id = model::kNoString;
    std::string_view text;
  };
  static size_t SlotOf(const duckdb::c::String& text) {
    uint64_t words[2];
    std::memcpy(words, &text, sizeof(words));
    return (words[0] * 0x9E3779B97F4A7C15ULL ^ words[1] * 0xD6E8FEB86659FD93ULL) >> 52;
  }

  model::StringPool* pool_;
  bool may_intern_;
  std::vector<Slot> slots_ = std::vector<Slot>(kSlots);
};

}  // namespace warpscope::store
