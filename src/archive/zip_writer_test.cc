#include "archive/zip_writer.h"

#include <gtest/gtest.h>

#include "archive/zip_image_test.h"

namespace handrail {
namespace {

// The second half of the promise of byte equality, for the archives that PyTorch itself wrote: the
// same records in the same order give the same file.
class RewriteTest : public testing::TestWithParam<const char*> {};

TEST_P(RewriteTest, GivesPyTorchsBytes) {
  const std::string bytes = Fixture(GetParam());
  MemoryBudget budget(bytes.size());
  const Result<Archive> archive = Archive::Open(AsBytes(bytes), GetParam(), budget);
  ASSERT_TRUE(archive) << archive.error().message;
  std::string out;
  ZipWriter writer(std::string(archive->archive_name()), out);
  for (const ArchiveRecord& record : archive->records()) {
    ASSERT_TRUE(writer.AddCopy(*archive, record));
    EXPECT_EQ(PyTorchRecordMethod(record.name, record.size_bytes) == ZipMethod::kDeflated,
              record.is_deflated())
        << record.name;
  }
  ASSERT_TRUE(writer.Finish());
  EXPECT_TRUE(out == bytes);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, RewriteTest,
                         testing::Values("double.ptl", "interface.ptl", "lowered.ptl", "model.pt",
                                         "model.ptl", "model_without_debug.ptl"));

TEST(ZipWriterTest, WritesTheseBytes) {
  std::string zip;
  ZipWriter writer("m", zip);
  ASSERT_TRUE(writer.Add("version", "3\n"));
  ASSERT_TRUE(writer.Finish());
  const std::string descriptor =
      "PK\7\10" + LittleEndian(0x55679ed1, 4) + LittleEndian(2, 4) + LittleEndian(2, 4);
  const std::string expected =
      "PK\3\4" + LittleEndian(0, 2) + LittleEndian(0x0808, 2) + LittleEndian(0, 18) +
      LittleEndian(9, 2) + LittleEndian(25, 2) + "m/version" + "FB" + LittleEndian(21, 2) +
      std::string(21, 'Z') + "3\n" + descriptor +
      //
      "PK\1\2" + LittleEndian(0, 2) + LittleEndian(0, 2) + LittleEndian(0x0808, 2) +
      LittleEndian(0, 6) + descriptor.substr(4) + LittleEndian(9, 2) + LittleEndian(0, 12) +
      LittleEndian(0, 4) + "m/version" +
      //
      "PK\6\6" + LittleEndian(44, 8) + LittleEndian(0x031e, 2) + LittleEndian(45, 2) +
      LittleEndian(0, 8) + LittleEndian(1, 8) + LittleEndian(1, 8) + LittleEndian(55, 8) +
      LittleEndian(82, 8) + "PK\6\7" + LittleEndian(0, 4) + LittleEndian(137, 8) +
      LittleEndian(1, 4) + "PK\5\6" + LittleEndian(0, 4) + LittleEndian(1, 2) + LittleEndian(1, 2) +
      LittleEndian(55, 4) + LittleEndian(82, 4) + LittleEndian(0, 2);
  EXPECT_EQ(zip, expected);
}

TEST(ZipWriterTest, DataIsAlignedForEveryLengthOfName) {
  std::string zip;
  ZipWriter writer("m", zip);
  for (size_t size = 1; size <= 130; ++size) {
    ASSERT_TRUE(writer.Add(std::string(size, 'n'), std::string(size, 'd')));
  }
  ASSERT_TRUE(writer.Finish());
  MemoryBudget budget(zip.size());
  const Result<Archive> archive = Archive::Open(AsBytes(zip), "m.ptl", budget);
  ASSERT_TRUE(archive);
  ASSERT_EQ(archive->records().size(), 130u);
  for (const ArchiveRecord& record : archive->records()) {
    const Result<uint64_t> offset = archive->DataOffset(record);
    ASSERT_TRUE(offset);
    EXPECT_EQ(*offset % 64, 0u) << record.name;
    EXPECT_TRUE(archive->Read(record, budget));
  }
}

TEST(ZipWriterTest, RefusesNamesThatCannotBe) {
  std::string zip;
  ZipWriter writer("m", zip);
  ASSERT_TRUE(writer.Add("x", ""));
  const Status twice = writer.Add("x", "");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, ErrorCode::kConflict);
  EXPECT_EQ(twice.error().message, "record 'x': was added before");
  const Status long_name = writer.Add(std::string(65'534, 'x'), "");
  ASSERT_FALSE(long_name);
  EXPECT_EQ(long_name.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(writer.Add(std::string(65'533 - 64, 'x'), ""));
}

TEST(ZipWriterTest, AFailingSinkEndsWriting) {
  int writes = 0;
  ZipWriter writer("m", [&](std::span<const std::byte>) -> Status {
    if (++writes == 2) return Fail(ErrorCode::kIo, "disk full");
    return {};
  });
  const Status status = writer.Add("x", "abc");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "disk full");
}

TEST(ZipWriterTest, OnlyLargeTextsAreDeflated) {
  EXPECT_EQ(PyTorchRecordMethod("code/m.py", 201), ZipMethod::kDeflated);
  EXPECT_EQ(PyTorchRecordMethod("code/m.py", 200), ZipMethod::kStored);
  EXPECT_EQ(PyTorchRecordMethod("code/m.py.debug_pkl", 201), ZipMethod::kDeflated);
  EXPECT_EQ(PyTorchRecordMethod("delegated_backends.debug_pkl", 201), ZipMethod::kDeflated);
  EXPECT_EQ(PyTorchRecordMethod("callstack_debug_map.pkl", 201), ZipMethod::kDeflated);
  EXPECT_EQ(PyTorchRecordMethod("mobile_debug_handles.pkl", 201), ZipMethod::kStored);
  EXPECT_EQ(PyTorchRecordMethod("extra/m.py", 201), ZipMethod::kStored);
}

}  // namespace
}  // namespace handrail
