// The backends that come with Handrail.
//
//   reference   runs what it is given with the plain kernels (kernels/kernels.h), like the
//               interpreter; takes every graph that has bytecode
//   demo        adds and subtracts; refuses all else, with the line of the model
//
// Nothing is registered unless someone asks: a program chooses what its models may call.
#pragma once

#include <memory>
#include <ostream>

#include "handrail/backend/backend.h"
#include "handrail/backend/registry.h"
#include "handrail/base/result.h"

namespace handrail {

// What its models print goes to `print_to`, which must outlive it; null: to std::cout.
std::shared_ptr<const Backend> MakeReferenceBackend(std::ostream* print_to = nullptr);
std::shared_ptr<const Backend> MakeDemoBackend();

// Registers both. Fails with kConflict if one of the names is taken.
Status RegisterShippedBackends(BackendRegistry& registry = BackendRegistry::OfProcess(),
                               std::ostream* print_to = nullptr);

}  // namespace handrail
