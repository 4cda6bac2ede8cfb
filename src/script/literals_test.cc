#include "script/literals.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "script/script.h"

namespace handrail::script {
namespace {

using std::string_literals::operator""s;

Result<SyntaxTree> Parsed(std::string_view text) {
  return ParseExpression({.name = "f.py", .first_line = 1, .text = text});
}

std::string StringOf(std::string_view text) {
  const auto tree = Parsed(text);
  return tree ? StringValue(*tree, tree->root()) : tree.error().message;
}

Result<Number> NumberOf(std::string_view text) {
  const auto tree = Parsed(text);
  HANDRAIL_RETURN_IF_ERROR(tree);
  return NumberValue(*tree, tree->root());
}

TEST(StringValue, KnowsTheEscapes) {
  EXPECT_EQ(StringOf(R"('a\\b\'c\"d')"), R"(a\b'c"d)");
  EXPECT_EQ(StringOf(R"("\a\b\f\n\r\t\v")"), "\a\b\f\n\r\t\v");
  EXPECT_EQ(StringOf(R"('\000\101\377\0019')"), "\0A\377\0019"s);
  EXPECT_EQ(StringOf("'a\\\nb'"), "a\nb");
}

TEST(StringValue, KeepsBytesThatAreNotEscaped) {
  EXPECT_EQ(StringOf("'é→'"), "é→");
  EXPECT_EQ(StringOf("'''a\r\n'b\"'''"), "a\r\n'b\"");
  EXPECT_EQ(StringOf("''"), "");
  EXPECT_EQ(StringOf("''''''"), "");
}

TEST(StringValue, JoinsAdjacentLiterals) {
  EXPECT_EQ(StringOf("'a' \"b\"'''c'''"), "abc");
  EXPECT_EQ(StringOf("('a' # 'x'\n\n  'b')"), "ab");
  EXPECT_EQ(StringOf("'a' \\\n 'b\\n'"), "ab\n");
}

TEST(StringValue, OfTextInAFormatString) {
  const auto tree = Parsed("f'a{{b}}\\n{c}\\'d'");
  ASSERT_TRUE(tree) << tree.error().message;
  const SyntaxIds parts = tree->children(tree->root());
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(StringValue(*tree, parts[0]), "a{b}\n");
  EXPECT_EQ(tree->kind(parts[1]), NodeKind::kName);
  EXPECT_EQ(StringValue(*tree, parts[2]), "'d");
}

TEST(CheckEscapes, RefusesWhatPyTorchDoesNotKnow) {
  for (const std::string_view text : {R"('\x41')", R"('\u0041')", R"('\d')", R"('\0')", R"('\08 ')",
                                      R"('\400')", R"('\12')", R"(f'\x{a}')"}) {
    const auto tree = Parsed(text);
    ASSERT_FALSE(tree) << text;
    EXPECT_EQ(tree.error().code, ErrorCode::kUnsupported);
    EXPECT_EQ(tree.error().offset, text.find('\\'));
  }
  EXPECT_EQ(StringOf(R"('ab\xff')"),
            "f.py:1:4: this escape is not supported: need one of \\\\ \\' \\\" \\a \\b \\f \\n \\r "
            "\\t \\v or three octal digits below 400\n'ab\\xff'\n   ~~ <--- HERE");
}

TEST(NumberValue, Integers) {
  EXPECT_EQ(NumberOf("0"), Number(int64_t{0}));
  EXPECT_EQ(NumberOf("00"), Number(int64_t{0}));
  EXPECT_EQ(NumberOf("0x1F"), Number(int64_t{31}));
  EXPECT_EQ(NumberOf("-7"), Number(int64_t{-7}));
  EXPECT_EQ(NumberOf("9223372036854775807"), Number(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(NumberOf("-9223372036854775808"), Number(std::numeric_limits<int64_t>::min()));
  EXPECT_EQ(NumberOf("9223372036854775808").error().code, ErrorCode::kLimit);
  EXPECT_EQ(NumberOf("-9223372036854775809").error().code, ErrorCode::kLimit);
  EXPECT_EQ(NumberOf("99999999999999999999").error().message,
            "f.py:1:1: this integer does not fit into 64 bits\n99999999999999999999\n"
            "~~~~~~~~~~~~~~~~~~~~ <--- HERE");
  EXPECT_EQ(NumberOf("010").error().code, ErrorCode::kUnsupported);
}

TEST(NumberValue, FloatsAreExact) {
  EXPECT_EQ(NumberOf("1."), Number(1.0));
  EXPECT_EQ(NumberOf(".5"), Number(0.5));
  EXPECT_EQ(NumberOf("1.0000000000000001e-05"), Number(1.0000000000000001e-05));
  EXPECT_EQ(NumberOf("-2.5E3"), Number(-2500.0));
  EXPECT_EQ(NumberOf("4.9406564584124654e-324"), Number(std::numeric_limits<double>::denorm_min()));
  EXPECT_EQ(NumberOf("1e999"), Number(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(NumberOf("-1e999"), Number(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(NumberOf("1e-999"), Number(0.0));
  EXPECT_TRUE(std::signbit(std::get<double>(*NumberOf("-0.0"))));
  EXPECT_EQ(NumberOf("0x1.8p3"), Number(12.0));
  EXPECT_EQ(NumberOf("0x1p4"), Number(16.0));
}

TEST(NumberValue, Complex) {
  EXPECT_EQ(NumberOf("2j"), Number(std::complex<double>(0, 2)));
  EXPECT_EQ(NumberOf("-1.5e3j"), Number(std::complex<double>(0, -1500)));
}

}  // namespace
}  // namespace handrail::script
