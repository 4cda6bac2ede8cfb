#include "handrail/debug_info/debug_info_builder.h"

#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace handrail {
namespace {

TEST(Handle, BitsAreWhereTheHeaderSays) {
  EXPECT_EQ(MakeHandle(0, 7), 7);
  EXPECT_EQ(MakeHandle(1, 0), 1 << 24);
  const DebugHandle largest = MakeHandle(kHandleSpaceCount - 1, kHandlesPerSpace - 1);
  EXPECT_EQ(largest, (int64_t{1} << 53) - 1);
  EXPECT_EQ(HandleSpaceOf(largest), kHandleSpaceCount - 1);
  EXPECT_EQ(HandleIndexOf(largest), kHandlesPerSpace - 1);
  EXPECT_TRUE(IsWellFormed(largest));
  EXPECT_FALSE(IsWellFormed(largest + 1));
  EXPECT_FALSE(IsWellFormed(kUnknownHandle));
}

TEST(Handle, SpacesComeFromTheKeyAndAreNeverTheBytecodes) {
  const Hash128 key = HashBytes("a key");
  EXPECT_EQ(HandleSpaceForKey(key, 0), HandleSpaceForKey(key, 0));
  EXPECT_NE(HandleSpaceForKey(key, 0), HandleSpaceForKey(key, 1));
  EXPECT_EQ(HandleSpaceForKey(Hash128{0, 5}, 0), 1u);
  EXPECT_LT(HandleSpaceForKey(Hash128{UINT64_MAX, 0}, 0), kHandleSpaceCount);
}

TEST(DebugInfoBuilder, EqualRowsAreStoredOnce) {
  DebugInfoBuilder builder;
  const SourceId source =
      builder.AddSource({.file_name = "m.py", .first_line = 1, .text = "x + y\n"});
  EXPECT_EQ(builder.AddSource({.file_name = "m.py", .first_line = 1, .text = "x + y\n"}), source);
  EXPECT_NE(builder.AddSource({.file_name = "m.py", .first_line = 2, .text = "x + y\n"}), source);
  EXPECT_NE(builder.AddSource({.file_name = {}, .first_line = 1, .text = "x + y\n"}),
            builder.AddSource({.file_name = "", .first_line = 1, .text = "x + y\n"}));
  const RangeId range = builder.AddRange(source, 0, 5);
  EXPECT_EQ(builder.AddRange(source, Position{1, 1}, Position{1, 6}), range);
  const StackId outer = builder.AddCall({}, "forward", ModuleInstance{"__torch__.A", "a"}, range);
  const StackId inner = builder.AddCall(outer, "helper", std::nullopt, range);
  EXPECT_EQ(builder.AddCall(outer, "helper", std::nullopt, range), inner);
  EXPECT_NE(builder.AddCall({}, "helper", std::nullopt, range), inner);
}

TEST(DebugInfoBuilder, ByteOffsetsBecomePositions) {
  DebugInfoBuilder builder;
  // Lines begin at 0, 3 and 7; columns count bytes: the arrow has three.
  const SourceId source =
      builder.AddSource({.file_name = "m.py", .first_line = 10, .text = "ab\n\xe2\x86\x92\ncd"});
  const auto range = [&](uint64_t start, uint64_t end) {
    return builder.range(builder.AddRange(source, start, end));
  };
  EXPECT_EQ(range(0, 2), (SourceRange{source, {1, 1}, {1, 3}, {}}));
  EXPECT_EQ(range(2, 3), (SourceRange{source, {1, 3}, {2, 1}, {}}));
  EXPECT_EQ(range(6, 7), (SourceRange{source, {2, 4}, {3, 1}, {}}));
  // The end may lie beyond the text: the last line goes on.
  EXPECT_EQ(range(9, 1000), (SourceRange{source, {3, 3}, {3, 994}, {}}));
  EXPECT_EQ(range(10, 12), (SourceRange{{}, {}, {}, RangeGap::kOutsideText}));
}

TEST(DebugInfoBuilder, BytecodeHandlesAreDenseFromZero) {
  DebugInfoBuilder builder;
  const RangeId null = builder.AddGap(RangeGap::kNull);
  ASSERT_TRUE(builder.BeginUnit({.kind = UnitKind::kBytecode, .key = HashBytes("k")}));
  for (DebugHandle handle = 0; handle < 100; ++handle) {
    EXPECT_EQ(builder.AddNode("aten::add", null), handle);
  }
}

TEST(DebugInfoBuilder, ALoweringOfMoreNodesTakesAFurtherSpace) {
  DebugInfoBuilder builder;
  const RangeId null = builder.AddGap(RangeGap::kNull);
  const StringId name = builder.AddString("aten::add");
  const Hash128 key = HashBytes("a large lowering");
  ASSERT_TRUE(builder.BeginUnit({.kind = UnitKind::kBackend, .key = key}));
  for (uint32_t i = 0; i < kHandlesPerSpace; ++i) {
    const auto handle = builder.AddNode(name, null);
    ASSERT_TRUE(handle);
    ASSERT_EQ(HandleIndexOf(*handle), i);
  }
  const auto next = builder.AddNode(name, null);
  ASSERT_TRUE(next);
  EXPECT_EQ(*next, MakeHandle(HandleSpaceForKey(key, 1), 0));
  const DebugInfo info = std::move(builder).Finish();
  EXPECT_EQ(info.units[0].handles.size(), size_t{kHandlesPerSpace} + 1);
  EXPECT_TRUE(std::is_sorted(info.units[0].handles.begin(), info.units[0].handles.end()));
}

TEST(DebugInfoBuilder, BytecodeRunsOutLoudly) {
  DebugInfoBuilder builder;
  const RangeId null = builder.AddGap(RangeGap::kNull);
  const StringId name = builder.AddString("aten::add");
  ASSERT_TRUE(builder.BeginUnit({.kind = UnitKind::kBytecode, .key = HashBytes("k")}));
  for (uint32_t i = 0; i < kHandlesPerSpace; ++i) ASSERT_TRUE(builder.AddNode(name, null));
  const auto next = builder.AddNode(name, null);
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, ErrorCode::kExhausted);
  EXPECT_EQ(next.error().message, "all 16777216 bytecode handles are issued");
}

