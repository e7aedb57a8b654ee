// Life: the beginning and the end of a recording in this process, and the thread that writes it.
// [MT] Start() and Finish() do their work once, whoever calls them, from any thread. Nothing here waits for ever: what
// CUPTI does not answer within kFinishLimitNs is given up.
#pragma once

#include <cstdint>

namespace warpscope::agent {

constexpr int64_t kFinishLimitNs = 3'000'000'000;

void Start();
void Finish();

}  // namespace warpscope::agent
