// Results and errors: how every function that reads input or can be used wrongly says that it
// failed.
//
// Three outcomes, three tools (docs/architecture.md, "Errors"):
//   - bad bytes or bad use: a Result<T>, whose Error names the place, what was needed and what was
//   there;
//   - a question that may have no answer: a value that says why (see debug_map/debug_map.h,
//   Answer);
//   - a bug of ours: HANDRAIL_CHECK, which aborts in every build.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace handrail {

enum class ErrorCode : uint8_t {
#define HANDRAIL_ERROR_CODE(name, text, meaning) name,
#include "handrail/base/error_codes.def"
};

// The code's stable text, as it appears in JSON ("truncated", "corrupt", ...).
std::string_view ToString(ErrorCode code);

// What went wrong. `message` is lower case, has no full stop, quotes input with '...', and names
// the input, the place, what was needed and what was there:
//   "model.ptl: record 'bytecode.pkl': offset 0x48: need 320 bytes, have 112"
struct [[nodiscard]] Error {
  ErrorCode code;
  // Byte offset of the fault in the input that the message names; kNoOffset if there is none.
  uint64_t offset;
  std::string message;

  static constexpr uint64_t kNoOffset = UINT64_MAX;

  friend bool operator==(const Error&, const Error&) = default;

  // The same error seen from one level further out: "<context>: <message>".
  Error In(std::string_view context) &&;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

// Makes the failing value of any Result.
inline tl::unexpected<Error> Fail(ErrorCode code, std::string message,
                                  uint64_t offset = Error::kNoOffset) {
  return tl::unexpected<Error>(Error{code, offset, std::move(message)});
}

}  // namespace handrail

#define HANDRAIL_CONCAT_INNER(a, b) a##b
#define HANDRAIL_CONCAT(a, b) HANDRAIL_CONCAT_INNER(a, b)

// Returns the error of `expression` (a Result or Status) from the enclosing function, if it has
// one.
#define HANDRAIL_RETURN_IF_ERROR(expression)                                          \
  do {                                                                                \
    if (auto handrail_status = (expression); !handrail_status) {                      \
      return ::tl::unexpected<::handrail::Error>(std::move(handrail_status).error()); \
    }                                                                                 \
  } while (false)

// Declares or assigns `target` from a Result, or returns its error from the enclosing function.
#define HANDRAIL_ASSIGN_OR_RETURN(target, expression) \
  HANDRAIL_ASSIGN_OR_RETURN_IMPL(HANDRAIL_CONCAT(handrail_result_, __LINE__), target, expression)
#define HANDRAIL_ASSIGN_OR_RETURN_IMPL(result, target, expression)                    \
  auto result = (expression);                                                         \
  if (!result) return ::tl::unexpected<::handrail::Error>(std::move(result).error()); \
  target = *std::move(result)
