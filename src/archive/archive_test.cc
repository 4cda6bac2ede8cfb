#include "archive/archive.h"

#include <algorithm>
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/zip_image_test.h"
#include "archive/zip_writer.h"

namespace handrail {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// An open archive together with what it stands on.
struct Opened {
  explicit Opened(std::string content)
      : bytes(std::move(content)),
        budget(bytes.size()),
        archive(Archive::Open(AsBytes(bytes), "m.ptl", budget)) {}

  std::string Read(std::string_view name) {
    Result<RecordBytes> record = archive->Read(name, budget);
    return record ? std::string(AsText(record->bytes())) : "error: " + record.error().message;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const ArchiveRecord& record : archive->records()) names.emplace_back(record.name);
    return names;
  }
  std::string error() const { return archive ? "" : archive.error().message; }

  std::string bytes;
  MemoryBudget budget;
  Result<Archive> archive;
};

std::string Deflated(std::string_view content) {
  std::string zip;
  ZipWriter writer("", zip);
  EXPECT_TRUE(writer.Add("x", content, ZipMethod::kDeflated));
  EXPECT_TRUE(writer.Finish());
  const Opened opened(zip);
  return std::string(AsText(*opened.archive->StoredBytes(opened.archive->records()[0])));
}

TEST(RecognizeContentTest, GoesByTheFirstBytes) {
  const auto kind = [](std::string_view text) { return RecognizeContent(AsBytes(text)); };
  EXPECT_EQ(kind(""), ContentKind::kEmpty);
  EXPECT_EQ(kind(std::string_view("PK\3\4 and more")), ContentKind::kZip);
  EXPECT_EQ(kind(std::string_view("PK\5\6")), ContentKind::kZip);
  EXPECT_EQ(kind("PKxx"), ContentKind::kOther);
  EXPECT_EQ(kind("PK"), ContentKind::kOther);
  EXPECT_EQ(kind("PK\3\4PTMF"), ContentKind::kMobileFlatbuffer);
  EXPECT_EQ(kind("1234PTM"), ContentKind::kOther);
  EXPECT_EQ(kind("PYTORCH1 and more"), ContentKind::kPyTorchPreview);
  EXPECT_EQ(kind("handrail"), ContentKind::kOther);
}

TEST(ArchiveTest, ReadsWhatPyTorchWrote) {
  Opened opened(Fixture("double.ptl"));
  ASSERT_TRUE(opened.archive) << opened.error();
  EXPECT_EQ(opened.archive->archive_name(), "double");
  EXPECT_THAT(opened.archive->warnings(), IsEmpty());
  EXPECT_THAT(
      opened.names(),
      ElementsAre("data.pkl", "code/__torch__/small.py", "code/__torch__/small.py.debug_pkl",
                  "constants.pkl", "bytecode.pkl", "mobile_debug_handles.pkl",
                  "delegated_backends.debug_pkl", "callstack_debug_map.pkl", "version"));
  EXPECT_EQ(opened.Read("version"), "3\n");
  EXPECT_THAT(opened.Read("code/__torch__/small.py"), testing::StartsWith("class Double(Module):"));
}

TEST(ArchiveTest, StoredRecordsAreViewsAndDeflatedOnesAreNot) {
  std::string zip;
  ZipWriter writer("m", zip);
  ASSERT_TRUE(writer.Add("stored", std::string(300, 'a')));
  ASSERT_TRUE(writer.Add("deflated", std::string(300, 'a'), ZipMethod::kDeflated));
  ASSERT_TRUE(writer.Finish());
  Opened opened(zip);
  ASSERT_TRUE(opened.archive);
  const uint64_t left = opened.budget.left_bytes();

  const ArchiveRecord& stored = *opened.archive->Find("stored");
  const Result<RecordBytes> view = opened.archive->Read(stored, opened.budget);
  ASSERT_TRUE(view);
  EXPECT_TRUE(view->is_view_of_file());
  const Result<uint64_t> offset = opened.archive->DataOffset(stored);
  ASSERT_TRUE(offset);
  EXPECT_EQ(view->bytes().data(), AsBytes(opened.bytes).data() + *offset);
  EXPECT_EQ(opened.budget.left_bytes(), left);
  {
    const Result<RecordBytes> owned = opened.archive->Read("deflated", opened.budget);
    ASSERT_TRUE(owned);
    EXPECT_FALSE(owned->is_view_of_file());
    EXPECT_EQ(AsText(owned->bytes()), std::string(300, 'a'));
    EXPECT_EQ(opened.budget.left_bytes(), left - 300);
  }
  EXPECT_EQ(opened.budget.left_bytes(), left);
}

