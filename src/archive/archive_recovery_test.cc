// Archives that were cut off or damaged: what is intact is read, and nothing is read wrongly.
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/archive.h"
#include "archive/zip_image_test.h"
#include "archive/zip_writer.h"

namespace handrail {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Content = std::map<std::string, std::string, std::less<>>;

Content ReadAll(const Archive& archive, MemoryBudget& budget) {
  Content content;
  for (const ArchiveRecord& record : archive.records()) {
    const Result<RecordBytes> bytes = archive.Read(record, budget);
    if (bytes) content.emplace(record.full_name, AsText(bytes->bytes()));
  }
  return content;
}

// The records of `bytes` that can be read, and the warnings.
struct Recovered {
  explicit Recovered(std::string_view bytes) : budget(bytes.size()) {
    const Result<Archive> archive = Archive::Open(AsBytes(bytes), "m.ptl", budget);
    if (!archive) {
      error = archive.error().message;
      return;
    }
    warnings = archive->warnings();
    content = ReadAll(*archive, budget);
  }
  MemoryBudget budget;
  std::string error;
  std::vector<std::string> warnings;
  Content content;
};

// A deflated and some stored records, one of which holds what looks like the end of a record.
std::string SmallArchive() {
  std::string zip;
  ZipWriter writer("m", zip);
  EXPECT_TRUE(writer.Add("version", "3\n"));
  EXPECT_TRUE(writer.Add("code.py", std::string(250, 'c') + "end", ZipMethod::kDeflated));
  EXPECT_TRUE(writer.Add("trap", "ab" + ("PK\7\10" + LittleEndian(0x1234, 4)) + LittleEndian(2, 4) +
                                     LittleEndian(2, 4) + "cd"));
  EXPECT_TRUE(writer.Add("empty", ""));
  EXPECT_TRUE(writer.Finish());
  return zip;
}

TEST(RecoveryTest, RecordsBeforeACutAreRead) {
  const std::string whole = SmallArchive();
  const Recovered all(whole);
  ASSERT_EQ(all.content.size(), 4u);
  ASSERT_THAT(all.warnings, IsEmpty());

  const size_t directory = whole.find("PK\1\2");
  const Recovered without_directory(whole.substr(0, directory));
  EXPECT_EQ(without_directory.content, all.content);
  EXPECT_THAT(without_directory.warnings,
              ElementsAre("m.ptl: no end record in the last 384 bytes, so there is no directory; "
                          "found 4 records by walking from the start"));

  const Recovered cut(whole.substr(0, whole.find("cdPK\7\10") + 6));
  EXPECT_THAT(cut.content, testing::SizeIs(2));
  EXPECT_EQ(cut.content.find("m/version")->second, "3\n");
  ASSERT_THAT(cut.warnings, testing::SizeIs(2));
  EXPECT_EQ(cut.warnings[1],
            "m.ptl: record 'm/trap': its data descriptor is not there; it and what follows are "
            "lost");
}

TEST(RecoveryTest, ArchivesOfOtherToolsAreWalkedByTheSizesUpFront) {
  const std::string zip =
      PlainZip({{.name = "m/x", .data = "abc"}, {.name = "m/y", .data = "defg"}});
  const Recovered cut(std::string_view(zip).substr(0, zip.find("PK\1\2") - 1));
  EXPECT_THAT(cut.content, ElementsAre(testing::Pair("m/x", "abc")));
  EXPECT_THAT(cut.warnings,
              ElementsAre(testing::HasSubstr("found 1 records by walking from the start"),
                          "m.ptl: record 'm/y': offset 0x45: data: need 4 bytes, have 3; it and "
                          "what follows are lost"));
}

TEST(RecoveryTest, ADamagedDirectoryIsReplacedByAWalk) {
  std::string zip = SmallArchive();
  const Content content = Recovered(zip).content;
  const size_t second_entry = zip.find("PK\1\2", zip.find("PK\1\2") + 1);
  zip[second_entry] = 'Q';
  const Recovered recovered(zip);
  EXPECT_EQ(recovered.content, content);
  EXPECT_THAT(recovered.warnings,
              ElementsAre("m.ptl: central directory: entry 1: offset 0x1b7: central header: "
                          "signature is 0x02014b51, need 0x02014b50; found 4 records by walking "
                          "from the start"));
}

TEST(RecoveryTest, DeflatedRecordsWithoutTheirDescriptorEndTheWalk) {
  const std::string whole = SmallArchive();
  std::string zip = whole.substr(0, whole.find("PK\1\2"));
  const size_t descriptor = zip.find("PK\7\10", zip.find("m/code.py"));
  zip[descriptor + 8] ^= 1;
  const Recovered recovered(zip);
  EXPECT_THAT(recovered.content, ElementsAre(testing::Pair("m/version", "3\n")));
  EXPECT_THAT(recovered.warnings.back(),
              testing::HasSubstr("data descriptor: is missing or says other sizes"));
}

TEST(RecoveryTest, OneRecordFullOfFalseDescriptorsTakesNoLongerThanAnother) {
  // 100,000 false descriptors, each of the right size: a search that computed each checksum from
  // the record's start would take minutes.
  std::string data;
  for (uint32_t i = 0; i < 100'000; ++i) {
    data += "PK\7\10" + LittleEndian(0x1234, 4) + LittleEndian(16 * i, 4) + LittleEndian(16 * i, 4);
  }
  std::string zip;
  ZipWriter writer("m", zip);
  ASSERT_TRUE(writer.Add("x", data));
  const Recovered recovered(zip);
  EXPECT_EQ(recovered.content.size(), 1u);
}

TEST(RecoveryTest, NoTruncationIsReadWrongly) {
  const std::string whole = SmallArchive();
  const Content content = Recovered(whole).content;
  size_t read_max = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    // A copy of exactly this size, so that a sanitizer sees the first byte beyond.
    const std::vector<char> bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    const Recovered cut(std::string_view(bytes.data(), bytes.size()));
    for (const auto& [name, text] : cut.content) EXPECT_EQ(text, content.at(name)) << size;
    EXPECT_TRUE(!cut.error.empty() || !cut.warnings.empty()) << size;
    read_max = std::max(read_max, cut.content.size());
  }
  EXPECT_EQ(read_max, content.size());
}

TEST(RecoveryTest, NoFlippedBitIsReadWrongly) {
  const std::string whole = SmallArchive();
  const Content content = Recovered(whole).content;
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const Recovered recovered(flipped);
    for (const auto& [name, text] : recovered.content) {
      // A flip in both names' bytes is impossible, so what is read under a name is that record.
      const auto expected = content.find(name);
      EXPECT_TRUE(expected != content.end() && expected->second == text) << bit << ' ' << name;
    }
  }
}

}  // namespace
}  // namespace handrail
