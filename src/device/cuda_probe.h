// CudaProbe: what CUDA itself answers on this machine: whether it starts, and its devices in the order in which a
// program counts them. Asked in a child process, because a broken driver library may crash or hang whoever loads it. No
// context is made, so nothing is taken on the device. [one thread] Call before threads are started.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpscope::device {

struct CudaDevice {
  std::string name, bus_id;  // "0000:3b:00.0"
  int compute_major = 0, compute_minor = 0;
  bool integrated = false;
  std::optional<uint64_t> memory_bytes;
};

struct CudaAnswer {
  bool loaded = false;         // libcuda.so.1 could be loaded
  std::string problem;         // of loading, or that the child crashed or did not answer in time; "" if neither
  std::optional<int> result;   // of cuInit, or of counting devices where that failed: a CUresult
  std::optional<int> version;  // cuDriverGetVersion(): 13000
  std::vector<CudaDevice> devices;
};

CudaAnswer AskCuda();

// "CUDA_ERROR_NO_DEVICE"; "" for numbers that are not named here (cuda.h: enum cudaError_enum).
std::string NameOfCudaResult(int result);

// The lines that the child writes, as an answer. [MT] Pure; for tests.
CudaAnswer ReadCudaAnswer(const std::string& text);

}  // namespace warpscope::device
