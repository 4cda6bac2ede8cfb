#include "handrail/values/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handrail/values/object.h"

namespace handrail::values {
namespace {

using ::testing::ElementsAre;

TEST(Value, HoldsItsKind) {
  EXPECT_TRUE(Value().is_none());
  EXPECT_EQ(Value(true).kind(), Value::Kind::kBool);
  EXPECT_EQ(Value(3).int_value(), 3);
  EXPECT_EQ(Value(2.5).float_value(), 2.5);
  EXPECT_EQ(Value("text").string(), "text");
  EXPECT_EQ(Value::Device("cpu").device(), "cpu");
  EXPECT_EQ(Value(std::complex<double>(1, 2)).complex_value(), std::complex<double>(1, 2));
}

TEST(Value, ACopyOfAListIsTheSameList) {
  const Value list = MakeList({Value(1)});
  const Value copy = list;
  copy.list().elements.emplace_back(2);
  EXPECT_EQ(list.list().elements.size(), 2U);
  EXPECT_TRUE(list.IsSame(copy));
  EXPECT_FALSE(list.IsSame(MakeList({Value(1), Value(2)})));
}

TEST(Value, AMoveLeavesNone) {
  Value value("text");
  const Value moved = std::move(value);
  EXPECT_TRUE(value.is_none());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(moved.string(), "text");
}

TEST(Value, LongChainsAreFreedWithoutRecursion) {
  Value chain;
  for (int i = 0; i < 1'000'000; ++i) {
    std::vector<Value> elements;
    elements.push_back(std::move(chain));
    chain = MakeList(std::move(elements));
  }
  EXPECT_EQ(chain.list().elements.size(), 1U);
}

TEST(Dict, KeepsTheOrderOfKeysAndFindsThem) {
  Dict& dict = *MakeRef<Dict>().Detach();
  const Value owner(Ref<Dict>::Adopt(&dict));
  for (int i = 0; i < 20; ++i) dict.Set(Value("k" + std::to_string(i)), Value(i));
  EXPECT_TRUE(dict.Erase(Value("k3")));
  EXPECT_FALSE(dict.Erase(Value("k3")));
  dict.Set(Value("k19"), Value(190));
  EXPECT_EQ(dict.entries().size(), 19U);
  EXPECT_EQ(dict.entries()[3].first.string(), "k4");
  EXPECT_EQ(dict.Find(Value("k19"))->int_value(), 190);
  EXPECT_EQ(dict.Find(Value("k3")), nullptr);
}

TEST(Object, HasASlotForEachAttribute) {
  const auto type = std::make_shared<const ObjectClass>(ObjectClass{"__torch__.M", {"a", "b"}});
  const Value object(MakeRef<Object>(type));
  *object.object().FindAttribute("b") = Value(5);
  EXPECT_EQ(object.object().slots[1].int_value(), 5);
  EXPECT_TRUE(object.object().slots[0].is_none());
  EXPECT_EQ(object.object().FindAttribute("c"), nullptr);
}

TEST(Tensor, IsContiguousWhenAllocated) {
  const TensorRef tensor = Tensor::Allocate(ElementType::kFloat32, std::vector<int64_t>{2, 3});
  EXPECT_THAT(tensor->strides(), ElementsAre(3, 1));
  EXPECT_EQ(tensor->element_count(), 6);
  EXPECT_TRUE(tensor->is_contiguous());
}

TEST(Tensor, AViewLiesInsideOfItsBuffer) {
  const TensorRef tensor = Tensor::Allocate(ElementType::kInt64, std::vector<int64_t>{2, 3});
  const std::vector<int64_t> sizes = {3, 2};
  const TensorRef turned =
      Tensor::View(tensor->buffer(), ElementType::kInt64, sizes, std::vector<int64_t>{1, 3}, 0);
  ASSERT_TRUE(turned);
  EXPECT_FALSE(turned->is_contiguous());
  tensor->mutable_data<int64_t>()[3] = 42;
  EXPECT_EQ(turned->data<int64_t>()[turned->stride(1)], 42);
  EXPECT_FALSE(
      Tensor::View(tensor->buffer(), ElementType::kInt64, sizes, std::vector<int64_t>{1, 3}, 1));
}

TEST(Tensor, ViewedBytesAreCopiedBeforeTheFirstWriteForAllTensors) {
  const std::vector<int32_t> file = {1, 2, 3};
  const auto buffer = Buffer::View(std::as_bytes(std::span(file)), nullptr);
  const std::vector<int64_t> sizes = {3};
  const std::vector<int64_t> strides = {1};
  const TensorRef a = Tensor::View(buffer, ElementType::kInt32, sizes, strides, 0);
  const TensorRef b = Tensor::View(buffer, ElementType::kInt32, sizes, strides, 0);
  EXPECT_EQ(a->data<int32_t>(), file.data());
  a->mutable_data<int32_t>()[1] = 20;
  EXPECT_EQ(b->data<int32_t>()[1], 20);
  EXPECT_THAT(file, ElementsAre(1, 2, 3));
}

TEST(Tensor, SharedBytesAreWrittenWhereTheyAre) {
  std::vector<int32_t> others = {1, 2, 3};
  auto owner = std::make_shared<int>(0);
  std::weak_ptr<int> is_kept = owner;
  {
    const auto buffer =
        Buffer::Share(std::as_writable_bytes(std::span(others)), std::exchange(owner, nullptr));
    const TensorRef tensor = Tensor::View(buffer, ElementType::kInt32, std::vector<int64_t>{3},
                                          std::vector<int64_t>{1}, 0);
    tensor->mutable_data<int32_t>()[1] = 20;
    EXPECT_THAT(others, ElementsAre(1, 20, 3));
    EXPECT_FALSE(is_kept.expired());
    buffer->Reallocate(100);
    EXPECT_TRUE(is_kept.expired());
  }
  EXPECT_THAT(others, ElementsAre(1, 20, 3));
}

}  // namespace
}  // namespace handrail::values