TEST(ArchiveTest, ReadsArchivesRewrittenByOtherTools) {
  const std::string text(1000, 'x');
  const ImageRecord deflated{.name = "m/deflated",
                             .data = Deflated(text),
                             .method = 8,
                             .checksum = Crc(text),
                             .size = 1000};
  Opened opened(
      PlainZip({{.name = "m/"}, {.name = "m/stored", .data = "abc"}, deflated, {.name = "m/empty"}},
               "a comment, with PK\5\6 in it"));
  ASSERT_TRUE(opened.archive) << opened.error();
  EXPECT_EQ(opened.archive->archive_name(), "m");
  EXPECT_THAT(opened.names(), ElementsAre("stored", "deflated", "empty"));
  EXPECT_EQ(opened.Read("stored"), "abc");
  EXPECT_EQ(opened.Read("deflated"), text);
  EXPECT_EQ(opened.Read("empty"), "");
  EXPECT_THAT(opened.archive->warnings(), IsEmpty());
}

TEST(ArchiveTest, RecordsOutsideTheFolderKeepTheirFullName) {
  Opened opened(PlainZip({{.name = "m/version", .data = "in"},
                          {.name = "other/version", .data = "other"},
                          {.name = "version", .data = "out"},
                          {.name = "m/../../etc/passwd", .data = "never extracted"},
                          {.name = "mm/x", .data = "not in m"}}));
  ASSERT_TRUE(opened.archive);
  EXPECT_THAT(opened.names(),
              ElementsAre("version", "other/version", "version", "../../etc/passwd", "mm/x"));
  EXPECT_EQ(opened.Read("version"), "in");
  EXPECT_EQ(opened.Read("m/version"), "in");
  EXPECT_EQ(opened.Read("other/version"), "other");
  EXPECT_EQ(opened.Read("mm/x"), "not in m");
  EXPECT_FALSE(opened.archive->is_ambiguous("version"));
  EXPECT_EQ(opened.Read("VERSION"), "error: m.ptl: record 'VERSION': is not there");
}

TEST(ArchiveTest, ArchivesWithoutAFolderAreRead) {
  Opened opened(PlainZip({{.name = "version", .data = "3"}, {.name = "a/b", .data = "ab"}}));
  ASSERT_TRUE(opened.archive);
  EXPECT_EQ(opened.archive->archive_name(), "");
  EXPECT_EQ(opened.Read("version"), "3");
  EXPECT_EQ(opened.Read("a/b"), "ab");
}

TEST(ArchiveTest, OneOfTwoRecordsIsNeverChosenByName) {
  Opened opened(PlainZip({{.name = "m/x", .data = "1"}, {.name = "m/x", .data = "2"}}));
  ASSERT_TRUE(opened.archive);
  EXPECT_EQ(opened.Read("x"), "error: m.ptl: record 'x': is there 2 times");
  EXPECT_TRUE(opened.archive->is_ambiguous("x"));
  EXPECT_THAT(opened.archive->warnings(), ElementsAre("m.ptl: record 'x': is there 2 times"));
  const Result<RecordBytes> second =
      opened.archive->Read(opened.archive->records()[1], opened.budget);
  ASSERT_TRUE(second);
  EXPECT_EQ(AsText(second->bytes()), "2");
}

