// Every text of the catalogue of faults has its Chinese, and an answer made of them at run time is Chinese as a whole.
#include <gtest/gtest.h>

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
