#include "export/nsys/job.h"

#include <algorithm>
#include <set>

namespace warpscope::exporting {
namespace {

constexpr int kProcessShift = 24, kMachineShift = 48;
constexpr int64_t kNumbers = int64_t{1} << 24;  // of processes on a machine, of threads in a process

// Keeps numbers that fit and are not taken; others get the highest free one.
class Numbers {
 public:
  int64_t Take(int64_t wanted) {
    if (wanted >= 0 && wanted < kNumbers && taken_.insert(wanted).second) return wanted;
    while (!taken_.insert(next_).second) --next_;
    return next_;
  }

 private:
  std::set<int64_t> taken_;
  int64_t next_ = kNumbers - 1;
};

}  // namespace

GlobalIds::GlobalIds(const model::Trace& trace) {
  std::vector<Numbers> of_source(trace.sources.size()), of_process(trace.processes.size());
  for (const model::Process& process : trace.processes) {
    processes_.push_back(Machine(process.source) | of_source[process.source].Take(process.pid) << kProcessShift);
    domains_.emplace(process.link_domain, processes_.back());
  }
  for (const model::Thread& thread : trace.threads) {
    const int64_t number = of_process[thread.process].Take(thread.tid);
    threads_.push_back(processes_[thread.process] | number);
    replaced_.push_back(number != thread.tid);
  }
}

int64_t GlobalIds::Machine(uint32_t source) const {
  // 1 in the machine's byte for the first source, as nsys numbers the local one; the hardware byte takes the carry.
  return (static_cast<int64_t>(source % 32000) + 1) << kMachineShift;
}

int64_t GlobalIds::Domain(uint32_t link_domain) const {
  const auto found = domains_.find(link_domain);
  return found == domains_.end() ? 0 : found->second;
}

int64_t Texts::Id(std::string_view text) {
  if (const model::StringId known = pool_.Find(text); known != model::kNoString) return known;
  const auto [it, fresh] = own_.try_emplace(std::string(text), next_);
  if (fresh) ++next_;
  return it->second;
}

void Texts::Write(SqliteFile& file) const {
  file.Execute("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
  Insert insert(file, "StringIds", "id, value");
  for (model::StringId id = 1; id < pool_.size(); ++id) insert.Int(id).Text(pool_.Get(id)).Row();
  std::vector<std::pair<int64_t, std::string_view>> own;
  for (const auto& [text, id] : own_) own.emplace_back(id, text);
  std::sort(own.begin(), own.end());
  for (const auto& [id, text] : own) insert.Int(id).Text(text).Row();
}

}  // namespace warpscope::exporting
