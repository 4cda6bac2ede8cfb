// What is not asked to change stays, byte for byte, whoever wrote the archive.
#include "archive/archive_edit.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/zip_image_test.h"

namespace handrail {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Result<std::string> Edit(const std::string& bytes, const ArchiveEdit& edit) {
  MemoryBudget budget(bytes.size());
  HANDRAIL_ASSIGN_OR_RETURN(const Archive archive, Archive::Open(AsBytes(bytes), "m.ptl", budget));
  return EditArchive(archive, edit);
}

// Full names and contents, in order; checks that data lies where PyTorch's reader wants it.
std::vector<std::pair<std::string, std::string>> ContentsOf(const std::string& bytes) {
  MemoryBudget budget(bytes.size());
  const Result<Archive> archive = Archive::Open(AsBytes(bytes), "m.ptl", budget);
  EXPECT_TRUE(archive);
  std::vector<std::pair<std::string, std::string>> contents;
  for (const ArchiveRecord& record : archive->records()) {
    EXPECT_EQ(archive->DataOffset(record).value() % 64, 0u);
    const auto content = archive->Read(record, budget);
    EXPECT_TRUE(content);
    contents.emplace_back(record.full_name, AsText(content->bytes()));
  }
  return contents;
}

TEST(ArchiveEdit, NoChangeGivesPyTorchsBytes) {
  for (const char* name : {"double.ptl", "interface.ptl", "lowered.ptl", "model.pt", "model.ptl"}) {
    const std::string bytes = Fixture(name);
    const Result<std::string> edited = Edit(bytes, {});
    ASSERT_TRUE(edited) << name;
    EXPECT_TRUE(*edited == bytes) << name;
  }
}

TEST(ArchiveEdit, KeepsUnknownRecordsOfOtherWriters) {
  const std::string odd("\0\xff\n", 3);
  const std::string bytes = PlainZip({{.name = "m/version", .data = "3\n"},
                                      {.name = "m/strange.bin", .data = odd},
                                      {.name = "outside", .data = "o"},
                                      {.name = "m/gone", .data = "g"}});
  ArchiveEdit edit;
  edit.removes = [](std::string_view name) { return name == "gone"; };
  edit.added.push_back({"new", "n"});
  const Result<std::string> edited = Edit(bytes, edit);
  ASSERT_TRUE(edited);
  EXPECT_THAT(ContentsOf(*edited), ElementsAre(Pair("m/version", "3\n"), Pair("m/strange.bin", odd),
                                               Pair("outside", "o"), Pair("m/new", "n")));
}

TEST(ArchiveEdit, ReplacesRecordsWhereTheyStand) {
  const std::string bytes = PlainZip({{.name = "m/a", .data = "a"}, {.name = "m/b", .data = "b"}});
  ArchiveEdit edit;
  edit.added.push_back({"new", "n"});
  edit.added.push_back({"a", "other"});
  const Result<std::string> edited = Edit(bytes, edit);
  ASSERT_TRUE(edited);
  EXPECT_THAT(ContentsOf(*edited),
              ElementsAre(Pair("m/a", "other"), Pair("m/b", "b"), Pair("m/new", "n")));
  edit.added.push_back({"a", "again"});
  EXPECT_EQ(Edit(bytes, edit).error().message, "m.ptl: record 'a': was added before");
}

TEST(ArchiveEdit, RefusesWhatItCannotCopy) {
  const auto error = [](const std::string& bytes) {
    const Result<std::string> edited = Edit(bytes, {});
    return edited ? "" : edited.error().message;
  };
  EXPECT_EQ(error(PlainZip({{.name = "m/a", .data = "a"}, {.name = "m/a", .data = "b"}})),
            "m.ptl: record 'm/a': was added before");
  EXPECT_EQ(error(PlainZip({{.name = "m/a", .data = "a", .method = 12}})),
            "m.ptl: record 'a': need method 0 (stored) or 8 (deflated), have 12");
  const std::string whole = PlainZip({{.name = "m/a", .data = "a"}});
  EXPECT_EQ(error(whole.substr(0, whole.find("PK\1\2"))),
            "m.ptl: its directory is damaged: a copy could lack records");
}

}  // namespace
}  // namespace handrail
