#include "archive/mobile_flatbuffer.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "archive/archive.h"
#include "archive/flatbuffer_tables.h"

namespace handrail {
namespace {

using flatbuffer::Field;
using flatbuffer::Reader;
using flatbuffer::Table;
using flatbuffer::Vector;

// What we read of the schema, torch/csrc/jit/serialization/mobile_bytecode.fbs of PyTorch 1.13. A
// value's kind and the value are two fields of one union.
constexpr Field kModuleBytecodeVersion{0, "module.bytecode_version"};
constexpr Field kModuleStateObject{3, "module.state_obj"};
constexpr Field kModuleValues{4, "module.ivalues"};
constexpr Field kModuleObjectTypes{7, "module.object_types"};
constexpr Field kModuleSources{8, "module.jit_sources"};
constexpr Field kModuleOperatorVersion{10, "module.operator_version"};
constexpr Field kValueKind{0, "ivalue.val_type"};
constexpr Field kValueContent{1, "ivalue.val"};
constexpr Field kObjectTypeIndex{0, "object.type_index"};
constexpr Field kObjectTypeName{0, "object_type.type_name"};
constexpr Field kFileName{0, "extra_file.name"};
constexpr Field kFileContent{1, "extra_file.content"};
constexpr Field kFunctionName{0, "function.qn"};
constexpr Field kFunctionInstructions{1, "function.instructions"};
constexpr Field kFunctionOperators{2, "function.operators"};
constexpr Field kFunctionDebugInfo{7, "function.debug_info"};
constexpr Field kFunctionClassType{8, "function.class_type"};
constexpr Field kOperatorName{0, "operator.name"};
constexpr Field kOperatorOverload{1, "operator.overload_name"};
constexpr Field kOperatorArguments{2, "operator.num_args_serialized"};
constexpr Field kDebugInfoHandles{0, "debug_info.debug_handle"};

constexpr uint8_t kObjectKind = 10;
constexpr uint8_t kFunctionKind = 16;
constexpr uint32_t kOffsetBytes = 4;
constexpr uint32_t kHandleBytes = 8;

class ModuleReader {
 public:
  ModuleReader(std::span<const std::byte> bytes, MemoryBudget& budget)
      : reader_(bytes), budget_(budget) {}

  Result<MobileModule> Read() {
    MobileModule module;
    HANDRAIL_ASSIGN_OR_RETURN(const Table root, reader_.Root("module"));
    HANDRAIL_ASSIGN_OR_RETURN(module.bytecode_version,
                              reader_.U32(root, kModuleBytecodeVersion, 0));
    HANDRAIL_ASSIGN_OR_RETURN(module.operator_version,
                              reader_.U32(root, kModuleOperatorVersion, 0));
    HANDRAIL_ASSIGN_OR_RETURN(types_, reader_.VectorOf(root, kModuleObjectTypes, kOffsetBytes));
    HANDRAIL_ASSIGN_OR_RETURN(values_, reader_.VectorOf(root, kModuleValues, kOffsetBytes));
    for (uint32_t index = 0; index < values_.count; ++index) {
      HANDRAIL_ASSIGN_OR_RETURN(const auto table, ValueOfKind(index, kFunctionKind));
      if (!table) continue;
      Result<MobileFunction> function = ReadFunction(*table);
      if (!function) {
        return tl::unexpected(
            std::move(function).error().In(fmt::format("module.ivalues: value {}", index)));
      }
      module.functions.push_back(*std::move(function));
    }
    HANDRAIL_ASSIGN_OR_RETURN(module.top_type_name, ReadTopTypeName(root));
    HANDRAIL_ASSIGN_OR_RETURN(module.sources, ReadSources(root));
    return module;
  }

 private:
  // The table of a value if it is of that kind.
  Result<std::optional<Table>> ValueOfKind(uint32_t index, uint8_t need) {
    HANDRAIL_ASSIGN_OR_RETURN(const Table value,
                              reader_.TableAt(values_, index, kModuleValues.name));
    HANDRAIL_ASSIGN_OR_RETURN(const uint8_t kind, reader_.U8(value, kValueKind, 0));
    if (kind != need) return std::nullopt;
    return reader_.TableOf(value, kValueContent);
  }

  // The name of a type by its index. Index 0 is what an absent field means too, so that without any
  // types it is no type.
  Result<std::string_view> TypeName(uint32_t index, const Table& user, Field field) {
    if (index >= types_.count) {
      if (index == 0) return std::string_view();
      return Fail(ErrorCode::kCorrupt,
                  fmt::format("offset {:#x}: {}: is {}, have {} types", user.offset, field.name,
                              index, types_.count),
                  user.offset);
    }
    HANDRAIL_ASSIGN_OR_RETURN(const Table type,
                              reader_.TableAt(types_, index, kModuleObjectTypes.name));
    return reader_.TextOf(type, kObjectTypeName);
  }

