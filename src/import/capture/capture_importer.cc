#include "import/capture/capture_importer.h"

#include <cstring>
#include <filesystem>

#include "import/capture/block_decoder.h"
#include "wire/format.h"

namespace warpscope::import::capture {
namespace {

Confidence Sniff(const Head& head) {
  return head.bytes.substr(0, sizeof(wire::kMagic)) == std::string_view(wire::kMagic, sizeof(wire::kMagic))
             ? Confidence::kYes
             : Confidence::kNo;
}

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  wire::FileHeader header;
  WS_ASSIGN_OR_RETURN(const size_t got, bytes.Read(reinterpret_cast<char*>(&header), sizeof(header)));
  if (got < sizeof(header))
    return Status(StatusCode::kCorrupt,
                  path + ": byte " + std::to_string(got) +
                      ": the capture ends inside its header. The recorded process was stopped as it "
                      "started; record again.");
  if (header.version != wire::kVersion)
    return Status(StatusCode::kUnsupported, path + ": byte 8: version " + std::to_string(header.version) +
                                                " of the capture stream; this program reads version " +
                                                std::to_string(wire::kVersion) + ". Use the program that recorded it.");
  BlockDecoder decoder(trace, path, header);
  std::string payload;
  uint64_t offset = sizeof(header);
  for (;;) {
    wire::BlockHeader block;
    WS_ASSIGN_OR_RETURN(const size_t head, bytes.Read(reinterpret_cast<char*>(&block), sizeof(block)));
    if (head == 0) break;
    if (head < sizeof(block) || block.magic != wire::kBlockMagic || block.payload_bytes > wire::kMaxPayloadBytes) {
      decoder.Cut(offset);
      break;
    }
    payload.resize(block.payload_bytes);
    WS_ASSIGN_OR_RETURN(const size_t body, bytes.Read(payload.data(), payload.size()));
    if (body < payload.size()) {
      decoder.Cut(offset);
      break;
    }
    const auto* raw = reinterpret_cast<const uint8_t*>(payload.data());
    if (wire::Checksum(raw, block.payload_bytes) != block.checksum) decoder.Damaged(offset);
    else decoder.Decode(payload, block.base_ns, offset + sizeof(block));
    offset += sizeof(block) + payload.size();
    if (options.progress && bytes.done_ratio() >= 0) options.progress(bytes.done_ratio());
  }
  return decoder.Finish(offset);
}

}  // namespace

const Importer kImporter = {"capture", "Warpscope capture of one process", &Sniff, &Read};

}  // namespace warpscope::import::capture
