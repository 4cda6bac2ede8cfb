#include "archive/quoted.h"

#include <gtest/gtest.h>

namespace handrail {
namespace {

TEST(QuotedTest, AMessageStaysOneLineOfPrintableText) {
  EXPECT_EQ(Quoted("code/m.py"), "'code/m.py'");
  EXPECT_EQ(Quoted(""), "''");
  EXPECT_EQ(Quoted("a\n'\\\x7f\xc3"), "'a\\x0a\\x27\\x5c\\x7f\\xc3'");
  EXPECT_EQ(Quoted(std::string(80, 'a')), "'" + std::string(80, 'a') + "'");
  EXPECT_EQ(Quoted(std::string(81, 'a')), "'" + std::string(80, 'a') + "...'");
}

}  // namespace
}  // namespace handrail
