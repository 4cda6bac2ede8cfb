#include "values/values.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "values/object_archive_testing.h"

namespace handrail::values {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct TensorShape {
  std::string storage_class = "FloatStorage";
  std::string key = "0";
  int64_t element_count = 6;
  int64_t offset = 0;
  std::vector<int64_t> sizes = {2, 3};
  std::vector<int64_t> strides = {3, 1};
};

void WriteInts(PickleWriter& writer, const std::vector<int64_t>& numbers) {
  writer.BeginTuple(numbers.size());
  for (const int64_t number : numbers) writer.Int(number);
  writer.EndTuple(numbers.size());
}

void WriteTensor(PickleWriter& writer, const TensorShape& shape, bool requires_grad = false) {
  writer.Global("torch._utils", "_rebuild_tensor_v2");
  writer.BeginTuple(6);
  writer.BeginTuple(5);
  writer.Text("storage");
  writer.Global("torch", shape.storage_class);
  writer.Text(shape.key);
  writer.Text("cpu");
  writer.Int(shape.element_count);
  writer.EndTuple(5);
  writer.PersistentId();
  writer.Int(shape.offset);
  WriteInts(writer, shape.sizes);
  WriteInts(writer, shape.strides);
  writer.Bool(requires_grad);
  writer.Global("collections", "OrderedDict");
  writer.BeginTuple(0);
  writer.EndTuple(0);
  writer.Reduce();
  writer.EndTuple(6);
  writer.Reduce();
}

std::string Pickled(const std::function<void(PickleWriter&)>& write) {
  PickleWriter writer;
  write(writer);
  return std::move(writer).Finish();
}

// What the tests read: a pickle beside one storage of six floats.
class ValuesTest : public testing::Test {
 protected:
  Result<ObjectGraph> Read(const std::function<void(PickleWriter&)>& write,
                           ZipMethod method = ZipMethod::kStored) {
    file_ = ZipOf({{"data.pkl", Pickled(write)}, {"data/0", std::string(24, '\0')}}, method);
    budget_.emplace(file_.size());
    const auto bytes = BytesOf(file_);
    Result<Archive> archive = Archive::Open(bytes, "m.pt", *budget_);
    EXPECT_TRUE(archive.has_value());
    return ReadObjectGraph(*archive, "data.pkl", "data/", *budget_);
  }
  std::string Message(const std::function<void(PickleWriter&)>& write) {
    const Result<ObjectGraph> graph = Read(write);
    EXPECT_FALSE(graph.has_value());
    return graph ? "" : graph.error().message;
  }
  std::string TensorMessage(const TensorShape& shape) {
    return Message([&](PickleWriter& writer) { WriteTensor(writer, shape); });
  }

