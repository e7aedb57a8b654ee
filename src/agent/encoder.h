// Encoder: CUPTI's records and NVTX events -> the capture stream. [one thread] the writer's; static memory only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/cupti_abi.h"
#include "agent/key_table.h"
#include "agent/nvtx_ring.h"
#include "agent/text_table.h"
#include "wire/stream_file.h"

namespace warpscope::agent {

class Encoder {
 public:
  bool Init(const cupti::Functions* functions, uint32_t cupti_version, wire::StreamFile* file);

  // All records of a filled buffer.
  void EncodeBuffer(uint8_t* buffer, size_t valid_bytes);
  void Encode(const NvtxEvent& event, const char* text, const char* domain);
  void Lost(wire::Loss what, uint64_t count);
  void Note(unsigned severity, const char* text);
  void End(int64_t cpu_ns);

  uint64_t rows() const { return rows_; }
  uint64_t bad_times() const { return bad_times_; }

 private:
  struct StreamKey {
    uint32_t device, context, stream;
  };
  struct ShapeKey {
    uint32_t grid[3], block[3], registers, shared, cluster[3];
  };
  struct ThreadKey {
    uint32_t tid;
  };

  void EncodeRecord(const cupti::Record* record);
  void EncodeKernel(const cupti::Kernel& kernel);
  void EncodeCopy(uint8_t copy_kind, uint8_t source, uint8_t destination, uint64_t bytes, uint64_t start, uint64_t end,
                  uint32_t stream, uint32_t correlation, uint32_t graph_id, uint64_t node_id);
  void EncodeMemset(const cupti::Memset& memset);
  void EncodeCall(const cupti::Api& call);
  void EncodeSync(const cupti::Synchronization& sync);
  void EncodeOverhead(const cupti::Overhead& overhead);
  void EncodeGraph(const cupti::GraphTrace& graph);
  void EncodeDevice(const cupti::Device& device);

  bool ValidTimes(uint64_t start, uint64_t end);
  uint32_t TextRef(const char* text, size_t size);
  uint32_t TextRef(const char* text);
  uint32_t StreamRef(uint32_t device, uint32_t context, uint32_t stream);
  uint32_t ShapeRef(const cupti::Kernel& kernel);
  uint32_t ThreadRef(uint32_t tid);
  uint32_t CallNameRef(uint32_t domain, uint32_t cbid);

  const cupti::Functions* functions_ = nullptr;
  uint32_t cupti_version_ = 0;
  wire::StreamFile* file_ = nullptr;
  TextTable texts_;
  KeyTable<StreamKey, 4096> streams_;
  KeyTable<ShapeKey, 16384> shapes_;
  KeyTable<ThreadKey, 4096> threads_;
  static constexpr uint32_t kCallbackIds = 2048;
  uint32_t call_names_[2][kCallbackIds] = {};
  const char* last_name_ = nullptr;  // of the last kernel, by address and content
  uint64_t rows_ = 0, bad_times_ = 0;
};

}  // namespace warpscope::agent
