// One test a kind of fault (docs/formats/kineto.md lists them).
#include <gtest/gtest.h>

#include "import/kineto/testing.h"

namespace warpscope::import::kineto {
namespace {

using model::LedgerCode;

std::optional<uint64_t> OffsetOf(const model::Trace& trace, LedgerCode code) {
  for (const model::LedgerEntry& entry : trace.ledger.Entries()) {
    if (entry.code == code) return entry.first_offset_bytes;
  }
  return std::nullopt;
}

using testing::Count;
using testing::Document;
using testing::Kernel;
using testing::Launch;
using testing::ReadText;
using testing::Span;

TEST(Faults, BareQuotesInANameAreRepaired) {
  const std::string broken =
      R"x({"ph": "X", "cat": "python_function", "name": "{"device": "cpu", "dtype": "float32"}(12): run", "pid": 1, "tid": 1, "ts": 5, "dur": 2, "args": {"Python id": 3}})x";
  const std::string text = Document({Launch("1", "2", 1), broken, Launch("9", "2", 2)});
  const model::Trace trace = ReadText(text);
  ASSERT_EQ(trace.host.size(), 3U);
  EXPECT_EQ(Count(trace, LedgerCode::kRepairedRecord), 1U);
  EXPECT_EQ(Count(trace, LedgerCode::kBrokenRecord), 0U);
  EXPECT_EQ(OffsetOf(trace, LedgerCode::kRepairedRecord), text.find(broken));
  EXPECT_NE(trace.strings.Find(R"({"device": "cpu", "dtype": "float32"}(12): run)"), model::kNoString);
}

TEST(Faults, BareQuotesBeforeACommaAndABrace) {
  for (const std::string name : {R"x(f("a", "b"))x", R"x(g({"a": "b"}, c))x", R"("quoted")", R"(x["k"])"}) {
    const std::string broken =
        R"({"ph": "X", "cat": "cpu_op", "name": ")" + name + R"(", "pid": 1, "tid": 1, "ts": 5, "dur": 2, "args": {}})";
    const model::Trace trace = ReadText(Document({Launch("1", "2", 1), broken, Launch("9", "2", 2)}));
    EXPECT_EQ(trace.host.size(), 3U) << name;
    EXPECT_NE(trace.strings.Find(name), model::kNoString) << name;
  }
}

TEST(Faults, AnEventBeyondRepairCostsThatEvent) {
  const std::string broken = R"({"ph": "X", "cat": "cpu_op" "name" "x", "pid": })";
  const std::string text = Document({Launch("1", "2", 1), broken, Launch("9", "2", 2), Kernel("k", "10", "1", 2)});
  const model::Trace trace = ReadText(text);
  EXPECT_EQ(trace.host.size(), 2U);
  EXPECT_EQ(trace.gpu.size(), 1U);
  EXPECT_EQ(Count(trace, LedgerCode::kBrokenRecord), 1U);
  EXPECT_EQ(OffsetOf(trace, LedgerCode::kBrokenRecord), text.find(broken));
}

TEST(Faults, ALastEventBeyondRepair) {
  const model::Trace trace =
      ReadText(Document({Launch("1", "2", 1), R"({"ph": "X", "name" "x"})"}, "", R"(, "traceName": "t")"));
  EXPECT_EQ(trace.host.size(), 1U);
  EXPECT_EQ(Count(trace, LedgerCode::kBrokenRecord), 1U);
  EXPECT_EQ(Count(trace, LedgerCode::kTruncatedFile), 0U);
}

TEST(Faults, QuotesInAHeaderListLoseNoEvent) {
  const model::Trace trace = ReadText(
      Document({Launch("1", "2", 1)}, "", R"(, "INFO": ["Logging CUDA event {"event_id": 3}"], "traceName": "t")"));
  EXPECT_EQ(trace.host.size(), 1U);
  EXPECT_EQ(Count(trace, LedgerCode::kBrokenHeader), 1U);
  EXPECT_EQ(Count(trace, LedgerCode::kBrokenRecord), 0U);
}

TEST(Faults, AnOddQuoteInAHeaderListBeforeTheEvents) {
  const model::Trace trace = ReadText(
      Document({Launch("1", "2", 1), Launch("4", "2", 2)}, R"("INFO": ["one " too many"], "displayTimeUnit": "ms", )"));
  EXPECT_EQ(trace.host.size(), 2U);
  EXPECT_EQ(Count(trace, LedgerCode::kBrokenHeader), 1U);
}

TEST(Faults, RawControlBytesAreReplaced) {
  const std::string name = std::string("|||S(1): ") + '\x01' + "<module>\nnext";
  const model::Trace trace = ReadText(Document({Span("python_function", name, "1", "2"), Launch("5", "1", 1)}));
  ASSERT_EQ(trace.host.size(), 2U);
  EXPECT_EQ(Count(trace, LedgerCode::kRepairedRecord), 1U);
  EXPECT_EQ(Count(trace, LedgerCode::kBadName), 1U);
  EXPECT_NE(trace.strings.Find("|||S(1): \xEF\xBF\xBD<module>\xEF\xBF\xBDnext"), model::kNoString);
}

TEST(Faults, InvalidUtf8IsReplacedAndValidIsKept) {
  const model::Trace trace = ReadText(Document({Span("cpu_op",
                                                     "\xff\xfe\x80"
                                                     "abc",
                                                     "1", "2"),
                                                Span("cpu_op",
                                                     "gr\xC3\xB6\xC3\x9F"
                                                     "e \\u20ac \\ud83d\\ude00",
                                                     "5", "1")}));
  EXPECT_EQ(Count(trace, LedgerCode::kBadName), 1U);
  EXPECT_NE(trace.strings.Find("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                               "abc"),
            model::kNoString);
  EXPECT_NE(trace.strings.Find("gr\xC3\xB6\xC3\x9F"
                               "e \xE2\x82\xAC \xF0\x9F\x98\x80"),
            model::kNoString);
}

TEST(Faults, UnknownEscapesAreKeptAsWritten) {
  const model::Trace trace = ReadText(Document({Span("cpu_op", R"(C:\path\u12)", "1", "2")}));
  EXPECT_EQ(Count(trace, LedgerCode::kBadEscape), 1U);
  EXPECT_NE(trace.strings.Find(R"(C:\path\u12)"), model::kNoString);
}

TEST(Faults, IdsBeyondInt64StayDistinct) {
  const auto kernel = [](const std::string& id, const std::string& ts) {
    return Span("kernel", "ncclDevKernel_AllReduce", ts, "2",
                R"("device": 0, "stream": 7, "Collective name": "allreduce", "Comms Id": )" + id, "0", "7");
  };
  const model::Trace trace =
      ReadText(Document({kernel("18446744073709551557", "1"), kernel("18446744073709551556", "5"),
                         Span("cpu_op", "a", "1", "2", R"("External id": 18446744073709551614)")}));
  ASSERT_EQ(trace.collectives.size(), 2U);
  EXPECT_EQ(trace.Text(trace.collectives[0].comms_id), "18446744073709551557");
  EXPECT_EQ(trace.Text(trace.collectives[1].comms_id), "18446744073709551556");
  EXPECT_EQ(trace.host.external_id[0], 18446744073709551614ULL);
}

TEST(Faults, BareInfAndNotAvailable) {
  const auto copy = [](const std::string& ts, const std::string& bandwidth) {
    return Span("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", ts, "1",
                R"x("device": 0, "stream": 7, "bytes": 200, "memory bandwidth (GB/s)": )x" + bandwidth, "0", "7");
  };
  const model::Trace trace = ReadText(Document(
      {copy("1", "0.2"), copy("3", "inf"), copy("5", "N/A"), copy("7", "-Infinity"),
       Span("gpu_memset", "Memset (Device)", "9", "1", R"("device": 0, "stream": 7, "bytes": nan)", "0", "7")}));
  ASSERT_EQ(trace.gpu.size(), 5U);
  EXPECT_EQ(trace.Copy(1)->bytes, 200U);
  EXPECT_FALSE(trace.Copy(4)->bytes.has_value());
  EXPECT_EQ(Count(trace, LedgerCode::kBadNumber), 4U);
  EXPECT_EQ(Count(trace, LedgerCode::kBrokenRecord), 0U);
}

TEST(Faults, UntimedKernelsAreCountedAndLeftOut) {
  const model::Trace trace =
      ReadText(Document({Launch("1615207264505000", "5", 1), Kernel("k", "0", "0", 1),
                         Launch("1615207264505010", "5", 2), Kernel("k", "1615207264505020", "3", 2)}));
  EXPECT_EQ(trace.gpu.size(), 1U);
  EXPECT_EQ(Count(trace, LedgerCode::kUntimedRecord), 1U);
}

TEST(Faults, NegativeDurationsAreDropped) {
  const model::Trace trace = ReadText(Document({Kernel("k", "101", "-1", 1), Kernel("k", "103", "0.2", 2)}));
  EXPECT_EQ(trace.gpu.size(), 1U);
  EXPECT_EQ(trace.gpu.dur_ns[0], 200);
  EXPECT_EQ(Count(trace, LedgerCode::kNegativeDuration), 1U);
}

TEST(Faults, AbsoluteAndRelativeTimesKeepEveryNanosecond) {
  const std::vector<std::string> absolute = {Span("cpu_op", "A", "1732107142997066.682", "475375.838"),
                                             Span("cpu_op", "B", "1732107143472442.569", "10")};
  const std::vector<std::string> relative = {Span("cpu_op", "A", "997066.682", "475375.838"),
                                             Span("cpu_op", "B", "1472442.569", "10")};
  const model::Trace one = ReadText(Document(absolute));
  const model::Trace two = ReadText(Document(relative, R"("baseTimeNanoseconds": 1732107142000000000, )"));
  ASSERT_EQ(one.host.size(), 2U);
  EXPECT_EQ(one.host.start_ns[0], 1732107142997066682);
  EXPECT_EQ(one.host.start_ns[1] - one.host.end_ns(0), 49);
  EXPECT_EQ(one.host.start_ns, two.host.start_ns);
  EXPECT_EQ(one.host.parent[1], model::kNone);
}

TEST(Faults, MetadataOnlyIsAnEmptyRank) {
  const model::Trace trace = ReadText(
      Document({R"({"name": "process_name", "ph": "M", "ts": 1, "pid": 5, "tid": 0, "args": {"name": "python"}})"},
               R"("distributedInfo": {"rank": 2}, )"));
  EXPECT_EQ(trace.sources.size(), 1U);
  EXPECT_EQ(Count(trace, LedgerCode::kEmptyRank), 1U);
  EXPECT_EQ(trace.sources[0].rank, 2);
}

TEST(Faults, FarTimesAreLeftOut) {
  std::vector<std::string> events;
  for (int i = 0; i < 300; ++i) events.push_back(Kernel("k", std::to_string(1700000000000000 + i * 10), "5", i));
  events.push_back(Kernel("k", "1700100000000000", "5", 900));  // a day later
  events.push_back(Kernel("k", "17001000000000000000000000", "5", 901));
  const model::Trace trace = ReadText(Document(events));
  EXPECT_EQ(trace.gpu.size(), 300U);
  EXPECT_EQ(Count(trace, LedgerCode::kOutOfRange), 2U);
}

TEST(Faults, MissingFieldsCostTheirEvent) {
  const model::Trace trace =
      ReadText(Document({R"({"ph": "X", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 5, "dur": 2})",
                         R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "dur": 2})",
                         R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 5})",
                         R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": inf, "dur": 2})",
                         R"({"ph": "X", "cat": "cpu_op", "name": "a", "ts": 5, "dur": 2})"}));
  EXPECT_EQ(trace.host.size(), 1U);
  EXPECT_EQ(Count(trace, LedgerCode::kMissingField), 4U);
  EXPECT_EQ(Count(trace, LedgerCode::kBadNumber), 1U);
}

