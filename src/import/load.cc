// Load() and LoadBytes(): inputs -> documents -> importers -> one finished trace.
#include <memory>

#include "import/capture/host_settle.h"
#include "import/clocks.h"
#include "import/container/byte_source.h"
#include "import/container/tar.h"
#include "import/foreign.h"
#include "import/import.h"
#include "import/importer.h"
#include "import/inputs.h"
#include "import/join.h"
#include "import/mark.h"
#include "import/step_pauses.h"
#include "model/adopt.h"

namespace warpscope::import {
namespace {

constexpr size_t kHeadBytes = size_t{256} << 10;
constexpr int kMaxLayers = 3;  // gzip in gzip in gzip

// One document that is no archive any more.
Status ReadDocument(PeekSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  WS_ASSIGN_OR_RETURN(const std::string_view head_bytes, bytes.Peek(kHeadBytes));
  const Head head{head_bytes, head_bytes.size() < kHeadBytes};
  if (head_bytes.empty() && bytes.cut_short()) {
    return Status(
        StatusCode::kCorrupt,
        path + ": byte 0: the gzip data is damaged or cut off before its first byte of text. Copy the file again.");
  }
  const Importer* best = nullptr;
  Confidence best_confidence = Confidence::kNo;
  for (const Importer* importer : Importers()) {
    const Confidence confidence = importer->sniff(head);
    if (confidence <= best_confidence) continue;
    best = importer;
    best_confidence = confidence;
  }
  if (best_confidence != Confidence::kYes) {
    if (const auto refusal = RefuseForeign(path, head)) return *refusal;
  }
  if (best == nullptr) return RefuseUnknown(path, head);
  Mark mark(trace);
  Status status = best->read(bytes, path, options, trace);
  if (!status.ok()) mark.TakeBack();
  return status;
}

// Every trace in the archive becomes a source; one that is none is passed over unless there is no other.
Status ReadTar(PeekSource& archive, const std::string& path, const Options& options, model::Trace* trace) {
  TarReader tar(&archive);
  Status refusal(StatusCode::kUnsupported, path + ": byte 0: this tar archive holds no file. Give the trace itself.");
  bool any = false;
  for (;;) {
    WS_ASSIGN_OR_RETURN(const bool more, tar.Next());
    if (!more) break;
    PeekSource entry(tar.Open());
    const Status status = ReadDocument(entry, path + ":" + tar.name(), options, trace);
    if (!status.ok() && !any) refusal = status;
    any = any || status.ok();
  }
  return any ? Status::Ok() : refusal;
}

Status ReadFile(std::unique_ptr<ByteSource> source, const std::string& path, const Options& options,
                model::Trace* trace) {
  auto peek = std::make_unique<PeekSource>(std::move(source));
  WS_ASSIGN_OR_RETURN(std::string_view head, peek->Peek(512));
  for (int layer = 0; layer < kMaxLayers && LooksLikeGzip(head); ++layer) {
    peek = std::make_unique<PeekSource>(OpenGzip(std::move(peek)));
    WS_ASSIGN_OR_RETURN(head, peek->Peek(512));
  }
  return LooksLikeTar(head) ? ReadTar(*peek, path, options, trace) : ReadDocument(*peek, path, options, trace);
}

void ApplyRankHint(std::optional<int64_t> rank, size_t first_source, model::Trace* trace) {
  if (!rank || trace->sources.size() != first_source + 1) return;
  model::Source& source = trace->sources.back();
  if (source.rank) return;
  source.rank = rank;
  for (model::Process& process : trace->processes) {
    if (process.source == first_source && !process.rank) process.rank = rank;
  }
}

void Complete(model::Trace* trace) {
  if (model::IsFinished(*trace)) return;
  capture::SettleSampledRows(trace);
  JoinParts(trace);
  AlignClocks(trace);
  AddStepPauses(trace);
  model::CutBreaks(trace);
  trace->Finish();
}

}  // namespace

Result<model::Trace> Load(const std::vector<std::string>& inputs, const Options& options) {
  WS_ASSIGN_OR_RETURN(const std::vector<InputFile> files, ExpandInputs(inputs));
  model::Trace trace;
  Status first_failure;
  for (size_t i = 0; i < files.size(); ++i) {
    Options per_file = options;
    per_file.alone = files.size() == 1;
    if (options.progress) {
      per_file.progress = [&, i](double ratio) {
        options.progress((static_cast<double>(i) + ratio) / static_cast<double>(files.size()));
      };
    }
    const size_t first_source = trace.sources.size();
    auto source = OpenFile(files[i].path);
    const Status status =
        source.ok() ? ReadFile(std::move(source).value(), files[i].path, per_file, &trace) : source.status();
    if (status.ok()) {
      if (files.size() > 1) ApplyRankHint(files[i].rank_hint, first_source, &trace);
      continue;
    }
    if (first_failure.ok()) first_failure = status;
    // A folder may hold notes and settings beside recordings.
    const bool foreign = files[i].found && status.code() == StatusCode::kUnsupported;
    trace.ledger.Add(foreign ? model::LedgerCode::kPassedOverFile : model::LedgerCode::kFailedFile, 1, std::nullopt,
                     status.message(), files[i].path);
  }
  if (trace.sources.empty()) return first_failure;
  Complete(&trace);
  return trace;
}

Result<model::Trace> LoadBytes(std::string_view bytes, std::string_view name, const Options& options) {
  model::Trace trace;
  WS_RETURN_IF_ERROR(ReadFile(OpenMemory(bytes), std::string(name), options, &trace));
  Complete(&trace);
  return trace;
}

}  // namespace warpscope::import
