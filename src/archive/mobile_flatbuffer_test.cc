#include "archive/mobile_flatbuffer.h"

#include <gtest/gtest.h>

#include "archive/zip_image_test.h"

namespace handrail {
namespace {

Result<MobileModule> Read(std::string_view bytes) {
  MemoryBudget budget(bytes.size());
  return ReadMobileFlatbuffer(AsBytes(bytes), budget);
}

TEST(MobileFlatbufferTest, ReadsWhatPyTorchWrote) {
  const std::string bytes = Fixture("model_flatbuffer.ptl");
  const Result<MobileModule> module = Read(bytes);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->bytecode_version, 9u);
  EXPECT_EQ(module->top_type_name, "__torch__.encoder.Encoder");
  ASSERT_EQ(module->functions.size(), 1u);
  const MobileFunction& forward = module->functions[0];
  EXPECT_EQ(forward.qualified_name, "__torch__.encoder.Encoder.forward");
  EXPECT_EQ(forward.class_type_name, "__torch__.encoder.Encoder");
  ASSERT_EQ(forward.instruction_count(), 125u);
  ASSERT_EQ(forward.debug_handles.size(), 125u);
  EXPECT_EQ(forward.debug_handles.at(0), 250);
  EXPECT_EQ(forward.debug_handles.at(124), 374);
  EXPECT_EQ(AsText(forward.instruction_bytes.last(8))[0], 12);  // RET
  ASSERT_EQ(forward.operators.size(), 13u);
  EXPECT_EQ(forward.operators[0].name, "aten::slice");
  EXPECT_EQ(forward.operators[0].overload, "Tensor");
  EXPECT_EQ(forward.operators[0].specified_args, 5);
  ASSERT_EQ(module->sources.size(), 1u);
  EXPECT_EQ(module->sources[0].name, "__torch__.encoder");
}

// Flatbuffers for tests, in the order: root offset, magic, tables. `Table` makes a table of 4-byte
// fields with its vtable in front of it.
std::string Table(const std::vector<uint32_t>& fields) {
  std::string vtable =
      LittleEndian(4 + 2 * fields.size(), 2) + LittleEndian(4 + 4 * fields.size(), 2);
  std::string table = LittleEndian(4 + 2 * fields.size(), 4);
  for (size_t i = 0; i < fields.size(); ++i) {
    vtable += LittleEndian(4 + 4 * i, 2);
    table += LittleEndian(fields[i], 4);
  }
  return vtable + table;
}

TEST(MobileFlatbufferTest, NamesWhatIsWrong) {
  const auto error = [](std::string_view bytes) {
    const Result<MobileModule> module = Read(bytes);
    return module ? "" : module.error().message;
  };
  EXPECT_EQ(error("PK\3\4"), "not a mobile flatbuffer: need 'PTMF' at offset 0x4");
  EXPECT_EQ(error(LittleEndian(8, 4) + "PTMF"), "offset 0x8: module: need 4 bytes, have 0");
  EXPECT_EQ(error(LittleEndian(9, 4) + "PTMF"),
            "offset 0x0: module: leads 9 bytes on, have 8 up to the end");
  EXPECT_EQ(error(LittleEndian(8, 4) + "PTMF" + LittleEndian(9, 4)),
            "offset 0x8: module: its vtable is at -1, need 0 to 12");
  // The magic, taken for a vtable.
  EXPECT_EQ(error(LittleEndian(8, 4) + "PTMF" + LittleEndian(4, 4) + "...."),
            "offset 0x8: module: need 17997 bytes, and 21584 for its vtable at 0x4, have 8 and 12");
  // Version, extra files, methods, state object, and values that lead nowhere.
  const std::string header = LittleEndian(8 + 14, 4) + "PTMF";
  EXPECT_EQ(error(header + Table({9, 0, 0, 0, 1000})),
            "offset 0x2a: module.ivalues: leads 1000 bytes on, have 4 up to the end");
  EXPECT_EQ(error(header + Table({9, 0, 0, 0, 4}) + LittleEndian(3, 4) + "12345678"),
            "offset 0x32: module.ivalues: need 3 elements of 4 bytes, have 8 bytes");
  EXPECT_EQ(error(header + Table({9, 0, 0, 0, 4}) + LittleEndian(1, 4) + LittleEndian(4, 4)),
            "offset 0x36: module.ivalues: need 4 bytes, have 0");
}

// A module of one function of one operator-free instruction: without debug info, and with a type
// that may not be there. All distances are from the field that holds them.
std::string OneFunction(uint32_t class_type) {
  const std::string module = Table({9, 0, 0, 0, 4});  // the vector of values follows
  const std::string values = LittleEndian(1, 4) + LittleEndian(4 + 8, 4);
  const std::string value = Table({16, 4 + 22});  // a function; past its vtable
  const std::string function = Table({4 * 9, 4 * 8 + 5, 0, 0, 0, 0, 0, 0, class_type});
  const std::string name = LittleEndian(1, 4) + "f";
  const std::string instructions = LittleEndian(1, 4) + LittleEndian(12, 8);
  return LittleEndian(8 + 14, 4) + "PTMF" + module + values + value + function + name +
         instructions;
}

TEST(MobileFlatbufferTest, ReadsFunctionsWithoutDebugInfo) {
  std::string bytes = OneFunction(0);
  // A field whose offset is 0 is absent: operators, constants, types, registers, schema, debug
  // info.
  const size_t function_vtable = 8 + 14 + 24 + 8 + 8 + 12;
  Patch(bytes, function_vtable + 4 + 2 * 2, std::string(12, '\0'));
  const Result<MobileModule> module = Read(bytes);
  ASSERT_TRUE(module) << module.error().message;
  ASSERT_EQ(module->functions.size(), 1u);
  EXPECT_EQ(module->functions[0].qualified_name, "f");
  EXPECT_EQ(module->functions[0].instruction_count(), 1u);
  EXPECT_EQ(module->functions[0].debug_handles.size(), 0u);
  EXPECT_EQ(module->functions[0].class_type_name, "");
  EXPECT_EQ(module->top_type_name, "");

  bytes = OneFunction(100);
  Patch(bytes, function_vtable + 4 + 2 * 2, std::string(12, '\0'));
  EXPECT_EQ(Read(bytes).error().message,
            "module.ivalues: value 0: offset 0x60: function.class_type: is 100, have 0 types");
}

TEST(MobileFlatbufferTest, FunctionsAreChargedBeforeTheyAreMade) {
  // Many values may lead to one function, so the file's size does not bound their number.
  const std::string bytes = Fixture("model_flatbuffer.ptl");
  MemoryBudget budget = MemoryBudget::OfBytes(100);
  const Result<MobileModule> module = ReadMobileFlatbuffer(AsBytes(bytes), budget);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, ErrorCode::kLimit);
}

TEST(MobileFlatbufferTest, NoTruncationCrashes) {
  const std::string whole = Fixture("model_flatbuffer.ptl");
  size_t failures = 0;
  for (size_t size = 0; size < whole.size(); size += size < 4096 ? 1 : 7) {
    const std::vector<char> exact(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    failures += !Read(std::string_view(exact.data(), exact.size()));
  }
  EXPECT_GT(failures, 1000u);
}

TEST(MobileFlatbufferTest, NoFlippedBitCrashes) {
  std::string bytes = Fixture("model_flatbuffer.ptl");
  size_t failures = 0;
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    failures += !Read(bytes);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  }
  EXPECT_GT(failures, 1000u);
}

}  // namespace
}  // namespace handrail
