// matrix_backend MODEL.pt MODULE ROWS COLUMNS: gives one module of a model to the matrix backend,
// and runs the model with a matrix of ones.
#include <cstdlib>
#include <iostream>

#include "handrail/backend/registry.h"
#include "handrail/base/mapped_file.h"
#include "handrail/lowering/lowering.h"
#include "handrail/runtime/load.h"

#include "matrix_backend.h"

namespace {

using namespace handrail;

int Say(const Error& error) {
  std::cerr << error.message << '\n';
  return 1;
}

values::Value Ones(int64_t rows, int64_t columns) {
  auto tensor =
      values::Tensor::Allocate(values::ElementType::kFloat32, std::vector<int64_t>{rows, columns});
  for (int64_t i = 0; i < tensor->element_count(); ++i) tensor->mutable_data<float>()[i] = 1;
  return values::Value(std::move(tensor));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: matrix_backend MODEL.pt MODULE ROWS COLUMNS\n";
    return 2;
  }
  BackendRegistry registry;
  if (Status status = registry.Register("matrix", MakeMatrixBackend()); !status) {
    return Say(status.error());
  }
  const Result<MappedFile> file = MappedFile::Open(argv[1]);
  if (!file) return Say(file.error());

  const LowerSelection selection{.module_path = argv[2], .backend = "matrix"};
  const Result<std::string> lowered = Lower(file->bytes(), argv[1], {&selection, 1}, registry);
  if (!lowered) return Say(lowered.error());

  Result<runtime::Module> module =
      runtime::Load(std::as_bytes(std::span(*lowered)), argv[1], {.backends = &registry});
  if (!module) return Say(module.error());
  const std::vector<values::Value> inputs{Ones(std::atoi(argv[3]), std::atoi(argv[4]))};
  const runtime::RunResult<values::Value> result = module->Run("forward", inputs);
  if (!result) {
    std::cerr << result.error().ToString();
    return 1;
  }
  std::cout << "rows: " << result->tensor().size(0) << '\n';
}
