// An archive that lost its debug info: what is left, what its build id is, and the way back.
#include "handrail/torch_debug/strip.h"

#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/archive_edit.h"
#include "torch_debug/debug_record_writer.h"
#include "torch_debug/record_values_test.h"

namespace handrail {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string Fixture(std::string_view name) {
  std::ifstream file(HANDRAIL_SOURCE_DIR "/test/data/" + std::string(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string ErrorOf(std::string_view file) {
  const Result<std::string> stripped = StripTorchArchive(AsBytes(file), "m.ptl");
  return stripped ? "" : stripped.error().message;
}

class StripFixture : public ::testing::TestWithParam<const char*> {
 protected:
  const std::string whole_ = Fixture(GetParam());
  const Result<std::string> stripped_ = StripTorchArchive(AsBytes(whole_), GetParam());
};

TEST_P(StripFixture, KeepsHandlesAndBuildId) {
  ASSERT_TRUE(stripped_);
  const auto whole = Read(whole_);
  const auto stripped = Read(*stripped_);
  ASSERT_TRUE(whole);
  ASSERT_TRUE(stripped);
  EXPECT_EQ(stripped->build_id, whole->build_id);
  EXPECT_TRUE(stripped->has_debug_handles);
  EXPECT_FALSE(stripped->has_debug_info);
  EXPECT_THAT(stripped->warnings, SizeIs(0));
  EXPECT_LT(stripped_->size(), whole_.size());
}

TEST_P(StripFixture, LosesOnlyDebugRecords) {
  ASSERT_TRUE(stripped_);
  MemoryBudget budget(whole_.size());
  const auto whole = Archive::Open(AsBytes(whole_), "whole", budget);
  const auto stripped = Archive::Open(AsBytes(*stripped_), "stripped", budget);
  ASSERT_TRUE(whole && stripped);
  size_t debug_count = 0;
  for (const ArchiveRecord& record : whole->records()) {
    const ArchiveRecord* kept = stripped->Find(record.name);
    if (IsDebugInfoRecord(record.name)) {
      ++debug_count;
      EXPECT_EQ(kept, nullptr) << record.name;
      continue;
    }
    ASSERT_NE(kept, nullptr) << record.name;
    const auto before = whole->StoredBytes(record);
    const auto after = stripped->StoredBytes(*kept);
    ASSERT_TRUE(before && after);
    EXPECT_EQ(kept->full_name, record.full_name);
    EXPECT_TRUE(std::equal(before->begin(), before->end(), after->begin(), after->end()));
  }
  EXPECT_EQ(stripped->records().size() + debug_count, whole->records().size());
}

// The records of the debug info, put back, say of every handle what they said.
TEST_P(StripFixture, RecordsPutBackSayTheSame) {
  ASSERT_TRUE(stripped_);
  const auto whole = Read(whole_);
  ASSERT_TRUE(whole);
  MemoryBudget budget(whole_.size());
  const auto archive = Archive::Open(AsBytes(*stripped_), "stripped", budget);
  ASSERT_TRUE(archive);
  const RangeTags tags(whole->info);
  ArchiveEdit edit;
  edit.added.push_back({"delegated_backends.debug_pkl", WriteRangeRecord(whole->info, tags)});
  edit.added.push_back(
      {"callstack_debug_map.pkl", WriteCallStackMap(whole->info, whole->info.units.front(), tags)});
  const Result<std::string> restored = EditArchive(*archive, edit);
  ASSERT_TRUE(restored);
  EXPECT_EQ(NodeTexts(Read(*restored)), NodeTexts(whole));
  EXPECT_EQ(Read(*restored)->build_id, whole->build_id);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, StripFixture,
                         ::testing::Values("double.ptl", "interface.ptl", "lowered.ptl",
                                           "model.ptl"));

// A map of such a file would say nothing, and might take the place of the right one.
TEST(Strip, RefusesWhatHasNoWayBack) {
  EXPECT_THAT(ErrorOf(Fixture("model.pt")), HasSubstr("need an archive for the mobile runtime"));
  EXPECT_THAT(ErrorOf(Fixture("model_stripped.ptl")),
              HasSubstr("has no record callstack_debug_map.pkl"));
  EXPECT_THAT(ErrorOf(Fixture("model_without_debug.ptl")),
              HasSubstr("has no record mobile_debug_handles.pkl"));
  EXPECT_THAT(ErrorOf(Fixture("model_flatbuffer.ptl")), HasSubstr("a mobile flatbuffer"));
}

}  // namespace
}  // namespace handrail
