// What debug records ask of a pickle's values beyond pickle.h, with errors of the same form.
#pragma once

#include <span>
#include <string_view>

#include "handrail/base/result.h"

#include "archive/pickle.h"

namespace handrail {

// The elements of a tuple of any size.
Result<std::span<const PickleValue>> ExpectAnyTuple(const Pickle& pickle, PickleValue value,
                                                    std::string_view what);
// The elements of a tuple of exactly `size`: "<what>: need a tuple of 3, have a tuple of 2 at
// 0x48".
Result<std::span<const PickleValue>> ExpectTupleOf(const Pickle& pickle, PickleValue value,
                                                   std::string_view what, size_t size);

// The text of a function's qualified name, at most kFunctionNameBytesMax bytes: a record can give
// one long name to many functions, which would cost time and memory for each.
inline constexpr size_t kFunctionNameBytesMax = 4096;
Result<std::string_view> ExpectFunctionName(const Pickle& pickle, PickleValue value);

// "<what>: need <need>, have a tuple of 2 at 0x48".
tl::unexpected<Error> FailShape(const Pickle& pickle, PickleValue value, std::string_view what,
                                std::string_view need);

}  // namespace handrail
