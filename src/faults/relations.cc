#include "faults/relations.h"

#include <string_view>
#include <tuple>

namespace warpscope::faults {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int kIndependent = 100;  // neither explains others nor is explained

struct Ranked {
  std::string_view id;
  int rank;
};
// Faults without a number.
constexpr Ranked kRanks[] = {
    {"oom-kill", 0},
    {"oom-kill-cgroup", 0},
    {"aer-fatal", 0},
    {"pcie-link-down", 0},
    {"pcie-dpc", 0},
    {"mce-uncorrected", 0},
    {"aer-nonfatal", 0},
    {"aer-recovery-failed", 1},
    {"pcie-inaccessible", 1},
    {"nv-fallen-off-bus", 2},
    {"amd-device-lost", 1},
    {"nv-gsp-timeout", 6},
    {"nv-init-failed", 7},
    {"nv-unsupported-gpu", 0},
    {"nv-bar-invalid", 0},
    {"nv-probe-failed", 7},
    {"nv-uvm-fatal", 11},
    {"nv-watchdog", 11},
    {"pcie-eeh", 0},
    {"amd-vram-lost", 12},
    {"amd-shader-error", 8},
    {"amd-firmware-missing", 0},
    {"amd-init-failed", 7},
    {"intel-guc", 6},
    {"intel-init-failed", 7},
    {"nv-peermem", 12},
    {"amd-ras-uncorrectable", 3},
    {"amd-poison", 4},
    {"amd-bad-pages", 4},
    {"amd-aca", 4},
    {"amd-error-address", 5},
    {"amd-page-fault", 8},
    {"amd-firmware-hang", 9},
    {"amd-ring-timeout", 9},
    {"amd-gpu-reset", 10},
    {"amd-reset-failed", 11},
    {"amd-reset-done", 12},
    {"intel-page-fault", 8},
    {"intel-gpu-hang", 9},
    {"intel-engine-reset", 9},
    {"intel-reset-failed", 10},
    {"intel-wedged", 11},
    {"ascend-heartbeat", 3},
    {"ascend-hbm-ecc", 3},
    {"ascend-aicore", 8},
    {"segfault-gpu-library", 11},
};

bool IsNvlink(const Entry& entry, int code) {
  if (entry.family == Family::kSxid) return true;
  return entry.family == Family::kXid && (code == 74 || code == 136 || (code >= 144 && code <= 150) || code == 155);
}

bool IsPort(const Burst& burst) { return burst.first.entry->family == Family::kPcie; }

bool IsGpuVendor(Family family) {
  return family != Family::kPcie && family != Family::kHost && family != Family::kWindows;
}

// The same GPU, or one of them below the port that the other names; a port whose place nobody knows may be any.
bool SamePlace(const Burst& burst, const Burst& leader, const PciTree& pci) {
  const auto &device = burst.first.device, &other = leader.first.device;
  if (leader.first.entry->family == Family::kHost) return true;
  if (IsPort(leader) && IsGpuVendor(burst.first.entry->family)) {
    if (!device || !other) return true;
    const auto gpus = pci.GpusAt(*other);
    if (gpus.empty()) return !pci.KnowsPort(*other);
    for (const PciAddress& gpu : gpus) {
      if (gpu == *device) return true;
    }
    return false;
  }
  if (VendorOf(burst.first.entry->family) != VendorOf(leader.first.entry->family)) return false;
  if (!device || !other) return true;
  return *device == *other;
}

bool SharesProgram(const Burst& left, const Burst& right) {
  for (const Program& program : left.programs) {
    for (const Program& other : right.programs) {
      if (program.pid != 0 && program.pid == other.pid) return true;
    }
  }
  return false;
}

// For how long after its last line a fault explains others on its device, in ns.
int64_t ReachNs(const Burst& burst, const Burst& leader) {
  const int rank = RankOf(*leader.first.entry, leader.first.code);
  const std::string_view id = leader.first.entry->id;
  if (burst.first.time.clock == Clock::kNone) return 60 * kSecond;         // lines
  if (id == "xid-79" || id == "nv-fallen-off-bus") return 3600 * kSecond;  // nothing works before the next start
  if (leader.first.entry->family == Family::kHost) return 15 * kSecond;
  if (leader.first.entry->id == "aer-nonfatal") return 5 * kSecond;
  if (burst.first.code == 45 || burst.first.code == 154 || rank <= 1) return 120 * kSecond;
  return 30 * kSecond;
}

// On another device: what a lost GPU or link does to its peers, and the end of a job that ran on many GPUs.
bool ReachesPeers(const Burst& burst, const Burst& leader) {
  const Entry &entry = *burst.first.entry, &cause = *leader.first.entry;
  const int code = burst.first.code;
  if (VendorOf(cause.family) != Vendor::kNvidia || cause.family == Family::kWindows) return false;
  const int cause_rank = RankOf(cause, leader.first.code);
  if (IsNvlink(entry, code)) return cause_rank <= 4 || (cause.family == Family::kSxid && entry.family == Family::kXid);
  if (entry.family != Family::kXid) return false;
  if (code == 154) return IsNvlink(cause, leader.first.code) && leader.first.severity == Severity::kCritical;
  return code == 45 || code == 43;
}

bool Explains(const Burst& burst, const Burst& leader, const PciTree& pci) {
  if (!Comparable(burst, leader)) return false;
  const int rank = RankOf(*burst.first.entry, burst.first.code), cause = RankOf(*leader.first.entry, leader.first.code);
  if (cause >= rank || rank == kIndependent) return false;
  const int64_t begins = PositionOf(burst.first.time, burst.first.line);
  const int64_t leader_begins = PositionOf(leader.first.time, leader.first.line);
  const int64_t leader_ends = PositionOf(leader.last_time, leader.last_line);
  // A lost GPU is noticed late, first by whatever waits for it.
  const int64_t slack = cause <= 2 ? 60 * kSecond : kSecond;
  if (leader_begins > begins + slack) return false;
  // Errors of a link that the line calls non-fatal ask for no recovery.
  if (burst.first.code == 154 && IsNvlink(*leader.first.entry, leader.first.code) &&
      leader.first.severity < Severity::kError)
    return false;
  if (leader.first.entry->family == Family::kHost) {
    const bool ends_programs =
        burst.first.code == 45 || burst.first.code == 43 || burst.first.entry->id == "nv-peermem";
    if (!ends_programs || leader_begins > begins + 5 * kSecond) return false;
    if (!burst.programs.empty() && !leader.programs.empty() && !SharesProgram(burst, leader)) return false;
  }
  if (SamePlace(burst, leader, pci)) return begins - leader_ends <= ReachNs(burst, leader);
  constexpr int64_t kPeersNs = 60 * kSecond;
  return ReachesPeers(burst, leader) && begins - leader_ends <= kPeersNs && leader_begins <= begins + 2 * kSecond;
}

}  // namespace

