#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "import/import.h"
#include "import/nsys_rep/run_nsys.h"

namespace warpscope::import {
namespace {

namespace fs = std::filesystem;

constexpr char kHeader[] = "NVIDIA Tegra Profiler Report 2026@2@1@210";

// A folder with a report, an export that a fake nsys copies, and that fake as the only program on the PATH.
class NsysRepTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("ws_nsys_rep_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "bin");
    fs::create_directories(folder_ / "tmp");
    path_ = std::getenv("PATH");
    ::setenv("PATH", (folder_ / "bin").c_str(), 1);
    ::setenv("TMPDIR", (folder_ / "tmp").c_str(), 1);
    std::ofstream(Report()) << kHeader << std::string(100, '\0');
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    ::unsetenv("TMPDIR");
    ::unsetenv("WARPSCOPE_NSYS_SECONDS");
    fs::remove_all(folder_);
  }
  std::string Report() const { return (folder_ / "a report.nsys-rep").string(); }

  // `lines`: what follows "#!/bin/sh".
  void FakeNsys(const std::string& lines) {
    const fs::path program = folder_ / "bin" / "nsys";
    std::ofstream(program) << "#!/bin/sh\nPATH=/usr/bin:/bin\n" << lines << "\n";
    ::chmod(program.c_str(), 0755);
  }
  void MakeExport() {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open((folder_ / "export.sqlite").c_str(), &db), SQLITE_OK);
    const char* sql =
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, "
        "demangledName);"
        "INSERT INTO StringIds VALUES (1, 'f');"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 0, 1, 7, 1, 281474976710656, 1);";
    ASSERT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
  }
  bool TemporaryIsEmpty() const { return fs::is_empty(folder_ / "tmp"); }

  fs::path folder_;
  std::string path_;
};

TEST_F(NsysRepTest, ExportsByItselfWhereNsysIs) {
  MakeExport();
  FakeNsys(
      "[ \"$1 $2 $3 $4\" = 'export --type sqlite --output' ] || exit 9\n"
      "[ -f \"$6\" ] || exit 8\ncp '" +
      (folder_ / "export.sqlite").string() + "' \"$5\"");
  const auto trace = Load({Report()});
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  EXPECT_EQ(trace.value().gpu.size(), 1u);
  EXPECT_EQ(trace.value().sources[0].path, Report());
  EXPECT_EQ(trace.value().sources[0].version, "2026.2.1");
  EXPECT_TRUE(TemporaryIsEmpty());
}

TEST_F(NsysRepTest, WithoutNsysTheCommandIsTold) {
  const auto trace = Load({Report()});
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.status().message().find("Nsight Systems 2026.2.1"), std::string::npos);
  EXPECT_NE(trace.status().message().find("nsys export --type sqlite --output '"), std::string::npos);
}

TEST_F(NsysRepTest, FailureOfNsysIsQuoted) {
  FakeNsys("echo 'Importer error: newer report' >&2; exit 3");
  const auto trace = Load({Report()});
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.status().message().find("exit status 3: Importer error: newer report"), std::string::npos);
  EXPECT_NE(trace.status().message().find("2026.2.1 or newer"), std::string::npos);
  EXPECT_TRUE(TemporaryIsEmpty());
}

TEST_F(NsysRepTest, WritingNothingIsAFailure) {
  FakeNsys("exit 0");
  const auto trace = Load({Report()});
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.status().message().find("wrote no export"), std::string::npos);
}

TEST_F(NsysRepTest, ATimeLimitEndsItAndWhatItStarted) {
  ::setenv("WARPSCOPE_NSYS_SECONDS", "1", 1);
  FakeNsys("sleep 60 & wait");
  const auto begin = std::chrono::steady_clock::now();
  const auto trace = Load({Report()});
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.status().message().find("1 seconds"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_TRUE(TemporaryIsEmpty());
}

TEST_F(NsysRepTest, RelativeFoldersOnThePathAreNotLookedAt) {
  FakeNsys("exit 0");
  ::setenv("PATH", "bin:.::", 1);
  EXPECT_EQ(nsys_rep::FindNsys(), "");
}

}  // namespace
}  // namespace warpscope::import
