#include "handrail/debug_map/debug_map.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handrail/debug_map/debug_map_writer.h"

#include "debug_map/dump_bytes.h"
#include "debug_map/layout.h"
#include "debug_map/stats.h"
#include "debug_map/verify.h"
#include "test/support/node_text.h"
#include "test/support/random_debug_info.h"

namespace handrail {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::NodeText;
using testing::RandomDebugInfo;
using testing::RandomShape;

DebugMap MapOf(const DebugInfo& info, const DebugMapOptions& options = {}) {
  auto bytes = EncodeDebugMap(info, options);
  EXPECT_TRUE(bytes) << bytes.error().message;
  auto map = DebugMap::FromBytes(*std::move(bytes), "test.hdm");
  EXPECT_TRUE(map) << map.error().message;
  return *std::move(map);
}

// The unit of `map` that was made from `unit`.
UnitId UnitOf(const DebugMap& map, const Unit& unit) {
  for (uint32_t i = 0; i < map.unit_count(); ++i) {
    if (map.unit(UnitId{i})->key == unit.key) return UnitId{i};
  }
  ADD_FAILURE() << "no unit with the key";
  return UnitId::none();
}

void ExpectSameNodes(const DebugInfo& info, const DebugMap& map) {
  ASSERT_EQ(map.unit_count(), info.units.size());
  for (const Unit& unit : info.units) {
    const UnitId id = UnitOf(map, unit);
    for (size_t i = 0; i < unit.handles.size(); ++i) {
      ASSERT_EQ(NodeText(map, id, unit.handles[i]), NodeText(info, unit.nodes[i]))
          << "handle " << unit.handles[i];
    }
    size_t visited = 0;
    const auto done = map.ForEachHandle(id, [&](DebugHandle handle, const Answer<Node>& node) {
      ASSERT_LT(visited, unit.handles.size());
      EXPECT_EQ(handle, unit.handles[visited]);
      EXPECT_EQ(NodeText(map, node), NodeText(info, unit.nodes[visited]));
      ++visited;
    });
    EXPECT_TRUE(done);
    EXPECT_EQ(visited, unit.handles.size());
  }
}

TEST(DebugMap, EveryHandleGivesItsOwnNode) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    RandomShape shape;
    shape.units = 1 + seed % 4;
    shape.nodes_per_unit = static_cast<uint32_t>(seed * seed);
    shape.is_foreign = seed % 3 != 0;
    shape.has_text = seed % 2 == 0;
    const DebugInfo info = RandomDebugInfo(seed, shape);
    const DebugMap map = MapOf(info);
    ExpectSameNodes(info, map);
    EXPECT_THAT(debug_map::Verify(map), IsEmpty());
  }
}

TEST(DebugMap, HandlesNobodyIssuedAreUnknown) {
  const DebugInfo info = RandomDebugInfo(7, {});
  const DebugMap map = MapOf(info);
  const Unit& unit = info.units[0];
  const UnitId id = UnitOf(map, unit);
  size_t next = 0;
  for (DebugHandle handle = unit.handles.front() - 200; handle < unit.handles.front() + 3000;
       ++handle) {
    if (next < unit.handles.size() && unit.handles[next] == handle) {
      ++next;
      continue;
    }
    const auto found = map.Find(id, handle);
    ASSERT_FALSE(found) << handle;
    EXPECT_EQ(found.error().reason,
              handle == kUnknownHandle ? UnknownReason::kSentinel : UnknownReason::kNotIssued);
  }
  for (const DebugHandle handle : {INT64_MIN, INT64_MAX, int64_t{1} << 53}) {
    EXPECT_EQ(map.Find(id, handle).error().reason, UnknownReason::kNotIssued);
  }
}

TEST(DebugMap, ReasonsTellTheCasesApart) {
  DebugInfoBuilder builder;
  const RangeId null = builder.AddGap(RangeGap::kNull);
  const Hash128 build_a = HashBytes("a");
  const Hash128 build_b = HashBytes("b");
  ASSERT_TRUE(
      builder.BeginUnit({.kind = UnitKind::kBytecode, .key = build_a, .build_id = build_a}));
  ASSERT_EQ(*builder.AddNode("aten::add", null), 0);
  ASSERT_TRUE(
      builder.BeginUnit({.kind = UnitKind::kBytecode, .key = build_b, .build_id = build_b}));
  ASSERT_EQ(*builder.AddNode("aten::sub", null), 0);
  ASSERT_EQ(*builder.AddNode("aten::mul", builder.AddGap(RangeGap::kStripped)), 1);
  ASSERT_EQ(*builder.AddNode("aten::div", builder.AddGap(RangeGap::kDamagedRecord)), 2);
  const DebugMap map = MapOf(std::move(builder).Finish());

  EXPECT_EQ(map.Find(0).error().reason, UnknownReason::kAmbiguous);
  EXPECT_EQ(map.Find(1).error().reason, UnknownReason::kStripped);
  EXPECT_EQ(map.Find(2).error().reason, UnknownReason::kDamagedRecord);
  EXPECT_EQ(map.Find(3).error().reason, UnknownReason::kNotIssued);
  EXPECT_EQ(map.Find(-1).error().reason, UnknownReason::kSentinel);
  EXPECT_EQ(map.Find(MakeHandle(12, 0)).error().reason, UnknownReason::kOtherSpace);
  EXPECT_EQ(NodeText(map, map.FindInBuild(build_a, 0)->node), "'aten::add' gap0 in none");
  EXPECT_EQ(NodeText(map, map.FindInBuild(build_b, 0)->node), "'aten::sub' gap0 in none");
  EXPECT_EQ(map.FindInBuild(HashBytes("c"), 0).error().reason, UnknownReason::kOtherBuild);
}

