#include "handrail/values/instantiate.h"

#include <functional>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "values/object_archive_testing.h"
#include "values/values.h"

namespace handrail::values {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void WriteTensor(PickleWriter& writer, int64_t offset, std::initializer_list<int64_t> sizes,
                 std::initializer_list<int64_t> strides) {
  const auto tuple = [&](std::initializer_list<int64_t> numbers) {
    writer.BeginTuple(numbers.size());
    for (const int64_t number : numbers) writer.Int(number);
    writer.EndTuple(numbers.size());
  };
  writer.Global("torch._utils", "_rebuild_tensor_v2");
  writer.BeginTuple(6);
  writer.BeginTuple(5);
  writer.Text("storage");
  writer.Global("torch", "FloatStorage");
  writer.Text("0");
  writer.Text("cpu");
  writer.Int(4);
  writer.EndTuple(5);
  writer.PersistentId();
  writer.Int(offset);
  tuple(sizes);
  tuple(strides);
  writer.Bool(true);
  writer.Global("collections", "OrderedDict");
  writer.BeginTuple(0);
  writer.EndTuple(0);
  writer.Reduce();
  writer.EndTuple(6);
  writer.Reduce();
}

// Begins an object of class `__torch__.<name>`; Build() after its state ends it.
void BeginObject(PickleWriter& writer, std::string_view name) {
  writer.Global("__torch__", name);
  writer.BeginTuple(0);
  writer.EndTuple(0);
  writer.NewObject();
}

// A pickle beside one storage of four floats: 1, 2, 3, 4.
class InstantiateTest : public testing::Test {
 protected:
  const ObjectGraph& Read(const std::function<void(PickleWriter&)>& write) {
    PickleWriter writer;
    write(writer);
    const float numbers[] = {1, 2, 3, 4};
    file_ = ZipOf({{"data.pkl", std::move(writer).Finish()},
                   {"data/0", std::string(reinterpret_cast<const char*>(numbers), 16)}});
    budget_.emplace(file_.size());
    const Result<Archive> archive = Archive::Open(BytesOf(file_), "m.pt", *budget_);
    HANDRAIL_CHECK(archive.has_value());
    Result<ObjectGraph> graph = ReadObjectGraph(*archive, "data.pkl", "data/", *budget_);
    EXPECT_TRUE(graph) << graph.error().message;
    graph_.emplace(*std::move(graph));
    return *graph_;
  }
  Value Make(const std::function<void(PickleWriter&)>& write) {
    Instantiator instantiator(Read(write));
    Result<Value> value = instantiator.ValueOf(graph_->root());
    EXPECT_TRUE(value) << value.error().message;
    return value ? *value : Value();
  }
  std::string Message(const std::function<void(PickleWriter&)>& write,
                      InstantiateOptions options = {}) {
    Instantiator instantiator(Read(write), std::move(options));
    const Result<Value> value = instantiator.ValueOf(graph_->root());
    EXPECT_FALSE(value);
    return value ? "" : value.error().message;
  }

