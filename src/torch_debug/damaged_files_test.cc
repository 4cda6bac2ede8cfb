// Every truncation and every flipped bit of a small archive: no crash, and no handle that stands
// for something else than in the intact file without a warning.
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "torch_debug/record_values_test.h"

namespace handrail {
namespace {

std::map<DebugHandle, std::string> NodesByHandle(const DebugInfo& info) {
  std::map<DebugHandle, std::string> nodes;
  for (const Unit& unit : info.units) {
    for (size_t i = 0; i < unit.handles.size(); ++i) {
      nodes[unit.handles[i]] = testing::NodeText(info, unit.nodes[i]);
    }
  }
  return nodes;
}

class DamagedFile : public ::testing::Test {
 protected:
  // Damaged files must say so, or give what the intact file gives.
  void ExpectNothingWrong(const std::string& damaged, std::string_view what) {
    const auto read = Read(damaged);
    if (!read || !read->warnings.empty()) return;
    EXPECT_EQ(NodesByHandle(read->info), NodesByHandle(intact_->info)) << what;
    // Stripping is no damage; everything else changes the build id, or nothing.
    EXPECT_EQ(read->build_id, intact_->build_id) << what;
  }

  std::string file_ = [] {
    SmallModel model;
    // Large enough to be deflated.
    for (int i = 0; i < 20; ++i)
      model.map.items.push_back(Tuple({30 + i, i % 3, "aten::mul", None()}));
    Records records = model.Build();
    records["data/0"] = "weights";
    return records.Zipped();
  }();
  Result<TorchDebugInfo> intact_ = Read(file_);
};

TEST_F(DamagedFile, EveryTruncation) {
  ASSERT_EQ(WarningTexts(intact_).size(), 0);
  for (size_t size = 0; size < file_.size(); ++size) {
    ExpectNothingWrong(file_.substr(0, size), fmt::format("first {} bytes", size));
  }
}

TEST_F(DamagedFile, EveryFlippedBit) {
  for (size_t bit = 0; bit < file_.size() * 8; ++bit) {
    std::string damaged = file_;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    ExpectNothingWrong(damaged, fmt::format("bit {} of byte 0x{:x}", bit % 8, bit / 8));
  }
}

// The same for each record, with checksums that fit: only what the records say themselves can tell.
TEST_F(DamagedFile, EveryFlippedBitOfARecord) {
  const Records intact = SmallModel().Build();
  for (const auto& [name, content] : intact.all) {
    for (size_t bit = 0; bit < content.size() * 8; ++bit) {
      Records records = intact;
      std::string& damaged = records[name];
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      const auto read = Read(records);
      ASSERT_TRUE(read) << name;
      EXPECT_EQ(read->kind, TorchFileKind::kMobile);
    }
  }
}

}  // namespace
}  // namespace handrail
