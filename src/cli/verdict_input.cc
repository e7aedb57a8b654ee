#include "cli/verdict_input.h"

#include "cli/shell_quote.h"

namespace warpscope::cli {

std::string FileArgument(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& operand : paths) text += (text.empty() ? "" : " ") + ShellQuote(operand);
  return text == "-" ? "FILE" : text;  // standard input is gone by then
}

report::Input VerdictInputOf(const model::Trace& trace) {
  report::Input input;
  for (const model::Source& source : trace.sources)
    input.sources.push_back({source.format, source.producer, source.version, source.path});
  input.host = trace.host.size();
  input.gpu = trace.gpu.size();
  input.syncs = trace.syncs.size();
  input.memory = trace.memory.size();
  input.counters = trace.counters.size();
  input.collectives = trace.collectives.size();
  input.profiles = trace.kernel_profiles.size();
  input.metrics = trace.metrics.size();
  input.summaries = trace.summaries.size();
  input.readings = trace.readings.size();
  return input;
}

}  // namespace warpscope::cli
