#include "handrail/kernels/kernels.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace handrail::kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;
using values::ElementType;
using values::MakeList;
using values::Stack;
using values::Tensor;
using values::TensorRef;
using values::Value;

Value Call(std::string_view name, std::string_view overload, Stack stack) {
  const Kernel kernel = FindKernel(name, overload);
  EXPECT_NE(kernel, nullptr) << name;
  if (kernel == nullptr) return {};
  kernel(stack);
  EXPECT_EQ(stack.size(), 1U);
  return stack.back();
}
std::string ErrorOf(std::string_view name, std::string_view overload, Stack stack) {
  try {
    FindKernel(name, overload)(stack);
  } catch (const KernelError& error) {
    return error.what();
  }
  return "";
}
Value Floats(const std::vector<int64_t>& sizes, const std::vector<float>& elements) {
  TensorRef tensor = Tensor::Allocate(ElementType::kFloat32, sizes);
  std::copy(elements.begin(), elements.end(), tensor->mutable_data<float>());
  return Value(tensor);
}
std::vector<float> Elements(const Value& value) {
  const Tensor& tensor = value.tensor();
  EXPECT_EQ(tensor.element_type(), ElementType::kFloat32);
  EXPECT_TRUE(tensor.is_contiguous());
  return {tensor.data<float>(), tensor.data<float>() + tensor.element_count()};
}
Value Ints(const std::vector<int64_t>& numbers) {
  std::vector<Value> elements;
  for (int64_t number : numbers) elements.emplace_back(number);
  return MakeList(std::move(elements));
}

TEST(Kernels, UnknownOperatorsHaveNone) {
  EXPECT_EQ(FindKernel("aten::add", "nothing"), nullptr);
  EXPECT_EQ(FindKernel("aten::nothing", ""), nullptr);
}

TEST(Kernels, NumbersFollowPython) {
  EXPECT_EQ(Call("aten::add", "int", {Value(2), Value(3)}).int_value(), 5);
  EXPECT_EQ(Call("aten::floordiv", "int", {Value(-7), Value(2)}).int_value(), -4);
  EXPECT_EQ(Call("aten::remainder", "int", {Value(-7), Value(2)}).int_value(), 1);
  EXPECT_EQ(Call("aten::gt", "float", {Value(1.5), Value(1.0)}).bool_value(), true);
  EXPECT_EQ(ErrorOf("aten::floordiv", "int", {Value(1), Value(0)}),
            "ZeroDivisionError: integer division or modulo by zero");
  EXPECT_EQ(Call("aten::div", "int", {Value(1), Value(0)}).float_value(), HUGE_VAL);
  EXPECT_EQ(ErrorOf("aten::add", "int", {Value("a"), Value(0)}),
            "Expected a value of type 'int' but found type 'str'");
}

TEST(Kernels, ListsAndDicts) {
  const Value list = Ints({3, 1, 2});
  Call("aten::append", "t", {list, Value(5)});
  EXPECT_EQ(Call("aten::len", "t", {list}).int_value(), 4);
  EXPECT_EQ(Call("aten::__getitem__", "t", {list, Value(-1)}).int_value(), 5);
  EXPECT_TRUE(Call("aten::eq", "int_list", {list, Ints({3, 1, 2, 5})}).bool_value());
  EXPECT_EQ(ErrorOf("aten::__getitem__", "t", {list, Value(4)}), "list index out of range");
}

TEST(Kernels, TextIsWrittenAsPythonDoes) {
  EXPECT_EQ(
      Call("aten::format", "", {Value("{} is {}"), Value("x"), Value(1.0), Value(3)}).string(),
      "x is 1.");
  EXPECT_EQ(Call("aten::percentFormat", "", {Value("%d%%"), Value(7), Value(2)}).string(), "7%");
  EXPECT_EQ(Call("aten::str", "", {Ints({1, 2})}).string(), "[1, 2]");
}

// PyTorch never ends here.
TEST(Kernels, TextOfAListThatContainsItselfEnds) {
  const Value list = MakeList({Value(1)});
  for (int i = 0; i < 2; ++i) list.list().elements.push_back(list);
  const std::string text = Call("aten::str", "", {list}).string();
  EXPECT_TRUE(text.starts_with("[1, [1, [1, "));
  EXPECT_LT(text.size(), size_t{2} << 20);
  list.list().elements.clear();  // counted references do not free cycles
}

TEST(Kernels, ArithmeticBroadcasts) {
  const Value a = Floats({2, 1}, {1, 2});
  const Value b = Floats({3}, {10, 20, 30});
  EXPECT_THAT(Elements(Call("aten::add", "Tensor", {a, b, Value(2)})),
              ElementsAre(21, 41, 61, 22, 42, 62));
  EXPECT_EQ(
      ErrorOf("aten::add", "Tensor", {Floats({3}, {1, 2, 3}), Floats({4}, {1, 2, 3, 4}), Value(1)}),
      "The size of tensor a (3) must match the size of tensor b (4) at non-singleton "
      "dimension 0");
  Call("aten::mul_", "Scalar", {b, Value(0.5)});
  EXPECT_THAT(Elements(b), ElementsAre(5, 10, 15));
}

