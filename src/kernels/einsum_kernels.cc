// Sums of products named by letters: "bij,bjk->bik". Operands are folded from the left, two at a
// time, each time by one batch of products of matrices.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "kernels/compose.h"
#include "kernels/elements.h"
#include "kernels/families.h"
#include "kernels/reduction.h"
#include "kernels/views.h"

namespace handrail::kernels {

namespace {

// A letter, or a negative number for a dimension that "..." stands for: -1 is its last.
using Labels = std::vector<int>;

struct Operand {
  TensorRef tensor;
  Labels labels;  // one for each dimension, each once
};

bool Has(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// What one comma-separated part says; "..." stands for `wide` dimensions.
Labels LabelsOf(std::string_view part, int wide) {
  Labels labels;
  for (size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    if (c == ' ') continue;
    if (c == '.') {
      if (part.substr(i, 3) != "...") {
        Raise("einsum(): found '.' that is not part of any ellipsis");
      }
      for (int d = wide; d > 0; --d) labels.push_back(-d);
      i += 2;
      continue;
    }
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!is_letter) {
      Raise(
          fmt::format("einsum(): invalid subscript given at index {} in the equation string, "
                      "subscripts must be in [a-zA-Z]",
                      i));
    }
    labels.push_back(c);
  }
  return labels;
}

// Takes the diagonal where a label is there twice.
Operand Named(const Tensor& tensor, const Labels& labels, size_t number) {
  if (labels.size() != tensor.dimension_count()) {
    Raise(
        fmt::format("einsum(): the number of subscripts in the equation ({}) does not match the "
                    "number of dimensions ({}) for operand {} and no ellipsis was given",
                    labels.size(), tensor.dimension_count(), number));
  }
  Operand operand;
  Ints sizes;
  Ints strides;
  for (size_t d = 0; d < labels.size(); ++d) {
    const auto found = std::find(operand.labels.begin(), operand.labels.end(), labels[d]);
    if (found == operand.labels.end()) {
      operand.labels.push_back(labels[d]);
      sizes.push_back(tensor.sizes()[d]);
      strides.push_back(tensor.strides()[d]);
      continue;
    }
    const auto at = static_cast<size_t>(found - operand.labels.begin());
    if (sizes[at] != tensor.sizes()[d]) {
      Raise(
          fmt::format("einsum(): subscript {} is repeated for operand {} but the sizes don't "
                      "match, {} != {}",
                      static_cast<char>(labels[d]), number, tensor.sizes()[d], sizes[at]));
    }
    strides[at] += tensor.strides()[d];
  }
  operand.tensor = ViewOf(tensor, sizes, strides, tensor.first_element());
  return operand;
}

// `operand` with the dimensions of `labels`, in their order; those it does not have are of size 1.
TensorRef Ordered(const Operand& operand, const Labels& labels) {
  Ints sizes;
  Ints strides;
  for (int label : labels) {
    const auto found = std::find(operand.labels.begin(), operand.labels.end(), label);
    const bool is_there = found != operand.labels.end();
    const auto at = static_cast<size_t>(found - operand.labels.begin());
    sizes.push_back(is_there ? operand.tensor->sizes()[at] : 1);
    strides.push_back(is_there ? operand.tensor->strides()[at] : 0);
  }
  return ViewOf(*operand.tensor, sizes, strides, operand.tensor->first_element());
}

// Sums over what is not among `kept`.
Operand Summed(const Operand& operand, const Labels& kept) {
  Operand result;
  Ints dimensions;
  for (size_t d = 0; d < operand.labels.size(); ++d) {
    if (Has(kept, operand.labels[d])) {
      result.labels.push_back(operand.labels[d]);
    } else {
      dimensions.push_back(static_cast<int64_t>(d));
    }
  }
  result.tensor = SummedOver(*operand.tensor, dimensions);
  return result;
}

int64_t SizeOf(const Operand& operand, int label) {
  const auto found = std::find(operand.labels.begin(), operand.labels.end(), label);
  return operand.tensor->sizes()[static_cast<size_t>(found - operand.labels.begin())];
}

// What a and b have in common and is not kept is summed over.
Operand Contracted(Operand a, Operand b, const Labels& kept) {
  Labels of_both = a.labels;
  of_both.insert(of_both.end(), kept.begin(), kept.end());
  b = Summed(b, of_both);
  of_both = b.labels;
  of_both.insert(of_both.end(), kept.begin(), kept.end());
  a = Summed(a, of_both);
  std::map<int, int64_t> sizes;
  Labels batch;
  Labels lefts;
  Labels summed;
  Labels rights;
  for (int label : a.labels) {
    sizes[label] = SizeOf(a, label);
    if (!Has(b.labels, label)) {
      lefts.push_back(label);
      continue;
    }
    const int64_t other = SizeOf(b, label);
    if (sizes[label] != other && sizes[label] != 1 && other != 1) {
      Raise(
          fmt::format("einsum(): subscript {} has size {} for operand 1 which does not broadcast "
                      "with previously seen size {}",
                      label < 0 ? '.' : static_cast<char>(label), other, sizes[label]));
    }
    if (sizes[label] == 1) sizes[label] = other;
    (Has(kept, label) ? batch : summed).push_back(label);
  }
  for (int label : b.labels) {
    if (Has(a.labels, label)) continue;
    sizes[label] = SizeOf(b, label);
    rights.push_back(label);
  }
  const auto wide = [&](const Operand& operand, const Labels& first, const Labels& second,
                        const Labels& third) {
    Labels labels = first;
    labels.insert(labels.end(), second.begin(), second.end());
    labels.insert(labels.end(), third.begin(), third.end());
    Ints shape;
    for (int label : labels) shape.push_back(sizes[label]);
    Ints flat = {1, 1, 1};
    for (int label : first) flat[0] *= sizes[label];
    for (int label : second) flat[1] *= sizes[label];
    for (int label : third) flat[2] *= sizes[label];
    return Reshaped(*ExpandedTo(*Ordered(operand, labels), shape), flat);
  };
  const TensorRef product =
      MatrixProduct(*wide(a, batch, lefts, summed), *wide(b, batch, summed, rights));
  Operand result;
  Ints shape;
  for (const Labels* labels : {&batch, &lefts, &rights}) {
    for (int label : *labels) {
      result.labels.push_back(label);
      shape.push_back(sizes[label]);
    }
  }
  result.tensor = Reshaped(*product, shape);
  return result;
}

// Without "->": what is there once, in the alphabet's order, behind what "..." stands for.
Labels ImplicitResult(const std::vector<Labels>& written) {
  std::map<int, int> counts;
  for (const Labels& labels : written) {
    for (int label : labels) ++counts[label];
  }
  Labels result;
  for (const auto& [label, count] : counts) {
    if (label < 0 || count == 1) result.push_back(label);
  }
  return result;
}

TensorRef Einsum(const std::string& equation, List& tensors, const Value& /*path*/) {
  if (tensors.elements.empty()) Raise("einsum(): must provide at least one operand");
  const size_t arrow = equation.find("->");
  std::string_view left = std::string_view(equation).substr(0, arrow);
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t comma = left.find(',');
    parts.push_back(left.substr(0, comma));
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  if (parts.size() != tensors.elements.size()) {
    Raise(parts.size() > tensors.elements.size()
              ? "einsum(): fewer operands were provided than specified in the equation"
              : "einsum(): more operands were provided than specified in the equation");
  }
  std::vector<Operand> operands;
  std::vector<Labels> written;
  int widest = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Tensor& tensor = Unbox<Tensor&>::From(tensors.elements[i]);
    const auto named = static_cast<int>(LabelsOf(parts[i], 0).size());
    const int wide = std::max(static_cast<int>(tensor.dimension_count()) - named, 0);
    if (parts[i].find("...") != std::string_view::npos) widest = std::max(widest, wide);
    written.push_back(LabelsOf(parts[i], wide));
    operands.push_back(Named(tensor, written.back(), i));
  }
  const Labels result = arrow == std::string::npos
                            ? ImplicitResult(written)
                            : LabelsOf(std::string_view(equation).substr(arrow + 2), widest);
  for (size_t i = 0; i < result.size(); ++i) {
    if (std::count(result.begin(), result.end(), result[i]) > 1) {
      Raise(fmt::format("einsum(): output subscript {} appears more than once in the output",
                        static_cast<char>(result[i])));
    }
    if (std::none_of(operands.begin(), operands.end(),
                     [&](const Operand& operand) { return Has(operand.labels, result[i]); })) {
      Raise(
          fmt::format("einsum(): output subscript {} does not appear in the equation for any "
                      "input operand",
                      static_cast<char>(result[i])));
    }
  }
  Operand folded = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    Labels kept = result;
    for (size_t k = i + 1; k < operands.size(); ++k) {
      kept.insert(kept.end(), operands[k].labels.begin(), operands[k].labels.end());
    }
    folded = Contracted(folded, operands[i], kept);
  }
  return Ordered(Summed(folded, result), result);
}

constexpr KernelRow kRows[] = {Row<&Einsum>("aten::einsum")};

}  // namespace

std::span<const KernelRow> EinsumKernels() {
  return kRows;
}

}  // namespace handrail::kernels
