// Put: a reading that a line of a tool's text tells, into the last look at a device. [one thread]
#pragma once

#include <algorithm>
#include <optional>

#include "doctor/machine.h"
#include "doctor/read/smi_processes.h"

namespace warpscope::doctor::read {

class Put {
 public:
  explicit Put(Vendor vendor) : vendor_(vendor) {}

  // Of the device with this number, which is added if it is new. False for numbers beyond any machine.
  bool Begin(std::optional<uint64_t> index) {
    constexpr uint64_t kMostIndex = 4096;
    index_ = index && *index <= kMostIndex ? std::optional(static_cast<unsigned>(*index)) : std::nullopt;
    return index_.has_value();
  }
  void End() { index_.reset(); }
  bool is_begun() const { return index_.has_value(); }
  unsigned index() const { return index_.value_or(0); }

  Gpu& Device(Machine& machine) const {
    Gpu* gpu = FindOrAdd(machine, vendor_, {}, index_);
    if (gpu->looks.empty()) gpu->looks.emplace_back();
    return *gpu;
  }
  void Number(Machine& machine, ReadingName name, double value) const {
    Device(machine).looks.back().values[name].number = value;
  }
  void Complain(Machine& machine, Complaint complaint) const {
    constexpr size_t kMostComplaints = 16;
    std::vector<Complaint>& all = Device(machine).complaints;
    const bool known =
        std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.words == complaint.words; });
    if (!known && all.size() < kMostComplaints) all.push_back(std::move(complaint));
  }

 private:
  Vendor vendor_;
  std::optional<unsigned> index_;
};

}  // namespace warpscope::doctor::read
