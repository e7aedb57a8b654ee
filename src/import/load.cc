#include "import/import.h"

#include <memory>

#include "import/container/byte_source.h"
#include "import/importer.h"

namespace warpscope::import {
namespace {

constexpr size_t kHeadBytes = size_t{256} << 10;

Status ReadDocument(std::unique_ptr<ByteSource> source, const std::string& path, const Options& options, model::Trace* trace) {
  auto peek = std::make_unique<PeekSource>(std::move(source));
  WS_ASSIGN_OR_RETURN(std::string_view head, peek->Peek(512));
  for (int layers = 0; layers < 3 && LooksLikeGzip(head); ++layers) {
    peek = std::make_unique<PeekSource>(OpenGzip(std::move(peek)));
    WS_ASSIGN_OR_RETURN(head, peek->Peek(512));
  }
  WS_ASSIGN_OR_RETURN(head, peek->Peek(kHeadBytes));
  const Head sniffed{head, head.size() < kHeadBytes};
  const Importer* best = nullptr;
  Confidence best_confidence = Confidence::kNo;
  for (const Importer* importer : Importers()) {
    const Confidence confidence = importer->sniff(sniffed);
    if (confidence > best_confidence) {
      best = importer;
      best_confidence = confidence;
    }
  }
  if (best == nullptr) return Status(StatusCode::kUnsupported, path + ": not a trace that is known here.");
  return best->read(*peek, path, options, trace);
}

}  // namespace

Result<model::Trace> Load(const std::vector<std::string>& inputs, const Options& options) {
  model::Trace trace;
  Status first_failure;
  for (const std::string& input : inputs) {
    auto source = OpenFile(input);
    const Status status = source.ok() ? ReadDocument(std::move(source).value(), input, options, &trace) : source.status();
    if (status.ok()) continue;
    if (first_failure.ok()) first_failure = status;
    trace.ledger.Add(model::LedgerCode::kFailedFile, 1, std::nullopt, status.message(), input);
  }
  if (trace.sources.empty()) return first_failure;
  trace.Finish();
  return trace;
}

Result<model::Trace> LoadBytes(std::string_view bytes, std::string_view name, const Options& options) {
  model::Trace trace;
  WS_RETURN_IF_ERROR(ReadDocument(OpenMemory(bytes), std::string(name), options, &trace));
  trace.Finish();
  return trace;
}

}  // namespace warpscope::import
