#include "script/lexer.h"

#include <string>

#include <gtest/gtest.h>

namespace handrail::script {
namespace {

// Tokens as `text` or `<description>`, separated by spaces.
std::string TokensOf(std::string_view text) {
  const SourceText source{.name = "f.py", .first_line = 1, .text = text};
  Lexer lexer(source);
  std::string out;
  while (true) {
    const Token token = lexer.Next();
    if (!out.empty()) out += ' ';
    switch (token.kind) {
      case TokenKind::kInvalid:
        return out + lexer.error().message;
      case TokenKind::kEnd:
        return out + "<end>";
      case TokenKind::kNewline:
        out += "<newline>";
        break;
      case TokenKind::kIndent:
        out += "<indent>";
        break;
      case TokenKind::kDedent:
        out += "<dedent>";
        break;
      default:
        out += TextOf(source, token.range);
    }
  }
}

TokenKind FirstKind(std::string_view text) {
  const SourceText source{.name = "f.py", .first_line = 1, .text = text};
  return Lexer(source).Next().kind;
}

TEST(Lexer, TakesTheLongestSymbol) {
  EXPECT_EQ(
      TokensOf("a**=b**c*=d<<=e<<f<=g<h->i...j..k.l!=m//n/=o"),
      "a **= b ** c *= d <<= e << f <= g < h -> i ... j . . k . l != m // n /= o <newline> <end>");
  EXPECT_EQ(TokensOf("a//=b @=c"), "a // = b @ = c <newline> <end>");
}

TEST(Lexer, TellsKeywordsFromNames) {
  EXPECT_EQ(FirstKind("if"), TokenKind::kIf);
  EXPECT_EQ(FirstKind("iff"), TokenKind::kName);
  EXPECT_EQ(FirstKind("continue"), TokenKind::kContinue);
  EXPECT_EQ(FirstKind("continued"), TokenKind::kName);
  EXPECT_EQ(FirstKind("NoneType"), TokenKind::kNoneType);
  EXPECT_EQ(FirstKind("Ellipsis"), TokenKind::kEllipsis);
  EXPECT_EQ(FirstKind("___torch_mangle_3"), TokenKind::kName);
  EXPECT_EQ(FirstKind("lambda"), TokenKind::kName);
}

TEST(Lexer, TwoWordsMakeOneOperator) {
  EXPECT_EQ(FirstKind("is not x"), TokenKind::kIsNot);
  EXPECT_EQ(FirstKind("is  \t\\\n not x"), TokenKind::kIsNot);
  EXPECT_EQ(FirstKind("is"), TokenKind::kIs);
  EXPECT_EQ(FirstKind("is nothing"), TokenKind::kIs);
  EXPECT_EQ(FirstKind("is\nnot x"), TokenKind::kIs);
  EXPECT_EQ(FirstKind("not in x"), TokenKind::kNotIn);
  EXPECT_EQ(FirstKind("not in"), TokenKind::kNotIn);
  EXPECT_EQ(FirstKind("not inputs"), TokenKind::kNot);
  EXPECT_EQ(FirstKind("not i"), TokenKind::kNot);
  EXPECT_EQ(TokensOf("(a is # b\n not c)"), "( a is # b\n not c ) <newline> <end>");
}

TEST(Lexer, ReadsNumbersAsStrtodDoes) {
  for (const std::string_view number :
       {"0", "12", "1.", "1.5", ".5", "1e5", "1E+5", "1.e-5", "1.0000000000000001e-05", "0x1F",
        "0X.8p-3", "0x1.8p3", "2j", "1.5j", "1e5j"}) {
    EXPECT_EQ(TokensOf(number), std::string(number) + " <newline> <end>");
    EXPECT_EQ(FirstKind(number), TokenKind::kNumber) << number;
  }
  EXPECT_EQ(TokensOf("1e 1e+ 0x 1_000 1.2.3 1..f 5j5"),
            "1 e 1 e + 0 x 1 _000 1.2 .3 1. . f 5j 5 <newline> <end>");
}

TEST(Lexer, ReadsStrings) {
  EXPECT_EQ(TokensOf(R"('a' "b" '''c'd''' """e"f""" '' "" 'g\'h' "\\")"),
            R"('a' "b" '''c'd''' """e"f""" '' "" 'g\'h' "\\" <newline> <end>)");
  EXPECT_EQ(TokensOf("'a\\\nb' '''c\nd'''"), "'a\\\nb' '''c\nd''' <newline> <end>");
  EXPECT_EQ(FirstKind("f'a'"), TokenKind::kFormatString);
  EXPECT_EQ(FirstKind("g"), TokenKind::kName);
}

TEST(Lexer, MakesBlocksOfIndentation) {
  EXPECT_EQ(TokensOf("a\n  b\n\n  c\n    d\ne\n"),
            "a <indent> b <newline> c <indent> d <newline> <dedent> <dedent> e <newline> <end>");
  EXPECT_EQ(TokensOf("a\n  b\n    c"), "a <indent> b <indent> c <newline> <dedent> <dedent> <end>");
}

TEST(Lexer, TheWholeTextMayBeIndented) {
  EXPECT_EQ(TokensOf("\n    a\n      b\n    c\n  "),
            "a <indent> b <newline> <dedent> c <newline> <end>");
}

TEST(Lexer, CommentsAndEmptyLinesHaveNoIndentation) {
  EXPECT_EQ(TokensOf("a\n  b # x\n# y\n \n\t\n      # z\n  c\n"),
            "a <indent> b <newline> c <newline> <dedent> <end>");
  EXPECT_EQ(TokensOf("# only"), "<end>");
  EXPECT_EQ(TokensOf(""), "<end>");
  EXPECT_EQ(TokensOf(" \n\t\n"), "<end>");
}

TEST(Lexer, LinesGoOnInBracketsAndBehindBackslashes) {
  EXPECT_EQ(TokensOf("(a\nb[\n  c # d\n]\n)\ne \\\n f \\\r\n g\n"),
            "( a b [ c ] ) <newline> e f g <newline> <end>");
}

TEST(Lexer, CarriageReturnsAreBlank) {
  EXPECT_EQ(TokensOf("a\r\n  b\r\n\r\n  c\r\nd\r\n"),
            "a <indent> b <newline> c <newline> <dedent> d <newline> <end>");
}

TEST(Lexer, TypeCommentsAreTokens) {
  EXPECT_EQ(TokensOf("a # type: (int)\nb # type: ignore\nc # type:ignore[x]\n#type: d\n"),
            "a # type: ( int ) <newline> b <newline> c <newline> <end>");
}

TEST(Lexer, NamesMayBeUtf8) {
  EXPECT_EQ(TokensOf("größe_1 = ŷ"), "größe_1 = ŷ <newline> <end>");
  EXPECT_EQ(TokensOf("a\xff"), "f.py:1:2: a name that is not UTF-8\na?\n ~ <--- HERE");
}

TEST(Lexer, RangesOfLineStructureAreTheNextLinesWhiteSpace) {
  const SourceText source{.name = "", .first_line = 1, .text = "a\n  # b\n   c\nd"};
  Lexer lexer(source);
  EXPECT_EQ(lexer.Next().range, (TextRange{0, 1}));
  const Token indent = lexer.Next();
  EXPECT_EQ(indent.kind, TokenKind::kIndent);
  EXPECT_EQ(indent.range, (TextRange{8, 11}));
  EXPECT_EQ(lexer.Next().range, (TextRange{11, 12}));
  EXPECT_EQ(lexer.Next().range, (TextRange{13, 13}));
  EXPECT_EQ(lexer.Next().range, (TextRange{13, 13}));
  EXPECT_EQ(lexer.Next().range, (TextRange{13, 14}));
}

TEST(Lexer, LooksAheadForEqualsOnly) {
  const auto next_is_equals = [](std::string_view text) {
    const SourceText source{.name = "", .first_line = 1, .text = text};
    Lexer lexer(source);
    lexer.Next();
    lexer.Next();
    return lexer.NextIsEquals();
  };
  EXPECT_TRUE(next_is_equals("(a=1)"));
  EXPECT_TRUE(next_is_equals("(a \\\n # =\n = 1)"));
  EXPECT_FALSE(next_is_equals("(a == 1)"));
  EXPECT_FALSE(next_is_equals("(a, b=1)"));
  EXPECT_FALSE(next_is_equals("(a"));
}

}  // namespace
}  // namespace handrail::script