TEST(DebugInfoBuilder, TwoKeysThatFallOnOneSpaceAreFound) {
  DebugInfoBuilder builder;
  // The space is the top 29 bits of a key.
  ASSERT_TRUE(
      builder.BeginUnit({.kind = UnitKind::kBackend, .key = Hash128{uint64_t{9} << 35, 1}}));
  const Status clash =
      builder.BeginUnit({.kind = UnitKind::kBackend, .key = Hash128{uint64_t{9} << 35, 2}});
  ASSERT_FALSE(clash);
  EXPECT_EQ(clash.error().code, ErrorCode::kConflict);
  EXPECT_EQ(clash.error().message,
            "handle space 9 is wanted by key 00000048000000000000000000000002 and taken by key "
            "00000048000000000000000000000001");
}

TEST(DebugInfoBuilder, ABuildIdThatIsNotGivenComesFromAllKeys) {
  const auto build_id = [](std::string_view a, std::string_view b) {
    DebugInfoBuilder builder;
    EXPECT_TRUE(builder.BeginUnit({.kind = UnitKind::kBackend, .key = HashBytes(a)}));
    EXPECT_TRUE(builder.BeginUnit({.kind = UnitKind::kBackend, .key = HashBytes(b)}));
    const DebugInfo info = std::move(builder).Finish();
    EXPECT_EQ(info.units[0].build_id, info.units[1].build_id);
    return info.units[0].build_id;
  };
  EXPECT_EQ(build_id("a", "b"), build_id("a", "b"));
  EXPECT_NE(build_id("a", "b"), build_id("a", "c"));
}

TEST(DebugInfoBuilder, RecordersOnManyThreadsIssueDistinctHandles) {
  constexpr int kThreads = 8;
  constexpr int kNodes = 20'000;
  std::vector<std::vector<DebugHandle>> issued(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t, &issued] {
      DebugInfoBuilder builder;
      const RangeId null = builder.AddGap(RangeGap::kNull);
      const Status began = builder.BeginUnit(
          {.kind = UnitKind::kBackend, .key = HashBytes("lowering " + std::to_string(t))});
      for (int i = 0; began && i < kNodes; ++i) {
        issued[static_cast<size_t>(t)].push_back(*builder.AddNode("aten::add", null));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<DebugHandle> distinct;
  for (const auto& handles : issued) distinct.insert(handles.begin(), handles.end());
  EXPECT_EQ(distinct.size(), size_t{kThreads} * kNodes);
}

}  // namespace
}  // namespace handrail
