// Constants of graphs as values of a running program.
#pragma once

#include "handrail/base/result.h"
#include "handrail/bytecode/bytecode.h"
#include "handrail/graph/compilation_unit.h"
#include "handrail/values/value.h"

namespace handrail::bytecode {

// Fails with kUnsupported for functions, and with what `external` fails with.
Result<values::Value> ValueOf(const graph::CompilationUnit& unit, graph::ConstantId constant,
                              const ExternalConstant& external);

}  // namespace handrail::bytecode