TEST(ArchiveTest, Zip64SizesAndOffsetsAreRead) {
  ImageRecord record{
      .name = "m/x", .data = "abc", .flags = 8, .size = UINT32_MAX, .stored_size = UINT32_MAX};
  record.checksum = Crc("abc");
  // Another field first, then zip64: size, stored size, header offset.
  record.central_extra = LittleEndian(0x5455, 2) + LittleEndian(1, 2) + "t" + LittleEndian(1, 2) +
                         LittleEndian(24, 2) + LittleEndian(3, 8) + LittleEndian(3, 8) +
                         LittleEndian(0, 8);
  Opened opened(PlainZip({record}, "", {UINT32_MAX}));
  ASSERT_TRUE(opened.archive) << opened.error();
  EXPECT_EQ(opened.archive->records()[0].size_bytes, 3u);
  EXPECT_EQ(opened.Read("x"), "abc");

  record.central_extra = LittleEndian(1, 2) + LittleEndian(8, 2) + LittleEndian(3, 8);
  EXPECT_EQ(Opened(PlainZip({record}, "", {UINT32_MAX})).error(),
            "m.ptl: central directory: entry 0: offset 0x61: zip64 stored size: need 8 bytes, have "
            "0");
}

TEST(ArchiveTest, Zip64EndRecordMustAgreeWithTheEndRecord) {
  std::string zip;
  ZipWriter writer("m", zip);
  ASSERT_TRUE(writer.Add("x", "abc"));
  ASSERT_TRUE(writer.Finish());
  const size_t end = zip.size() - 22;
  {
    // Fields that say "in 64 bits" are taken from the zip64 record.
    std::string bytes = zip;
    Patch(bytes, end + 8, std::string(12, '\xff'));
    Opened opened(bytes);
    EXPECT_EQ(opened.Read("x"), "abc");
    EXPECT_THAT(opened.archive->warnings(), IsEmpty());
  }
  // Two readers, two archives: nobody chooses. The records are found all the same.
  Patch(zip, end + 12, LittleEndian(48, 4));
  Opened opened(zip);
  ASSERT_TRUE(opened.archive);
  EXPECT_EQ(opened.Read("x"), "abc");
  EXPECT_THAT(opened.archive->warnings(),
              ElementsAre("m.ptl: offset 0x84: zip64 end record: says 1 entries in 49 bytes at "
                          "0x53, but the end record 1 entries in 48 bytes at 0x53; found 1 records "
                          "by walking from the start"));
}

TEST(ArchiveTest, BytesAfterTheEndRecordAreAWarning) {
  Opened opened(PlainZip({{.name = "m/x", .data = "abc"}}) + "tail");
  ASSERT_TRUE(opened.archive);
  EXPECT_EQ(opened.Read("x"), "abc");
  EXPECT_THAT(opened.archive->warnings(), ElementsAre("m.ptl: 4 bytes follow the end record"));
}

TEST(ArchiveTest, AnEmptyArchiveHasNoRecords) {
  Opened opened(PlainZip({}));
  ASSERT_TRUE(opened.archive);
  EXPECT_THAT(opened.archive->records(), IsEmpty());
  EXPECT_EQ(opened.archive->Find("x"), nullptr);
}

