#include "page/json_text.h"

#include <gtest/gtest.h>

#include "page/base64.h"
#include "report/json_writer.h"

namespace warpscope::page {
namespace {

std::string Json(std::string_view text) {
  report::JsonWriter json;
  json.BeginArray(report::JsonWriter::Layout::kCompact);
  json.String(text);
  json.EndArray();
  return json.Take();
}

TEST(EscapeMarkup, NothingThatEndsAScriptIsLeft) {
  const std::string out = EscapeMarkup(Json("</script><!-- ]]> & \xE2\x80\xA8\xE2\x80\xA9 \xFF"));
  EXPECT_EQ(out.find_first_of("<>&"), std::string::npos) << out;
  EXPECT_EQ(out.find("\xE2\x80\xA8"), std::string::npos);
  EXPECT_NE(out.find(R"(\u003c/script\u003e\u003c!-- ]]\u003e \u0026 \u2028\u2029)"), std::string::npos) << out;
}

TEST(EscapeMarkup, RawSeparatorsToo) { EXPECT_EQ(EscapeMarkup("[\"\xE2\x80\xA8\"]"), "[\"\\u2028\"]"); }

TEST(CutStrings, LongOnesAreCutAndCounted) {
  uint64_t cut = 0;
  EXPECT_EQ(CutStrings(R"({"k": "short", "l": "0123456789"})", 5, &cut),
            "{\"k\": \"short\", \"l\": \"01234\xE2\x80\xA6\"}");
  EXPECT_EQ(cut, 1U);
}

TEST(CutStrings, EscapesAndCharactersStayWhole) {
  uint64_t cut = 0;
  EXPECT_EQ(CutStrings(R"(["abc\"def"])", 4, &cut), "[\"abc\xE2\x80\xA6\"]");
  EXPECT_EQ(CutStrings(R"(["ab\u00e9xyz"])", 5, &cut), "[\"ab\xE2\x80\xA6\"]");
  EXPECT_EQ(CutStrings(R"(["a\ud83d\ude00z"])", 8, &cut), "[\"a\xE2\x80\xA6\"]");
  EXPECT_EQ(CutStrings("[\"ab\xE6\xA0\xB8zz\"]", 4, &cut), "[\"ab\xE2\x80\xA6\"]");
  EXPECT_EQ(cut, 4U);
}

TEST(CutStrings, AQuoteInAStringDoesNotEndIt) {
  uint64_t cut = 0;
  const std::string json = R"(["a\\", "b\"c", 12, "\\\""])";
  EXPECT_EQ(CutStrings(json, 6, &cut), json);
  EXPECT_EQ(cut, 0U);
}

TEST(CutText, AtAWholeCharacter) {
  uint64_t cut = 0;
  EXPECT_EQ(CutText("ab\xE6\xA0\xB8", 3, &cut), "ab\xE2\x80\xA6");
  EXPECT_EQ(CutText("ab\xE6\xA0\xB8", 5, &cut), "ab\xE6\xA0\xB8");
  EXPECT_EQ(cut, 1U);
}

TEST(Base64, AsInTheRfc) {
  const auto of = [](std::string_view bytes) {
    std::string out;
    AppendBase64(out, bytes);
    return out;
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(of("\xFF\xFE\xFD"), "//79");
}

}  // namespace
}  // namespace warpscope::page
