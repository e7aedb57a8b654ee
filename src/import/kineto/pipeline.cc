#include "import/kineto/pipeline.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "import/kineto/block_parser.h"
#include "import/kineto/recovery.h"
#include "import/kineto/source_builder.h"

namespace warpscope::import::kineto {
namespace {

constexpr size_t kFirstBlockBytes = size_t{128} << 10;

// A stretch of the file's text and what became of it. Blocks are used again and again.
struct Block {
  std::vector<char> text;  // with the pad that scan.h demands
  size_t size_bytes = 0;
  uint64_t offset_bytes = 0;
  double share_done = -1;
  bool is_last = false;
  bool starts_at_event = false;  // by the look of it; only then it is worth parsing ahead
  bool is_parsed = false;
  Place assumed = Place::kEvents;
  ParsedBlock parsed;
  Fragment fragment;
};

// Each thread takes whatever work is most urgent: merging (frees memory), keeping a few blocks ready, parsing. So with
// two threads both are always busy, whether the input is plain or has to be inflated.
//
// Blocks end where an event seems to begin, and are parsed on the assumption that this is so. The merger checks: a
// block's result counts only if the block before it was used up to its last byte in the place that was assumed;
// else it is parsed again behind what was left over.
class Pipeline {
 public:
  Pipeline(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace, size_t block_bytes)
      : bytes_(bytes),
        options_(options),
        block_bytes_(block_bytes),
        threads_(std::max(1U, options.threads)),
        max_blocks_(2 * threads_ + 2),
        builder_(trace, path),
        path_(path),
        trace_(*trace),
        stitcher_(threads_) {
    const uint64_t hint = bytes.size_hint_bytes();
    next_block_bytes_ = std::min(block_bytes_, kFirstBlockBytes);
    if (hint > 0) next_block_bytes_ = std::min<uint64_t>(next_block_bytes_, std::max<uint64_t>(hint + 1, 1024));
  }

  Status Run() {
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads_; ++i) others.emplace_back([this, i] { Work(i); });
    Work(0);
    for (std::thread& other : others) other.join();
    if (options_.progress) options_.progress(1.0);
    return Close();
  }

 private:
  void Work(unsigned number) {
    Worker worker(number);
    std::unique_lock lock(mutex_);
    while (!merged_last_) {
      if (CanMerge()) {
        Merge(lock);
      } else if (CanProduce() && to_parse_.size() < threads_) {
        Produce(lock);
      } else if (!to_parse_.empty()) {
        Parse(lock, worker);
      } else {
        changed_.wait(lock);
      }
      if (number == 0 && options_.progress) ReportProgress(lock);
    }
    changed_.notify_all();
  }

  bool CanProduce() const { return !producing_ && !read_all_ && in_flight_ < max_blocks_; }
  bool CanMerge() const {
    if (merging_) return false;
    const auto next = waiting_.find(next_merge_);
    return next != waiting_.end() && (next->second->is_parsed || !next->second->starts_at_event);
  }

  void ReportProgress(std::unique_lock<std::mutex>& lock) {
    const double ratio = share_done_;
    lock.unlock();
    if (ratio >= 0) options_.progress(ratio);
    lock.lock();
  }

  void Produce(std::unique_lock<std::mutex>& lock) {
    producing_ = true;
    ++in_flight_;
    std::unique_ptr<Block> block;
    if (free_.empty()) {
      block = std::make_unique<Block>();
    } else {
      block = std::move(free_.back());
      free_.pop_back();
    }
    lock.unlock();
    Fill(block.get());
    lock.lock();
    share_done_ = block->share_done;
    read_all_ = block->is_last;
    producing_ = false;
    Block* const raw = block.get();
    waiting_.emplace(next_read_++, std::move(block));
    if (raw->starts_at_event) to_parse_.push_back(raw);
    changed_.notify_all();
  }

  // Text: the tail of the block before, then fresh bytes; up to where an event seems to begin.
  void Fill(Block* block) {
    // Small files are not worth large buffers: the first blocks are short ones.
    const size_t wanted = next_block_bytes_;
    next_block_bytes_ = std::min(block_bytes_, wanted * 2);
    block->text.resize(std::max(block->text.size(), tail_.size() + wanted + kScanPadBytes));
    std::copy(tail_.begin(), tail_.end(), block->text.begin());
    size_t size = tail_.size();
    auto got = bytes_.Read(block->text.data() + size, wanted);
    if (!got.ok()) read_failure_ = got.status();
    const size_t fresh = got.ok() ? *got : 0;
    size += fresh;
    block->is_last = fresh < wanted;
    block->is_parsed = false;
    block->offset_bytes = next_offset_bytes_;
    block->share_done = bytes_.done_ratio();
    const bool first = next_offset_bytes_ == 0;
    const std::string_view text(block->text.data(), size);
    if (first) {
      const size_t begin = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
      if (begin != std::string_view::npos && text[begin] == '[') events_place_ = Place::kBareEvents;
    }
    block->starts_at_event = first || cut_at_event_;
    block->assumed = first ? Place::kStart : events_place_;
    size_t cut = block->is_last ? size : FindLastEventStart(text);
    cut_at_event_ = cut != std::string_view::npos && cut > 0;
    if (!cut_at_event_) cut = size;
    tail_.assign(text.begin() + static_cast<std::ptrdiff_t>(cut), text.end());
    std::memset(block->text.data() + cut, 0, std::min(kScanPadBytes, block->text.size() - cut));
    block->size_bytes = cut;
    next_offset_bytes_ += cut;
  }

