#include "cli/json_line.h"

#include <ostream>

namespace handrail::cli {

void WriteJsonLine(const JsonObject& object, std::ostream& out) {
  out << object.dump(-1, ' ', false, JsonObject::error_handler_t::replace) << '\n';
}

}  // namespace handrail::cli
