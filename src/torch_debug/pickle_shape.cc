#include "torch_debug/pickle_shape.h"

#include <fmt/format.h>

namespace handrail {

tl::unexpected<Error> FailShape(const Pickle& pickle, PickleValue value, std::string_view what,
                                std::string_view need) {
  return Fail(ErrorCode::kCorrupt,
              fmt::format("{}: need {}, have {}", what, need, pickle.Describe(value)),
              pickle.OffsetOf(value));
}

Result<std::span<const PickleValue>> ExpectAnyTuple(const Pickle& pickle, PickleValue value,
                                                    std::string_view what) {
  if (!value.is_tuple()) return FailShape(pickle, value, what, "a tuple");
  return value.elements();
}

Result<std::span<const PickleValue>> ExpectTupleOf(const Pickle& pickle, PickleValue value,
                                                   std::string_view what, size_t size) {
  if (!value.is_tuple() || value.size() != size) {
    return FailShape(pickle, value, what, fmt::format("a tuple of {}", size));
  }
  return value.elements();
}

Result<std::string_view> ExpectFunctionName(const Pickle& pickle, PickleValue value) {
  HANDRAIL_ASSIGN_OR_RETURN(const std::string_view name, pickle.ExpectText(value, "function name"));
  if (name.size() > kFunctionNameBytesMax) {
    return Fail(ErrorCode::kLimit,
                fmt::format("function name: need at most {} bytes, have {}", kFunctionNameBytesMax,
                            name.size()),
                pickle.OffsetOf(value));
  }
  return name;
}

}  // namespace handrail
