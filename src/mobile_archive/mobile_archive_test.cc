#include "handrail/mobile_archive/mobile_archive.h"

#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/mobile_archive/program_reader.h"
#include "handrail/torch_debug/strip.h"
#include "handrail/torch_debug/torch_debug.h"

#include "archive/archive.h"
#include "archive/archive_edit.h"
#include "archive/pickle_writer.h"
#include "torch_debug/debug_record_writer.h"
#include "torch_debug/record_values_test.h"
#include "values/object_archive_testing.h"

namespace handrail::mobile_archive {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

constexpr std::string_view kHead = "  __parameters__ = []\n  __buffers__ = []\n";

std::string ClassOf(std::string_view name, std::string_view body) {
  return fmt::format("class {}(Module):\n{}{}", name, kHead, body);
}

// M calls Inner, which negates.
const std::string kCode =
    ClassOf("M",
            "  inner : __torch__.Inner\n"
            "  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n"
            "    inner = self.inner\n"
            "    return (inner).forward(x, )\n") +
    ClassOf("Inner",
            "  def forward(self: __torch__.Inner,\n    x: Tensor) -> Tensor:\n"
            "    return torch.neg(x)\n");

TestModule TopWithInner(const std::string& inner_class) {
  TestModule top{"__torch__.M", {}};
  top.submodules.push_back({"inner", {inner_class, {}}});
  return top;
}

std::string ModuleOf(const std::string& code, const TestRecords& more = {}) {
  return ModuleArchiveOf(TopWithInner("__torch__.Inner"), {{"__torch__", code}}, more);
}

std::map<std::string, std::string> RecordsOf(const std::string& file) {
  MemoryBudget budget(file.size());
  const Result<Archive> archive = Archive::Open(BytesOf(file), "a", budget);
  EXPECT_TRUE(archive);
  std::map<std::string, std::string> records;
  for (const ArchiveRecord& record : archive->records()) {
    const Result<RecordBytes> content = archive->Read(record, budget);
    EXPECT_TRUE(content) << record.name;
    records[std::string(record.name)] = std::string(
        reinterpret_cast<const char*>(content->bytes().data()), content->bytes().size());
  }
  return records;
}

std::string MakeOrFail(const std::string& file) {
  const Result<MobileArchive> made = MakeMobileArchive(BytesOf(file), "m.pt");
  if (!made) {
    ADD_FAILURE() << made.error().message;
    return {};
  }
  EXPECT_THAT(made->warnings, IsEmpty());
  return made->bytes;
}

std::string MessageOf(const std::string& file) {
  const Result<MobileArchive> made = MakeMobileArchive(BytesOf(file), "m.pt");
  return made ? "no error" : made.error().message;
}

TEST(MakeMobileArchive, ReadsBackAsTheProgramItIs) {
  const std::string file = MakeOrFail(ModuleOf(kCode));
  const auto read = ReadProgram(BytesOf(file), "m.ptl");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->warnings, IsEmpty());
  ASSERT_EQ(read->program.functions.size(), 1);
  const bytecode::Function& forward = read->program.functions[0];
  EXPECT_EQ(forward.name, "__torch__.M.forward");
  EXPECT_THAT(forward.operators, ElementsAre(bytecode::Operator{"aten::neg", "", 1}));
  EXPECT_EQ(forward.arguments[1].name, "x");
  // Dense from 0, one for each instruction.
  ASSERT_EQ(forward.handles.size(), forward.instructions.size());
  for (size_t i = 0; i < forward.handles.size(); ++i) {
    EXPECT_EQ(forward.handles[i], static_cast<DebugHandle>(i));
  }
}

