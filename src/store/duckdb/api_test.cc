// The declarations of api.h against DuckDB's own header.
#include "store/duckdb/api.h"

#include <gtest/gtest.h>

#include <type_traits>

#ifdef WS_HAVE_DUCKDB_HEADER
#include <duckdb.h>
#endif

namespace warpscope::store::duckdb {
namespace {

#ifdef WS_HAVE_DUCKDB_HEADER
// Same way through a call: pointers for pointers (of what is told by the name), integers and enums of one size and
// signedness, structs of one size.
template <typename A, typename B>
constexpr bool SameShape() {
  if constexpr (std::is_pointer_v<A> || std::is_pointer_v<B>) {
    return std::is_pointer_v<A> && std::is_pointer_v<B>;
  } else if constexpr (std::is_void_v<A> || std::is_void_v<B>) {
    return std::is_void_v<A> && std::is_void_v<B>;
  } else {
    return sizeof(A) == sizeof(B) && std::is_class_v<A> == std::is_class_v<B> &&
           std::is_floating_point_v<A> == std::is_floating_point_v<B>;
  }
}
template <typename A, typename B>
struct SameFunction : std::false_type {};
template <typename R, typename... A, typename S, typename... B>
struct SameFunction<R (*)(A...), S (*)(B...)> {
  static constexpr bool Compare() {
    if constexpr (sizeof...(A) != sizeof...(B)) {
      return false;
    } else {
      return SameShape<R, S>() && (SameShape<A, B>() && ...);
    }
  }
  static constexpr bool value = Compare();
};

#define WS_DUCKDB(result, name, arguments) \
  static_assert(SameFunction<decltype(c::Api::name), decltype(&::duckdb_##name)>::value, "duckdb_" #name);
#include "store/duckdb/api.def"
#undef WS_DUCKDB

static_assert(sizeof(c::String) == sizeof(::duckdb_string_t));
static_assert(sizeof(c::QueryResult) == sizeof(::duckdb_result));
static_assert(c::kBoolean == static_cast<unsigned>(DUCKDB_TYPE_BOOLEAN));
static_assert(c::kBigInt == static_cast<unsigned>(DUCKDB_TYPE_BIGINT));
static_assert(c::kUBigInt == static_cast<unsigned>(DUCKDB_TYPE_UBIGINT));
static_assert(c::kDouble == static_cast<unsigned>(DUCKDB_TYPE_DOUBLE));
static_assert(c::kVarchar == static_cast<unsigned>(DUCKDB_TYPE_VARCHAR));
static_assert(c::kDecimal == static_cast<unsigned>(DUCKDB_TYPE_DECIMAL));
static_assert(c::kEnum == static_cast<unsigned>(DUCKDB_TYPE_ENUM));
static_assert(c::kUuid == static_cast<unsigned>(DUCKDB_TYPE_UUID));
static_assert(c::kTimestampTz == static_cast<unsigned>(DUCKDB_TYPE_TIMESTAMP_TZ));
static_assert(c::kUHugeInt == static_cast<unsigned>(DUCKDB_TYPE_UHUGEINT));
static_assert(c::kRows == static_cast<unsigned>(DUCKDB_RESULT_TYPE_QUERY_RESULT));
#endif

TEST(DuckDbApi, EqualsTheHeader) {
#ifndef WS_HAVE_DUCKDB_HEADER
  GTEST_SKIP() << "no duckdb.h on this machine";
#endif
}

}  // namespace
}  // namespace warpscope::store::duckdb
