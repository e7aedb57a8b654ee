// The container: "NVR\0", u32 length, FileHeader; then blocks: u32 length, BlockHeader, and the header's PayloadSize
// bytes of payload, which are NumSources x (u32 length, ProfileSource) and NumResults x (u32 length, ProfileResult).
// Little endian.
#include "import/ncu/ncu_importer.h"

#include <algorithm>

#include "import/appender.h"
#include "import/ncu/report.h"

namespace warpscope::import::ncu {
namespace {

constexpr std::string_view kMagic("NVR\0", 4);
constexpr size_t kChunkBytes = size_t{1} << 20;
// The largest single message that is read; a kernel with all source counters takes a few MiB.
constexpr uint64_t kMaxMessageBytes = uint64_t{1} << 30;

Confidence Sniff(const Head& head) { return head.bytes.starts_with(kMagic) ? Confidence::kYes : Confidence::kNo; }

// The bytes of the file in order, with their place.
class Stream {
 public:
  explicit Stream(ByteSource* bytes) : bytes_(bytes) {}
  uint64_t offset() const { return offset_; }

  // `size_bytes` bytes into `to`; false if the file ends before. Memory grows only with what is really there.
  Result<bool> Read(uint64_t size_bytes, std::string* to) {
    to->clear();
    while (to->size() < size_bytes) {
      const size_t had = to->size();
      const size_t want = static_cast<size_t>(std::min<uint64_t>(size_bytes - had, std::max(kChunkBytes, had)));
      to->resize(had + want);
      WS_ASSIGN_OR_RETURN(const size_t got, bytes_->Read(to->data() + had, want));
      offset_ += got;
      if (got == want) continue;
      to->resize(had + got);
      return false;
    }
    return true;
  }
  // A u32; absent at the end of the file. `cut`: the file ends inside it.
  Result<std::optional<uint32_t>> ReadLength(bool* cut) {
    std::string four;
    WS_ASSIGN_OR_RETURN(const bool whole, Read(4, &four));
    *cut = !whole && !four.empty();
    if (!whole) return std::optional<uint32_t>();
    uint32_t length = 0;
    for (size_t i = 0; i < 4; ++i) length |= static_cast<uint32_t>(static_cast<uint8_t>(four[i])) << (8 * i);
    return std::optional(length);
  }
  Result<bool> Skip(uint64_t size_bytes) {
    std::string passed;
    while (size_bytes > 0) {
      const uint64_t part = std::min<uint64_t>(size_bytes, kChunkBytes);
      WS_ASSIGN_OR_RETURN(const bool whole, Read(part, &passed));
      if (!whole) return false;
      size_bytes -= part;
    }
    return true;
  }

 private:
  ByteSource* bytes_;
  uint64_t offset_ = 0;
};

enum class End : uint8_t { kMore, kWhole, kCut, kDamaged };

// One file being read.
class Reader {
 public:
  Reader(ByteSource* bytes, Appender* out, const Options& options)
      : bytes_(bytes), stream_(bytes), out_(*out), options_(options), report_(out) {}

  Result<End> ReadAll() {
    WS_ASSIGN_OR_RETURN(End end, ReadFileHeader());
    while (end == End::kMore) {
      WS_ASSIGN_OR_RETURN(end, ReadBlock());
      if (options_.progress && bytes_->done_ratio() >= 0) options_.progress(bytes_->done_ratio());
    }
    if (end == End::kCut || bytes_->cut_short()) out_.Note(model::LedgerCode::kTruncatedFile, 1, stream_.offset());
    if (end == End::kDamaged) out_.Note(model::LedgerCode::kDamagedProfile, 1, damage_at_, "the rest of the file");
    report_.Finish();
    return end;
  }
  const Report& report() const { return report_; }
  uint64_t offset() const { return stream_.offset(); }

 private:
  Result<End> ReadFileHeader() {
    std::string magic;
    WS_ASSIGN_OR_RETURN(bool whole, stream_.Read(4, &magic));
    if (!whole || magic != kMagic) return Damaged();
    return ReadMessage([](std::string_view) { return true; });
  }

  // A length and as many bytes, given to `take`.
  template <typename F>
  Result<End> ReadMessage(const F& take) {
    damage_at_ = stream_.offset();
    bool cut = false;
    WS_ASSIGN_OR_RETURN(const std::optional<uint32_t> length, stream_.ReadLength(&cut));
    if (!length) return cut ? End::kCut : End::kWhole;
    if (*length > kMaxMessageBytes) return End::kDamaged;
    WS_ASSIGN_OR_RETURN(const bool whole, stream_.Read(*length, &message_));
    if (!whole) return End::kCut;
    return take(std::string_view(message_)) ? End::kMore : End::kDamaged;
  }

  Result<End> ReadBlock() {
    Report::Block block;
    WS_ASSIGN_OR_RETURN(const End header,
                        ReadMessage([&](std::string_view bytes) { return report_.AddBlock(bytes, &block); }));
    if (header != End::kMore) return header;
    const uint64_t begin = stream_.offset();
    const auto left = [&] { return block.payload_bytes - std::min(block.payload_bytes, stream_.offset() - begin); };
    for (uint64_t i = 0; i < block.source_count + block.result_count && left() > 0; ++i) {
      const bool is_source = i < block.source_count;
      WS_ASSIGN_OR_RETURN(const End end, ReadMessage([&](std::string_view bytes) {
                            return is_source ? report_.AddSource(bytes) : report_.AddResult(bytes);
                          }));
      // The length of a damaged message still leads to the next one.
      if (end == End::kDamaged && stream_.offset() > damage_at_ + 4) {
        out_.Note(model::LedgerCode::kDamagedProfile, 1, damage_at_);
        continue;
      }
      if (end != End::kMore) return end == End::kWhole ? End::kCut : end;
    }
    if (stream_.offset() - begin > block.payload_bytes) return Damaged();
    WS_ASSIGN_OR_RETURN(const bool whole, stream_.Skip(left()));
    return whole ? End::kMore : End::kCut;
  }

  End Damaged() {
    damage_at_ = stream_.offset();
    return End::kDamaged;
  }

  ByteSource* bytes_;
  Stream stream_;
  Appender& out_;
  const Options& options_;
  Report report_;
  std::string message_;
  uint64_t damage_at_ = 0;
};

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  Appender out(trace, path, "ncu");
  Reader reader(&bytes, &out, options);
  WS_ASSIGN_OR_RETURN(const End end, reader.ReadAll());
  if (reader.report().result_count() > 0) {
    out.source().text_bytes = reader.offset();
    return Status::Ok();
  }
  if (end == End::kWhole) {
    return {StatusCode::kUnsupported,
            path +
                ": byte 0: this Nsight Compute report holds no profiled kernel (no launch matched the filters, or "
                "profiling failed). Record again with: ncu --set full -o report PROGRAM"};
  }
  return {StatusCode::kCorrupt, path + ": byte " + std::to_string(reader.offset()) +
                                    ": this Nsight Compute report is damaged or cut off before its first kernel. Copy "
                                    "the file again, or record again."};
}

}  // namespace

const Importer kImporter = {"ncu", "Nsight Compute report (.ncu-rep)", &Sniff, &Read};

}  // namespace warpscope::import::ncu
