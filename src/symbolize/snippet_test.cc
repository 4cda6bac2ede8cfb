// How a range reads. Every expectation here is what libtorch 1.13.1 prints for the same range.
#include "symbolize/snippet.h"

#include <string>

#include <gtest/gtest.h>

namespace handrail {
namespace {

std::string Render(std::string_view text, uint64_t start, uint64_t end) {
  const RangeText range = RenderRange(text, start, end, true, "m.py", 7);
  return range.header + (range.has_header ? "|" : "") + range.body;
}

std::string RenderPart(std::string_view text, std::string_view part) {
  const size_t at = text.find(part);
  EXPECT_NE(at, std::string_view::npos);
  return Render(text, at, at + part.size());
}

constexpr std::string_view kLines = "one\ntwo\nthree\nfour = a + b\nfive\nsix\nseven\n";

TEST(Snippet, ShowsTwoLinesBeforeAndAfter) {
  EXPECT_EQ(
      RenderPart(kLines, "a + b"),
      "  File \"m.py\", line 7|two\nthree\nfour = a + b\n       ~~~~~ <--- HERE\nfive\nsix\n");
}

TEST(Snippet, StopsAtTheTextsEnds) {
  EXPECT_EQ(RenderPart("ab c\nx\n", "b"), "  File \"m.py\", line 7|ab c\n ~ <--- HERE\nx\n");
  EXPECT_EQ(RenderPart("x\nab", "b"), "  File \"m.py\", line 7|x\nab\n ~ <--- HERE\n");
}

TEST(Snippet, ARangeAsLongAsTheTextIsTheTextAlone) {
  EXPECT_EQ(Render("model.py(3): forward\nrun.py(9): <module>\n", 0, 41),
            "model.py(3): forward\nrun.py(9): <module>\n");
  EXPECT_EQ(Render("abc", 2, 5), "abc");  // only the length counts
  EXPECT_EQ(Render("", 0, 0), "");
}

TEST(Snippet, ARangeThatStartsBeyondTheTextIsNothing) {
  EXPECT_EQ(Render("abc", 4, 5), "");
}

TEST(Snippet, ARangeThatEndsBeyondTheTextHasNoMark) {
  EXPECT_EQ(Render("a\nbc d\n", 2, 1000), "  File \"m.py\", line 7|a\nbc d\n~~~~\n");
  // Unless there is no newline at the end.
  EXPECT_EQ(Render("a\nbc d", 2, 1000), "  File \"m.py\", line 7|a\nbc d\n~~~~ <--- HERE\n");
}

TEST(Snippet, EachLineOfARangeIsUnderlined) {
  EXPECT_EQ(RenderPart("f(a,\n\n  b)\n.c\n", "(a,\n\n  b)"),
            "  File \"m.py\", line 7|f(a,\n ~~~\n\n  b)\n  ~~ <--- HERE\n.c\n");
  // The byte at the range's end counts too: here it is the 'c', so that no line has the mark.
  EXPECT_EQ(RenderPart("f(a,\n  b)\n  \nc\n", "f(a,\n  b)\n  \n"),
            "  File \"m.py\", line 7|f(a,\n~~~~\n  b)\n  ~~\n  \nc\n");
}

TEST(Snippet, TabsAndBytesBeforeTheRangeBecomeSpaces) {
  EXPECT_EQ(RenderPart("\t\tx = y\n-\n", "x"),
            "  File \"m.py\", line 7|\t\tx = y\n  ~ <--- HERE\n-\n");
  // Columns count bytes: the two bytes of e-acute take two places.
  EXPECT_EQ(RenderPart("\xc3\xa9 = \xc3\xa9\n-\n", " = "),
            "  File \"m.py\", line 7|\xc3\xa9 = \xc3\xa9\n   ~~ <--- HERE\n-\n");
}

TEST(Snippet, AnEmptyRangeHasContextOnly) {
  EXPECT_EQ(Render("a\nbc\nd\n", 3, 3), "  File \"m.py\", line 7|a\nbc\nd\n");
}

TEST(Snippet, ARangeThatEndsBeforeItStarts) {
  EXPECT_EQ(Render("a\nb\nc\nd\ne\nf\ng\nh\n", 12, 0), "  File \"m.py\", line 7|e\nf\ng\nh\n");
}

TEST(Snippet, NoFileNameNoHeader) {
  const RangeText range = RenderRange("ab\n", 0, 1, false, "m.py", 7);
  EXPECT_FALSE(range.has_header);
  EXPECT_EQ(range.header, "");
  EXPECT_EQ(range.body, "ab\n~ <--- HERE\n");
}

}  // namespace
}  // namespace handrail