  std::string file_;
  std::optional<MemoryBudget> budget_;
};

TEST_F(ValuesTest, TensorsAreViewsOfTheFile) {
  const auto graph = Read([](PickleWriter& writer) {
    writer.BeginTuple(2);
    WriteTensor(writer, {}, true);
    WriteTensor(writer, {.offset = 3, .sizes = {3}, .strides = {1}});
    writer.EndTuple(2);
  });
  ASSERT_TRUE(graph) << graph.error().message;
  const auto elements = graph->elements(graph->root());
  const StoredTensor& first = graph->tensor(elements[0]);
  const StoredTensor& second = graph->tensor(elements[1]);
  EXPECT_EQ(first.storage, second.storage);
  EXPECT_EQ(graph->storage_count(), 1);
  EXPECT_THAT(graph->sizes(first), ElementsAre(2, 3));
  EXPECT_THAT(graph->strides(first), ElementsAre(3, 1));
  EXPECT_TRUE(first.requires_grad);
  EXPECT_FALSE(second.requires_grad);
  EXPECT_EQ(second.first_element, 3);
  EXPECT_EQ(graph->element_type(first), ElementType::kFloat32);
  const auto bytes = graph->storage(first.storage).bytes;
  EXPECT_EQ(bytes.size(), 24);
  EXPECT_GE(bytes.data(), BytesOf(file_).data());
  EXPECT_LE(bytes.data() + bytes.size(), BytesOf(file_).data() + file_.size());
}

TEST_F(ValuesTest, ContainersKeepTypesAndShare) {
  const auto graph = Read([](PickleWriter& writer) {
    writer.BeginTuple(3);
    writer.IntList(std::vector<int64_t>{4, 5});
    writer.Global("torch.jit._pickle", "restore_type_tag");
    writer.BeginTuple(2);
    writer.BeginDict();
    writer.Text("a");
    writer.Int(1);
    writer.EndDict();
    writer.Text("Dict[str, int]");
    writer.EndTuple(2);
    writer.Reduce();
    const uint32_t dict = writer.Memoize();
    writer.Get(dict);
    writer.EndTuple(3);
  });
  ASSERT_TRUE(graph) << graph.error().message;
  const auto elements = graph->elements(graph->root());
  EXPECT_EQ(graph->kind(elements[0]), ValueKind::kList);
  EXPECT_EQ(graph->type_text(elements[0]), "List[int]");
  EXPECT_EQ(graph->int_value(graph->elements(elements[0])[1]), 5);
  EXPECT_EQ(graph->kind(elements[1]), ValueKind::kDict);
  EXPECT_EQ(graph->type_text(elements[1]), "Dict[str, int]");
  EXPECT_EQ(elements[1], elements[2]);
}

TEST_F(ValuesTest, ScalarsDevicesEnums) {
  const auto graph = Read([](PickleWriter& writer) {
    const auto call = [&](std::string_view module, std::string_view name, auto&& write_args,
                          size_t count) {
      writer.Global(module, name);
      writer.BeginTuple(count);
      write_args();
      writer.EndTuple(count);
      writer.Reduce();
    };
    writer.BeginTuple(6);
    writer.None();
    writer.Bool(true);
    writer.Double(-0.5);
    call(
        "torch", "device", [&] { writer.Text("cuda:1"); }, 1);
    call(
        "builtins", "complex", [&] { writer.Double(1), writer.Double(2); }, 2);
    writer.Global("__torch__", "Color");
    writer.Int(3);
    writer.Reduce();
    writer.EndTuple(6);
  });
  ASSERT_TRUE(graph) << graph.error().message;
  const auto elements = graph->elements(graph->root());
  EXPECT_EQ(graph->kind(elements[0]), ValueKind::kNone);
  EXPECT_TRUE(graph->bool_value(elements[1]));
  EXPECT_EQ(graph->float_value(elements[2]), -0.5);
  EXPECT_EQ(graph->device(elements[3]), "cuda:1");
  EXPECT_EQ(graph->complex_value(elements[4]), std::complex<double>(1, 2));
  EXPECT_EQ(graph->class_name(elements[5]), "__torch__.Color");
  EXPECT_EQ(graph->int_value(graph->state(elements[5])), 3);
}

TEST_F(ValuesTest, ObjectsHaveAttributesAndMayContainThemselves) {
  const auto graph = Read([](PickleWriter& writer) {
    writer.Global("__torch__", "M");
    writer.BeginTuple(0);
    writer.EndTuple(0);
    writer.NewObject();
    const uint32_t self = writer.Memoize();
    writer.BeginDict();
    writer.Text("inverse");
    writer.Get(self);
    writer.Text("n");
    writer.Int(7);
    writer.EndDict();
    writer.Build();
  });
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->class_name(graph->root()), "__torch__.M");
  EXPECT_EQ(graph->FindAttribute(graph->root(), "inverse"), graph->root());
  EXPECT_EQ(graph->int_value(graph->FindAttribute(graph->root(), "n")), 7);
  EXPECT_TRUE(graph->FindAttribute(graph->root(), "m").is_none());
}

TEST_F(ValuesTest, StateThatIsNoDictIsKept) {
  const auto graph = Read([](PickleWriter& writer) {
    writer.Global("__torch__", "Lowered");
    writer.BeginTuple(0);
    writer.EndTuple(0);
    writer.NewObject();
    writer.BeginTuple(2);
    writer.Int(1);
    writer.Text("state");
    writer.EndTuple(2);
    writer.Build();
  });
  ASSERT_TRUE(graph) << graph.error().message;
  const ValueId state = graph->state(graph->root());
  ASSERT_EQ(graph->kind(state), ValueKind::kTuple);
  EXPECT_EQ(graph->string_value(graph->elements(state)[1]), "state");
  EXPECT_TRUE(graph->FindAttribute(graph->root(), "a").is_none());
}