TEST(MakeMobileArchive, SaysWhatHandlesStandFor) {
  const auto debug = ReadTorchDebugInfo(BytesOf(MakeOrFail(ModuleOf(kCode))), "m.ptl");
  ASSERT_TRUE(debug) << debug.error().message;
  EXPECT_THAT(debug->warnings, IsEmpty());
  EXPECT_TRUE(debug->has_debug_info);
  const DebugInfo& info = debug->info;
  for (const Node& node : info.units.at(0).nodes) {
    if (info.strings.at(node.name) != "aten::neg") continue;
    EXPECT_EQ(info.ranges[node.range.index].start.line, 14);
    ASSERT_FALSE(node.stack.is_none());
    const CallSite& call = info.call_sites[info.stacks[node.stack.index].call_site.index];
    EXPECT_EQ(info.strings.at(call.module_name), "inner");
    EXPECT_EQ(info.strings.at(call.function), "forward");
    EXPECT_EQ(info.ranges[call.range.index].start.line, 8);
    return;
  }
  ADD_FAILURE() << "no handle stands for aten::neg";
}

TEST(MakeMobileArchive, KeepsEveryRecord) {
  const std::string unknown("anything\0at all", 15);
  const std::string module = ModuleOf(kCode, {{"extra/notes", unknown}, {"version", "3\n"}});
  const auto before = RecordsOf(module);
  const auto after = RecordsOf(MakeOrFail(module));
  EXPECT_THAT(after, IsSupersetOf(before));
  EXPECT_EQ(after.size(), before.size() + 5);
  EXPECT_EQ(after.at("extra/notes"), unknown);
}

TEST(MakeMobileArchive, MakesTheSameBytesOfTheSameInput) {
  EXPECT_EQ(MakeOrFail(ModuleOf(kCode)), MakeOrFail(ModuleOf(kCode)));
}

// The same bytecode, one line further down.
TEST(MakeMobileArchive, TellsBuildsApartWhoseLinesMoved) {
  const std::string here = MakeOrFail(ModuleOf(kCode));
  const std::string below = MakeOrFail(ModuleOf("\n" + kCode));
  EXPECT_EQ(RecordsOf(here)["bytecode.pkl"], RecordsOf(below)["bytecode.pkl"]);
  EXPECT_NE(RecordsOf(here)["handrail/build_key"], RecordsOf(below)["handrail/build_key"]);
}

TEST(MakeMobileArchive, TellsPytorchWhatTheHandlesOfBlobsStandFor) {
  DebugInfoBuilder builder;
  const SourceId source = builder.AddSource({.file_name = "blob.py", .text = "return x + y\n"});
  ASSERT_TRUE(builder.BeginUnit({.kind = UnitKind::kBackend, .key = HashBytes("key")}));
  const RangeId range = builder.AddRange(source, 7, 12);
  const StackId stack = builder.AddCall(StackId::none(), "forward",
                                        ModuleInstance{"__torch__.Inner", "inner"}, range);
  const Result<DebugHandle> handle = builder.AddNode("aten::mul", range, stack);
  ASSERT_TRUE(handle);
  const auto map = EncodeDebugMap(std::move(builder).Finish());
  ASSERT_TRUE(map);
  const std::string record(reinterpret_cast<const char*>(map->data()), map->size());

  std::string file = MakeOrFail(ModuleOf(kCode, {{"handrail/debug_info", record}}));
  EXPECT_EQ(RecordsOf(file)["handrail/debug_info"], record);
  // With PyTorch's records alone.
  MemoryBudget budget(file.size());
  const Result<Archive> archive = Archive::Open(BytesOf(file), "a", budget);
  ASSERT_TRUE(archive);
  const auto is_own = [](std::string_view name) { return name == "handrail/debug_info"; };
  const Result<std::string> bare = EditArchive(*archive, {.removes = is_own, .added = {}});
  ASSERT_TRUE(bare);
  const auto debug = ReadTorchDebugInfo(BytesOf(*bare), "m.ptl");
  ASSERT_TRUE(debug);
  EXPECT_THAT(debug->warnings, IsEmpty());
  const DebugInfo& info = debug->info;
  EXPECT_EQ(info.units.at(0).handles.back(), *handle);
  const Node& node = info.units.at(0).nodes.back();
  EXPECT_EQ(info.strings.at(node.name), "aten::mul");
  EXPECT_EQ(info.ranges[node.range.index].start, (Position{1, 8}));
  EXPECT_FALSE(node.stack.is_none());
}

