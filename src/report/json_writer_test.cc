#include "report/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warpscope::report {
namespace {

std::string Escaped(std::string_view text) {
  JsonWriter json;
  json.BeginArray(JsonWriter::Layout::kCompact);
  json.String(text);
  json.EndArray();
  const std::string& out = json.text();
  return out.substr(1, out.size() - 3);
}

TEST(JsonWriter, Nesting) {
  JsonWriter json;
  json.BeginObject();
  json.Key("a");
  json.BeginArray(JsonWriter::Layout::kCompact);
  json.Int(-1);
  json.UInt(UINT64_MAX);
  json.Null();
  json.Bool(true);
  json.BeginObject();
  json.Key("k");
  json.String("v");
  json.EndObject();
  json.EndArray();
  json.Key("empty");
  json.BeginArray();
  json.EndArray();
  json.EndObject();
  EXPECT_EQ(json.text(), "{\n  \"a\": [-1, 18446744073709551615, null, true, {\"k\": \"v\"}],\n  \"empty\": []\n}\n");
}

TEST(JsonWriter, NumbersThatJsonDoesNotKnowAreNull) {
  JsonWriter json;
  json.BeginArray(JsonWriter::Layout::kCompact);
  json.Double(NAN);
  json.Double(INFINITY);
  json.Double(-0.0);
  json.Double(12.5);
  json.Double(1e300);
  json.Maybe(std::nullopt);
  json.EndArray();
  EXPECT_EQ(json.text(), "[null, null, 0, 12.5, 1e+300, null]\n");
}

TEST(JsonWriter, Strings) {
  EXPECT_EQ(Escaped("say \"hi\" \\ \n\t"), R"("say \"hi\" \\ \n\t")");
  EXPECT_EQ(Escaped("\x1b[31m"), R"("\u001b[31m")");
  EXPECT_EQ(Escaped("\xC2\x9B"), R"("\u009b")");
  EXPECT_EQ(Escaped("\xff\xfe"), R"("\ufffd\ufffd")");
  EXPECT_EQ(Escaped("\xE6\xA0\xB8"), "\"\xE6\xA0\xB8\"");
}

}  // namespace
}  // namespace warpscope::report
