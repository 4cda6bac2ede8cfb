#include "handrail/base/mapped_file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "handrail/base/byte_cursor.h"

namespace handrail {
namespace {

class MappedFileTest : public ::testing::TestWithParam<MapMode> {
 protected:
  std::filesystem::path Write(std::string_view content) {
    path_ = std::filesystem::temp_directory_path() /
            ("handrail_mapped_file_test_" + std::to_string(static_cast<int>(GetParam())));
    std::ofstream(path_, std::ios::binary) << content;
    return path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::filesystem::path path_;
};

TEST_P(MappedFileTest, HoldsTheWholeFileThroughMoves) {
  auto file = MappedFile::Open(Write("hello"), GetParam());
  ASSERT_TRUE(file) << file.error().message;
  MappedFile moved = *std::move(file);
  EXPECT_EQ(AsText(moved.bytes()), "hello");
  EXPECT_EQ(moved.name(), path_.string());
  MappedFile assigned = *MappedFile::Open(path_, GetParam());
  assigned = std::move(moved);
  EXPECT_EQ(AsText(assigned.bytes()), "hello");
}

TEST_P(MappedFileTest, AnEmptyFileHasNoBytes) {
  const auto file = MappedFile::Open(Write(""), GetParam());
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->bytes().empty());
}

TEST_P(MappedFileTest, SaysWhyItCannot) {
  const auto missing = MappedFile::Open("/nowhere/at/all", GetParam());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kIo);
  EXPECT_EQ(missing.error().message, "/nowhere/at/all: cannot open: No such file or directory");
  const auto folder = MappedFile::Open("/", GetParam());
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "/: not a regular file");
}

INSTANTIATE_TEST_SUITE_P(BothModes, MappedFileTest,
                         ::testing::Values(MapMode::kMap, MapMode::kCopy));

}  // namespace
}  // namespace handrail
