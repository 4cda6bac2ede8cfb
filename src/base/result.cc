#include "handrail/base/result.h"

#include <string>

namespace handrail {

std::string_view ToString(ErrorCode code) {
  switch (code) {
#define HANDRAIL_ERROR_CODE(name, text, meaning) \
  case ErrorCode::name:                          \
    return text;
#include "handrail/base/error_codes.def"
  }
  return "invalid";
}

Error Error::In(std::string_view context) && {
  std::string outer(context);
  outer += ": ";
  outer += message;
  message = std::move(outer);
  return std::move(*this);
}

}  // namespace handrail
