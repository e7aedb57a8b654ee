#include "report/xml.h"

#include <gtest/gtest.h>

namespace warpscope::report {
namespace {

TEST(Xml, MarkupIsText) { EXPECT_EQ(XmlText("<a b='c\"'>&"), "&lt;a b=&#39;c&quot;&#39;&gt;&amp;"); }

TEST(Xml, NonCharactersAreReplaced) {
  EXPECT_EQ(XmlText("a\xef\xbf\xbe"
                    "b\xef\xbf\xbf"),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd");
  EXPECT_EQ(XmlText("\xef\xbf\xbd"), "\xef\xbf\xbd");
  EXPECT_EQ(XmlText("\xef\xbe\xbf"), "\xef\xbe\xbf");  // U+FFBF is a character
}

TEST(Xml, BrokenBytesAndControls) { EXPECT_EQ(XmlText("\x1b\xbf").find('\x1b'), std::string::npos); }

}  // namespace
}  // namespace warpscope::report