TEST_F(ValuesTest, QuantizedTensorsKeepTheirNumbers) {
  const auto graph = Read([](PickleWriter& writer) {
    writer.Global("torch._utils", "_rebuild_qtensor");
    writer.BeginTuple(6);
    writer.BeginTuple(5);
    writer.Text("storage");
    writer.Global("torch", "QUInt8Storage");
    writer.Text("0");
    writer.Text("cpu");
    writer.Int(24);
    writer.EndTuple(5);
    writer.PersistentId();
    writer.Int(0);
    WriteInts(writer, {24});
    WriteInts(writer, {1});
    writer.BeginTuple(3);
    writer.Global("torch", "per_tensor_affine");
    writer.Double(0.25);
    writer.Int(128);
    writer.EndTuple(3);
    writer.Bool(false);
    writer.EndTuple(6);
    writer.Reduce();
  });
  ASSERT_TRUE(graph) << graph.error().message;
  const StoredTensor& tensor = graph->tensor(graph->root());
  EXPECT_EQ(tensor.quantization, Quantization::kPerTensor);
  EXPECT_EQ(tensor.scale, 0.25);
  EXPECT_EQ(tensor.zero_point, 128);
  EXPECT_EQ(graph->element_type(tensor), ElementType::kQuantizedUint8);
}

TEST_F(ValuesTest, WrongTensorsAreErrorsWithPlaceNeedAndFound) {
  EXPECT_THAT(TensorMessage({.strides = {4, 1}}),
              HasSubstr("storage 'data/0': sizes and strides need 7 elements, have 6"));
  EXPECT_THAT(TensorMessage({.offset = 1}), HasSubstr("need 7 elements, have 6"));
  EXPECT_THAT(TensorMessage({.element_count = 7}),
              HasSubstr("storage 'data/0': need 7 elements of float32, have 6 (24 bytes)"));
  EXPECT_THAT(TensorMessage({.element_count = -1}), HasSubstr("need -1 elements"));
  EXPECT_THAT(TensorMessage({.sizes = {-2, 3}}), HasSubstr("sizes: need 0 or more, have -2"));
  EXPECT_THAT(TensorMessage({.strides = {1, -1}}), HasSubstr("strides: need 0 or more, have -1"));
  EXPECT_THAT(TensorMessage({.strides = {1}}), HasSubstr("strides: need 2"));
  EXPECT_THAT(TensorMessage({.sizes = {INT64_MAX, INT64_MAX}}), HasSubstr("2^64 or more elements"));
  EXPECT_THAT(TensorMessage({.offset = -1}), HasSubstr("storage offset: need 0 or more, have -1"));
  EXPECT_THAT(TensorMessage({.key = "1"}), HasSubstr("storage 'data/1': need a record"));
  EXPECT_THAT(TensorMessage({.storage_class = "FloatStorge"}),
              HasSubstr("one of torch's storages"));
  EXPECT_THAT(TensorMessage({.sizes = std::vector<int64_t>(65, 1)}),
              HasSubstr("need at most 64 dimensions, have 65"));
  EXPECT_THAT(TensorMessage({.strides = {4, 1}}),
              HasSubstr("m.pt: record 'data.pkl': tensor at 0x"));
}

TEST_F(ValuesTest, AnEmptyTensorNeedsNoElements) {
  EXPECT_TRUE(Read([](PickleWriter& writer) {
    WriteTensor(writer, {.element_count = 0, .sizes = {0, 1000}, .strides = {1000, 1}});
  }));
}

TEST_F(ValuesTest, DeflatedTensorsAreRefused) {
  const auto graph =
      Read([](PickleWriter& writer) { WriteTensor(writer, {}); }, ZipMethod::kDeflated);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(graph.error().message, HasSubstr("need a stored record"));
}

TEST_F(ValuesTest, WhatOnlyARuntimeRebuildsIsNamed) {
  EXPECT_THAT(Message([](PickleWriter& writer) {
                writer.Global("os", "system");
                writer.BeginTuple(1);
                writer.Text("true");
                writer.EndTuple(1);
                writer.Reduce();
              }),
              HasSubstr("'os.system'"));
}

TEST_F(ValuesTest, DeepTuplesTakeNoStack) {
  constexpr int kDepth = 200'000;
  const auto graph = Read([](PickleWriter& writer) {
    writer.Int(1);
    for (int i = 0; i < kDepth; ++i) writer.Raw("\x85");  // TUPLE1
  });
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->size(), kDepth + 1);
}

// One list that many typed lists share is read once.
TEST_F(ValuesTest, SharedListsAreReadOnce) {
  const auto graph = Read([](PickleWriter& writer) {
    writer.BeginList();
    writer.BeginList();
    for (int i = 0; i < 20'000; ++i) writer.Int(1);
    writer.EndList();
    const uint32_t list = writer.Memoize();
    for (int i = 0; i < 20'000; ++i) {
      writer.Global("torch.jit._pickle", "build_intlist");
      writer.BeginTuple(1);
      writer.Get(list);
      writer.EndTuple(1);
      writer.Reduce();
    }
    writer.EndList();
  });
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_LT(graph->size(), 50'000);
}

}  // namespace
}  // namespace handrail::values
