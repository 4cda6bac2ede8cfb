// Archives with records of ours: units of blobs, and the key of the build.
#include "torch_debug/own_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/torch_debug/strip.h"

#include "torch_debug/record_values_test.h"

namespace handrail {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A debug map with one unit of one node, `name`; `handle` is set to its handle.
std::string OneBlob(std::string_view name, DebugHandle& handle) {
  DebugInfoBuilder builder;
  const SourceId source = builder.AddSource({.file_name = "blob.py", .text = "return x + y\n"});
  HANDRAIL_CHECK(
      builder.BeginUnit({.kind = UnitKind::kBackend, .key = HashBytes(AsBytes(name))}).has_value());
  const Result<DebugHandle> added = builder.AddNode(name, builder.AddRange(source, 7, 12));
  HANDRAIL_CHECK(added.has_value());
  handle = *added;
  const auto bytes = EncodeDebugMap(std::move(builder).Finish());
  HANDRAIL_CHECK(bytes.has_value());
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

Records ModuleRecords() {
  Records records = SmallModel().Build();
  for (const char* name : {"bytecode.pkl", "mobile_debug_handles.pkl", "callstack_debug_map.pkl"}) {
    records.Erase(name);
  }
  return records;
}

TEST(OwnRecords, AModuleArchiveHasTheUnitsOfItsBlobs) {
  Records records = ModuleRecords();
  DebugHandle handle = 0;
  records[kOwnDebugInfoName] = OneBlob("aten::mul", handle);
  const auto read = Read(records);
  ASSERT_TRUE(read);
  EXPECT_THAT(WarningTexts(read), IsEmpty());
  EXPECT_EQ(read->kind, TorchFileKind::kModule);
  ASSERT_THAT(read->info.units, SizeIs(1));
  EXPECT_EQ(read->info.units[0].kind, UnitKind::kBackend);
  EXPECT_EQ(read->info.units[0].build_id, read->build_id);
  EXPECT_THAT(read->info.units[0].handles, ElementsAre(handle));
  EXPECT_THAT(NodeTexts(read), ElementsAre(HasSubstr("'aten::mul' 'blob.py':1:8-1:13")));
}

// PyTorch's call-stack map knows a blob's handles, too: each handle is in one unit.
TEST(OwnRecords, AHandleOfABlobLeavesPytorchsUnit) {
  DebugHandle handle = 0;
  const std::string blob = OneBlob("aten::mul", handle);
  SmallModel model;
  model.map.items.push_back(Tuple({handle, 2, "aten::mul", None()}));
  Records records = model.Build();
  EXPECT_THAT(Read(records)->info.units, SizeIs(1));
  records[kOwnDebugInfoName] = blob;
  const auto read = Read(records);
  EXPECT_THAT(WarningTexts(read), IsEmpty());
  ASSERT_THAT(read->info.units, SizeIs(2));
  EXPECT_THAT(read->info.units[0].handles, ElementsAre(21, 22));
  EXPECT_THAT(read->info.units[1].handles, ElementsAre(handle));
  EXPECT_EQ(read->info.units[1].build_id, read->build_id);
}

TEST(OwnRecords, ADamagedRecordIsAWarning) {
  Records records = SmallModel().Build();
  DebugHandle handle = 0;
  std::string map = OneBlob("aten::mul", handle);
  for (size_t size = 0; size < map.size(); ++size) {
    records[kOwnDebugInfoName] = map.substr(0, size);
    const auto read = Read(records);
    ASSERT_TRUE(read);
    EXPECT_THAT(WarningTexts(read), ElementsAre(HasSubstr("'handrail/debug_info': "))) << size;
    EXPECT_THAT(read->info.units, SizeIs(1));
  }
  for (char& byte : map) {
    byte = static_cast<char>(byte ^ 0x41);
    records[kOwnDebugInfoName] = map;
    const auto read = Read(records);
    ASSERT_TRUE(read);
    EXPECT_LE(read->info.units.size(), 2);
    byte = static_cast<char>(byte ^ 0x41);
  }
}

TEST(OwnRecords, TheBuildKeyMakesAnotherBuildAndStaysWhenStripped) {
  Records records = SmallModel().Build();
  const Hash128 without = Read(records)->build_id;
  records[kBuildKeyName] = "00112233445566778899aabbccddeeff";
  const Hash128 one = Read(records)->build_id;
  records[kBuildKeyName] = "00112233445566778899aabbccddeefe";
  const Hash128 other = Read(records)->build_id;
  EXPECT_NE(without, one);
  EXPECT_NE(one, other);
  const std::string file = records.Zipped();
  const Result<std::string> stripped = StripTorchArchive(AsBytes(file), "m.ptl");
  ASSERT_TRUE(stripped);
  EXPECT_EQ(Read(*stripped)->build_id, other);
}

TEST(OwnRecords, StripTakesTheUnitsOut) {
  Records records = SmallModel().Build();
  DebugHandle handle = 0;
  records[kOwnDebugInfoName] = OneBlob("aten::mul", handle);
  const std::string file = records.Zipped();
  const Result<std::string> stripped = StripTorchArchive(AsBytes(file), "m.ptl");
  ASSERT_TRUE(stripped);
  EXPECT_THAT(Read(*stripped)->info.units, SizeIs(1));
  EXPECT_EQ(Read(*stripped)->build_id, Read(records)->build_id);
}

TEST(OwnRecords, BuildIdOfALoweredModuleArchiveDependsOnItsBlobs) {
  Records records = ModuleRecords();
  records["data.pkl"] = RootObject("torch.jit.LoweredModule.demo.__torch__", "M");
  const Hash128 intact = Read(records)->build_id;
  records["data/0"] = "blob";
  EXPECT_NE(Read(records)->build_id, intact);
}

}  // namespace
}  // namespace handrail
