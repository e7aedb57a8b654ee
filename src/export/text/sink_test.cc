#include "export/text/sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "export/csv/table.h"
#include "export/export.h"

namespace warpscope::exporting {
namespace {

std::string Slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("warpscope_sink_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

// A shell may append to what it gave as standard output, and write to it again afterwards.
TEST_F(Files, StandardOutputIsTheOneThatWasGiven) {
  std::ofstream(folder_ / "out") << "before\n";
  const int given = ::open((folder_ / "out").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  std::fflush(stdout);
  const int kept = ::dup(STDOUT_FILENO);
  ASSERT_EQ(::dup2(given, STDOUT_FILENO), STDOUT_FILENO);
  {
    Sink sink("/dev/stdout", false);
    sink.Add("rows\n");
    EXPECT_TRUE(sink.Close().ok());
  }
  ::dup2(kept, STDOUT_FILENO);
  ::close(kept), ::close(given);
  EXPECT_EQ(Slurp(folder_ / "out"), "before\nrows\n");
}

TEST_F(Files, NumbersAndTimesAreExact) {
  Sink sink(folder_ / "a", false);
  for (const int64_t ns : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{1234567}, INT64_MAX, INT64_MIN}) {
    sink.Microseconds(ns);
    sink.Add(' ');
  }
  sink.Number(UINT64_MAX);
  sink.Add(' ');
  sink.Number(0.1);
  ASSERT_TRUE(sink.Close().ok());
  EXPECT_EQ(Slurp(folder_ / "a"),
            "0.000 0.001 -0.001 1234.567 9223372036854775.807 -9223372036854775.808 18446744073709551615 0.1");
}

TEST_F(Files, LongTextsPassThePiecesOfTheBuffer) {
  const std::string text(3000001, 'x');
  Sink sink(folder_ / "a", false);
  sink.Add("begin");
  sink.Add(text);
  sink.Add("end");
  ASSERT_TRUE(sink.Close().ok());
  EXPECT_EQ(Slurp(folder_ / "a"), "begin" + text + "end");
}

TEST_F(Files, AFailureIsTold) {
  Sink nowhere(folder_ / "no" / "such", false);
  nowhere.Add("x");
  EXPECT_FALSE(nowhere.Close().ok());
  if (std::filesystem::exists("/dev/full")) {
    Sink full("/dev/full", true);
    full.Add("x");
    EXPECT_EQ(full.Close().code(), StatusCode::kOutput);
  }
}

TEST(JsonText, EscapesWhatJsonDemandsAndReplacesWhatIsNoUtf8) {
  std::string text;
  AppendJsonText("a\"b\\c\n\t\x01\x7f\xC3\xA9\xFF\xC3(\xED\xA0\x80\xF0\x9F\x98\x80", &text);
  EXPECT_EQ(text,
            "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
            "\xF0\x9F\x98\x80\"");
}

TEST_F(Files, CsvQuotesAndDefusesFormulas) {
  model::StringPool strings;
  csv::Table table(folder_, "t", "a,b,c", strings);
  table.Text("plain").Text("a,\"b\"\r\n").Text("").End();
  table.Text("=1+1").Text("@x").Text("-2").End();
  table.Number(-2).Name(strings.Intern("x y")).Absent().End();
  ASSERT_TRUE(table.Close().ok());
  EXPECT_EQ(Slurp(folder_ / "t.csv"),
            "a,b,c\r\nplain,\"a,\"\"b\"\"\r\n\",\"\"\r\n\"'=1+1\",\"'@x\",\"'-2\"\r\n-2,x y,\r\n");
}

TEST_F(Files, FoldedFramesEndNoFrameAndNoLine) {
  model::Trace trace;
  trace.processes.push_back({0, 1, 0, model::kNoString, std::nullopt});
  trace.threads.push_back({0, 2, model::kNoString});
  const auto add = [&](int64_t start, int64_t dur, std::string_view name) {
    trace.host.start_ns.push_back(start), trace.host.dur_ns.push_back(dur);
    trace.host.name.push_back(trace.strings.Intern(name)), trace.host.thread.push_back(0);
    trace.host.kind.push_back(model::HostKind::kAnnotation);
    trace.host.correlation.push_back(model::kNoId), trace.host.external_id.push_back(model::kNoId);
    trace.host.forward_thread.push_back(0), trace.host.detail.push_back(model::kNone);
  };
  add(0, 100, "a;b\nc");
  add(10, 30, "");
  add(50, 20, "d");
  trace.Finish();
  Options options;
  options.fold_by = Options::FoldBy::kHost;
  ASSERT_TRUE(FindExporter("folded")->write(trace, folder_ / "f", options).ok());
  EXPECT_EQ(Slurp(folder_ / "f"),
            "pid 1 thread 2;a:b c 50\npid 1 thread 2;a:b c;(no name) 30\npid 1 thread 2;a:b c;d 20\n");
}

}  // namespace
}  // namespace warpscope::exporting
