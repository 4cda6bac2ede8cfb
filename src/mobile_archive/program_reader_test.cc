#include "handrail/mobile_archive/program_reader.h"

#include <array>
#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "values/object_archive_testing.h"

namespace handrail::mobile_archive {
namespace {

using bytecode::Instruction;
using bytecode::Opcode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

struct Row {
  std::string opcode;
  int64_t x;
  int64_t n;
};

// One function `forward` that returns its argument plus a constant, with one part to be spoilt.
struct TestFunction {
  std::string name = "__torch__.M.forward";
  std::vector<Row> instructions = {{"STOREN", 1, 2}, {"DROPR", 1, 0}, {"MOVE", 2, 0},
                                   {"LOADC", 0, 0},  {"OP", 0, 0},    {"RET", 0, 0}};
  std::string first_row = "instructions";
  bool has_argument_counts = true;
  int64_t register_size = 2;
  std::function<void(PickleWriter&)> constant = [](PickleWriter& writer) { writer.Int(7); };
  bool has_schema = true;

  void Write(PickleWriter& writer) const {
    writer.BeginTuple(has_schema ? 3 : 2);
    writer.Text(name);
    writer.BeginTuple(5);
    WriteRow(writer, first_row, [&] {
      writer.BeginTuple(instructions.size());
      for (const Row& row : instructions) {
        writer.BeginTuple(3);
        writer.Text(row.opcode);
        writer.Int(row.x);
        writer.Int(row.n);
        writer.EndTuple(3);
      }
      writer.EndTuple(instructions.size());
    });
    WriteRow(writer, "operators", [&] {
      const size_t size = has_argument_counts ? 3 : 2;
      writer.BeginTuple(1);
      writer.BeginTuple(size);
      writer.Text("aten::add");
      writer.Text("Scalar");
      if (has_argument_counts) writer.Int(2);
      writer.EndTuple(size);
      writer.EndTuple(1);
    });
    WriteRow(writer, "constants", [&] {
      writer.BeginTuple(1);
      constant(writer);
      writer.EndTuple(1);
    });
    WriteRow(writer, "types", [&] {
      writer.BeginTuple(1);
      writer.Text("List[int]");
      writer.EndTuple(1);
    });
    WriteRow(writer, "register_size", [&] { writer.Int(register_size); });
    writer.EndTuple(5);
    if (has_schema) WriteSchema(writer);
    writer.EndTuple(has_schema ? 3 : 2);
  }

