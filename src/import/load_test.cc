// Files as a whole: containers, folders of ranks, look-alikes.
#include <gtest/gtest.h>
#include <isa-l/igzip_lib.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "import/import.h"
#include "import/inputs.h"

namespace warpscope::import {
namespace {

namespace fs = std::filesystem;
using model::LedgerCode;

std::string Gzip(std::string_view text) {
  std::string out(text.size() + 4096, '\0');
  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uint32_t>(text.size());
  stream.next_out = reinterpret_cast<uint8_t*>(out.data());
  stream.avail_out = static_cast<uint32_t>(out.size());
  isal_deflate_stateless(&stream);
  out.resize(stream.total_out);
  return out;
}

std::string TarEntry(const std::string& name, const std::string& content) {
  std::string record(512, '\0');
  std::memcpy(record.data(), name.data(), name.size());
  char size[12];
  size_t value = content.size();
  for (int i = 10; i >= 0; --i, value /= 8) size[i] = static_cast<char>('0' + value % 8);
  std::memcpy(record.data() + 124, size, 11);
  record[156] = '0';
  std::memcpy(record.data() + 257, "ustar", 5);
  std::string padded = content;
  padded.resize((content.size() + 511) / 512 * 512, '\0');
  return record + padded;
}

// One rank of a job: all-reduces that end at the same moments of its own clock, and a launch before each.
std::string Rank(int rank, int64_t clock_us, int64_t late_us, const std::string& base = "") {
  std::string text =
      "{" + base + R"("distributedInfo": {"rank": )" + std::to_string(rank) + R"(, "world_size": 2}, "traceEvents": [)";
  for (int i = 0; i < 20; ++i) {
    const int64_t end = clock_us + i * 5000 + 4000;
    const int64_t start = end - 2000 + late_us;
    text += (i == 0 ? "" : ",\n");
    text += R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4242, "tid": 1, "ts": )" +
            std::to_string(start - 50) + R"(, "dur": 4, "args": {"correlation": 7)" + std::to_string(i) + "}},\n";
    text += R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum", "pid": 0, "tid": 7, "ts": )" +
            std::to_string(start) + R"(, "dur": )" + std::to_string(end - start) +
            R"(, "args": {"device": 0, "stream": 7, "correlation": 7)" + std::to_string(i) + "}}";
  }
  return text + "]}";
}

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::temp_directory_path() / ("warpscope_load_test_" + std::to_string(::getpid()) + "_" +
                                         ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(path_);
  }
  void TearDown() override { fs::remove_all(path_); }
  std::string Write(const std::string& name, const std::string& content) {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return (path_ / name).string();
  }
  fs::path path_;
};

std::string OneKernel() {
  return R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 5, "dur": 2, "args": {"device": 0, "stream": 7, "correlation": 1}}]})";
}

TEST(Containers, GzipPlainTarAndTarGzip) {
  const std::string text = OneKernel();
  for (const std::string& bytes : {text, Gzip(text), TarEntry("a/x.json", text) + std::string(1024, '\0'),
                                   Gzip(TarEntry("._x.json", "junk") + TarEntry("x.json", text)), Gzip(Gzip(text))}) {
    auto loaded = LoadBytes(bytes, "x");
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    EXPECT_EQ(loaded->gpu.size(), 1U);
    EXPECT_EQ(loaded->sources[0].text_bytes, text.size());
  }
}

TEST(Containers, GzipOfSeveralMembers) {
  const std::string text = OneKernel();
  auto loaded = LoadBytes(Gzip(text.substr(0, 50)) + Gzip(text.substr(50)) + std::string(100, '\0'), "x");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->gpu.size(), 1U);
  EXPECT_EQ(loaded->ledger.Count(LedgerCode::kTruncatedFile), 0U);
}

TEST(Containers, CutGzipKeepsWhatCameOut) {
  const std::string text = Rank(0, 1000, 0);
  const std::string whole = Gzip(text);
  size_t usable = 0;
  for (size_t size = 1; size < whole.size(); size += 37) {
    auto loaded = LoadBytes(std::string_view(whole).substr(0, size), "x");
    if (!loaded.ok()) {
      EXPECT_NE(loaded.status().message().find("byte"), std::string::npos);
      continue;
    }
    ++usable;
    EXPECT_EQ(loaded->ledger.Count(LedgerCode::kTruncatedFile), 1U) << size;
  }
  EXPECT_GT(usable, 0U);
}

TEST(LookAlikes, AreNamedForWhatTheyAre) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "file is empty"},
      {"  \n", "file is empty"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n", "Git LFS pointer"},
      {"NVR\x01\x02", "Nsight Compute"},
      {"PK\x03\x04zip", "zip archive"},
      {"\x80\x04\x95\x12 segments device_traces", "memory snapshot"},
      {R"({"schema": "1.1.0-chakra.0.0.4", "pid": 4, "start_ts": 1, "nodes": []})", "execution trace"},
      {"[[-1, 1, 37888, 7], [-1, 1, 512, 7]]", "memory timeline"},
      {R"({"hello": 1})", "JSON, but no trace"},
      {"[1, 2, 3]", "JSON, but no trace"},
      {"just some words\n", "plain text"},
      {std::string("\x01\x02\x03\x00\x05", 5), "binary data"},
      {"<!DOCTYPE html><html>", "HTML"},
      {R"({"schemaVersion": 1, "deviceProp)", "ends before any event"},
  };
  for (const auto& [bytes, words] : cases) {
    for (const std::string& packed : {bytes, Gzip(bytes)}) {
      const auto loaded = LoadBytes(packed, "dir/file.json");
      ASSERT_FALSE(loaded.ok()) << bytes;
      EXPECT_NE(loaded.status().message().find(words), std::string::npos) << loaded.status().message();
      EXPECT_EQ(loaded.status().message().rfind("dir/file.json: byte ", 0), 0U) << loaded.status().message();
    }
  }
}

