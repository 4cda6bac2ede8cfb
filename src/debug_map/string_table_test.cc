#include "debug_map/string_table.h"

#include <gtest/gtest.h>

#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/debug_map/debug_map_writer.h"

#include "debug_map/layout.h"

namespace handrail {
namespace {

using debug_map::TakeApart;

const std::string kMark = std::string(1, debug_map::kNumberMark) + std::string(1, '\0');

TEST(StringTable, TakesTheNumberOutOfAName) {
  const auto parts = [](std::string_view text) {
    const auto taken = TakeApart(text);
    return std::pair(taken.pattern, taken.number_plus_one);
  };
  EXPECT_EQ(parts("forward"), std::pair(std::string("forward"), uint64_t{0}));
  EXPECT_EQ(parts("layer0"), std::pair("layer" + kMark, uint64_t{1}));
  EXPECT_EQ(parts("conv.___torch_mangle_123.Conv2d"),
            std::pair("conv.___torch_mangle_" + kMark + ".Conv2d", uint64_t{124}));
  EXPECT_EQ(parts("m.___torch_mangle_3.Conv2d"),
            std::pair("m.___torch_mangle_" + kMark + ".Conv2d", uint64_t{4}));
  // Leading zeros are kept by the least width.
  EXPECT_EQ(parts("part_007.py"), std::pair("part_" + std::string("\0\3", 2) + ".py", uint64_t{8}));
  // Too long for a number, or the mark itself: no number.
  EXPECT_EQ(parts("x1234567890").second, 0u);
  EXPECT_EQ(parts(std::string_view("a\0b1", 4)).second, 0u);
}

TEST(StringTable, GivesBackEveryString) {
  std::vector<std::string> names = {"",
                                    "0",
                                    "00",
                                    "000000007",
                                    "1234567890",
                                    "x\xff\xfe 5",
                                    std::string("a\0b", 3),
                                    std::string("a\0b12", 5),
                                    std::string(2000, 'q') + "7",
                                    std::string(600, '9')};
  for (int i = 0; i < 300; ++i) {
    names.push_back("aten::op_" + std::to_string(i * i));
    names.push_back("__torch__.net.___torch_mangle_" + std::to_string(i) + ".Block" +
                    std::to_string(i % 7));
  }
  DebugInfoBuilder builder;
  ASSERT_TRUE(builder.BeginUnit({.kind = UnitKind::kBytecode, .key = HashBytes("k")}));
  const RangeId null = builder.AddGap(RangeGap::kNull);
  for (const std::string& name : names) ASSERT_TRUE(builder.AddNode(name, null));
  const auto map = DebugMap::FromBytes(*EncodeDebugMap(std::move(builder).Finish()), "m.hdm");
  ASSERT_TRUE(map);
  TextBuffer buffer;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto found = map->Find(static_cast<DebugHandle>(i));
    ASSERT_TRUE(found);
    EXPECT_EQ(map->string(found->node.name, buffer), names[i]);
  }
}

}  // namespace
}  // namespace handrail