  std::string file_;
  std::optional<MemoryBudget> budget_;
  std::optional<ObjectGraph> graph_;
};

TEST_F(InstantiateTest, TensorsOfOneStorageShareABufferThatNeverWritesTheFile) {
  const Value made = Make([](PickleWriter& writer) {
    writer.BeginTuple(2);
    WriteTensor(writer, 0, {2, 2}, {2, 1});
    WriteTensor(writer, 3, {1}, {1});
    writer.EndTuple(2);
  });
  const std::string before = file_;
  Tensor& whole = made.tuple().elements[0].tensor();
  Tensor& last = made.tuple().elements[1].tensor();
  EXPECT_TRUE(whole.requires_grad());
  EXPECT_THAT(whole.sizes(), ElementsAre(2, 2));
  EXPECT_EQ(last.data<float>()[0], 4);
  EXPECT_EQ(whole.buffer().get(), last.buffer().get());
  last.mutable_data<float>()[0] = 9;
  EXPECT_EQ(whole.data<float>()[3], 9);
  EXPECT_EQ(file_, before);
}

TEST_F(InstantiateTest, OneRowIsOneValue) {
  const Value made = Make([](PickleWriter& writer) {
    writer.BeginTuple(2);
    writer.IntList(std::vector<int64_t>{4, 5});
    writer.Get(writer.Memoize());
    writer.EndTuple(2);
  });
  const std::vector<Value>& elements = made.tuple().elements;
  EXPECT_TRUE(elements[0].IsSame(elements[1]));
  EXPECT_EQ(elements[0].list().elements[1].int_value(), 5);
  EXPECT_EQ(elements[0].list().type_text, "List[int]");
}

TEST_F(InstantiateTest, AListMayContainItself) {
  const Value made = Make([](PickleWriter& writer) {
    writer.BeginList();
    writer.EndList();
    const uint32_t list = writer.Memoize();
    writer.Raw("(");
    writer.Get(list);
    writer.Int(5);
    writer.Raw("e");
  });
  ASSERT_EQ(made.list().elements.size(), 2);
  EXPECT_TRUE(made.list().elements[0].IsSame(made));
  EXPECT_EQ(made.list().elements[1].int_value(), 5);
  made.list().elements.clear();  // counted references do not free cycles
}

TEST_F(InstantiateTest, ATupleMayNot) {
  EXPECT_THAT(Message([](PickleWriter& writer) {
                writer.BeginList();
                writer.EndList();
                const uint32_t list = writer.Memoize();
                writer.EndTuple(1);
                const uint32_t tuple = writer.Memoize();
                writer.Raw("0");
                writer.Get(list);
                writer.Raw("(");
                writer.Get(tuple);
                writer.Raw("e");
                writer.Raw("0");
                writer.Get(tuple);
              }),
              HasSubstr("part of itself"));
}

TEST_F(InstantiateTest, AttributesKeepTheOrderOfTheFirstState) {
  const Value made = Make([](PickleWriter& writer) {
    BeginObject(writer, "M");
    writer.BeginDict();
    writer.Text("weight");
    writer.Double(0.5);
    writer.Text("part");
    BeginObject(writer, "Part");
    writer.BeginDict();
    writer.EndDict();
    writer.Build();
    writer.EndDict();
    writer.Build();
  });
  const Object& object = made.object();
  EXPECT_EQ(object.object_class().name, "__torch__.M");
  EXPECT_THAT(object.object_class().attributes, ElementsAre("weight", "part"));
  EXPECT_EQ(object.slots[0].float_value(), 0.5);
  EXPECT_EQ(object.slots[1].object().object_class().name, "__torch__.Part");
}

TEST_F(InstantiateTest, AttributesFollowTheClassWhereItIsKnown) {
  const ObjectGraph& graph = Read([](PickleWriter& writer) {
    BeginObject(writer, "M");
    writer.BeginDict();
    writer.Text("b");
    writer.Int(2);
    writer.Text("a");
    writer.Int(1);
    writer.EndDict();
    writer.Build();
  });
  Instantiator instantiator(graph, {.attributes_of = [](std::string_view) {
                              return std::vector<std::string>{"a", "never set", "b"};
                            }});
  const Value made = *instantiator.ValueOf(graph.root());
  EXPECT_EQ(made.object().slots[0].int_value(), 1);
  EXPECT_TRUE(made.object().slots[1].is_none());
  EXPECT_EQ(made.object().slots[2].int_value(), 2);
}

TEST_F(InstantiateTest, ObjectsThatSetTheirOwnStateComePartsFirst) {
  const ObjectGraph& graph = Read([](PickleWriter& writer) {
    BeginObject(writer, "Outer");
    writer.BeginTuple(2);
    writer.Int(7);
    BeginObject(writer, "Inner");
    writer.Int(8);
    writer.Build();
    writer.EndTuple(2);
    writer.Build();
  });
  Instantiator instantiator(graph, {.sets_state = [](std::string_view) { return true; }});
  const Value made = *instantiator.ValueOf(graph.root());
  const std::vector<ObjectState> states = instantiator.TakeStates();
  ASSERT_EQ(states.size(), 2);
  EXPECT_EQ(states[0].object->object_class().name, "__torch__.Inner");
  EXPECT_EQ(states[0].state.int_value(), 8);
  EXPECT_EQ(states[1].object.get(), &made.object());
  EXPECT_EQ(states[1].state.tuple().elements[0].int_value(), 7);
  EXPECT_EQ(&states[1].state.tuple().elements[1].object(), states[0].object.get());
  EXPECT_TRUE(instantiator.TakeStates().empty());
}

TEST_F(InstantiateTest, StatesThatDoNotFitAreErrors) {
  const auto with_state = [](auto&& write_state) {
    return [=](PickleWriter& writer) {
      BeginObject(writer, "M");
      write_state(writer);
      writer.Build();
    };
  };
  EXPECT_THAT(Message(with_state([](PickleWriter& writer) { writer.Int(3); })),
              HasSubstr("__torch__.M: need a dict of its attributes, for it has no __setstate__"));
  const auto one_attribute = with_state([](PickleWriter& writer) {
    writer.BeginDict();
    writer.Text("b");
    writer.Int(3);
    writer.EndDict();
  });
  EXPECT_THAT(
      Message(one_attribute,
              {.attributes_of = [](std::string_view) { return std::vector<std::string>{"a"}; }}),
      HasSubstr("no attribute 'b'"));
}

TEST_F(InstantiateTest, AfterAFailureNothingIsLeftHalfMade) {
  const ObjectGraph& graph = Read([](PickleWriter& writer) {
    writer.BeginTuple(2);
    writer.IntList(std::vector<int64_t>{4});
    BeginObject(writer, "M");
    writer.Int(3);
    writer.Build();
    writer.EndTuple(2);
  });
  Instantiator instantiator(graph);
  EXPECT_FALSE(instantiator.ValueOf(graph.root()));
  EXPECT_FALSE(instantiator.ValueOf(graph.root()));
  const Result<Value> list = instantiator.ValueOf(graph.elements(graph.root())[0]);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->list().elements.size(), 1);
}

TEST_F(InstantiateTest, ManyNestedListsTakeNoStack) {
  constexpr int kDepth = 100'000;
  const Value made = Make([](PickleWriter& writer) {
    std::string lists;
    for (int i = 0; i < kDepth; ++i) lists += "](";
    lists += "K\x01";
    for (int i = 0; i < kDepth; ++i) lists += "e";
    writer.Raw(lists);
  });
  int depth = 0;
  for (Value value = made; value.kind() == Value::Kind::kList; ++depth) {
    Value inner = value.list().elements[0];
    value = std::move(inner);
  }
  EXPECT_EQ(depth, kDepth);
}

}  // namespace
}  // namespace handrail::values
