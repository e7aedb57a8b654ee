#include "export/place.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace warpscope::exporting {
namespace {

namespace fs = std::filesystem;

Result<Written> WriteFolder(const model::Trace&, const std::string& path, const Options&) {
  std::ofstream(path + "/part.parquet") << "data";
  return Written{1, {}};
}
Result<Written> WriteFile(const model::Trace&, const std::string& path, const Options&) {
  std::ofstream(path) << "new";
  return Written{1, {}};
}
Result<Written> Fail(const model::Trace&, const std::string& path, const Options&) {
  std::ofstream(path) << "half";
  return Status(StatusCode::kOutput, "no room");
}
const Exporter kFile = {"file", "a file", ".out", Layout::kBinary, "", WriteFile};
const Exporter kFailing = {"failing", "a file", ".out", Layout::kBinary, "", Fail};
const Exporter kFolder = {"folder", "a folder", ".run", Layout::kFolder, ".parquet|.json", WriteFolder};

class PlaceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("ws_place_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string At(const std::string& name) const { return (folder_ / name).string(); }
  std::string Content(const std::string& name) const {
    std::ifstream file(At(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t Entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
  model::Trace trace_;
};

TEST_F(PlaceTest, DefaultNames) {
  EXPECT_EQ(DefaultOutput({"a/rank0.pt.trace.json.gz"}, ".sqlite"), "rank0.sqlite");
  EXPECT_EQ(DefaultOutput({"runs/today/"}, ".sqlite"), "today.sqlite");
  EXPECT_EQ(DefaultOutput({"-"}, ".sqlite"), "run.sqlite");
  EXPECT_EQ(DefaultOutput({"a", "b"}, ".sqlite"), "run.sqlite");
  EXPECT_EQ(DefaultOutput({".json"}, ".sqlite"), ".json.sqlite");
}

TEST_F(PlaceTest, NothingIsReplacedUnasked) {
  std::ofstream(At("x")) << "old";
  EXPECT_FALSE(WriteTo(kFile, trace_, {At("x"), false, {}}, {}).ok());
  EXPECT_EQ(Content("x"), "old");
  EXPECT_TRUE(WriteTo(kFile, trace_, {At("x"), true, {}}, {}).ok());
  EXPECT_EQ(Content("x"), "new");
  EXPECT_FALSE(WriteTo(kFile, trace_, {At("x"), true, {At("x")}}, {}).ok());  // the input itself
}

TEST_F(PlaceTest, AFailureLeavesNothingBehind) {
  std::ofstream(At("x")) << "old";
  EXPECT_FALSE(WriteTo(kFailing, trace_, {At("x"), true, {}}, {}).ok());
  EXPECT_EQ(Content("x"), "old");
  EXPECT_EQ(Entries(), 1u);
}

TEST_F(PlaceTest, FoldersWithOtherFilesAreNeverReplaced) {
  EXPECT_TRUE(WriteTo(kFolder, trace_, {At("run"), false, {}}, {}).ok());
  EXPECT_EQ(Content("run/part.parquet"), "data");
  EXPECT_FALSE(WriteTo(kFolder, trace_, {At("run"), false, {}}, {}).ok());
  EXPECT_TRUE(WriteTo(kFolder, trace_, {At("run") + "/", true, {}}, {}).ok());
  std::ofstream(At("run/thesis.tex")) << "years of work";
  EXPECT_FALSE(WriteTo(kFolder, trace_, {At("run"), true, {}}, {}).ok());
  EXPECT_EQ(Content("run/thesis.tex"), "years of work");
}

TEST_F(PlaceTest, FilesAndFoldersAreNotTakenForEachOther) {
  fs::create_directories(At("d"));
  std::ofstream(At("f")) << "x";
  EXPECT_FALSE(CheckPlace(kFile, {At("d"), true, {}}).ok());
  EXPECT_FALSE(CheckPlace(kFolder, {At("f"), true, {}}).ok());
}

}  // namespace
}  // namespace warpscope::exporting
