#include "cli/report_page.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "analysis/diff/diff.h"
#include "cli/diff_input.h"
#include "cli/report_texts.h"
#include "lang/translate.h"
#include "page/flame.h"
#include "page/web_page.h"
#include "report/diff_report.h"
#include "report/json_writer.h"

namespace warpscope::cli {
namespace {

constexpr uint64_t kMaxPageBytes = uint64_t{64} << 20;

Result<std::string> ReadPage(const std::string& path) {
  const auto refuse = [&](std::string_view why) {
    return Status(StatusCode::kIo, path + ": " + std::string(why) + ". Give the page that ./dev web builds.");
  };
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return refuse(error ? "cannot be read" : "is no plain file");
  if (std::filesystem::file_size(path, error) > kMaxPageBytes || error) return refuse("is too large for a page");
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return refuse("cannot be read");
  return text;
}

}  // namespace

Result<std::string> PageText(const Args& args) {
  if (const auto path = args.Text("--page")) {
    return ReadPage(*path);
  }
  if (page::WebPage().empty()) {
    return Status(StatusCode::kUnsupported,
                  "this program was built without the page that shows reports. In the source tree run ./dev web (it "
                  "needs Node.js and npm), then build again. `warpscope convert --to perfetto` writes the timeline for "
                  "ui.perfetto.dev meanwhile.");
  }
  return std::string(page::WebPage());
}

Status AddComparison(const std::string& path, const Args& args, Io& io, ReportContent* content) {
  WS_ASSIGN_OR_RETURN(const Loaded other, LoadWhole({path}, args, io));
  const analysis::Diff diff = analysis::Compare(*other.index, *content->loaded.index, {});
  page::Names names(other.trace->strings);
  const page::Flames flames = page::MakeFlames(*other.index, &names);
  names.Finish();
  report::JsonWriter json;
  const auto document = [&](std::string_view key, const std::string& text) {
    json.Key(key);
    json.Document(text);
  };
  json.BeginObject();
  json.Key("own");
  json.String("b");
  json.Key("a");
  json.String(path);
  json.Key("b");
  json.String(content->title);
  document("diff",
           report::DiffJson(diff, DiffInputOf(*other.trace, path), DiffInputOf(*content->loaded.trace, content->title),
                            [&](const std::string& text) { return lang::Translate(content->language, text); }));
  document("flame", page::FlamesJson(flames, names, page::StackTree::NameForm::kText));
  json.EndObject();
  content->tables.push_back({"diff", json.Take()});
  CollectTexts(diff, &content->english);
  content->SetTexts();
  return Status::Ok();
}

}  // namespace warpscope::cli