TEST(Kernels, ViewsShareElements) {
  const Value base = Floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const Value turned = Call("aten::transpose", "int", {base, Value(0), Value(1)});
  Call("aten::zero_", "", {Call("aten::select", "int", {turned, Value(0), Value(1)})});
  EXPECT_THAT(Elements(base), ElementsAre(1, 0, 3, 4, 0, 6));
  EXPECT_THAT(Elements(Call("aten::reshape", "", {turned, Ints({-1})})),
              ElementsAre(1, 4, 0, 0, 3, 6));
  EXPECT_THAT(ErrorOf("aten::view", "", {turned, Ints({6})}),
              ::testing::StartsWith("view size is not compatible"));
  EXPECT_EQ(ErrorOf("aten::view", "", {base, Ints({4})}),
            "shape '[4]' is invalid for input of size 6");
}

TEST(Kernels, MatricesMultiply) {
  const Value a = Floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const Value b = Floats({2, 3}, {1, 0, 1, 0, 1, 0});
  EXPECT_THAT(Elements(Call("aten::linear", "", {a, b, Floats({2}, {10, 20})})),
              ElementsAre(14, 22, 20, 25));
  EXPECT_EQ(ErrorOf("aten::matmul", "", {a, a}),
            "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
}

TEST(Kernels, PseudoInverses) {
  const std::vector<float> inverse = {-2, 1, 1.5, -0.5};
  EXPECT_THAT(Elements(Call("aten::pinverse", "", {Floats({2, 2}, {1, 2, 3, 4}), Value(1e-15)})),
              Pointwise(FloatNear(1e-5F), inverse));
  // Of rank 1, and wider than high: A' / |A|^2.
  const std::vector<float> thin = {1 / 14.0F, 2 / 14.0F, 3 / 14.0F};
  const Value wide = Call("aten::pinverse", "", {Floats({1, 3}, {1, 2, 3}), Value(1e-15)});
  EXPECT_THAT(wide.tensor().sizes(), ElementsAre(3, 1));
  EXPECT_THAT(Elements(wide), Pointwise(FloatNear(1e-6F), thin));
  const std::vector<float> zeros = {0, 0, 0, 0};
  EXPECT_EQ(Elements(Call("aten::pinverse", "", {Floats({2, 2}, zeros), Value(1e-15)})), zeros);
}

// Attention layers ask for training with a probability of 0.
TEST(Kernels, DropoutKeepsWhatItShould) {
  const std::vector<float> ones(1000, 1);
  const auto dropped = [&](double probability, bool is_training) {
    return Elements(
        Call("aten::dropout", "", {Floats({1000}, ones), Value(probability), Value(is_training)}));
  };
  EXPECT_EQ(dropped(0, true), ones);
  EXPECT_EQ(dropped(0.5, false), ones);
  EXPECT_EQ(dropped(1, true), std::vector<float>(1000));
  const std::vector<float> half = dropped(0.5, true);
  EXPECT_THAT(half, ::testing::Each(::testing::AnyOf(0, 2)));
  EXPECT_NEAR(static_cast<double>(std::count(half.begin(), half.end(), 0)), 500, 100);
}

TEST(Kernels, EmbeddingsNeedWholeNumbers) {
  EXPECT_EQ(
      ErrorOf("aten::embedding", "",
              {Floats({2, 1}, {1, 2}), Floats({1}, {0}), Value(-1), Value(false), Value(false)}),
      "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
      "Long, Int; but got torch.FloatTensor instead (while checking arguments for "
      "embedding)");
}

TEST(Kernels, ConvolutionAndPooling) {
  const Value input = Floats({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Value kernel = Floats({1, 1, 2, 2}, {1, 0, 0, 1});
  EXPECT_THAT(
      Elements(Call("aten::conv2d", "",
                    {input, kernel, Value(), Ints({1, 1}), Ints({0, 0}), Ints({1, 1}), Value(1)})),
      ElementsAre(6, 8, 12, 14));
  EXPECT_THAT(Elements(Call("aten::max_pool2d", "",
                            {input, Ints({2}), Ints({1}), Ints({0}), Ints({1}), Value(false)})),
              ElementsAre(5, 6, 8, 9));
  EXPECT_THAT(Elements(Call("aten::adaptive_avg_pool2d", "", {input, Ints({1, 1})})),
              ElementsAre(5));
}

TEST(Kernels, NormalizationAndSums) {
  const Value input = Floats({1, 2}, {0, 0});
  EXPECT_THAT(Elements(Call("aten::softmax", "int", {input, Value(-1), Value()})),
              Pointwise(FloatNear(1e-6F), {0.5F, 0.5F}));
  EXPECT_THAT(Elements(Call(
                  "aten::layer_norm", "",
                  {Floats({1, 2}, {1, 3}), Ints({2}), Value(), Value(), Value(0.0), Value(true)})),
              Pointwise(FloatNear(1e-6F), {-1.0F, 1.0F}));
  EXPECT_THAT(Elements(Call("aten::sum", "dim_IntList",
                            {Floats({2, 2}, {1, 2, 3, 4}), Ints({0}), Value(false), Value()})),
              ElementsAre(4, 6));
}

}  // namespace
}  // namespace handrail::kernels
