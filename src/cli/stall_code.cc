#include "cli/stall_code.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "import/code/code_lines.h"
#include "import/import.h"
#include "record/disassemble.h"

namespace warpscope::cli {
namespace {

constexpr int kLimitSeconds = 20;

struct Module {
  record::Disassembly wanted;
  bool has_lines = false;
};

std::vector<Module> SampledModules(const model::Trace& trace, const std::string& run_folder) {
  std::map<uint64_t, std::set<model::StringId>> functions_of;  // by checksum of the code
  for (const model::PcSample& row : trace.pc_samples) functions_of[row.code].insert(row.function);
  std::vector<Module> modules;
  for (const auto& [code, functions] : functions_of) {
    Module module;
    record::Disassembly& one = module.wanted;
    one.cubin = (std::filesystem::path(run_folder) / import::code::CodeFileName(code)).string();
    const auto text = import::code::CodeText::Open(one.cubin);
    if (text == nullptr) continue;
    module.has_lines = text->has_lines();
    for (const model::StringId function : functions) {
      if (const auto symbol = text->SymbolOf(trace.Text(function))) one.symbols.push_back(*symbol);
    }
    std::sort(one.symbols.begin(), one.symbols.end());
    one.symbols.erase(std::unique(one.symbols.begin(), one.symbols.end()), one.symbols.end());
    if (!one.symbols.empty()) modules.push_back(std::move(module));
  }
  return modules;
}

}  // namespace

void AddStallsToPlan(std::optional<uint64_t> period_log2, std::vector<std::pair<std::string, std::string>>* plan) {
  plan->emplace_back("mode", "stalls");
  plan->emplace_back("code", "1");
  if (period_log2) plan->emplace_back("pc-period", std::to_string(*period_log2));
}

Status DisassembleSampled(const std::string& run_folder) {
  auto trace = import::Load({run_folder});
  if (!trace.ok() || trace->pc_samples.empty()) return Status::Ok();
  const std::vector<Module> modules = SampledModules(*trace, run_folder);
  if (modules.empty()) return Status::Ok();
  const std::string program = record::FindDisassembler();
  if (program.empty())
    return {StatusCode::kUnsupported,
            "nvdisasm is not installed: sampled instructions have no text, source lines they have. It comes with the "
            "CUDA toolkit and with Triton."};
  std::vector<record::Disassembly> wanted;
  for (const Module& module : modules) wanted.push_back(module.wanted);
  const Status status = record::Disassemble(program, wanted, kLimitSeconds);
  // Libraries are large and carry no lines: their text is all that is of use.
  for (const Module& module : modules) {
    std::error_code error;
    const std::filesystem::path code(module.wanted.cubin);
    if (!module.has_lines && std::filesystem::exists(std::filesystem::path(code).replace_extension(".sass"), error))
      std::filesystem::remove(code, error);
  }
  return status;
}

}  // namespace warpscope::cli
