// A backend that multiplies matrices: the example of docs/write_a_backend.md.
#pragma once

#include <memory>

#include "handrail/backend/backend.h"

std::shared_ptr<const handrail::Backend> MakeMatrixBackend();