TEST(Faults, WrongTypesAreNoCrash) {
  const model::Trace trace = ReadText(Document(
      {R"({"ph": 7, "cat": ["x"], "name": {"a": 1}, "pid": [1], "tid": {"b": 2}, "ts": "12.5", "dur": "3", "args": [1, 2]})",
       R"({"ph": "X", "cat": "cpu_op", "name": "n", "pid": "77", "tid": "stream 7", "ts": "12.5", "dur": "3", "args": {"External id": "5", "Input Dims": 4}})",
       "17", R"("text")", "null", "[1, 2]", Launch("20", "1", 1)}));
  EXPECT_EQ(trace.host.size(), 2U);
  EXPECT_EQ(trace.host.start_ns[trace.host.size() - 1] % 500, 0);
  EXPECT_EQ(trace.processes[trace.threads[trace.host.thread[1]].process].pid +
                trace.processes[trace.threads[trace.host.thread[0]].process].pid,
            87);
}

TEST(Faults, DeepNestingAndHugeStrings) {
  const std::string deep = R"("x": )" + std::string(100000, '[') + std::string(100000, ']');
  const std::string huge(3000000, 'y');
  const model::Trace trace =
      ReadText(Document({Span("cpu_op", "a", "1", "2", deep), Span("cpu_op", huge, "5", "2"), Launch("9", "1", 1)}));
  EXPECT_EQ(trace.host.size(), 3U);
}