int RankOf(const Entry& entry, int code) {
  if (entry.family == Family::kSxid) {
    if (entry.action == Action::kReboot || entry.action == Action::kResetFabric) return 4;
    return entry.severity == Severity::kInfo ? kIndependent : 6;
  }
  if (entry.family != Family::kXid) {
    for (const Ranked& ranked : kRanks) {
      if (ranked.id == entry.id) return ranked.rank;
    }
    return kIndependent;
  }
  switch (code) {
    case 54: return 0;
    case 79: return 1;
    case 46:
    case 62:
    case 110:
    case 158:
    case 167:
    case 169: return 2;
    case 48:
    case 140: return 3;
    case 63:
    case 64:
    case 94:
    case 95:
    case 156:
    case 171:
    case 172: return 4;
    case 119:
    case 120: return 5;
    case 74:
    case 136:
    case 144:
    case 145:
    case 146:
    case 147:
    case 148:
    case 149:
    case 150:
    case 155: return 6;
    case 143: return 7;
    case 109: return 9;
    case 43: return 10;
    case 45: return 11;
    case 154: return 12;
    case 14:
    case 106:
    case 107: return kIndependent;
    default: return 8;  // exceptions of programs and engines
  }
}

std::vector<std::optional<size_t>> FindLeaders(const std::vector<Burst>& bursts, const PciTree& pci) {
  std::vector<std::optional<size_t>> leaders(bursts.size());
  for (size_t at = 0; at < bursts.size(); ++at) {
    const Burst& burst = bursts[at];
    std::optional<size_t> best;
    for (size_t other = 0; other < bursts.size(); ++other) {
      if (other == at) continue;
      const Burst& leader = bursts[other];
      // The line itself may name its cause.
      if (burst.first.caused_by && *burst.first.caused_by == leader.first.code &&
          leader.first.entry->family == Family::kXid && other < at &&
          RankOf(*leader.first.entry, leader.first.code) < RankOf(*burst.first.entry, burst.first.code)) {
        const bool same = leader.first.device == burst.first.device;
        if (!best || same || bursts[*best].first.code != *burst.first.caused_by) best = other;
        continue;
      }
      if (best && burst.first.caused_by == bursts[*best].first.code) continue;
      if (!Explains(burst, leader, pci)) continue;
      // The same device before others; then what is nearer to the cause; then what came first.
      const auto order = [&](size_t candidate) {
        const Burst& known = bursts[candidate];
        return std::tuple(!SamePlace(burst, known, pci), RankOf(*known.first.entry, known.first.code), candidate);
      };
      if (!best || order(other) < order(*best)) best = other;
    }
    leaders[at] = best;
  }
  return leaders;
}

}  // namespace warpscope::faults
