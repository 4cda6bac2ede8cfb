// Damaged debug maps: whatever is changed, a look-up gives the node that was written or says why
// not, and nothing crashes or runs away.
#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handrail/debug_map/debug_map.h"
#include "handrail/debug_map/debug_map_writer.h"

#include "debug_map/dump_bytes.h"
#include "debug_map/layout.h"
#include "debug_map/verify.h"
#include "test/support/node_text.h"
#include "test/support/random_debug_info.h"
#include "test/support/reseal.h"

namespace handrail {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::NodeText;
using ::testing::Not;
using testing::RandomDebugInfo;
using testing::RandomShape;
using testing::Reseal;

std::vector<std::byte> SmallMap() {
  RandomShape shape;
  shape.units = 1;
  shape.nodes_per_unit = 60;
  shape.sources = 2;
  return *EncodeDebugMap(RandomDebugInfo(4, shape));
}

std::string MessageOf(std::vector<std::byte> bytes) {
  const auto map = DebugMap::FromBytes(std::move(bytes), "m.hdm");
  return map ? "opens" : map.error().message;
}

// All handles of a map and what it says of them.
std::vector<std::pair<DebugHandle, std::string>> Everything(const DebugMap& map) {
  std::vector<std::pair<DebugHandle, std::string>> lines;
  for (uint32_t u = 0; u < map.unit_count(); ++u) {
    (void)map.ForEachHandle(UnitId{u}, [&](DebugHandle handle, const Answer<Node>& node) {
      lines.emplace_back(handle, NodeText(map, node));
    });
  }
  return lines;
}

TEST(DebugMapDamage, EveryTruncationIsRefused) {
  const std::vector<std::byte> whole = SmallMap();
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto map = DebugMap::FromBytes(
        std::vector(whole.begin(), whole.begin() + static_cast<long>(size)), "m.hdm");
    ASSERT_FALSE(map) << size;
  }
}

// Flips a bit, and expects of every handle its node as written, or an admission.
void ExpectFoundAndHarmless(const std::vector<std::byte>& whole, size_t bit,
                            const std::vector<std::pair<DebugHandle, std::string>>& intact) {
  std::vector<std::byte> flipped = whole;
  flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
  const auto map = DebugMap::FromBytes(std::move(flipped), "m.hdm");
  if (!map) return;
  ASSERT_THAT(debug_map::Verify(*map), Not(IsEmpty())) << "bit " << bit;
  for (const auto& [handle, text] : intact) {
    const std::string now = NodeText(*map, UnitId{0}, handle);
    if (now.find("damaged") != std::string::npos) continue;
    ASSERT_EQ(now, text) << "bit " << bit << ", handle " << handle;
  }
}

TEST(DebugMapDamage, EveryFlippedBitOfASmallMapIsFound) {
  const std::vector<std::byte> whole = SmallMap();
  const auto intact = Everything(*DebugMap::FromBytes(whole, "m.hdm"));
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) ExpectFoundAndHarmless(whole, bit, intact);
}

TEST(DebugMapDamage, AFlippedBitHidesNoMoreThanItsBlock) {
  // Large enough that the directory and most rows are in different blocks.
  RandomShape shape;
  shape.units = 1;
  shape.nodes_per_unit = 6000;
  const std::vector<std::byte> whole = *EncodeDebugMap(RandomDebugInfo(4, shape));
  ASSERT_GT(whole.size(), 2 * debug_map::kBlockBytes);
  const auto intact = Everything(*DebugMap::FromBytes(whole, "m.hdm"));
  for (size_t bit = debug_map::kBlockBytes * 8; bit < whole.size() * 8; bit += 4999) {
    ExpectFoundAndHarmless(whole, bit, intact);
  }
  // Rows are the largest table: the handles of its other blocks are still there.
  std::vector<std::byte> damaged = whole;
  damaged[damaged.size() / 2] ^= std::byte{1};
  const auto map = DebugMap::FromBytes(std::move(damaged), "m.hdm");
  ASSERT_TRUE(map) << map.error().message;
  size_t readable = 0;
  for (const auto& [handle, text] : intact) {
    if (NodeText(*map, UnitId{0}, handle) == text) ++readable;
  }
  EXPECT_GT(readable, intact.size() / 4);
  EXPECT_LT(readable, intact.size());
}

