#include "archive/memory_budget.h"

#include <gtest/gtest.h>

namespace handrail {
namespace {

TEST(MemoryBudgetTest, GrowsWithTheFile) {
  EXPECT_EQ(MemoryBudget(0).total_bytes(), limits::kArchiveMemoryBase);
  EXPECT_EQ(MemoryBudget(100).total_bytes(),
            limits::kArchiveMemoryBase + 100 * limits::kArchiveMemoryFactor);
  EXPECT_EQ(MemoryBudget(UINT64_MAX).total_bytes(), UINT64_MAX);
}

TEST(MemoryBudgetTest, TakesAllOrNothing) {
  MemoryBudget budget = MemoryBudget::OfBytes(100);
  EXPECT_TRUE(budget.Take(60, "x"));
  const Status refused = budget.Take(41, "x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLimit);
  EXPECT_EQ(refused.error().message, "x: need 41 bytes of memory, have 40 of 100 left");
  EXPECT_TRUE(budget.Take(40, "x"));
  budget.Give(100);
  EXPECT_EQ(budget.left_bytes(), 100u);
}

TEST(MemoryBudgetTest, AChargeGivesBackOnce) {
  MemoryBudget budget = MemoryBudget::OfBytes(100);
  {
    MemoryCharge charge(budget);
    EXPECT_TRUE(charge.Take(30, "x"));
    EXPECT_TRUE(charge.Take(30, "x"));
    MemoryCharge moved = std::move(charge);
    EXPECT_EQ(moved.taken_bytes(), 60u);
    EXPECT_EQ(budget.left_bytes(), 40u);
  }
  EXPECT_EQ(budget.left_bytes(), 100u);
}

}  // namespace
}  // namespace handrail
