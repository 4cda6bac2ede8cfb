// Flatbuffer files for the mobile runtime: handles, to be used with a map from beside the file.
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "handrail/debug_info/handle.h"

#include "archive/mobile_flatbuffer.h"
#include "torch_debug/build_id.h"
#include "torch_debug/file_readers.h"
#include "torch_debug/int64_index.h"

namespace handrail {
namespace {

// Functions may share bytes of the file; reading them may cost this many times the file.
constexpr uint64_t kWorkPerFileByte = 16;
// Of one node in the builder, whose tables grow by doubling.
constexpr uint64_t kNodeBytes = 2 * (sizeof(DebugHandle) + sizeof(Node));

Status CheckWork(const MobileModule& module, uint64_t file_size_bytes) {
  uint64_t work = 0;
  for (const MobileFunction& function : module.functions) {
    work += function.qualified_name.size() + function.instruction_bytes.size() +
            function.debug_handles.bytes().size();
    for (const MobileOperator& op : function.operators) {
      work += op.name.size() + op.overload.size() + sizeof(MobileOperator);
    }
  }
  if (work / kWorkPerFileByte <= file_size_bytes) return {};
  return Fail(ErrorCode::kLimit,
              fmt::format("functions: need at most {} bytes in {} functions, have {}",
                          file_size_bytes * kWorkPerFileByte, module.functions.size(), work));
}

}  // namespace

Status ReadFlatbufferFile(std::span<const std::byte> file, MemoryBudget& budget,
                          DebugInfoBuilder& builder, TorchDebugInfo& result) {
  HANDRAIL_ASSIGN_OR_RETURN(const MobileModule module, ReadMobileFlatbuffer(file, budget));
  HANDRAIL_RETURN_IF_ERROR(CheckWork(module, file.size()));
  result.kind = TorchFileKind::kFlatbuffer;
  result.build_id = BuildIdOfFlatbuffer(module);
  result.top_type = module.top_type_name;
  if (result.top_type.empty() && !module.functions.empty()) {
    result.top_type = ClassOfMethod(module.functions.front().qualified_name);
  }
  result.bytecode_version = module.bytecode_version;

  MemoryCharge charge(budget);
  uint64_t handle_count = 0;
  uint64_t functions_bytes = 0;
  for (const MobileFunction& function : module.functions) {
    handle_count += function.debug_handles.size();
    functions_bytes += function.qualified_name.size() + kTorchFunctionBytes;
  }
  result.has_debug_handles = handle_count > 0;
  HANDRAIL_RETURN_IF_ERROR(charge.Take(handle_count * kNodeBytes, "debug handles"));
  HANDRAIL_RETURN_IF_ERROR(charge.Take(functions_bytes, "function names"));
  const auto for_each_handle = [&module](auto&& add) {
    for (const MobileFunction& function : module.functions) {
      const Int64View handles = function.debug_handles;
      for (size_t i = 0; i < handles.size(); ++i) add(handles.at(i));
    }
  };
  HANDRAIL_ASSIGN_OR_RETURN(
      const Int64Index index,
      Int64Index::Of(for_each_handle, sizeof(uint32_t), budget, "debug handles"));

  // Whose a handle is: a function, or nobody's if several functions have it.
  constexpr uint32_t kUnset = UINT32_MAX;
  constexpr uint32_t kNobody = UINT32_MAX - 1;
  std::vector<uint32_t> owners(index.place_count(), kUnset);
  for (uint32_t row = 0; row < module.functions.size(); ++row) {
    const MobileFunction& function = module.functions[row];
    const Int64View handles = function.debug_handles;
    for (size_t i = 0; i < handles.size(); ++i) {
      uint32_t& owner = owners[index.PlaceOf(handles.at(i))];
      owner = owner == kUnset || owner == row ? row : kNobody;
    }
    result.functions.push_back(TorchFunction{std::string(function.qualified_name),
                                             function.instruction_count(), handles.size()});
  }
  HANDRAIL_RETURN_IF_ERROR(builder.BeginUnit({.kind = UnitKind::kForeign,
                                              .key = UnitKeyOf(result.build_id),
                                              .build_id = result.build_id,
                                              .top_type = result.top_type}));
  const RangeId stripped = builder.AddGap(RangeGap::kStripped);
  for (const MobileFunction& function : module.functions) {
    const StringId name = builder.AddString(function.qualified_name);
    const Int64View handles = function.debug_handles;
    for (size_t i = 0; i < handles.size(); ++i) {
      const DebugHandle handle = handles.at(i);
      if (handle == kUnknownHandle) continue;
      const bool is_own = owners[index.PlaceOf(handle)] != kNobody;
      builder.AddForeignNode(handle, Node{{}, stripped, {}, is_own ? name : StringId::none()});
    }
  }
  return {};
}

}  // namespace handrail
