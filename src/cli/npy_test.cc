#include "cli/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace handrail::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using values::ElementType;
using values::Tensor;
using values::TensorRef;

std::span<const std::byte> BytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// A file as NumPy writes it, version 1.0.
std::string FileOf(const std::string& header, const std::string& data) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  return file + header + data;
}

std::string MessageOf(const std::string& file) {
  const Result<TensorRef> read = ReadNpy(BytesOf(file), "in.npy");
  EXPECT_FALSE(read);
  return read ? "" : read.error().message;
}

TEST(Npy, ReadsArraysInBothOrders) {
  const std::string data("\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5\0\0\0\6\0\0\0", 24);
  const auto c_order = ReadNpy(
      BytesOf(FileOf("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }\n", data)), "a");
  ASSERT_TRUE(c_order) << c_order.error().message;
  EXPECT_EQ((*c_order)->element_type(), ElementType::kInt32);
  EXPECT_THAT((*c_order)->sizes(), ElementsAre(2, 3));
  EXPECT_THAT((*c_order)->strides(), ElementsAre(3, 1));
  EXPECT_EQ((*c_order)->data<int32_t>()[5], 6);
  const auto fortran = ReadNpy(
      BytesOf(FileOf("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }\n", data)), "a");
  ASSERT_TRUE(fortran) << fortran.error().message;
  EXPECT_THAT((*fortran)->strides(), ElementsAre(1, 2));
  const auto scalar = ReadNpy(
      BytesOf(FileOf("{'descr': '|b1', 'fortran_order': False, 'shape': (), }\n", "\1")), "a");
  ASSERT_TRUE(scalar) << scalar.error().message;
  EXPECT_EQ((*scalar)->dimension_count(), 0);
}

TEST(Npy, SaysWhatItCannotRead) {
  EXPECT_EQ(MessageOf("text"), "in.npy: need a .npy file, have another");
  EXPECT_THAT(MessageOf(FileOf("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", "")),
              HasSubstr("need an array of numbers in this machine's byte order"));
  EXPECT_THAT(MessageOf(FileOf("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", "")),
              HasSubstr("need an array of numbers"));
  EXPECT_EQ(MessageOf(FileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", "abc")),
            "in.npy: need the elements of an array of 2x3, have 3 bytes");
  EXPECT_THAT(MessageOf(FileOf("{'descr': '<f4', 'fortran_order': False, 'shape': "
                               "(4000000000, 4000000000), }",
                               "")),
              HasSubstr("in.npy: need the elements"));
  EXPECT_THAT(MessageOf(std::string("\x93NUMPY\x01\x00\xff\xff", 10)),
              HasSubstr("need a .npy header of 65535 bytes, have 0"));
  EXPECT_THAT(MessageOf(std::string("\x93NUMPY\x02\x00\x01\x00", 10)), HasSubstr("cut off"));
}

TEST(Npy, WritesWhatItReads) {
  const TensorRef matrix = Tensor::Allocate(ElementType::kFloat32, std::vector<int64_t>{2, 3});
  for (int i = 0; i < 6; ++i) matrix->mutable_data<float>()[i] = static_cast<float>(i);
  const TensorRef transposed =
      Tensor::View(matrix->buffer(), ElementType::kFloat32, std::vector<int64_t>{3, 2},
                   std::vector<int64_t>{1, 3}, 0);
  const std::string file = NpyOf(*transposed);
  EXPECT_THAT(file, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }"));
  EXPECT_EQ((file.size() - 24) % 64, 0);
  const auto read = ReadNpy(BytesOf(file), "a");
  ASSERT_TRUE(read) << read.error().message;
  const float* const elements = (*read)->data<float>();
  EXPECT_THAT(std::vector<float>(elements, elements + 6), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(Npy, WidensBfloat16) {
  const TensorRef tensor = Tensor::Allocate(ElementType::kBfloat16, std::vector<int64_t>{1});
  *tensor->mutable_data<uint16_t>() = 0x3fc0;  // 1.5
  const auto read = ReadNpy(BytesOf(NpyOf(*tensor)), "a");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*(*read)->data<float>(), 1.5F);
}

}  // namespace
}  // namespace handrail::cli
