// Handles printed without separators: only what PyTorch can have printed, and all of it.
#include "symbolize/handle_split.h"

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "symbolize/handle_roles.h"
#include "symbolize/symbolize_fixture.h"

namespace handrail {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Ways = std::vector<std::vector<DebugHandle>>;

class HandleSplit : public ::testing::Test {
 protected:
  void AddInstruction(DebugHandle handle) { Add(handle, "aten::add", "__torch__.Outer.forward"); }
  void AddCall(DebugHandle handle) { Add(handle, "prim::CallMethod", "__torch__.Outer.forward"); }
  void AddBackendNode(DebugHandle handle) { Add(handle, "aten::add", ""); }
  void AddBackendCall(DebugHandle handle) {
    Add(handle, "prim::CallMethod", std::string(kWrapperType) + ".forward");
  }
  Ways Split(std::string_view digits, size_t ways_max = 8) {
    if (!map_) map_.emplace(maker_.Make());
    Ways ways;
    is_complete_ = SplitForMap(*map_, digits, ways_max, ways);
    return ways;
  }

  bool is_complete_ = false;

 private:
  void Add(DebugHandle handle, std::string_view name, const std::string& function) {
    maker_.Add(handle, name, maker_.builder.AddGap(RangeGap::kNull), {}, function);
  }
  TestMap maker_;
  std::optional<DebugMap> map_;
};

TEST_F(HandleSplit, DenseInstructionsDoNotCombine) {
  for (DebugHandle handle = 0; handle < 200; ++handle) AddInstruction(handle);
  EXPECT_EQ(Split("123"), (Ways{{123}}));
  EXPECT_EQ(Split("12"), (Ways{{12}}));
  EXPECT_THAT(Split("200"), IsEmpty());
  EXPECT_THAT(Split("012"), IsEmpty());  // nothing prints leading zeros
  EXPECT_THAT(Split("-"), IsEmpty());
}

TEST_F(HandleSplit, AroundAnInstructionThereAreCalls) {
  AddInstruction(72);
  AddCall(446);
  AddCall(44);
  EXPECT_EQ(Split("72446"), (Ways{{72, 446}}));
  EXPECT_EQ(Split("7244446"), (Ways{{72, 44, 446}}));
  EXPECT_THAT(Split("44672"), IsEmpty());  // an instruction is innermost or not at all
}

TEST_F(HandleSplit, NoHandleIsMinusOne) {
  AddInstruction(72);
  EXPECT_EQ(Split("72-1"), (Ways{{72, -1}}));
  EXPECT_EQ(Split("-1-1"), (Ways{{-1, -1}}));
  EXPECT_THAT(Split("72-2"), IsEmpty());
}

TEST_F(HandleSplit, ABackendIsCalledByGeneratedCode) {
  AddBackendNode(3);
  AddInstruction(8);
  AddCall(9);
  AddBackendCall(40);
  EXPECT_EQ(Split("3"), (Ways{{3}}));
  EXPECT_EQ(Split("340"), (Ways{{3, 40}}));
  EXPECT_EQ(Split("33409"), (Ways{{3, 3, 40, 9}}));
  EXPECT_THAT(Split("39"), IsEmpty());
  EXPECT_THAT(Split("38"), IsEmpty());
  EXPECT_THAT(Split("403"), IsEmpty());
}

TEST_F(HandleSplit, SeveralWaysAreAllListed) {
  AddInstruction(1);
  AddInstruction(12);
  AddCall(23);
  AddCall(3);
  EXPECT_EQ(Split("123"), (Ways{{12, 3}, {1, 23}}));
  EXPECT_TRUE(is_complete_);
  EXPECT_EQ(Split("123", 1), (Ways{{12, 3}}));
  EXPECT_FALSE(is_complete_);
}

TEST_F(HandleSplit, AMapThatDoesNotSayWhatHandlesAreAdmitsEverything) {
  TestMap maker;
  const RangeId stripped = maker.builder.AddGap(RangeGap::kStripped);
  for (DebugHandle handle = 0; handle < 30; ++handle) maker.Add(handle, "", stripped);
  Ways ways;
  EXPECT_TRUE(SplitForMap(maker.Make(), "123", 8, ways));
  EXPECT_EQ(ways, (Ways{{12, 3}, {1, 23}, {1, 2, 3}}));
}

TEST_F(HandleSplit, LongRunsEnd) {
  AddCall(1);
  AddCall(11);
  EXPECT_EQ(Split(std::string(512, '1')).size(), 8u);
  EXPECT_FALSE(is_complete_);
  EXPECT_THAT(Split(std::string(511, '1') + "0"), IsEmpty());
}

}  // namespace
}  // namespace handrail
