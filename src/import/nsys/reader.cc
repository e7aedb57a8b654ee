#include "import/nsys/reader.h"

#include <algorithm>

namespace warpscope::import::nsys {
namespace {

using model::LedgerCode;

// "cudaMemcpyAsync_v3020" without the version that CUPTI adds; "cuMemcpyHtoDAsync_v2" is the driver's own name.
std::string_view WithoutVersion(std::string_view name) {
  const size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at == 0 || name.size() - at - 2 < 4) return name;
  const std::string_view digits = name.substr(at + 2);
  const bool all = std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return all ? name.substr(0, at) : name;
}

}  // namespace

std::string Columns::Select(Database& database) const {
  std::string sql = "SELECT ";
  for (size_t i = 0; i < names_.size(); ++i) sql += (i == 0 ? "" : ", ") + database.AnyColumn(table_, names_[i]);
  return sql + " FROM " + QuoteName(table_);
}

size_t Reader::StreamHash::operator()(const StreamKey& key) const {
  uint64_t hash = static_cast<uint64_t>(key.process);
  for (const int64_t part : {key.device, key.context, key.stream}) {
    hash = (hash ^ static_cast<uint64_t>(part)) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  return static_cast<size_t>(hash);
}

std::optional<int64_t> Reader::At(std::optional<int64_t> time_ns) {
  constexpr int64_t kFarthest = int64_t{1} << 61;  // 73 years: sums of two such times still fit
  if (!time_ns) {
    add_.Note(LedgerCode::kMissingField);
    return std::nullopt;
  }
  if (*time_ns > kFarthest || *time_ns < -kFarthest) {
    add_.Note(LedgerCode::kOutOfRange);
    return std::nullopt;
  }
  return base_ns_ + *time_ns;
}

std::optional<Reader::Span> Reader::Times(std::optional<int64_t> start, std::optional<int64_t> end) {
  const auto from = At(start);
  if (!from) return std::nullopt;
  const auto to = At(end);
  if (!to) return std::nullopt;
  if (*to < *from) {
    add_.Note(LedgerCode::kNegativeDuration);
    return std::nullopt;
  }
  last_end_ns_ = std::max(last_end_ns_, *to);
  return Span{*from, *to - *from};
}

void Reader::Damaged(const std::string& table, const Status& status) {
  add_.Note(LedgerCode::kDamagedTable, 1, std::nullopt, "table " + table + ": " + status.message());
}

void Reader::Progress() {
  if (!options_.progress) return;
  if (rows_all_ == 0) {
    for (const char* table : {"CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL", "NVTX_EVENTS", "OSRT_API",
                              "GPU_METRICS", "CUPTI_ACTIVITY_KIND_MEMCPY"}) {
      if (!db_.HasTable(table)) continue;
      auto query = db_.Run("SELECT max(rowid) FROM " + QuoteName(table));
      if (query.ok() && query->Step().ok())
        rows_all_ += static_cast<uint64_t>(std::max<int64_t>(query->Int(0).value_or(0), 0));
    }
    rows_all_ = std::max(rows_all_, rows_done_);
  }
  options_.progress(std::min(1.0, static_cast<double>(rows_done_) / static_cast<double>(rows_all_)));
}

std::string Reader::LookUp(int64_t id) {
  if (!names_loaded_) {
    names_loaded_ = true;
    // The id is the table's key in every export of nsys; a table cut by hand may have lost it.
    auto query = db_.Run("SELECT count(*) FROM pragma_table_info('StringIds') WHERE name = 'id' AND pk = 1");
    const bool keyed = query.ok() && query->Step().ok() && query->Int(0) == 1;
    if (!keyed) {
      Columns columns("StringIds");
      const int key = columns.Add("id"), value = columns.Add("value");
      Rows(columns, [&](const Query& row) {
        if (const auto number = row.Int(key)) name_texts_.try_emplace(*number, row.Bytes(value));
      });
    }
  }
  if (!name_texts_.empty()) {
    const auto found = name_texts_.find(id);
    return found == name_texts_.end() ? std::string() : found->second;
  }
  if (!db_.HasTable("StringIds")) return {};
  auto query = db_.Run("SELECT value FROM StringIds WHERE id = " + std::to_string(id));
  if (!query.ok()) return {};
  const auto more = query->Step();
  return more.ok() && more.value() ? std::string(query->Bytes(0)) : std::string();
}

model::StringId Reader::Name(std::optional<int64_t> id) {
  if (!id) return model::kNoString;
  const auto [it, fresh] = names_.try_emplace(*id, model::kNoString);
  if (fresh) it->second = add_.Text(LookUp(*id));
  return it->second;
}

model::StringId Reader::ApiName(std::optional<int64_t> id) {
  if (!id) return model::kNoString;
  const auto [it, fresh] = api_names_.try_emplace(*id, model::kNoString);
  if (fresh) {
    const std::string name = LookUp(*id);
    it->second = add_.Text(is_own_ ? std::string_view(name) : WithoutVersion(name));
  }
  return it->second;
}

uint32_t Reader::Process(std::optional<int64_t> global_id) {
  const int64_t key = global_id ? *global_id & ~kNumberMask : -1;
  if (const auto known = processes_.find(key); known != processes_.end()) return known->second;
  const auto own = own_processes_.find(key);
  // Two machines may number their processes alike: the whole id keeps them apart, the number is told afterwards.
  const uint32_t row = add_.Process(key);
  model::Process& process = trace().processes[row];
  process.pid = !global_id ? -1 : own != own_processes_.end() ? own->second.pid : key >> kNumberBits & kNumberMask;
  if (own != own_processes_.end()) {
    process.source = own->second.source;
    process.rank = own->second.rank;
  }
  processes_.emplace(key, row);
  return row;
}

uint32_t Reader::Thread(std::optional<int64_t> global_tid) {
  const int64_t key = global_tid.value_or(-1);
  if (const auto known = threads_.find(key); known != threads_.end()) return known->second;
  const auto own = own_threads_.find(key);
  const int64_t tid = !global_tid ? 0 : own != own_threads_.end() ? own->second : key & kNumberMask;
  const uint32_t row = add_.Thread(Process(global_tid), tid);
  threads_.emplace(key, row);
  return row;
}

uint32_t Reader::Device(std::optional<int64_t> global_id, int64_t device_id) {
  const auto own = global_id ? own_processes_.find(*global_id & ~kNumberMask) : own_processes_.end();
  const uint32_t source = own == own_processes_.end() ? add_.source_row() : own->second.source;
  const auto [it, fresh] = devices_.try_emplace({source, device_id}, 0);
  if (fresh) {
    // A key of its own for each source's device.
    it->second = add_.Device(static_cast<int64_t>(devices_.size()) - 1);
    model::Device& device = add_.DeviceAt(it->second);
    device.id = device_id;
    device.source = source;
  }
  return it->second;
}

uint32_t Reader::Stream(std::optional<int64_t> global_pid, std::optional<int64_t> device,
                        std::optional<int64_t> context, std::optional<int64_t> stream) {
  if (!global_pid) {
    if (!only_process_known_) {
      only_process_known_ = true;
      // Device rows of hand-cut files lack their process: if the calls have only one, it is that.
      if (processes_.size() == 1) only_process_ = processes_.begin()->first;
    }
    if (only_process_ && *only_process_ != -1) global_pid = only_process_;
  }
  const StreamKey key{global_pid.value_or(-1), device.value_or(0), context.value_or(-1), stream.value_or(0)};
  if (const auto known = streams_.find(key); known != streams_.end()) return known->second;
  const uint32_t row = add_.Stream(Process(global_pid), Device(global_pid, key.device), key.context, key.stream);
  streams_.emplace(key, row);
  return row;
}

}  // namespace warpscope::import::nsys