  Result<std::string_view> ReadTopTypeName(const Table& root) {
    HANDRAIL_ASSIGN_OR_RETURN(const uint32_t index, reader_.U32(root, kModuleStateObject, 0));
    if (index >= values_.count) return std::string_view();
    HANDRAIL_ASSIGN_OR_RETURN(const auto object, ValueOfKind(index, kObjectKind));
    if (!object) return std::string_view();
    HANDRAIL_ASSIGN_OR_RETURN(const uint32_t type, reader_.U32(*object, kObjectTypeIndex, 0));
    return TypeName(type, *object, kObjectTypeIndex);
  }

  Result<MobileFunction> ReadFunction(const Table& table) {
    HANDRAIL_RETURN_IF_ERROR(budget_.Take(2 * sizeof(MobileFunction), "functions"));
    MobileFunction function;
    HANDRAIL_ASSIGN_OR_RETURN(function.qualified_name, reader_.TextOf(table, kFunctionName));
    constexpr auto kInstructionBytes = static_cast<uint32_t>(MobileFunction::kInstructionBytes);
    HANDRAIL_ASSIGN_OR_RETURN(const Vector instructions,
                              reader_.VectorOf(table, kFunctionInstructions, kInstructionBytes));
    function.instruction_bytes = reader_.BytesOf(instructions, kInstructionBytes);
    HANDRAIL_ASSIGN_OR_RETURN(function.operators, ReadOperators(table));
    HANDRAIL_ASSIGN_OR_RETURN(const auto debug_info, reader_.TableOf(table, kFunctionDebugInfo));
    if (debug_info) {
      HANDRAIL_ASSIGN_OR_RETURN(const Vector handles,
                                reader_.VectorOf(*debug_info, kDebugInfoHandles, kHandleBytes));
      function.debug_handles = Int64View(reader_.BytesOf(handles, kHandleBytes));
    }
    HANDRAIL_ASSIGN_OR_RETURN(const uint32_t type, reader_.U32(table, kFunctionClassType, 0));
    HANDRAIL_ASSIGN_OR_RETURN(function.class_type_name, TypeName(type, table, kFunctionClassType));
    return function;
  }

  Result<std::vector<MobileOperator>> ReadOperators(const Table& function) {
    HANDRAIL_ASSIGN_OR_RETURN(const Vector tables,
                              reader_.VectorOf(function, kFunctionOperators, kOffsetBytes));
    HANDRAIL_RETURN_IF_ERROR(
        budget_.Take(uint64_t{tables.count} * sizeof(MobileOperator), "operators"));
    std::vector<MobileOperator> operators(tables.count);
    for (uint32_t index = 0; index < tables.count; ++index) {
      HANDRAIL_ASSIGN_OR_RETURN(const Table table,
                                reader_.TableAt(tables, index, kFunctionOperators.name));
      MobileOperator& op = operators[index];
      HANDRAIL_ASSIGN_OR_RETURN(op.name, reader_.TextOf(table, kOperatorName));
      HANDRAIL_ASSIGN_OR_RETURN(op.overload, reader_.TextOf(table, kOperatorOverload));
      constexpr uint32_t kNotSaid = UINT32_MAX;  // -1
      HANDRAIL_ASSIGN_OR_RETURN(const uint32_t arguments,
                                reader_.U32(table, kOperatorArguments, kNotSaid));
      op.specified_args = static_cast<int32_t>(arguments);
    }
    return operators;
  }

  Result<std::vector<MobileSource>> ReadSources(const Table& root) {
    HANDRAIL_ASSIGN_OR_RETURN(const Vector tables,
                              reader_.VectorOf(root, kModuleSources, kOffsetBytes));
    HANDRAIL_RETURN_IF_ERROR(
        budget_.Take(uint64_t{tables.count} * sizeof(MobileSource), "sources"));
    std::vector<MobileSource> sources(tables.count);
    for (uint32_t index = 0; index < tables.count; ++index) {
      HANDRAIL_ASSIGN_OR_RETURN(const Table table,
                                reader_.TableAt(tables, index, kModuleSources.name));
      HANDRAIL_ASSIGN_OR_RETURN(sources[index].name, reader_.TextOf(table, kFileName));
      HANDRAIL_ASSIGN_OR_RETURN(sources[index].content, reader_.TextOf(table, kFileContent));
    }
    return sources;
  }

  Reader reader_;
  MemoryBudget& budget_;
  Vector types_;
  Vector values_;
};

}  // namespace

int64_t Int64View::at(size_t index) const {
  HANDRAIL_CHECK(index < size());
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) {
    value |= static_cast<uint64_t>(bytes_[8 * index + i]) << (8 * i);
  }
  return static_cast<int64_t>(value);
}

Result<MobileModule> ReadMobileFlatbuffer(std::span<const std::byte> bytes, MemoryBudget& budget) {
  if (RecognizeContent(bytes) != ContentKind::kMobileFlatbuffer) {
    return Fail(ErrorCode::kUnsupported, "not a mobile flatbuffer: need 'PTMF' at offset 0x4");
  }
  return ModuleReader(bytes, budget).Read();
}

}  // namespace handrail