TEST(ArchiveTest, ThreadsReadWithBudgetsOfTheirOwn) {
  const Opened opened(Fixture("model.ptl"));
  ASSERT_TRUE(opened.archive);
  std::vector<std::thread> threads;
  std::array<int, 4> failures{};
  for (int& failed : failures) {
    threads.emplace_back([&] {
      MemoryBudget budget(opened.bytes.size());
      for (const ArchiveRecord& record : opened.archive->records()) {
        failed += !opened.archive->Read(record, budget);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(failures, testing::Each(0));
}

// What cannot be opened at all.
TEST(ArchiveTest, RefusesWhatIsNoArchive) {
  EXPECT_EQ(Opened("").error(), "m.ptl: is empty, need a zip archive");
  EXPECT_EQ(Opened("PYTORCH1....").error(),
            "m.ptl: begins with 'PYTORCH1': an archive of PyTorch's preview release, need a zip "
            "archive");
  EXPECT_EQ(Opened("a\n'\\ some text").error(),
            "m.ptl: not a zip archive: begins with 'a\\x0a\\x27\\x5c', need 'PK'");
  EXPECT_EQ(Opened("PK\3\4").error(),
            "m.ptl: no end record in the last 4 bytes, so there is no directory");

  std::string disks = PlainZip({{.name = "m/x", .data = "abc"}});
  Patch(disks, disks.size() - 18, LittleEndian(1, 2));
  const Opened opened(disks);
  ASSERT_FALSE(opened.archive);
  EXPECT_EQ(opened.archive.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(opened.error(), "m.ptl: offset 0x55: end record: part of an archive of several disks");
}

// One record that cannot be read, and why; the other is not affected.
std::string ReadDamaged(ImageRecord record, const std::vector<uint32_t>& offsets = {}) {
  record.name = "m/x";
  Opened opened(PlainZip({record, {.name = "m/other", .data = "fine"}}, "", offsets));
  if (!opened.archive) return "cannot open: " + opened.error();
  EXPECT_EQ(opened.Read("other"), "fine");
  return opened.Read("x");
}

TEST(ArchiveTest, NamesWhatIsWrongWithARecord) {
  const std::string text(1000, 'x');
  const ImageRecord stored{.data = "abc"};
  const ImageRecord deflated{
      .data = Deflated(text), .method = 8, .checksum = Crc(text), .size = 1000};
  ASSERT_EQ(ReadDamaged(stored), "abc");
  ASSERT_EQ(ReadDamaged(deflated), text);

  ImageRecord bad = stored;
  bad.checksum = 0x12345678;
  EXPECT_EQ(ReadDamaged(bad), "error: m.ptl: record 'x': checksum is 0x352441c2, need 0x12345678");
  bad = stored;
  bad.flags = 1;
  EXPECT_EQ(ReadDamaged(bad), "error: m.ptl: record 'x': is encrypted");
  bad = stored;
  bad.method = 12;
  EXPECT_EQ(
      ReadDamaged(bad),
      "error: m.ptl: record 'x': is compressed by method 12, need 0 (stored) or 8 (deflated)");
  bad = stored;
  bad.size = 4;
  EXPECT_EQ(ReadDamaged(bad),
            "error: m.ptl: record 'x': is stored, but 3 bytes are stored for a size of 4");
  bad = deflated;
  bad.size = 1001;
  EXPECT_EQ(ReadDamaged(bad),
            "error: m.ptl: record 'x': offset 0x21: deflated data: need 1001 bytes, have 1000");
  bad.size = 999;
  EXPECT_EQ(ReadDamaged(bad),
            "error: m.ptl: record 'x': offset 0x21: deflated data: need 999 bytes, have more");
  bad = deflated;
  bad.data += '\0';
  bad.stored_size += 1;
  EXPECT_EQ(ReadDamaged(bad),
            "error: m.ptl: record 'x': offset 0x21: deflated data: ends after 11 "
            "of 12 stored bytes");
  bad = deflated;
  bad.data.pop_back();
  bad.stored_size -= 1;
  EXPECT_EQ(ReadDamaged(bad),
            "error: m.ptl: record 'x': offset 0x2b: deflated data ends before "
            "its last block");
  bad = deflated;
  bad.data[0] = '\x07';
  EXPECT_EQ(ReadDamaged(bad),
            "error: m.ptl: record 'x': offset 0x22: deflated data: invalid block type");
  EXPECT_EQ(ReadDamaged(stored, {7}),
            "error: m.ptl: record 'x': offset 0x7: local header: signature is 0x00000000, need "
            "0x04034b50");
  EXPECT_EQ(ReadDamaged(stored, {9999}),
            "error: m.ptl: record 'x': offset 0x270f: local header: need 4 bytes, have 0");
}

TEST(ArchiveTest, TheTwoHeadersMustAgree) {
  const std::string zip = PlainZip({{.name = "m/x", .data = "abc"}});
  const auto with_local = [&](size_t offset, std::string_view bytes) {
    std::string patched = zip;
    Patch(patched, offset, bytes);
    return Opened(patched).Read("x");
  };
  const std::string begin = "error: m.ptl: record 'x': offset 0x0: local header: ";
  const std::string end = ", but the central directory says ";
  EXPECT_EQ(with_local(30, "m/y"), begin + "name is 'm/y'" + end + "'m/x'");
  EXPECT_EQ(with_local(8, LittleEndian(8, 2)), begin + "method is 8" + end + "0");
  EXPECT_EQ(with_local(14, LittleEndian(0, 4)),
            begin + "checksum is 0x00000000" + end + "0x352441c2");
  EXPECT_EQ(with_local(18, LittleEndian(4, 4)), begin + "stored size is 4" + end + "3");
  EXPECT_EQ(with_local(22, LittleEndian(4, 4)), begin + "size is 4" + end + "3");
  EXPECT_EQ(with_local(6, LittleEndian(1, 2)), "error: m.ptl: record 'x': is encrypted");
  // The extra field pushes the data into the directory.
  EXPECT_EQ(with_local(28, LittleEndian(3, 2)),
            "error: m.ptl: record 'x': offset 0x24: data: need 3 bytes, have 0 up to the central "
            "directory");
}

TEST(ArchiveTest, ARecordThatReachesOverTheNextIsRefused) {
  // Both headers of 'x' say that it holds the whole of 'y': a zip bomb's way to use bytes twice.
  const std::string inner = PlainZip({{.name = "m/y", .data = "abc"}}).substr(0, 36);
  ImageRecord outer{.name = "m/x", .data = inner};
  Opened opened(PlainZip({outer, {.name = "m/y", .data = "abc"}}, "", {0, 33}));
  ASSERT_TRUE(opened.archive);
  EXPECT_EQ(opened.Read("x"),
            "error: m.ptl: record 'x': offset 0x0: its 36 bytes overlap the next record");
  EXPECT_EQ(opened.Read("y"), "abc");
  EXPECT_THAT(opened.archive->warnings(), ElementsAre("m.ptl: record 'x': overlaps record 'y'"));

  // One bad offset does not make the record that it points into unreadable.
  Opened bad_offset(PlainZip({{.name = "m/x", .data = "abcdef"}, {.name = "m/y"}}, "", {0, 34}));
  ASSERT_TRUE(bad_offset.archive);
  EXPECT_EQ(bad_offset.Read("x"), "abcdef");
}

TEST(ArchiveTest, BombsFailBeforeTheyTakeMemory) {
  const std::string text(3'000'000, '\0');
  const std::string data = Deflated(text);
  ImageRecord bomb{.name = "m/x", .data = data, .method = 8, .checksum = Crc(text)};
  bomb.size = 3'000'000;
  Opened opened(PlainZip({bomb}));
  ASSERT_TRUE(opened.archive);
  MemoryBudget small = MemoryBudget::OfBytes(1'000'000);
  const Result<RecordBytes> record = opened.archive->Read("x", small);
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().code, ErrorCode::kLimit);
  EXPECT_EQ(record.error().message,
            "m.ptl: record 'x': inflated content: need 3000000 bytes of memory, have 1000000 of "
            "1000000 left");
  EXPECT_EQ(small.left_bytes(), 1'000'000u);

  bomb.size = 0xf0000000;
  Opened lies(PlainZip({bomb}));
  EXPECT_EQ(lies.Read("x"),
            "error: m.ptl: record 'x': offset 0x21: 2923 deflated bytes cannot hold "
            "the 4026531840 that the central directory says");
}

TEST(ArchiveTest, TheDirectoryTakesFromTheBudget) {
  std::string zip = PlainZip({{.name = "m/x", .data = "abc"}});
  MemoryBudget none = MemoryBudget::OfBytes(10);
  const Result<Archive> archive = Archive::Open(AsBytes(zip), "m.ptl", none);
  ASSERT_FALSE(archive);
  EXPECT_EQ(archive.error().code, ErrorCode::kLimit);
  MemoryBudget enough(zip.size());
  { EXPECT_TRUE(Archive::Open(AsBytes(zip), "m.ptl", enough)); }
  EXPECT_EQ(enough.left_bytes(), enough.total_bytes());
}

}  // namespace
}  // namespace handrail