TEST(DebugMap, TwoDefinitionsOfOneForeignHandleStandForNeither) {
  DebugInfoBuilder builder;
  const RangeId null = builder.AddGap(RangeGap::kNull);
  ASSERT_TRUE(builder.BeginUnit({.kind = UnitKind::kForeign, .key = HashBytes("k")}));
  builder.AddForeignNode(5, {builder.AddString("aten::add"), null, {}, {}});
  builder.AddForeignNode(4, {builder.AddString("aten::mul"), null, {}, {}});
  builder.AddForeignNode(5, {builder.AddString("aten::sub"), null, {}, {}});
  builder.AddForeignNode(4, {builder.AddString("aten::mul"), null, {}, {}});
  const DebugMap map = MapOf(std::move(builder).Finish());
  EXPECT_EQ(map.Find(5).error().reason, UnknownReason::kConflict);
  EXPECT_TRUE(map.Find(4));
}

TEST(DebugMap, RecordingOrderDoesNotChangeTheBytes) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    RandomShape shape;
    shape.units = 3;
    const auto bytes = EncodeDebugMap(RandomDebugInfo(seed, shape));
    EXPECT_EQ(bytes, EncodeDebugMap(RandomDebugInfo(seed, shape)));
    shape.shuffle_seed = seed + 100;
    EXPECT_EQ(bytes, EncodeDebugMap(RandomDebugInfo(seed, shape)));
  }
}

TEST(DebugMap, DecodingGivesBackWhatWasEncoded) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const DebugInfo info = RandomDebugInfo(seed, {});
    const DebugMap map = MapOf(info);
    auto decoded = DecodeDebugMap(map);
    ASSERT_TRUE(decoded) << decoded.error().message;
    const auto again = EncodeDebugMap(*decoded);
    ASSERT_TRUE(again);
    EXPECT_EQ(std::vector(map.bytes().begin(), map.bytes().end()), *again);
  }
}

TEST(DebugMap, MergingKeepsEveryNodeAndNeedsNoOrder) {
  const DebugInfo a = RandomDebugInfo(1, {});
  const DebugInfo b = RandomDebugInfo(2, {});
  const DebugInfo* ab[] = {&a, &b};
  const DebugInfo* ba[] = {&b, &a, &b};
  const auto merged = MergeDebugInfo(ab);
  ASSERT_TRUE(merged) << merged.error().message;
  const DebugMap map = MapOf(*merged);
  EXPECT_EQ(map.unit_count(), 4u);
  for (const DebugInfo* info : ab) {
    for (const Unit& unit : info->units) {
      for (size_t i = 0; i < unit.handles.size(); ++i) {
        ASSERT_EQ(NodeText(map, UnitOf(map, unit), unit.handles[i]),
                  NodeText(*info, unit.nodes[i]));
      }
    }
  }
  const auto other_order = MergeDebugInfo(ba);
  ASSERT_TRUE(other_order);
  EXPECT_EQ(EncodeDebugMap(*merged), EncodeDebugMap(*other_order));
}

TEST(DebugMap, MergingRefusesUnitsThatContradictEachOther) {
  const auto one_node = [](UnitKind kind, const Hash128& key, std::string_view name) {
    DebugInfoBuilder builder;
    EXPECT_TRUE(builder.BeginUnit({.kind = kind, .key = key, .build_id = HashBytes("same")}));
    EXPECT_TRUE(builder.AddNode(name, builder.AddGap(RangeGap::kNull)));
    return std::move(builder).Finish();
  };
  const DebugInfo a = one_node(UnitKind::kBackend, Hash128{77, 1}, "aten::add");
  const DebugInfo b = one_node(UnitKind::kBackend, Hash128{77, 1}, "aten::sub");
  const DebugInfo c = one_node(UnitKind::kBackend, Hash128{77, 2}, "aten::add");
  const DebugInfo* same_key[] = {&a, &b};
  const DebugInfo* same_space[] = {&a, &c};
  EXPECT_EQ(MergeDebugInfo(same_key).error().message,
            "two units with key 000000000000004d0000000000000001 differ");
  const auto clash = MergeDebugInfo(same_space);
  ASSERT_FALSE(clash);
  EXPECT_EQ(clash.error().code, ErrorCode::kConflict);
  EXPECT_EQ(clash.error().message,
            "handle space 1 is wanted by key 000000000000004d0000000000000002 and taken by key "
            "000000000000004d0000000000000001");
}

