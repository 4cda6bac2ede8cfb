#include "torch_debug/handle_record.h"

#include <utility>

#include <fmt/format.h>

#include "archive/quoted.h"
#include "torch_debug/pickle_shape.h"

namespace handrail {
Result<HandleRecord::Function> HandleRecord::ReadFunction(PickleValue entry) const {
  HANDRAIL_ASSIGN_OR_RETURN(const auto parts, pickle_.ExpectTuple(entry, "function", 2));
  Function function;
  HANDRAIL_ASSIGN_OR_RETURN(function.name, ExpectFunctionName(pickle_, parts[0]));
  const auto in_function = [&function](Error error) {
    return tl::unexpected<Error>(
        std::move(error).In(fmt::format("function {}", Quoted(function.name))));
  };
  const auto table = pickle_.ExpectTuple(parts[1], "debug info", 1);
  if (!table) return in_function(table.error());
  const auto row = pickle_.ExpectTuple((*table)[0], "debug info", 2);
  if (!row) return in_function(row.error());
  const auto key = pickle_.ExpectText((*row)[0], "debug info");
  if (!key) return in_function(key.error());
  if (*key != kHandlesKey) {
    return in_function(
        Error{ErrorCode::kCorrupt, pickle_.OffsetOf((*row)[0]),
              fmt::format("debug info: need {}, have {}", Quoted(kHandlesKey), Quoted(*key))});
  }
  const auto lists = ExpectAnyTuple(pickle_, (*row)[1], "debug handles");
  if (!lists) return in_function(lists.error());
  // PyTorch's own tests write functions without handles so.
  if (lists->empty()) return function;
  const auto handles = pickle_.ExpectIntList((*lists)[0], "debug handles");
  if (!handles) return in_function(handles.error());
  function.handles = *handles;
  return function;
}

Result<HandleRecord> HandleRecord::Read(std::span<const std::byte> content, MemoryBudget& budget,
                                        WarningList& warnings) {
  HANDRAIL_ASSIGN_OR_RETURN(Pickle pickle, Pickle::Parse(content, budget));
  HandleRecord record(std::move(pickle), budget);
  HANDRAIL_ASSIGN_OR_RETURN(auto entries,
                            ExpectAnyTuple(record.pickle_, record.pickle_.root(), "debug handles"));
  if (!entries.empty() && entries[0].is_int()) {
    record.version_ = entries[0].as_int();
    entries = entries.subspan(1);
  } else {
    warnings.Add(kName, Fault::kVersion, ErrorCode::kCorrupt, [&] {
      return fmt::format("bytecode version: need an int, have {}",
                         entries.empty() ? "nothing" : record.pickle_.Describe(entries[0]));
    });
  }
  HANDRAIL_RETURN_IF_ERROR(record.charge_.Take(entries.size() * sizeof(Function), "functions"));
  record.functions_.reserve(entries.size());
  record.entry_count_ = entries.size();
  for (size_t i = 0; i < entries.size(); ++i) {
    Result<Function> function = record.ReadFunction(entries[i]);
    if (function) {
      function->index = i;
      record.functions_.push_back(*function);
    } else {
      warnings.Add(kName, Fault::kEntry,
                   std::move(function).error().In(fmt::format("entry {}", i + 1)));
    }
  }
  return record;
}

}  // namespace handrail
