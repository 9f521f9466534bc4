#include <gtest/gtest.h>

#include "base/text.h"

namespace opscope {
namespace {

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(DisplayWidth(""), 0U);
  EXPECT_EQ(DisplayWidth("conv1"), 5U);
  EXPECT_EQ(DisplayWidth("\u7b97\u5b50\u955c"), 6U);    // three ideographs
  EXPECT_EQ(DisplayWidth("\uff21"), 2U);                // fullwidth A
  EXPECT_EQ(DisplayWidth("\uac00"), 2U);                // Hangul syllable
  EXPECT_EQ(DisplayWidth("e\u0301"), 1U);               // combining acute
  EXPECT_EQ(DisplayWidth("\U0001f680"), 2U);            // rocket
  EXPECT_EQ(DisplayWidth("\u00e9\u0416\u03c0"), 3U);    // Latin, Cyrillic, Greek
  EXPECT_EQ(DisplayWidth("\U00020000\U0003fffd"), 4U);  // the ideographic planes
  EXPECT_EQ(DisplayWidth("a\u200b\u00ad"), 2U);         // zero width space, soft hyphen
  EXPECT_EQ(DisplayWidth("\xff\xfe"), 2U);              // invalid bytes show as U+FFFD
}

TEST(Printable, DisarmsHostileNames) {
  EXPECT_EQ(Printable("layers.0/MatMul"), "layers.0/MatMul");
  EXPECT_EQ(Printable("a\tb\nc"), "a b c");
  EXPECT_EQ(Printable("\x1b[31mred"), "\ufffd[31mred");
  EXPECT_EQ(Printable(std::string_view("a\0b", 3)), "a\ufffdb");
  EXPECT_EQ(Printable("\x7f\u0085"), "\ufffd\ufffd");                  // DEL, a C1 control
  EXPECT_EQ(Printable("\u202e\u2066x\u2069"), "\ufffd\ufffdx\ufffd");  // bidi
  EXPECT_EQ(Printable("\u7b97\u5b50"), "\u7b97\u5b50");
}

TEST(ValidUtf8, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(ValidUtf8("\u7b97"), "\u7b97");
  EXPECT_EQ(ValidUtf8("\xe7\xae"), "\ufffd");                  // cut ideograph: one replacement
  EXPECT_EQ(ValidUtf8("\xc0\x80"), "\ufffd\ufffd");            // overlong NUL
  EXPECT_EQ(ValidUtf8("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");  // a surrogate
  EXPECT_EQ(ValidUtf8("\xf4\x90\x80\x80"), "\ufffd\ufffd\ufffd\ufffd");  // beyond U+10FFFF
  EXPECT_EQ(ValidUtf8("a\x80z"), "a\ufffdz");
  EXPECT_EQ(ValidUtf8("\xf0\x9f\x9a\x80"), "\U0001f680");
}

TEST(CutMiddle, KeepsBothEnds) {
  EXPECT_EQ(CutMiddle("short", 5), "short");
  EXPECT_EQ(CutMiddle("layers.0/self_attn/q_proj/MatMul", 20), "layers.0/../MatMul");
  EXPECT_EQ(CutMiddle("abcdefghijkl", 8), "abc..jkl");
  EXPECT_EQ(CutMiddle("abcdefghijkl", 7), "ab..jkl");
  EXPECT_EQ(CutMiddle("abc", 2), "..");
  EXPECT_EQ(CutMiddle("abc", 1), ".");
  EXPECT_EQ(CutMiddle("abc", 0), "");
}

TEST(CutMiddle, NeverExceedsTheColumns) {
  const std::string wide = "\u7b97\u5b50\u955c\u8fd0\u884c\u65f6/\u5377\u79ef";
  for (std::size_t columns = 0; columns < 20; ++columns)
    EXPECT_LE(DisplayWidth(CutMiddle(wide, columns)), columns) << columns;
}

TEST(TextTable, AlignsByDisplayWidth) {
  TextTable table({{"layer"}, {"time", Align::kRight}, {"note"}});
  table.AddRow({"conv1", "3.4 ms", "\u5377\u79ef"});
  table.AddRow({"\u5377\u79ef\u5c42", "12.0 ms", ""});
  table.AddRow({"x"});
  EXPECT_EQ(table.Render(),
            "layer      time  note\n"
            "conv1    3.4 ms  \u5377\u79ef\n"
            "\u5377\u79ef\u5c42  12.0 ms\n"
            "x\n");
  EXPECT_EQ(table.rows(), 3U);
}

TEST(TextTable, CutsCellsAndLeavesTheHeaderOut) {
  TextTable table({{"layer", Align::kLeft, 8}, {"n", Align::kRight}});
  table.AddRow({"abcdefghijkl", "1"});
  EXPECT_EQ(table.Render(false), "abc..jkl  1\n");
}

TEST(Nearest, FindsMisspellings) {
  const std::vector<std::string> verbs = {"analyze", "inspect", "import", "profile"};
  EXPECT_EQ(Nearest("analyse", verbs), std::vector<std::string>{"analyze"});
  EXPECT_EQ(Nearest("inport", verbs), std::vector<std::string>{"import"});
  EXPECT_EQ(Nearest("xyz", verbs), std::vector<std::string>{});
  EXPECT_EQ(Nearest("", verbs), std::vector<std::string>{});
  EXPECT_EQ(Nearest(std::string(1000000, 'a'), verbs), std::vector<std::string>{});
  EXPECT_EQ(Nearest("abc", {"abd", "abc"}), (std::vector<std::string>{"abc", "abd"}));
}

// At blanks, else behind operators, else where the line ends; wide characters count twice.
TEST(Text, FoldedToColumns) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(Folded("one two three", 8), (Lines{"one two", "three"}));
  EXPECT_EQ(Folded("batch*heads*length", 14), (Lines{"batch*heads*", "length"}));
  EXPECT_EQ(Folded("abcdefgh", 3), (Lines{"abc", "def", "gh"}));
  EXPECT_EQ(Folded("\xe5\xb1\x82\xe5\xb1\x82\xe5\xb1\x82", 5),
            (Lines{"\xe5\xb1\x82\xe5\xb1\x82", "\xe5\xb1\x82"}));
  EXPECT_EQ(Folded("", 5), Lines{""});
}

}  // namespace
}  // namespace opscope