TEST(DebugMap, SourceTextComesBackAndCanBeLeftOut) {
  const DebugInfo info = RandomDebugInfo(3, {});
  const DebugMap map = MapOf(info);
  ASSERT_TRUE(map.has_source_text());
  TextBuffer buffer;
  for (uint32_t i = 0; i < map.source_count(); ++i) {
    const auto name = map.string(map.source(SourceId{i})->file_name, buffer);
    ASSERT_TRUE(name);
    const auto original = std::find_if(
        info.sources.begin(), info.sources.end(),
        [&](const Source& source) { return info.strings.at(source.file_name) == *name; });
    EXPECT_EQ(map.SourceText(SourceId{i}), info.text(original->text));
  }
  const DebugMap bare = MapOf(info, {.source_text = false, .path_map = {}});
  EXPECT_FALSE(bare.has_source_text());
  EXPECT_EQ(bare.SourceText(SourceId{0}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(bare.SourceText(SourceId{0}).error().message, "test.hdm: source 0 has no text");
  EXPECT_EQ(bare.unit(UnitId{0})->build_id, map.unit(UnitId{0})->build_id);
}

TEST(DebugMap, PathsAreMappedAtPathBoundaries) {
  DebugInfoBuilder builder;
  ASSERT_TRUE(builder.BeginUnit({.kind = UnitKind::kBytecode, .key = HashBytes("k")}));
  const auto add = [&](std::string_view path) {
    const SourceId source = builder.AddSource({.file_name = path, .first_line = 1, .text = "x\n"});
    // The same text as a node's name stays what it is.
    ASSERT_TRUE(builder.AddNode(path, builder.AddRange(source, 0, 1)));
  };
  add("/home/me/net/a.py");
  add("/home/me/network/b.py");
  const DebugMap map = MapOf(std::move(builder).Finish(),
                             {.source_text = true, .path_map = {{"/home/me/net", "net"}}});
  EXPECT_EQ(NodeText(map, UnitId{0}, 0), "'/home/me/net/a.py' 'net/a.py':1:1-1:2 in none");
  EXPECT_EQ(NodeText(map, UnitId{0}, 1),
            "'/home/me/network/b.py' '/home/me/network/b.py':1:1-1:2 in none");
}

TEST(DebugMap, ChainsAreAsDeepAsTheyLike) {
  constexpr uint32_t kDepth = 200'000;
  DebugInfoBuilder builder;
  ASSERT_TRUE(builder.BeginUnit({.kind = UnitKind::kBytecode, .key = HashBytes("k")}));
  const RangeId null = builder.AddGap(RangeGap::kNull);
  StackId stack;
  for (uint32_t i = 0; i < kDepth; ++i) stack = builder.AddCall(stack, "f", std::nullopt, null);
  ASSERT_TRUE(builder.AddNode("aten::add", null, stack));
  const DebugMap map = MapOf(std::move(builder).Finish());
  uint32_t depth = 0;
  for (StackId id = map.Find(0)->node.stack; !id.is_none(); id = map.stack(id)->caller) ++depth;
  EXPECT_EQ(depth, kDepth);
  EXPECT_THAT(debug_map::Verify(map), IsEmpty());
}

TEST(DebugMap, EmptyDebugInfoIsAMap) {
  const DebugMap map = MapOf(DebugInfo{});
  EXPECT_EQ(map.unit_count(), 0u);
  EXPECT_EQ(map.Find(0).error().reason, UnknownReason::kNotIssued);
  EXPECT_THAT(debug_map::Verify(map), IsEmpty());
}

TEST(DebugMap, SizesOfThePartsAddUp) {
  const DebugMap map = MapOf(RandomDebugInfo(5, {}));
  const debug_map::Stats stats = debug_map::StatsOf(map);
  uint64_t sum = 0;
  for (const auto& part : stats.parts) sum += part.size_bytes;
  EXPECT_EQ(sum, stats.file_bytes);
  EXPECT_EQ(stats.file_bytes, map.bytes().size());
}

TEST(DebugMap, OpensFromAFileEitherWay) {
  const auto path = std::filesystem::temp_directory_path() / "handrail_debug_map_test.hdm";
  const auto bytes = EncodeDebugMap(RandomDebugInfo(9, {}));
  ASSERT_TRUE(WriteFileAtomically(path, *bytes));
  for (const MapMode mode : {MapMode::kMap, MapMode::kCopy}) {
    const auto map = DebugMap::Open(path, mode);
    ASSERT_TRUE(map) << map.error().message;
    EXPECT_THAT(debug_map::Verify(*map), IsEmpty());
  }
  std::filesystem::remove(path);
  const auto missing = DebugMap::Open(path);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kIo);
  EXPECT_THAT(missing.error().message, HasSubstr("cannot open: No such file or directory"));
}

}  // namespace
}  // namespace handrail
