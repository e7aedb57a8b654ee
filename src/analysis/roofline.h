// Roofline: how much arithmetic and how many bytes a kernel gets through, against what the device can do of each.
// Points come from counters of profiled kernels, or without any from the shapes that operators were recorded with.
// The model: a kernel of intensity I (FLOP a byte of one memory level) cannot run faster than min(P, I x B), P and B
// being the peak rates of arithmetic and of that level (Williams, Waterman, Patterson, "Roofline", CACM 2009; per
// level: Ilic et al. 2014, Yang et al., "Hierarchical Roofline Analysis", 2020).
// [MT] Pure functions; results are values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/index.h"
#include "analysis/window.h"
#include "model/trace.h"

namespace warpscope::analysis {

// Kinds of arithmetic with a peak of their own. Tensor: matrix units, by the type of the operands.
enum class FlopKind : uint8_t {
  kFp64,
  kFp32,
  kFp16,  // packed half arithmetic outside the matrix units
  kTensorFp64,
  kTensorTf32,
  kTensorFp32,  // AMD's matrix units only
  kTensorBf16,
  kTensorFp16,
  kTensorFp8,
  kTensorInt8,  // operations, not FLOP
  kCount,
};
inline constexpr size_t kFlopKinds = static_cast<size_t>(FlopKind::kCount);
std::string_view FlopKindName(FlopKind kind);  // "fp32", "tensor-bf16"

enum class RoofLevel : uint8_t { kDram, kL2, kL1, kCount };
inline constexpr size_t kRoofLevels = static_cast<size_t>(RoofLevel::kCount);
std::string_view RoofLevelName(RoofLevel level);  // "dram", "l2", "l1"

// How a rate was found, best first.
enum class CountedBy : uint8_t {
  kInstructions,      // floating-point instructions of threads; bytes or sectors of memory
  kTensorOps,         // operations that the matrix units counted themselves
  kPipeInstructions,  // all instructions of a pipe, taken as multiply-adds: at most this many FLOP
  kPipeUse,           // busy share of a pipe times its peak: at most this many FLOP
  kShapes,            // computed from operators' shapes
};
std::string_view CountedByName(CountedBy by);

enum class RoofSource : uint8_t {
  kReport,     // peaks and clocks that the report carries: those of the run itself
  kMeasured,   // what a micro benchmark reached (rocprof-compute's roofline.csv)
  kDataSheet,  // gpu_peaks.h, at the boost clock
  kEstimated,  // gpu_peaks.h, by compute capability
};
std::string_view RoofSourceName(RoofSource source);

struct Roof {
  double per_s = 0;  // FLOP/s or bytes/s; > 0
  RoofSource source = RoofSource::kReport;
};
struct FlopRate {
  double per_s = 0;
  CountedBy by = CountedBy::kInstructions;
  bool at_most() const { return by == CountedBy::kPipeInstructions || by == CountedBy::kPipeUse; }
};
struct ByteRate {
  double per_s = 0;
  std::string_view metric;  // what was counted; "shapes"
  bool at_least = false;    // every operand once
};

// Rates and roofs of one kernel. Absent: not in the data. A kind that the report counts and the kernel does not use
// is 0.
struct Rates {
  std::array<std::optional<FlopRate>, kFlopKinds> flops;
  std::array<std::optional<ByteRate>, kRoofLevels> bytes;
  std::array<std::optional<Roof>, kFlopKinds> flop_roofs;
  std::array<std::optional<Roof>, kRoofLevels> byte_roofs;
  // The matrix units worked and nothing tells how much.
  bool tensor_unknown = false;
};

struct RooflinePoint {
  model::StringId name = model::kNoString;
  std::string_view operator_name;  // of points from shapes; a text of the trace
  uint32_t config = model::kNone;  // row of launch_configs
  uint32_t device = model::kNone;  // row of devices
  uint64_t launch_count = 0;
  int64_t total_ns = 0;             // in the timeline if there is one, else of what was profiled
  std::optional<double> share_pct;  // of all kernel time there
  double duration_ns = 0;           // that the rates are of
  Rates rates;
};

struct Roofline {
  std::vector<RooflinePoint> points;  // most time first; ties by name and row
  bool from_shapes = false;
  bool timeline_weights = false;           // shares are of the timeline's kernel time
  std::optional<double> covered_pct;       // of that time: what the points stand for
  uint64_t kernels_without_operator = 0;   // from shapes: launches that no operator with shapes is known for
  std::vector<std::string_view> uncosted;  // from shapes: operators whose arithmetic is not known, most time first
};

// Points of trace.kernel_profiles, one a kernel name and geometry, of its launch of median time; weighted by the
// timeline's kernels in `scope` where they match.
Roofline RooflineOfCounters(const Index& index, const Scope& scope);
// Points of the timeline's kernels in `scope`, one a kernel name and operator, from recorded shapes.
Roofline RooflineOfShapes(const Index& index, const Scope& scope);

// One point under one pair of roofs.
struct RooflinePlace {
  FlopKind kind = FlopKind::kFp32;
  RoofLevel level = RoofLevel::kDram;
  double flops_per_s = 0, bytes_per_s = 0;
  std::optional<double> intensity;  // FLOP a byte; absent if no byte was moved
  std::optional<double> ridge;      // intensity at which the roofs meet
  // Absent if a roof is not known, and where an upper bound of FLOP lies on the compute side.
  std::optional<bool> memory_side;
  std::optional<double> roof_flops_per_s;  // min(P, I x B)
  std::optional<double> roof_pct;          // reached part of that roof
};
struct PlaceResult {
  std::optional<RooflinePlace> place;
  std::string reason;  // why there is none, and what to record
};
// `kind`: absent takes the kind that is nearest to its own peak.
PlaceResult PlaceOf(const RooflinePoint& point, RoofLevel level, std::optional<FlopKind> kind = std::nullopt);

}  // namespace warpscope::analysis