// PyTorch's blobs hold small numbers of a process that ended: none of them is the bytecode's.
TEST(MakeMobileArchive, KeepsAwayFromTheHandlesOfForeignBlobs) {
  const std::string name = "torch.jit.LoweredModule.demo.__torch__.Inner";
  const std::string file = ModuleArchiveOf(
      TopWithInner(name), {{"__torch__", ClassOf("M", fmt::format("  inner : {}\n", name) +
                                                          "  def forward(self: __torch__.M,\n"
                                                          "    x: Tensor) -> Tensor:\n"
                                                          "    return torch.neg(x)\n")},
                           {"torch.jit.LoweredModule.demo.__torch__", ClassOf("Inner", "")}});
  const auto read = ReadProgram(BytesOf(MakeOrFail(file)), "m.ptl");
  ASSERT_TRUE(read) << read.error().message;
  for (const DebugHandle handle : read->program.functions.at(0).handles) {
    EXPECT_NE(HandleSpaceOf(handle), kBytecodeSpace);
  }
}

// Archive -> debug map -> records -> archive.
TEST(MakeMobileArchive, DebugInfoThatWentThroughADebugMapSaysTheSame) {
  const std::string unknown("anything\0at all", 15);
  const std::string file = MakeOrFail(ModuleOf(kCode, {{"extra/notes", unknown}}));
  const auto before = ReadTorchDebugInfo(BytesOf(file), "m.ptl");
  ASSERT_TRUE(before);
  const auto bytes = EncodeDebugMap(before->info);
  ASSERT_TRUE(bytes);
  const auto map = DebugMap::FromBytes(*bytes, "m.hdm");
  ASSERT_TRUE(map);
  const auto info = DecodeDebugMap(*map);
  ASSERT_TRUE(info);

  const auto stripped = StripTorchArchive(BytesOf(file), "m.ptl");
  ASSERT_TRUE(stripped);
  MemoryBudget budget(stripped->size());
  const auto archive = Archive::Open(BytesOf(*stripped), "m.ptl", budget);
  ASSERT_TRUE(archive);
  const RangeTags tags(*info);
  const auto again = EditArchive(
      *archive,
      {.removes = {},
       .added = {{"delegated_backends.debug_pkl", WriteRangeRecord(*info, tags)},
                 {"callstack_debug_map.pkl", WriteCallStackMap(*info, info->units[0], tags)}}});
  ASSERT_TRUE(again);
  const auto after = ReadTorchDebugInfo(BytesOf(*again), "m.ptl");
  EXPECT_EQ(NodeTexts(after), NodeTexts(before));
  EXPECT_EQ(after->build_id, before->build_id);
  EXPECT_EQ(RecordsOf(*again)["extra/notes"], unknown);
}

TEST(MakeMobileArchive, RefusesArchivesThatHaveBytecode) {
  EXPECT_THAT(MessageOf(MakeOrFail(ModuleOf(kCode))), HasSubstr("have one that has bytecode"));
}

TEST(MakeMobileArchive, NamesTheLineOfWhatTheMobileRuntimeCannotDo) {
  EXPECT_THAT(
      MessageOf(ModuleOf(ClassOf("M",
                                 "  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n"
                                 "    a = __torch__.Own.__new__(__torch__.Own)\n"
                                 "    _0 = (a).__init__(x, )\n"
                                 "    return a.x\n") +
                         "class Own:\n"
                         "  x : Tensor\n"
                         "  def __init__(self: __torch__.Own,\n    x: Tensor) -> NoneType:\n"
                         "    self.x = x\n"
                         "    return None\n")),
      "m.pt: function '__torch__.M.forward': the mobile runtime has no classes of Python "
      "code: '__torch__.Own', at code/__torch__.py:6");
}

}  // namespace
}  // namespace handrail::mobile_archive
