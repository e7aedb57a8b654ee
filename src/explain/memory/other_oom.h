// Out-of-memory messages of TensorFlow, XLA (JAX), vLLM, CuPy, Paddle, llama.cpp, Triton: their numbers. [MT] Pure.
#pragma once

#include <span>

#include "explain/entry.h"

namespace warpscope::explain {

void WorkTensorflowOom(std::span<const Match> matches, Answer* answer);  // shape and type -> bytes
void WorkAsyncOom(std::span<const Match> matches, Answer* answer);       // held, asked for, limit
void WorkXlaOom(std::span<const Match> matches, Answer* answer);
void WorkVllmStart(std::span<const Match> matches, Answer* answer);     // free below the share asked for
void WorkVllmKvCache(std::span<const Match> matches, Answer* answer);   // one request does not fit
void WorkAskedBytes(std::span<const Match> matches, Answer* answer);    // any message that names one amount
void WorkSharedMemory(std::span<const Match> matches, Answer* answer);  // Triton: need and limit of a block

}  // namespace warpscope::explain
