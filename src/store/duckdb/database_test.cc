#include "store/duckdb/database.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "store/duckdb/table_function.h"

namespace warpscope::store::duckdb {
namespace {

namespace fs = std::filesystem;

#define NEED_DUCKDB()                       \
  if (const auto api = Load(); !api.ok()) { \
    GTEST_SKIP() << api.status().message(); \
  }                                         \
  static_assert(true)

Connection Connect(const Options& options = {}) {
  auto database = Database::Open(options);
  EXPECT_TRUE(database.ok()) << database.status().message();
  auto connection = database->Connect();
  EXPECT_TRUE(connection.ok());
  return std::move(connection).value();
}

TEST(Duckdb, AnswersWithTypesNullsAndTexts) {
  NEED_DUCKDB();
  Connection connection = Connect();
  auto rows = connection.Query(
      "CREATE TABLE t(a BIGINT, b VARCHAR); INSERT INTO t VALUES (1, 'short'), (NULL, 'a text longer than twelve');"
      "SELECT a, b, 1.25::DECIMAL(9,2) AS d FROM t ORDER BY b DESC");
  ASSERT_TRUE(rows.ok()) << rows.status().message();
  ASSERT_EQ(rows->columns().size(), 3u);
  EXPECT_EQ(rows->columns()[1].name, "b");
  EXPECT_EQ(rows->columns()[2].decimal_scale, 2);
  auto chunk = rows->Next();
  ASSERT_TRUE(chunk.ok() && chunk->has_value());
  const Chunk& first = **chunk;
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first.Data<int64_t>(0)[0], 1);
  EXPECT_TRUE(first.IsNull(0, 1));
  EXPECT_EQ(first.Text(1, 0), "short");
  EXPECT_EQ(first.Text(1, 1), "a text longer than twelve");
  EXPECT_FALSE(rows->Next()->has_value());
}

TEST(Duckdb, ParametersAreValuesAndNeverSql) {
  NEED_DUCKDB();
  Connection connection = Connect();
  const Parameter parameters[] = {std::string("'; DROP TABLE x; --"), int64_t{7}, 0.5, std::monostate()};
  auto rows = connection.Query("SELECT $1 || '!', $2 + 1, $3 * 2, $4", parameters);
  ASSERT_TRUE(rows.ok()) << rows.status().message();
  auto chunk = rows->Next();
  EXPECT_EQ((*chunk)->Text(0, 0), "'; DROP TABLE x; --!");
  EXPECT_TRUE((*chunk)->IsNull(3, 0));
}

TEST(Duckdb, ErrorsAreStatuses) {
  NEED_DUCKDB();
  Connection connection = Connect();
  EXPECT_NE(connection.Run("SELEC 1").message().find("syntax error"), std::string::npos);
  EXPECT_NE(connection.Run("SELECT * FROM nowhere").message().find("nowhere"), std::string::npos);
  EXPECT_FALSE(connection.Run("  ").ok());
  EXPECT_FALSE(connection.Run("SELECT 'x'::BIGINT").ok());
  EXPECT_TRUE(connection.Run("SELECT 1").ok()) << "a failure leaves the connection usable";
}

TEST(Duckdb, ReachesOnlyTheGivenFiles) {
  NEED_DUCKDB();
  const fs::path folder = fs::temp_directory_path() / ("ws_duckdb_" + std::to_string(::getpid()));
  fs::create_directories(folder / "in");
  std::ofstream(folder / "in/a.csv") << "x\n1\n";
  std::ofstream(folder / "secret.csv") << "x\n2\n";
  Options options;
  options.folders = {(folder / "in").string()};
  Connection connection = Connect(options);
  const auto read = [&](const std::string& path) {
    return connection.Run("SELECT * FROM read_csv(" + Quote((folder / path).string()) + ")");
  };
  EXPECT_TRUE(read("in/a.csv").ok()) << read("in/a.csv").message();
  EXPECT_FALSE(read("secret.csv").ok());
  EXPECT_FALSE(read("in/../secret.csv").ok());
  EXPECT_FALSE(connection.Run("COPY (SELECT 1) TO " + Quote((folder / "out.csv").string())).ok());
  EXPECT_FALSE(connection.Run("SET enable_external_access=true").ok());
  EXPECT_FALSE(connection.Run("SET allowed_directories=['/']").ok());
  EXPECT_FALSE(connection.Run("INSTALL httpfs").ok());
  EXPECT_FALSE(connection.Run("LOAD " + Quote((folder / "in/a.csv").string())).ok());
  EXPECT_FALSE(connection.Run("ATTACH " + Quote((folder / "x.db").string())).ok());
  fs::remove_all(folder);
}

TEST(Duckdb, MemoryIsBounded) {
  NEED_DUCKDB();
  Options options;
  options.memory_bytes = 64 << 20;
  Connection connection = Connect(options);
  const Status status =
      connection.Run("CREATE TABLE big AS SELECT hash(i) AS h, hash(i + 1) AS g FROM range(50000000) t(i)");
  EXPECT_NE(status.message().find("Out of Memory"), std::string::npos) << status.message();
}

Table Numbers(uint64_t rows, bool in_order) {
  return {"numbers",
          rows,
          {{"n", Type::kInt64,
            [](uint64_t begin, size_t count, ColumnWriter& to) {
              for (size_t i = 0; i < count; ++i) to.Data<int64_t>()[i] = static_cast<int64_t>(begin + i);
            }},
           {"text", Type::kText,
            [](uint64_t begin, size_t count, ColumnWriter& to) {
              for (size_t i = 0; i < count; ++i) {
                if ((begin + i) % 3 == 0) {
                  to.SetNull(i);
                } else {
                  to.SetText(i, "number " + std::to_string(begin + i));
                }
              }
            }},
           {"never", Type::kInt64, [](uint64_t, size_t, ColumnWriter&) { FAIL() << "no query names this column"; }}},
          in_order};
}

TEST(Duckdb, TablesInMemoryGiveOnlyTheNamedColumns) {
  NEED_DUCKDB();
  for (const bool in_order : {false, true}) {
    Connection connection = Connect();
    ASSERT_TRUE(RegisterTable(connection, Numbers(300001, in_order)).ok());
    auto rows = connection.Query("SELECT sum(n)::BIGINT, count(text), count(*), max(text) FROM numbers()");
    ASSERT_TRUE(rows.ok()) << rows.status().message();
    auto chunk = rows->Next();
    EXPECT_EQ((*chunk)->Data<int64_t>(0)[0], 45000150000);
    EXPECT_EQ((*chunk)->Data<int64_t>(1)[0], 200000);
    EXPECT_EQ((*chunk)->Data<int64_t>(2)[0], 300001);
    EXPECT_EQ((*chunk)->Text(3, 0), "number 99998");
    auto count = connection.Query("SELECT count(*) FROM numbers()");
    auto counted = count->Next();
    EXPECT_EQ((*counted)->Data<int64_t>(0)[0], 300001);
  }
}

TEST(Duckdb, StreamedRowsComeInOrder) {
  NEED_DUCKDB();
  Connection connection = Connect();
  ASSERT_TRUE(RegisterTable(connection, Numbers(100000, true)).ok());
  auto rows = connection.Query("SELECT n FROM numbers()", {}, Connection::Mode::kStreamed);
  ASSERT_TRUE(rows.ok()) << rows.status().message();
  int64_t expected = 0;
  for (;;) {
    auto chunk = rows->Next();
    ASSERT_TRUE(chunk.ok()) << chunk.status().message();
    if (!chunk->has_value()) break;
    for (size_t i = 0; i < (*chunk)->size(); ++i) ASSERT_EQ((*chunk)->Data<int64_t>(0)[i], expected++);
  }
  EXPECT_EQ(expected, 100000);
}

}  // namespace
}  // namespace warpscope::store::duckdb
