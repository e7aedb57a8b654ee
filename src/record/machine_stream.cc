#include "record/machine_stream.h"

#include <cmath>

#include "wire/clock.h"

namespace warpscope::record {
namespace {

constexpr size_t kMostTextBytes = 16384;
constexpr double kMostThousandths = 9e18;

}  // namespace

bool MachineStream::Open(const std::string& folder) {
  const std::lock_guard guard(lock_);
  return file_.Open(folder.c_str(), "machine", 0);
}

uint64_t MachineStream::TextRef(const std::string& text) {
  const auto [it, fresh] = texts_.try_emplace(text.substr(0, kMostTextBytes), texts_.size() + 1);
  if (fresh) {
    wire::BlockWriter& block = file_.BlockFor(static_cast<uint32_t>(it->first.size()));
    block.Begin(wire::kText);
    block.Put(it->second);
    block.PutBytes(it->first.data(), static_cast<uint32_t>(it->first.size()));
  }
  return it->second;
}

void MachineStream::Fact(int device, const std::string& name, const std::string& value) {
  const std::lock_guard guard(lock_);
  if (!file_.is_open() || value.empty()) return;
  const uint64_t name_ref = TextRef(name), value_ref = TextRef(value);
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kFact);
  block.Put(static_cast<uint64_t>(device + 1));
  block.Put(name_ref);
  block.Put(value_ref);
  ++rows_;
}

void MachineStream::Note(unsigned severity, const std::string& text) {
  const std::lock_guard guard(lock_);
  if (!file_.is_open()) return;
  const uint64_t ref = TextRef(text);
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kNote);
  block.Put(severity);
  block.Put(ref);
}

void MachineStream::Sample(int device, const std::string& name, const char* unit, int64_t time_ns, double value) {
  const std::lock_guard guard(lock_);
  if (!file_.is_open() || !(std::abs(value) * 1000 < kMostThousandths)) return;
  const auto [it, fresh] = series_.try_emplace({device, name}, series_.size() + 1);
  if (fresh) {
    const uint64_t name_ref = TextRef(name), unit_ref = *unit == '\0' ? 0 : TextRef(unit);
    wire::BlockWriter& block = file_.block();
    block.Begin(wire::kSeries);
    block.Put(it->second);
    block.Put(static_cast<uint64_t>(device + 1));
    block.Put(name_ref);
    block.Put(unit_ref);
  }
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kSample);
  block.Put(it->second);
  block.PutTime(time_ns);
  block.PutSigned(std::llround(value * 1000));
  ++rows_;
}

void MachineStream::Flush() {
  const std::lock_guard guard(lock_);
  if (file_.is_open()) file_.Flush();
}

void MachineStream::Close(int64_t cpu_ns) {
  const std::lock_guard guard(lock_);
  if (!file_.is_open()) return;
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kEnd);
  block.PutTime(wire::NowNs());
  block.Put(rows_);
  block.Put(static_cast<uint64_t>(cpu_ns));
  file_.Close();
}

}  // namespace warpscope::record