TEST(Faults, AnEndlessStringCostsItsEventOnly) {
  // More than any record may have, so the way on is found behind it.
  std::string text = Document({Launch("1", "1", 1)});
  text.resize(text.size() - 3);
  text += R"(, {"ph": "X", "name": ")" + std::string(18 << 20, 'z') + "\n},\n" + Launch("5", "1", 2) + ",\n" +
          Launch("7", "1", 3) + "\n]}";
  const model::Trace trace = ReadText(text);
  EXPECT_EQ(trace.host.size(), 3U);
  EXPECT_EQ(Count(trace, LedgerCode::kBrokenRecord), 1U);
}

TEST(Faults, UnclosedArrayCostsItsEventOnly) {
  const model::Trace trace = ReadText(Document(
      {Launch("1", "1", 1),
       R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "args": {"Input Dims": [[1, 2}})",
       Launch("5", "1", 2), Launch("7", "1", 3)}));
  EXPECT_EQ(trace.host.size(), 3U);
  EXPECT_EQ(Count(trace, LedgerCode::kBrokenRecord), 1U);
  EXPECT_EQ(Count(trace, LedgerCode::kTruncatedFile), 0U);
}

TEST(Faults, NulBytesAtTheEnd) {
  std::string text = Document({Launch("1", "1", 1), Launch("3", "1", 2)});
  text.resize(text.size() - 1);
  text += std::string(5000, '\0');
  const model::Trace trace = ReadText(text);
  EXPECT_EQ(trace.host.size(), 2U);
}

}  // namespace
}  // namespace warpscope::import::kineto
