// Where libcupti is searched for, newest first: by the library inside the recorded program, which loads the first that
// it finds, and by the launcher, which predicts it. [signal-safe] Constants.
#pragma once

namespace warpscope::wire {

// Sonames. Up to CUDA 11 they end in the toolkit's version, from 12 on in its first number.
inline constexpr const char* kCuptiNames[] = {"libcupti.so.13",   "libcupti.so.12",   "libcupti.so.11.8",
                                              "libcupti.so.11.7", "libcupti.so.11.6", "libcupti.so"};
inline constexpr char kCuptiNameStart[] = "libcupti.so.";
// Searched for each name after the loader's own places.
inline constexpr const char* kCuptiFolders[] = {"/usr/local/cuda/extras/CUPTI/lib64/", "/usr/local/cuda/lib64/",
                                                "/usr/local/cuda/targets/x86_64-linux/lib/",
                                                "/usr/lib/x86_64-linux-gnu/"};
// Names one that is used in place of all these, unless the program has mapped one already.
inline constexpr char kCuptiVariable[] = "WARPSCOPE_CUPTI";

}  // namespace warpscope::wire
