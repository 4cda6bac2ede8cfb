// Tensors as NumPy's files: .npy, one array, and .npz, a zip archive of them.
//
// Format: "NPY format", numpy.org/doc/stable/reference/generated/numpy.lib.format.html,
// versions 1.0 to 3.0; a .npz has one stored record `<name>.npy` for each array.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/values/tensor.h"

namespace handrail::cli {

// Numbers of native byte order, in C or Fortran order, copied. Errors name `name`, and what was
// needed and found.
Result<values::TensorRef> ReadNpy(std::span<const std::byte> bytes, const std::string& name);

// The bytes of a .npy file. NumPy has no bfloat16: it becomes float32.
std::string NpyOf(const values::Tensor& tensor);

// Writes the arrays, each under its name, in order. Fails with kIo.
Status WriteNpz(const std::string& path,
                std::span<const std::pair<std::string, values::TensorRef>> arrays);

}  // namespace handrail::cli
