#include "handrail/base/string_pool.h"

#include <string>

#include <gtest/gtest.h>

namespace handrail {
namespace {

TEST(StringPool, EqualTextsHaveOneId) {
  StringPool pool;
  const StringId a = pool.Intern("aten::add");
  const StringId empty = pool.Intern("");
  EXPECT_EQ(pool.Intern(std::string("aten::") + "add"), a);
  EXPECT_NE(a, empty);
  EXPECT_EQ(pool.at(empty), "");
  EXPECT_EQ(pool.Find("aten::add"), a);
  EXPECT_TRUE(pool.Find("aten::sub").is_none());
  EXPECT_EQ(pool.size(), 2u);
}

TEST(StringPool, IdsAreDenseAndViewsStayThroughGrowthAndMoves) {
  StringPool pool;
  const std::string_view first = pool.at(pool.Intern("first"));
  for (uint32_t i = 0; i < 10'000; ++i) {
    EXPECT_EQ(pool.Intern("name " + std::to_string(i)).index, i + 1);
  }
  // Longer than a chunk.
  const std::string large(1 << 20, 'x');
  const StringId large_id = pool.Intern(large);
  const StringPool moved = std::move(pool);
  EXPECT_EQ(first, "first");
  EXPECT_EQ(moved.at(StringId{0}).data(), first.data());
  EXPECT_EQ(moved.at(StringId{5000}), "name 4999");
  EXPECT_EQ(moved.at(large_id), large);
}

}  // namespace
}  // namespace handrail
