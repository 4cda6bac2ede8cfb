#include "lowering/edited_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace handrail {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(EditedTextTest, SaysWhereBytesWent) {
  const EditedText edited("one two three", 0, 13, {{8, 13, "3"}, {0, 3, "first"}});
  EXPECT_EQ(edited.text(), "first two 3");
  EXPECT_EQ(edited.OffsetOf(0), 0);
  EXPECT_EQ(edited.OffsetOf(2), 0);  // was replaced
  EXPECT_EQ(edited.OffsetOf(3), 5);
  EXPECT_EQ(edited.OffsetOf(8), 10);
  EXPECT_EQ(edited.OffsetOf(13), 11);
  EXPECT_EQ(edited.OffsetOf(14), std::nullopt);
}

TEST(EditedTextTest, OfAPiece) {
  const EditedText edited("one two three", 4, 8, {{4, 7, "second"}});
  EXPECT_EQ(edited.text(), "second ");
  EXPECT_EQ(edited.OffsetOf(3), std::nullopt);
  EXPECT_EQ(edited.OffsetOf(7), 6);
}

TEST(EditedTextTest, MentionsAreWholeNames) {
  EXPECT_THAT(MentionsOf("a.B a.BC x.a.B a.B.c (a.B)", 0, 26, "a.B"), ElementsAre(0U, 22U));
  EXPECT_THAT(MentionsOf("a.B a.B", 1, 6, "a.B"), IsEmpty());
}

}  // namespace
}  // namespace handrail