TEST(DebugMapDamage, LiesBehindRightChecksumsDoNoHarm) {
  const std::vector<std::byte> whole = SmallMap();
  std::mt19937 random(2);
  for (int round = 0; round < 5'000; ++round) {
    std::vector<std::byte> forged = whole;
    for (uint32_t i = 0; i < 1 + random() % 3; ++i) {
      forged[random() % forged.size()] = static_cast<std::byte>(random());
    }
    Reseal(forged);
    const auto map = DebugMap::FromBytes(std::move(forged), "m.hdm");
    if (!map) continue;
    (void)Everything(*map);
    (void)debug_map::Verify(*map);
    (void)DecodeDebugMap(*map);
  }
}

TEST(DebugMapDamage, ErrorsNameThePlace) {
  const std::vector<std::byte> whole = SmallMap();
  const auto patched = [&whole](size_t offset, std::string_view bytes) {
    std::vector<std::byte> result = whole;
    for (size_t i = 0; i < bytes.size(); ++i) result[offset + i] = std::byte(bytes[i]);
    Reseal(result);
    return result;
  };
  EXPECT_EQ(MessageOf({}), "m.hdm: not a debug map: it does not begin with the magic bytes");
  EXPECT_EQ(MessageOf(std::vector(whole.begin(), whole.begin() + 20)),
            "m.hdm: a debug map has at least 52 bytes, have 20");
  EXPECT_EQ(MessageOf(patched(debug_map::kMajorOffset, "\x02")),
            "m.hdm: debug map of version 2.0, this reader knows 1.x");
  EXPECT_THAT(MessageOf(patched(debug_map::kDirectorySizeOffset, "\xff\xff\xff\x7f")),
              HasSubstr("m.hdm: the directory is 2147483647 bytes by the header, have "));
  std::vector<std::byte> longer = whole;
  longer.push_back({});
  EXPECT_THAT(MessageOf(longer), HasSubstr("which does not fit a file of "));
  std::vector<std::byte> unsealed = whole;
  unsealed[debug_map::kHeaderBytes + 2] ^= std::byte{1};
  EXPECT_EQ(MessageOf(unsealed),
            "m.hdm: offset 0x0: the header's or directory's checksum is wrong");
}

TEST(DebugMapDamage, NewerMinorVersionsAreReadUnlessTheyNeedAnUnknownSection) {
  const std::vector<std::byte> whole = SmallMap();
  // The first section's tag, UNIT, is where the directory begins.
  const auto renamed = [&whole](std::string_view tag) {
    std::vector<std::byte> result = whole;
    result[debug_map::kMinorOffset] = std::byte{7};
    const std::string_view last = "text";
    const auto at = std::search(result.begin(), result.end(), last.begin(), last.end(),
                                [](std::byte a, char b) { return a == std::byte(b); });
    for (size_t i = 0; i < tag.size(); ++i) at[static_cast<long>(i)] = std::byte(tag[i]);
    Reseal(result);
    return result;
  };
  const auto map = DebugMap::FromBytes(renamed("xtra"), "m.hdm");
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_FALSE(map->has_source_text());
  EXPECT_EQ(Everything(*map), Everything(*DebugMap::FromBytes(whole, "m.hdm")));
  EXPECT_EQ(MessageOf(renamed("XTRA")),
            "m.hdm: critical section 'XTRA' is not known to this version");
}

TEST(DebugMapDamage, DumpNamesEveryByteOnce) {
  const std::vector<std::byte> whole = SmallMap();
  const std::string dump = debug_map::DumpBytes(*DebugMap::FromBytes(whole, "m.hdm"));
  uint64_t next = 0;
  for (size_t begin = 0; begin < dump.size();) {
    const size_t end = dump.find('\n', begin);
    const std::string line = dump.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with("        ")) continue;
    ASSERT_EQ(std::stoul(line.substr(0, 6), nullptr, 16), next) << line;
    for (size_t at = 7; at + 2 < line.size() && line[at] == ' ' && line[at + 1] != ' '; at += 3) {
      ++next;
    }
  }
  EXPECT_EQ(next, whole.size());
}

}  // namespace
}  // namespace handrail
