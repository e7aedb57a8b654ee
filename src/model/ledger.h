// Ledger: what is wrong, missing or repaired in the recorded data, counted by name. Shown in every output, read by
// every rule before it concludes anything.
// [one thread] A ledger belongs to one reader; ledgers of parts are merged with Merge().
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::model {

enum class Severity : uint8_t {
  kInfo,     // nothing is lost
  kWarning,  // conclusions may be off where it occurs
  kLoss,     // data is missing
};

enum class LedgerCode : uint8_t {
#define WS_LEDGER(id, name, severity, sentence) id,
#include "model/ledger.def"
#undef WS_LEDGER
  kCount,
};

struct LedgerEntry {
  LedgerCode code;
  std::string_view name;
  Severity severity;
  uint64_t count;
  std::optional<uint64_t> first_offset_bytes;  // in the uncompressed text of `file`
  std::string file;                            // of the first one; "" if no file applies
  std::string message;                         // the sentence with the count put in, plus detail of the first one
  std::string detail;                          // of the first one; "" if none
};

class Ledger {
 public:
  // `offset_bytes`: where in the uncompressed input; `detail`: optional words on this one, kept for the first only.
  void Add(LedgerCode code, uint64_t count = 1, std::optional<uint64_t> offset_bytes = std::nullopt,
           std::string_view detail = {}, std::string_view file = {});
  // Adds the counts of a part whose offsets are relative to `base_offset_bytes` of `file`.
  void Merge(const Ledger& part, uint64_t base_offset_bytes, std::string_view file);

  uint64_t Count(LedgerCode code) const { return cells_[static_cast<size_t>(code)].count; }
  // Only what occurred, worst severity first, then by name.
  std::vector<LedgerEntry> Entries() const;

  static std::string_view Name(LedgerCode code);
  static Severity SeverityOf(LedgerCode code);

 private:
  struct Cell {
    uint64_t count = 0;
    std::optional<uint64_t> first_offset_bytes;
    std::string detail;
    std::string file;
  };
  std::array<Cell, static_cast<size_t>(LedgerCode::kCount)> cells_;
};

std::string_view SeverityName(Severity severity);  // "info", "warning", "loss"

}  // namespace warpscope::model
