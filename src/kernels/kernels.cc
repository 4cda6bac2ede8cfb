#include "handrail/kernels/kernels.h"

#include <algorithm>
#include <unordered_map>

#include "kernels/boxing.h"
#include "kernels/families.h"

namespace handrail::kernels {

namespace {

const std::unordered_map<std::string_view, Kernel>& Table() {
  static const auto table = [] {
    std::unordered_map<std::string_view, Kernel> rows;
    for (const KernelRow& row : AllKernels()) {
      HANDRAIL_CHECK(rows.emplace(row.name, row.kernel).second);
    }
    return rows;
  }();
  return table;
}

}  // namespace

std::vector<KernelRow> AllKernels() {
  std::vector<KernelRow> rows;
  for (const auto& family :
       {NumberKernels(),     ContainerKernels(),     TextKernels(),         ArithmeticKernels(),
        ComparisonKernels(), IndexingKernels(),      ActivationKernels(),   ReductionKernels(),
        SortingKernels(),    ShapeKernels(),         JoiningKernels(),      CreationKernels(),
        MatrixKernels(),     ConvolutionKernels(),   PoolingKernels(),      EinsumKernels(),
        VisionKernels(),     DecompositionKernels(), RecurrentKernels(),    AttentionKernels(),
        PaddingKernels(),    UpsamplingKernels(),    NormalizationKernels()}) {
    rows.insert(rows.end(), family.begin(), family.end());
  }
  return rows;
}

void RaiseWrongKind(const Value& value, std::string_view expected) {
  Raise("Expected a value of type '" + std::string(expected) + "' but found type '" +
        std::string(values::ToString(value.kind())) + "'");
}

void RaiseStackTooShort() {
  Raise("the stack holds fewer values than the operator takes");
}

Kernel FindKernel(std::string_view name, std::string_view overload) {
  std::string full(name);
  if (!overload.empty()) full.append(".").append(overload);
  const auto found = Table().find(full);
  return found == Table().end() ? nullptr : found->second;
}

std::vector<std::string_view> KernelNames() {
  std::vector<std::string_view> names;
  for (const auto& [name, kernel] : Table()) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace handrail::kernels