TEST(Containers, ASqliteFileThatIsNoneIsRefused) {
  const auto loaded = LoadBytes(std::string_view("SQLite format 3\0 and more", 25), "x.sqlite");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().message().rfind("x.sqlite: the database cannot be read: ", 0), 0U)
      << loaded.status().message();
}

TEST_F(Folder, OfRanksWithOneClock) {
  Write("rank1.json.gz", Gzip(Rank(1, 1000, 300, R"("baseTimeNanoseconds": 1700000000000000000, )")));
  Write("rank0.json", Rank(0, 1000, 0, R"("baseTimeNanoseconds": 1700000000000000000, )"));
  Write("notes.txt", "no trace");
  auto loaded = Load({path_.string()});
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  ASSERT_EQ(loaded->sources.size(), 2U);
  EXPECT_EQ(loaded->sources[0].rank, 0);
  EXPECT_EQ(loaded->sources[1].rank, 1);
  EXPECT_EQ(loaded->gpu.size(), 40U);
  EXPECT_EQ(loaded->processes.size(), 2U);  // both pid 4242
  EXPECT_EQ(loaded->ledger.Count(LedgerCode::kClockSkew), 0U);
  EXPECT_EQ(loaded->ledger.Count(LedgerCode::kAlignedClock), 0U);
  for (uint32_t row = 0; row < loaded->gpu.size(); ++row) {
    ASSERT_NE(loaded->gpu.call[row], model::kNone);
    EXPECT_EQ(loaded->HostDomain(loaded->gpu.call[row]), loaded->GpuDomain(row));
  }
}

TEST_F(Folder, OfRanksWithClocksApartIsAlignedByCollectives) {
  Write("trace_rank_0.json", Rank(0, 1000000, 0));
  Write("trace_rank_1.json", Rank(1, 1000000 + 11560000, 1600));
  auto loaded = Load({path_.string()});
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->ledger.Count(LedgerCode::kAlignedClock), 1U);
  int64_t first[2] = {INT64_MAX, INT64_MAX};
  for (uint32_t row = 0; row < loaded->gpu.size(); ++row) {
    int64_t& start = first[loaded->devices[loaded->streams[loaded->gpu.stream[row]].device].source];
    start = std::min(start, loaded->gpu.start_ns[row]);
  }
  EXPECT_EQ(first[1] - first[0], 1600000);
}

TEST_F(Folder, OfRanksThatShareNothingSaysSo) {
  Write("rank0.json", OneKernel());
  Write(
      "rank1.json",
      R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 5000000, "dur": 2, "args": {"stream": 7}}]})");
  auto loaded = Load({path_.string()});
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->ledger.Count(LedgerCode::kClockSkew), 1U);
  EXPECT_EQ(loaded->sources[1].rank, 1);
}

TEST_F(Folder, ABrokenRankCostsThatFile) {
  Write("rank0.json", OneKernel());
  Write("rank1.json", "");
  Write("rank2.json",
        R"({"traceEvents": [{"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "p"}}]})");
  auto loaded = Load({path_.string(), (path_ / "missing.json").string()});
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->sources.size(), 2U);
  EXPECT_EQ(loaded->ledger.Count(LedgerCode::kFailedFile), 2U);
  EXPECT_EQ(loaded->ledger.Count(LedgerCode::kEmptyRank), 1U);
}

TEST_F(Folder, OfFoldersIsWalkedAndNotesArePassedOver) {
  fs::create_directories(path_ / "rank1_run" / "output");
  fs::create_directories(path_ / ".hidden");
  Write("rank0.json", OneKernel());
  Write("rank1_run/output/trace.json", OneKernel());
  Write("settings.json", R"({"batch": 4})");
  Write(".hidden/trace.json", OneKernel());
  fs::create_directory_symlink(path_, path_ / "rank1_run" / "loop");
  auto loaded = Load({path_.string()});
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  ASSERT_EQ(loaded->sources.size(), 2U);
  EXPECT_EQ(loaded->sources[1].rank, 1);
  EXPECT_EQ(loaded->ledger.Count(LedgerCode::kPassedOverFile), 1U);
  EXPECT_EQ(loaded->ledger.Count(LedgerCode::kFailedFile), 0U);
}

TEST_F(Folder, AReportBesideItsExportIsNotReadTwice) {
  Write("run.sqlite", "");
  Write("run.nsys-rep", "");
  Write("other.nsys-rep", "");
  const auto files = ExpandInputs({path_.string()});
  ASSERT_TRUE(files.ok());
  ASSERT_EQ(files.value().size(), 2U);
  EXPECT_EQ(fs::path(files.value()[0].path).filename(), "other.nsys-rep");
  EXPECT_EQ(fs::path(files.value()[1].path).filename(), "run.sqlite");
}

TEST_F(Folder, ProgressRisesToOne) {
  const std::string path = Write("a.json", Rank(0, 5, 0));
  double last = -1;
  Options options;
  options.progress = [&](double ratio) {
    EXPECT_GE(ratio, last);
    last = ratio;
  };
  ASSERT_TRUE(Load({path}, options).ok());
  EXPECT_DOUBLE_EQ(last, 1.0);
}

TEST(Inputs, RankNumbersInNames) {
  EXPECT_EQ(RankInName("/x/graph_capture_rank_3.177.pt.trace.json.gz"), 3);
  EXPECT_EQ(RankInName("balanced.rank12.json.gz"), 12);
  EXPECT_EQ(RankInName("rank-0.Apr_03.json"), 0);
  EXPECT_EQ(RankInName("frank.json"), std::nullopt);
}

}  // namespace
}  // namespace warpscope::import
