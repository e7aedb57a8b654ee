// Which counters add up to FLOP and bytes, and which tell the peaks: the tables that roofline_counters.cc reads.
// [MT] Constants.
// Sources: NVIDIA's roofline sections of Nsight Compute (SpeedOfLight_*RooflineChart.section: instructions of threads
// whose predicate was true, a fused multiply-add as two, packed half instructions twice that; L2: lts2xbar at 32 bytes
// a cycle; L1: writeback at 128 bytes a cycle; peaks: peak_sustained at the clock of the run); for what the range
// profiler of CUPTI counts, the descriptions of its metrics (sm__ops_path_tensor_*, pipes). AMD: roofline_calc.py of
// rocprof-compute (64 lanes an instruction, 512 operations a MOP, 64-byte requests).
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "analysis/roofline.h"

namespace warpscope::analysis {

struct Term {
  std::string_view counter;  // "": no further term
  double factor = 1;
};
using Terms = std::array<Term, 4>;

// Of one kind the first that is complete counts.
struct FlopRecipe {
  FlopKind kind;
  CountedBy by;
  Terms terms;
};
std::span<const FlopRecipe> FlopRecipes();

struct RoofRecipe {
  FlopKind kind;
  std::string_view counter;
  double factor;  // FLOP a count; 0.5 where the peak is that of sparse operands
};
std::span<const RoofRecipe> FlopRoofRecipes();

struct ByteRecipe {
  RoofLevel level;
  Terms terms;
};
std::span<const ByteRecipe> ByteRecipes();

// Pipes whose busy share bounds a kind of arithmetic.
struct PipeRecipe {
  FlopKind kind;
  std::span<const std::string_view> pipes;
};
std::span<const PipeRecipe> PipeRecipes();
// Matrix units on 8, 16 and 19-bit floating point: the type is not told.
std::span<const std::string_view> HalfTensorPipes();
// Shares of DRAM's peak, 0-100.
std::span<const std::string_view> DramShares();

// Readings of rocprof-compute's roofline.csv and sysinfo.csv (docs/formats/rocprof_compute.md), in 1e9 a second.
struct MeasuredRoof {
  std::string_view reading;
  FlopKind kind;  // kCount: bytes of `level`
  RoofLevel level;
  RoofSource source;
};
std::span<const MeasuredRoof> MeasuredRoofs();

}  // namespace warpscope::analysis
