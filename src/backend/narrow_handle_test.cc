#include "handrail/backend/narrow_handle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace handrail {
namespace {

using testing::ElementsAre;

TEST(NarrowHandleTest, TheFirstSpacesHandlesAreTheirIndex) {
  NarrowHandleSpaces spaces;
  EXPECT_EQ(spaces.Narrow(MakeHandle(77, 0)), 0U);
  EXPECT_EQ(spaces.Narrow(MakeHandle(77, kHandlesPerSpace - 1)), kHandlesPerSpace - 1);
  EXPECT_EQ(spaces.Narrow(MakeHandle(9, 5)), (1U << kHandleIndexBits) + 5);
  EXPECT_EQ(spaces.Narrow(kUnknownHandle), kUnknownNarrowHandle);
  EXPECT_THAT(spaces.spaces(), ElementsAre(77, 9));
}

TEST(NarrowHandleTest, WidensElsewhereFromTheListOfSpaces) {
  const auto spaces = NarrowHandleSpaces::FromSpaces({77, 9});
  ASSERT_TRUE(spaces);
  EXPECT_EQ(spaces->Widen(3), MakeHandle(77, 3));
  EXPECT_EQ(spaces->Widen((1U << kHandleIndexBits) + 5), MakeHandle(9, 5));
  EXPECT_EQ(spaces->Widen(2U << kHandleIndexBits), kUnknownHandle);
  EXPECT_EQ(spaces->Widen(kUnknownNarrowHandle), kUnknownHandle);
}

TEST(NarrowHandleTest, SpacesRunOut) {
  NarrowHandleSpaces spaces;
  for (uint32_t space = 1; space <= 255; ++space) ASSERT_TRUE(spaces.Narrow(MakeHandle(space, 1)));
  const auto next = spaces.Narrow(MakeHandle(256, 1));
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, ErrorCode::kExhausted);
  for (uint32_t space = 1; space <= 255; ++space) {
    EXPECT_EQ(spaces.Widen(*spaces.Narrow(MakeHandle(space, 1))), MakeHandle(space, 1));
  }
}

TEST(NarrowHandleTest, RefusesWhatNoRecorderIssues) {
  NarrowHandleSpaces spaces;
  EXPECT_EQ(spaces.Narrow(-2).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(spaces.Narrow(DebugHandle{1} << 53).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(NarrowHandleSpaces::FromSpaces({kHandleSpaceCount}).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(NarrowHandleSpaces::FromSpaces(std::vector<uint32_t>(256, 1)).error().code,
            ErrorCode::kLimit);
}

}  // namespace
}  // namespace handrail
