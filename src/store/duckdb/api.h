// The part of DuckDB's stable C API that is used, as a table of functions that is filled when the library is first
// needed. Declared here, so that the program is the same whether or not DuckDB is there when it is built; api_test.cc
// compares every declaration with DuckDB's own header where that is found.
// [MT] Constants once loaded. The library stays loaded until the process ends.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace warpscope::store::duckdb::c {

// Opaque handles: a pointer to a type of its own each.
template <int kKind>
struct Opaque {
  void* internal;
};
using Database = Opaque<0>*;
using Connection = Opaque<1>*;
using Config = Opaque<2>*;
using Prepared = Opaque<3>*;
using Extracted = Opaque<4>*;
using Pending = Opaque<5>*;
using LogicalType = Opaque<6>*;
using DataChunk = Opaque<7>*;
using Vector = Opaque<8>*;
using TableFunction = Opaque<9>*;
using BindInfo = Opaque<10>*;
using InitInfo = Opaque<11>*;
using FunctionInfo = Opaque<12>*;
using Appender = Opaque<13>*;
using Value = Opaque<14>*;
using ScalarFunction = Opaque<15>*;

using idx_t = uint64_t;  // NOLINT(readability-identifier-naming): as DuckDB writes it

enum State : unsigned { kSuccess = 0, kError = 1 };
enum ReturnKind : unsigned { kInvalidReturn = 0, kChangedRows = 1, kNothing = 2, kRows = 3 };
enum StatementType : unsigned { kInvalidStatement = 0 };

enum TypeId : unsigned {
  kInvalid = 0,
  kBoolean = 1,
  kTinyInt = 2,
  kSmallInt = 3,
  kInteger = 4,
  kBigInt = 5,
  kUTinyInt = 6,
  kUSmallInt = 7,
  kUInteger = 8,
  kUBigInt = 9,
  kFloat = 10,
  kDouble = 11,
  kTimestamp = 12,
  kDate = 13,
  kTime = 14,
  kInterval = 15,
  kHugeInt = 16,
  kVarchar = 17,
  kBlob = 18,
  kDecimal = 19,
  kTimestampS = 20,
  kTimestampMs = 21,
  kTimestampNs = 22,
  kEnum = 23,
  kUuid = 27,
  kTimestampTz = 31,
  kUHugeInt = 32,
};

struct QueryResult {
  idx_t unused_counts[3];
  void* unused_columns;
  char* unused_error;
  void* internal;
};

struct HugeInt {
  uint64_t lower;
  int64_t upper;
};

// A text in a vector: up to 12 bytes stand inside, longer ones behind the pointer.
struct String {
  uint32_t length;
  char prefix[4];
  union {
    const char* pointer;
    char rest[8];
  };
};
static_assert(sizeof(String) == 16);

using Delete = void (*)(void* data);
using TableBind = void (*)(BindInfo info);
using TableInit = void (*)(InitInfo info);
using TableBody = void (*)(FunctionInfo info, DataChunk output);
using ScalarBody = void (*)(FunctionInfo info, DataChunk input, Vector output);

struct Api {
#define WS_DUCKDB(result, name, arguments) result(*name) arguments = nullptr;
#include "store/duckdb/api.def"
#undef WS_DUCKDB
};

}  // namespace warpscope::store::duckdb::c

namespace warpscope::store::duckdb {

// Loads libduckdb.so on the first call: beside the program (../lib/warpscope/), in the build's cache, then where the
// system's loader looks; WARPSCOPE_DUCKDB names one file instead. kNotFound with what to do if there is none.
Result<const c::Api*> Load();

}  // namespace warpscope::store::duckdb
