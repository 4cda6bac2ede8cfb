#include "archive/pickle_copy.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace handrail {
namespace {

constexpr uint64_t kBudgetBase = 1 << 20;

std::span<const std::byte> AsBytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

Result<std::string> Copied(const std::string& bytes, PickleCopyChanges changes = {}) {
  MemoryBudget budget(kBudgetBase);
  HANDRAIL_ASSIGN_OR_RETURN(const Pickle pickle, Pickle::Parse(AsBytes(bytes), budget));
  PickleWriter writer;
  PickleCopier copier(pickle, pickle.root(), writer, std::move(changes));
  HANDRAIL_RETURN_IF_ERROR(copier.Copy(pickle.root()));
  return std::move(writer).Finish();
}

void WriteObject(PickleWriter& writer, std::string_view name) {
  writer.Global("__torch__", name);
  writer.BeginTuple(0);
  writer.EndTuple(0);
  writer.NewObject();
}

// An object with every kind of value that PyTorch writes; a list that two attributes share.
std::string Everything() {
  PickleWriter writer;
  WriteObject(writer, "M");
  writer.BeginDict();
  writer.Text("numbers");
  writer.BeginTuple(5);
  writer.None();
  writer.Bool(true);
  writer.Int(-70000);
  writer.Double(0.5);
  writer.Int(int64_t{1} << 40);
  writer.EndTuple(5);
  writer.Text("shared");
  writer.IntList(std::array<int64_t, 2>{1, 2});
  const uint32_t list = writer.Memoize();
  writer.Text("again");
  writer.Get(list);
  writer.Text("tensor");
  writer.Global("torch._utils", "_rebuild_tensor_v2");
  writer.BeginTuple(2);
  writer.BeginTuple(1);
  writer.Text("storage");
  writer.EndTuple(1);
  writer.PersistentId();
  writer.Int(0);
  writer.EndTuple(2);
  writer.Reduce();
  writer.Text("part");
  WriteObject(writer, "P");
  writer.BeginDict();
  writer.EndDict();
  writer.Build();
  writer.EndDict();
  writer.Build();
  return std::move(writer).Finish();
}

TEST(PickleCopyTest, ACopyWithoutChangesHasTheSameBytes) {
  const std::string bytes = Everything();
  const Result<std::string> copy = Copied(bytes);
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(*copy, bytes);
}

TEST(PickleCopyTest, ReplacesAndRenamesObjects) {
  PickleCopyChanges changes;
  changes.replace = [](PickleValue object, PickleWriter& writer) -> Result<bool> {
    if (!object.callable().is_global("__torch__", "P")) return false;
    writer.Text("instead");
    return true;
  };
  changes.rename = [](PickleValue) { return std::string("__torch__.a.N"); };
  int persistent_ids = 0;
  changes.persistent_id = [&](PickleValue id) {
    EXPECT_EQ(id.at(0).as_text(), "storage");
    ++persistent_ids;
  };
  const Result<std::string> copy = Copied(Everything(), std::move(changes));
  ASSERT_TRUE(copy);
  EXPECT_EQ(persistent_ids, 1);
  MemoryBudget budget(kBudgetBase);
  const Result<Pickle> pickle = Pickle::Parse(AsBytes(*copy), budget);
  ASSERT_TRUE(pickle);
  EXPECT_TRUE(pickle->root().callable().is_global("__torch__.a", "N"));
  EXPECT_EQ(pickle->root().state()->Find("part")->as_text(), "instead");
}

TEST(PickleCopyTest, RefusesValuesThatContainThemselves) {
  // A list that is memoized before its element, which is that list.
  const std::string bytes = std::string("\x80\x02]q\x00(h\x00", 8) + "e.";
  const Result<std::string> copy = Copied(bytes);
  ASSERT_FALSE(copy);
  EXPECT_EQ(copy.error().code, ErrorCode::kUnsupported);
}

TEST(PickleCopyTest, DeepTuplesTakeNoStack) {
  std::string bytes("\x80\x02", 2);
  bytes += ")";
  bytes += std::string(100'000, '\x85');
  bytes += ".";
  const Result<std::string> copy = Copied(bytes);
  ASSERT_TRUE(copy);
  EXPECT_EQ(*copy, bytes);
}

}  // namespace
}  // namespace handrail