  void Parse(std::unique_lock<std::mutex>& lock, Worker& worker) {
    Block* const block = to_parse_.front();
    to_parse_.pop_front();
    lock.unlock();
    block->fragment.Clear();
    worker.Begin(&block->fragment);
    block->parsed = ParseBlock(worker, block->text.data(), block->size_bytes, block->assumed, block->is_last);
    worker.End();
    lock.lock();
    block->is_parsed = true;
    changed_.notify_all();
  }

  void Merge(std::unique_lock<std::mutex>& lock) {
    merging_ = true;
    std::unique_ptr<Block> block = std::move(waiting_.find(next_merge_)->second);
    waiting_.erase(next_merge_++);
    lock.unlock();
    if (block->is_parsed && left_over_.empty() && block->assumed == place_) {
      Accept(block->parsed, block->fragment, block->offset_bytes, block->text.data(), block->size_bytes,
             block->share_done);
    } else {
      if (block->is_parsed) builder_.TakeGains(block->fragment);
      Stitch(*block);
    }
    lock.lock();
    merging_ = false;
    merged_last_ = block->is_last || place_ == Place::kForeign;
    --in_flight_;
    free_.push_back(std::move(block));
    changed_.notify_all();
  }

  void Accept(const ParsedBlock& parsed, const Fragment& fragment, uint64_t offset_bytes, const char* text,
              size_t size_bytes, double share_done) {
    builder_.Append(fragment, offset_bytes, share_done);
    place_ = parsed.place;
    saw_events_ = saw_events_ || parsed.saw_events_member;
    left_over_.assign(text + parsed.consumed_bytes, text + size_bytes);
    end_offset_bytes_ = offset_bytes + size_bytes;
  }

  void Stitch(const Block& block) {
    const uint64_t offset_bytes = block.offset_bytes - left_over_.size();
    std::vector<char> text = std::move(left_over_);
    text.insert(text.end(), block.text.begin(), block.text.begin() + static_cast<std::ptrdiff_t>(block.size_bytes));
    const size_t size = text.size();
    text.resize(size + kScanPadBytes, '\0');
    Fragment fragment;
    stitcher_.Begin(&fragment);
    const ParsedBlock parsed = ParseBlock(stitcher_, text.data(), size, place_, block.is_last);
    stitcher_.End();
    Accept(parsed, fragment, offset_bytes, text.data(), size, block.share_done);
  }

  Status Close() {
    if (!saw_events_) {
      builder_.Abandon();
      if (!read_failure_.ok()) return read_failure_;
      const std::string where = path_ + ": byte " + std::to_string(end_offset_bytes_) + ": ";
      if (place_ == Place::kTop || place_ == Place::kStart) {
        return Status(StatusCode::kCorrupt, where +
                                                "the file ends before any event. It was cut off while it was written "
                                                "or copied; record or copy it again.");
      }
      return Status(StatusCode::kUnsupported, where +
                                                  "this is JSON, but no trace: a \"traceEvents\" array was expected. "
                                                  "Give the trace that export_chrome_trace() wrote.");
    }
    const bool cut = bytes_.cut_short() || !read_failure_.ok();
    if (cut && place_ >= Place::kDone) {
      trace_.ledger.Add(model::LedgerCode::kTruncatedFile, 1, end_offset_bytes_,
                        read_failure_.ok() ? "the compressed data is damaged at its end" : read_failure_.message(),
                        path_);
    }
    builder_.Finish(end_offset_bytes_);
    return Status::Ok();
  }

  ByteSource& bytes_;
  const Options& options_;
  const size_t block_bytes_;
  const unsigned threads_;
  const size_t max_blocks_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::map<uint64_t, std::unique_ptr<Block>> waiting_;  // read, not yet merged
  std::deque<Block*> to_parse_;
  std::vector<std::unique_ptr<Block>> free_;
  uint64_t next_read_ = 0, next_merge_ = 0;
  size_t in_flight_ = 0;
  bool producing_ = false, merging_ = false, read_all_ = false, merged_last_ = false;
  double share_done_ = -1;

  // Of whoever produces.
  size_t next_block_bytes_ = 0;
  std::vector<char> tail_;
  uint64_t next_offset_bytes_ = 0;
  bool cut_at_event_ = false;
  Place events_place_ = Place::kEvents;
  Status read_failure_;

  // Of whoever merges.
  SourceBuilder builder_;
  const std::string& path_;
  model::Trace& trace_;
  Worker stitcher_;
  Place place_ = Place::kStart;
  std::vector<char> left_over_;
  bool saw_events_ = false;
  uint64_t end_offset_bytes_ = 0;
};

}  // namespace

Status ReadTrace(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace,
                 size_t block_bytes) {
  Options resolved = options;
  if (resolved.threads == 0) resolved.threads = std::max(1U, std::thread::hardware_concurrency());
  resolved.threads = std::min(resolved.threads, 16U);
  return Pipeline(bytes, path, resolved, trace, block_bytes).Run();
}

}  // namespace warpscope::import::kineto
