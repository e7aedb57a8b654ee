// Every text of the catalogue of faults has its Chinese, and an answer made of them at run time is Chinese as a whole.
#include <gtest/gtest.h>

#include "explain/explain.h"
#include "faults/catalogue.h"
#include "faults/report.h"
#include "faults/scanner.h"
#include "lang/translate.h"
#include "report/faults_report.h"

namespace warpscope::report {
namespace {

std::string Zh(std::string_view english) { return lang::Translate(lang::Language::kChinese, english); }

// Holds a letter of Chinese (U+4E00 to U+9FFF).
bool IsChinese(std::string_view text) {
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    if (value >= 0xE4 && value <= 0xE9) return true;
  }
  return false;
}

void Expect(std::string_view english, std::string_view of) {
  EXPECT_TRUE(english.empty() || IsChinese(Zh(english))) << of << ": " << english;
}

TEST(CatalogueLanguage, EveryFault) {
  for (const faults::Entry& entry : faults::Catalogue()) {
    Expect(entry.title, entry.id);
    Expect(entry.meaning, entry.id);
    for (const std::string_view cause : faults::Split(entry.causes, '|')) Expect(cause, entry.id);
    for (const std::string_view id : faults::Split(entry.checks, ' ')) {
      const faults::Check* check = faults::FindCheck(id);
      if (check != nullptr) Expect(check->text, id);
    }
    Expect(faults::TitleOf(entry.action), entry.id);
    Expect(faults::ActorOf(entry.action), entry.id);
    for (const faults::Step& step : faults::StepsOf(entry.action, faults::VendorOf(entry.family)))
      Expect(step.text, entry.id);
  }
}

// Fixes that are nothing but a command stay as they are.
bool IsCommand(std::string_view text) { return text.starts_with("torchrun --") || text.starts_with("pip uninstall "); }

TEST(CatalogueLanguage, EveryErrorOfExplain) {
  for (const explain::Entry* entry : explain::Catalogue()) {
    const bool is_cudas_own = entry->id.starts_with("cuda.");
    if (!is_cudas_own) Expect(entry->title, entry->id);
    Expect(entry->meaning, entry->id);
    Expect(entry->cause, entry->id);
    for (const explain::Step& step : explain::StepsOf(entry->checks)) {
      if (!step.text.starts_with("$ ") && !step.text.starts_with("> ")) Expect(step.text, entry->id);
    }
    for (const std::string& fix : explain::TextsOf(entry->fixes)) {
      if (!IsCommand(fix)) Expect(fix, entry->id);
    }
    Expect(entry->avoid, entry->id);
  }
}

TEST(CatalogueLanguage, AnswersOfExplain) {
  for (const char* text : {
           "CUDA error: an illegal memory access was encountered",
           "CUDA out of memory. Tried to allocate 1.50 GiB (GPU 0; 15.90 GiB total capacity; 14.27 GiB already "
           "allocated; "
           "615.75 MiB free; 14.60 GiB reserved in total by PyTorch)",
           "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.79 GiB total capacity; 5.61 GiB already "
           "allocated; 4.50 "
           "MiB free; 5.81 GiB reserved in total by PyTorch)",
           "RESOURCE_EXHAUSTED: Out of memory allocating 17179869184 bytes.",
           "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch "
           "installation. The "
           "current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.",
           "The NVIDIA driver on your system is too old (found version 11040).",
           "libcuda.so.1: cannot open shared object file",
           "libcudart.so.12: cannot open shared object file",
           "DataLoader worker (pid 7) is killed by signal: Bus error.",
           "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1234, OpType=ALLREDUCE, NumelIn=1, "
           "NumelOut=1, "
           "Timeout(ms)=600000) ran for 600042 milliseconds before timing out.",
           "OOM when allocating tensor with shape[64,512,56,56] and type float on /job:localhost",
           "out of resource: shared memory, Required: 131072, Hardware limit: 101376.",
           "undefined symbol: _ZN3c104cuda9SetDeviceEi",
           "attention heads (28) must be divisible by tensor parallel size (8).",
       }) {
    const explain::Diagnosis diagnosis = explain::Explain(text);
    ASSERT_FALSE(diagnosis.findings.empty()) << text;
    const explain::Answer& answer = diagnosis.findings.front().answer;
    Expect(answer.headline, text);
    Expect(answer.meaning, text);
    Expect(answer.cause, text);
    for (const explain::Step& step : answer.checks) Expect(step.text, text);
    for (const std::string& fix : answer.fixes) Expect(fix, text);
    for (const explain::Fact& fact : answer.facts) Expect(fact.label, text);
  }
}

std::string Report(std::string_view log) {
  faults::MachineFacts facts;
  faults::BurstFolder folder;
  faults::Scanner scanner(&facts, [&](faults::Event event) { folder.Add(std::move(event)); });
  scanner.BeginLog("log");
  scanner.Feed(log);
  scanner.EndLog();
  const faults::Report report = faults::MakeReport(folder.Take(), scanner.logs(), facts, 0, 0);
  return Zh(report.answer);
}

TEST(CatalogueLanguage, Answers) {
  for (const char* log : {
           "[   12.500000] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n",
           "2026-01-21T02:21:33,498559+00:00 NVRM: Xid (PCI:0000:3b:00): 13, pid=1, name=python, Graphics Exception\n",
           "[   12.500000] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n"
           "[   12.600000] NVRM: Xid (PCI:0000:5e:00): 79, pid=1, GPU has fallen off the bus.\n",
           "[   12.500000] nvidia-nvswitch0: SXid (PCI:0000:83:00.0): 20034, Fatal, Link 30 LTSSM Fault Up\n",
           "[   12.500000] Out of memory: Killed process 1234 (python)\n",
           "[   12.500000] pcieport 0000:00:02.0: AER: Uncorrected (Fatal) error received: 0000:00:02.0\n"
           "[   12.500001] pcieport 0000:00:02.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction "
           "Layer\n",
           "",
           "[   12.500000] nothing\n",
       }) {
    const std::string answer = Report(log);
    EXPECT_TRUE(IsChinese(answer)) << log << answer;
  }
}

}  // namespace
}  // namespace warpscope::report
