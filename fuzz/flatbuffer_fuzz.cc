// Properties of the mobile flatbuffer reader (archive/mobile_flatbuffer.h), whatever the bytes:
// - it does not crash, and takes no more than its budget;
// - every view that it gives lies in the file (a sanitizer sees each byte being read).
#include <numeric>

#include "handrail/base/byte_cursor.h"

#include "archive/mobile_flatbuffer.h"

namespace {

uint64_t volatile sink;
void Touch(std::string_view bytes) {
  sink = std::accumulate(bytes.begin(), bytes.end(), uint64_t{sink});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The magic is given, so that a search need not find it.
  std::vector<uint8_t> bytes(data, data + size);
  if (bytes.size() >= 8) std::copy_n("PTMF", 4, bytes.begin() + 4);
  handrail::MemoryBudget budget(size);
  const auto module = handrail::ReadMobileFlatbuffer(std::as_bytes(std::span(bytes)), budget);
  if (!module) return 0;
  Touch(module->top_type_name);
  for (const auto& source : module->sources) Touch(source.name), Touch(source.content);
  for (const auto& function : module->functions) {
    Touch(function.qualified_name);
    Touch(function.class_type_name);
    Touch(handrail::AsText(function.instruction_bytes));
    Touch(handrail::AsText(function.debug_handles.bytes()));
    for (const auto& op : function.operators) Touch(op.name), Touch(op.overload);
  }
  return 0;
}
