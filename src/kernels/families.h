// The tables of kernels, one a family of operators.
#pragma once

#include <span>

#include "kernels/boxing.h"

namespace handrail::kernels {

std::span<const KernelRow> NumberKernels();
std::span<const KernelRow> ContainerKernels();
std::span<const KernelRow> TextKernels();
std::span<const KernelRow> ArithmeticKernels();
std::span<const KernelRow> ComparisonKernels();
std::span<const KernelRow> IndexingKernels();
std::span<const KernelRow> ActivationKernels();
std::span<const KernelRow> ReductionKernels();
std::span<const KernelRow> SortingKernels();
std::span<const KernelRow> ShapeKernels();
std::span<const KernelRow> JoiningKernels();
std::span<const KernelRow> CreationKernels();
std::span<const KernelRow> MatrixKernels();
std::span<const KernelRow> ConvolutionKernels();
std::span<const KernelRow> PoolingKernels();
std::span<const KernelRow> EinsumKernels();
std::span<const KernelRow> VisionKernels();
std::span<const KernelRow> DecompositionKernels();
std::span<const KernelRow> RecurrentKernels();
std::span<const KernelRow> AttentionKernels();
std::span<const KernelRow> PaddingKernels();
std::span<const KernelRow> UpsamplingKernels();
std::span<const KernelRow> NormalizationKernels();

// The rows of all families.
std::vector<KernelRow> AllKernels();

}  // namespace handrail::kernels
