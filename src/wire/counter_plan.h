// The counter plan: a text file in the run folder that tells the agents which hardware counters to collect; without the
// file they collect none. One setting a line, a word and its value; what an agent does not know it passes over.
//   mode exact|sampled|stalls     may stand several times, but exact excludes the others
//   metric NAME                   in the order of worth; exact: all of them; sampled: as many as one pass takes
//   kernel REGEX                  exact: kernels whose demangled or mangled name matches (POSIX extended); several: any
//   name NAME                     exact: kernels of exactly this name, demangled or mangled; several: any
//   skip N                        exact: matching launches that pass first
//   count N                       exact: launches that are measured; 0 or absent: all
//   per-name N                    exact: launches of one name and geometry that are measured; 0 or absent: all
//   replay kernel|application     exact
//   pass N                        exact, application replay: which pass this run of the program is, from 0
//   turn N                        exact, application replay of several passes: the launch, of those asked for, that
//   this
//                                 run measures, from 0
//   interval-us N                 sampled
//   window-ms N, period-ms N      sampled: a window of so long in every so many; equal: always
//   pc-period N                   stalls: a sample of an SM every 2^N cycles, 5 to 31
//   code 1                        keep the machine code of modules in the run folder (code/CHECKSUM.cubin)
// [MT] Constants.
#pragma once

#include <cstddef>

namespace warpscope::wire {

inline constexpr char kCounterPlanName[] = "counter-plan";
inline constexpr size_t kMostCounterPlanBytes = 1u << 20;
inline constexpr char kCodeFolder[] = "code";
// Of an application replay: counter images between the runs, "passes": how many runs a launch takes, and "launches":
// how many launches of a process are asked for, at most.
inline constexpr char kCounterImagesFolder[] = "counter-images";

}  // namespace warpscope::wire