 private:
  static void WriteRow(PickleWriter& writer, std::string_view key,
                       const std::function<void()>& write_value) {
    writer.BeginTuple(2);
    writer.Text(key);
    write_value();
    writer.EndTuple(2);
  }
  static void WriteArgument(PickleWriter& writer, std::string_view name, std::string_view type,
                            const std::function<void()>& write_value) {
    writer.BeginTuple(3);
    WriteRow(writer, "name", [&] { writer.Text(name); });
    WriteRow(writer, "type", [&] { writer.Text(type); });
    WriteRow(writer, "default_value", write_value);
    writer.EndTuple(3);
  }
  static void WriteSchema(PickleWriter& writer) {
    writer.BeginTuple(2);
    WriteRow(writer, "arguments", [&] {
      writer.BeginTuple(3);
      WriteArgument(writer, "self", "__torch__.M", [&] { writer.None(); });
      WriteArgument(writer, "x", "int", [&] { writer.Int(5); });
      WriteArgument(writer, "y", "Optional[int]", [&] { writer.None(); });
      writer.EndTuple(3);
    });
    WriteRow(writer, "returns", [&] {
      writer.BeginTuple(1);
      WriteArgument(writer, "", "Optional[int]", [&] { writer.None(); });
      writer.EndTuple(1);
    });
    writer.EndTuple(2);
  }
};

std::string BytecodeOf(const std::vector<TestFunction>& functions, int64_t version = 8) {
  PickleWriter writer;
  writer.BeginTuple(functions.size() + 1);
  writer.Int(version);
  for (const TestFunction& function : functions) function.Write(writer);
  writer.EndTuple(functions.size() + 1);
  return std::move(writer).Finish();
}

std::string HandlesOf(std::string_view name, const std::vector<int64_t>& handles) {
  PickleWriter writer;
  writer.BeginTuple(2);
  writer.Int(8);
  writer.BeginTuple(2);
  writer.Text(name);
  writer.BeginTuple(1);
  writer.BeginTuple(2);
  writer.Text("function_debug_handles");
  writer.BeginTuple(1);
  writer.IntList(handles);
  writer.EndTuple(1);
  writer.EndTuple(2);
  writer.EndTuple(1);
  writer.EndTuple(2);
  writer.EndTuple(2);
  return std::move(writer).Finish();
}

Result<ReadProgramResult> Read(const std::string& file) {
  return ReadProgram(BytesOf(file), "m.ptl");
}

std::string ErrorOf(const TestFunction& function, int64_t version = 8) {
  const auto read = Read(ZipOf({{"bytecode.pkl", BytecodeOf({function}, version)}}));
  return read ? "no error" : read.error().message;
}

TEST(ReadProgram, GivesWhatTheRecordSays) {
  const auto read = Read(ZipOf({{"bytecode.pkl", BytecodeOf({{}})}}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->program.version, 8);
  ASSERT_THAT(read->program.functions, SizeIs(1));
  const bytecode::Function& function = read->program.functions[0];
  EXPECT_EQ(function.name, "__torch__.M.forward");
  EXPECT_THAT(function.instructions,
              ElementsAre(Instruction{Opcode::STOREN, 2, 1}, Instruction{Opcode::DROPR, 0, 1},
                          Instruction{Opcode::MOVE, 0, 2}, Instruction{Opcode::LOADC, 0, 0},
                          Instruction{Opcode::OP, 0, 0}, Instruction{Opcode::RET, 0, 0}));
  EXPECT_THAT(function.operators, ElementsAre(bytecode::Operator{"aten::add", "Scalar", 2}));
  ASSERT_THAT(function.constants, SizeIs(1));
  EXPECT_EQ(function.constants[0].int_value(), 7);
  EXPECT_THAT(function.types, ElementsAre("List[int]"));
  EXPECT_EQ(function.register_count, 2U);
  EXPECT_THAT(function.handles, SizeIs(0));
}

TEST(ReadProgram, GivesTheSchemaWithDefaults) {
  const auto read = Read(ZipOf({{"bytecode.pkl", BytecodeOf({{}})}}));
  ASSERT_TRUE(read) << read.error().message;
  const auto& arguments = read->program.functions[0].arguments;
  ASSERT_THAT(arguments, SizeIs(3));
  EXPECT_EQ(arguments[0].type, "__torch__.M");
  EXPECT_FALSE(arguments[0].has_default);
  EXPECT_TRUE(arguments[1].has_default);
  EXPECT_EQ(arguments[1].default_value.int_value(), 5);
  EXPECT_TRUE(arguments[2].has_default);
  EXPECT_TRUE(arguments[2].default_value.is_none());
  ASSERT_THAT(read->program.functions[0].results, SizeIs(1));
  EXPECT_FALSE(read->program.functions[0].results[0].has_default);
}

TEST(ReadProgram, ReadsOlderForms) {
  TestFunction old;
  old.has_argument_counts = false;
  old.has_schema = false;
  const auto read = Read(ZipOf({{"bytecode.pkl", BytecodeOf({old}, 4)}}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->program.functions[0].operators[0].argument_count, -1);
  EXPECT_THAT(read->program.functions[0].arguments, SizeIs(0));
}

TEST(ReadProgram, ReadsTensorsOfConstants) {
  TestFunction function;
  function.constant = [](PickleWriter& writer) {
    writer.Global("torch._utils", "_rebuild_tensor_v2");
    writer.BeginTuple(6);
    writer.BeginTuple(5);
    writer.Text("storage");
    writer.Global("torch", "FloatStorage");
    writer.Text("0.storage");
    writer.Text("cpu");
    writer.Int(2);
    writer.EndTuple(5);
    writer.PersistentId();
    writer.Int(0);
    writer.BeginTuple(1);
    writer.Int(2);
    writer.EndTuple(1);
    writer.BeginTuple(1);
    writer.Int(1);
    writer.EndTuple(1);
    writer.Bool(false);
    writer.Global("collections", "OrderedDict");
    writer.BeginTuple(0);
    writer.EndTuple(0);
    writer.Reduce();
    writer.EndTuple(6);
    writer.Reduce();
  };
  for (const auto& [folder, version] : {std::pair("constants", 8), std::pair("bytecode", 4)}) {
    const std::string content("\0\0\x80\x3f\0\0\0\x40", 8);
    const std::string whole = ZipOf({{fmt::format("{}/0.storage", folder), content},
                                     {"bytecode.pkl", BytecodeOf({function}, version)}});
    const auto read = Read(whole);
    ASSERT_TRUE(read) << read.error().message;
    const values::Tensor& tensor = read->program.functions[0].constants[0].tensor();
    EXPECT_EQ(tensor.data<float>()[1], 2.0F);
  }
}

TEST(ReadProgram, GivesHandlesToFunctions) {
  const auto read =
      Read(ZipOf({{"bytecode.pkl", BytecodeOf({{}})},
                  {"mobile_debug_handles.pkl",
                   HandlesOf("__torch__.M.forward", {3, 4, 5, 6, 7, int64_t{1} << 52})}}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->warnings, SizeIs(0));
  EXPECT_THAT(read->program.functions[0].handles, ElementsAre(3, 4, 5, 6, 7, int64_t{1} << 52));
}

TEST(ReadProgram, LoadsWithHandlesThatDoNotFit) {
  const std::string bytecode = BytecodeOf({{}});
  const struct {
    std::string record;
    std::string warning;
  } kCases[] = {
      {HandlesOf("__torch__.M.forward", {3, 4}),
       "function '__torch__.M.forward': need 6 handles, one for each instruction, have 2"},
      {HandlesOf("__torch__.M.other", {1, 2, 3, 4, 5, 6}),
       "entry 1: need function '__torch__.M.forward', have '__torch__.M.other'"},
      {"no pickle", "record 'mobile_debug_handles.pkl'"},
  };
  for (const auto& each : kCases) {
    const auto read =
        Read(ZipOf({{"bytecode.pkl", bytecode}, {"mobile_debug_handles.pkl", each.record}}));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_THAT(read->program.functions[0].handles, SizeIs(0));
    ASSERT_THAT(read->warnings, SizeIs(1));
    EXPECT_THAT(read->warnings[0].message, HasSubstr(each.warning));
  }
}

TEST(ReadProgram, NamesWhatIsWrongInAFunction) {
  TestFunction function;
  function.instructions[2] = {"JUMP", 1, 0};
  EXPECT_EQ(ErrorOf(function),
            "m.ptl: record 'bytecode.pkl': function 1: '__torch__.M.forward': instruction 2: "
            "opcode: need one of the mobile runtime's, have 'JUMP'");
  function = {};
  function.instructions[2] = {"MOVE", 3, 0};
  EXPECT_THAT(ErrorOf(function), HasSubstr("instruction 2: MOVE: need a register from 1 to 2"));
  function = {};
  function.instructions[0] = {"STOREN", 1, 65536};
  EXPECT_THAT(ErrorOf(function),
              HasSubstr("instruction 0: N: need a number from 0 to 65535, have 65536"));
  function = {};
  function.instructions.pop_back();
  EXPECT_THAT(ErrorOf(function), HasSubstr("need RET at its end, have OP"));
  function = {};
  function.first_row = "operators";
  EXPECT_THAT(ErrorOf(function), HasSubstr("name of a row: need 'instructions', have 'operators'"));
  function = {};
  function.register_size = int64_t{1} << 40;
  EXPECT_THAT(ErrorOf(function), HasSubstr("register_size: need a number from 0 to"));
  function = {};
  function.constant = [](PickleWriter& writer) { writer.Global("os", "system"); };
  EXPECT_THAT(ErrorOf(function), HasSubstr("need a value that TorchScript has"));
}

TEST(ReadProgram, RefusesOtherVersions) {
  EXPECT_THAT(ErrorOf({}, 3), HasSubstr("need bytecode of version 4 to 9, have 3"));
  EXPECT_THAT(ErrorOf({}, 10), HasSubstr("need bytecode of version 4 to 9, have 10"));
}

TEST(ReadProgram, RefusesFunctionsOfOneName) {
  const auto read = Read(ZipOf({{"bytecode.pkl", BytecodeOf({{}, {}})}}));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kConflict);
}

TEST(ReadProgram, RefusesArchivesWithoutBytecode) {
  const auto read = Read(ZipOf({{"data.pkl", "x"}}));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(read.error().message, HasSubstr("m.ptl: need an archive for the mobile runtime"));
}

// One tuple of a thousand types, which is that of ten thousand functions.
TEST(ReadProgram, TakesNoMoreMemoryThanItMay) {
  constexpr size_t kFunctionCount = 10'000;
  PickleWriter writer;
  writer.BeginTuple(kFunctionCount + 1);
  writer.Int(8);
  uint32_t code = 0;
  for (size_t i = 0; i < kFunctionCount; ++i) {
    writer.BeginTuple(2);
    writer.Text(fmt::format("f{}", i));
    if (i == 0) {
      writer.BeginTuple(5);
      for (const std::string_view key : {"instructions", "operators", "constants", "types"}) {
        writer.BeginTuple(2);
        writer.Text(key);
        if (key == "instructions") {
          writer.BeginTuple(1);
          writer.BeginTuple(3);
          writer.Text("RET");
          writer.Int(0);
          writer.Int(0);
          writer.EndTuple(3);
          writer.EndTuple(1);
        } else {
          const size_t size = key == "types" ? 1'000 : 0;
          writer.BeginTuple(size);
          for (size_t row = 0; row < size; ++row) writer.Text("Tensor");
          writer.EndTuple(size);
        }
        writer.EndTuple(2);
      }
      writer.BeginTuple(2);
      writer.Text("register_size");
      writer.Int(0);
      writer.EndTuple(2);
      writer.EndTuple(5);
      code = writer.Memoize();
    } else {
      writer.Get(code);
    }
    writer.EndTuple(2);
  }
  writer.EndTuple(kFunctionCount + 1);
  const auto read = Read(ZipOf({{"bytecode.pkl", std::move(writer).Finish()}}));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kLimit) << read.error().message;
}

TEST(ReadProgram, AnswersToEveryTruncationWithAnError) {
  const std::string record = BytecodeOf({{}});
  for (size_t size = 0; size < record.size(); ++size) {
    const auto read = Read(ZipOf({{"bytecode.pkl", record.substr(0, size)}}));
    ASSERT_FALSE(read) << size;
    EXPECT_THAT(read.error().message, HasSubstr("m.ptl: record 'bytecode.pkl'")) << size;
  }
}

TEST(ReadProgram, AnswersToEveryTruncatedFile) {
  const std::string file =
      ZipOf({{"bytecode.pkl", BytecodeOf({{}})},
             {"mobile_debug_handles.pkl", HandlesOf("__torch__.M.forward", {1, 2, 3, 4, 5, 6})}});
  for (size_t size = 0; size < file.size(); ++size) {
    const auto read = Read(file.substr(0, size));
    if (read) continue;  // what is cut off need not be needed
    EXPECT_THAT(read.error().message, HasSubstr("m.ptl")) << size;
  }
}

// Whatever a byte becomes, reading ends, and a program that was read is sound.
TEST(ReadProgram, AnswersToEveryChangedByte) {
  const std::string record = BytecodeOf({{}});
  for (size_t i = 0; i < record.size(); ++i) {
    for (const unsigned flipped : {0x01U, 0x80U, 0xffU}) {
      std::string changed = record;
      changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ flipped);
      const auto read = Read(ZipOf({{"bytecode.pkl", changed}}));
      if (!read) continue;
      for (const bytecode::Function& function : read->program.functions) {
        EXPECT_TRUE(bytecode::Verify(function)) << i;
      }
    }
  }
}

}  // namespace
}  // namespace handrail::mobile_archive
