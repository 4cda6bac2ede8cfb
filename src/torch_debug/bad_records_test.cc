// Records that contradict themselves or each other: what is wrong is said, and the rest is used.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "torch_debug/record_values_test.h"

namespace handrail {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kAddNode =
    "21: 'aten::add' 'model.py':21:10-21:19 in '__torch__.M.forward'"
    " < 'forward' of '__torch__.A' 'a' at 'model.py':21:3-21:19";
constexpr std::string_view kReturnNode = "22: 'prim::Return' gap0 in '__torch__.M.forward'";
constexpr std::string_view kDamagedAdd = "21: none gap5 in '__torch__.M.forward'";

constexpr std::string_view kRanges = "m.ptl: record 'code/__torch__.py.debug_pkl': ";
constexpr std::string_view kMap = "m.ptl: record 'callstack_debug_map.pkl': ";
constexpr std::string_view kHandles = "m.ptl: record 'mobile_debug_handles.pkl': ";
constexpr std::string_view kBytecode = "m.ptl: record 'bytecode.pkl': ";

std::string operator+(std::string_view a, std::string_view b) {
  return std::string(a) + std::string(b);
}

// ---- *.debug_pkl

TEST(BadRanges, RecordThatIsNoPickle) {
  Records records = SmallModel().Build();
  records["code/__torch__.py.debug_pkl"] = "\x80\x02(";
  EXPECT_THAT(Outcome(Read(records)),
              ElementsAre(HasSubstr("21: 'aten::add' gap2 in"), HasSubstr("'prim::Return' gap2"),
                          kRanges + "offset 0x3: ends without STOP",
                          kMap + "entry 0: debug handle 21: source range tag 1 is defined by no "
                                 "debug_pkl record (and 1 more like it)",
                          kMap + "source range tag 2 of a call at 0x44 is defined by no debug_pkl "
                                 "record"));
}

TEST(BadRanges, RecordThatIsNoTuple) {
  Records records = SmallModel().Build();
  records["code/__torch__.py.debug_pkl"] = Value(7).Pickled();
  EXPECT_THAT(WarningTexts(Read(records)).front(),
              kRanges + "source ranges: need a tuple, have the int 7");
}

TEST(BadRanges, NoRecordAtAll) {
  Records records = SmallModel().Build();
  records.Erase("code/__torch__.py.debug_pkl");
  EXPECT_THAT(Outcome(Read(records)),
              ElementsAre(HasSubstr("'aten::add' gap2 in"), HasSubstr("'prim::Return' gap2 in"),
                          HasSubstr("source range tag 1 is defined by no debug_pkl record (and 1"),
                          HasSubstr("source range tag 2 of a call at 0x44 is defined by no")));
}

TEST(BadRanges, EmptyTuple) {
  SmallModel model;
  model.ranges = Tuple({});
  EXPECT_THAT(NodeTexts(Read(model)).front(), HasSubstr("'aten::add' gap2 in"));
}

TEST(BadRanges, StringTableFormOfTwoParts) {
  SmallModel model;
  model.ranges.items.pop_back();
  EXPECT_THAT(
      WarningTexts(Read(model)).front(),
      kRanges + "source ranges with text table: need a tuple of 3, have a tuple of 2 at 0x70");
}

TEST(BadRanges, TextTableThatIsNoTuple) {
  SmallModel model;
  model.ranges[1] = 5;
  EXPECT_THAT(WarningTexts(Read(model)).front(),
              kRanges + "text table: need a tuple, have the int 5");
}

// A damaged entry takes its tag along, and nothing else.
void ExpectDamagedEntry(const SmallModel& model, std::string_view message) {
  EXPECT_THAT(Outcome(Read(model)),
              ElementsAre("21: 'aten::add' gap5 in '__torch__.M.forward'"
                          " < 'forward' of '__torch__.A' 'a' at 'model.py':21:3-21:19",
                          kReturnNode, kRanges + message));
}

TEST(BadRanges, LineIndexOutsideTheTextTable) {
  SmallModel model;
  model.range_entries()[1][1][0][0][1] = 999;
  ExpectDamagedEntry(model,
                     "entry 1: source: line: need an index below 4 (the text table), have 999");
  model.range_entries()[1][1][0][0][1] = -1;
  ExpectDamagedEntry(model,
                     "entry 1: source: line: need an index below 4 (the text table), have -1");
}

TEST(BadRanges, FileNameIndexOutsideTheTextTable) {
  SmallModel model;
  model.range_entries()[1][1][0][1] = 999;
  ExpectDamagedEntry(
      model, "entry 1: source: file name: need an index below 4 (the text table), have 999");
}

TEST(BadRanges, TextThatIsNoText) {
  SmallModel model;
  model.ranges[1].items.push_back(12);
  model.range_entries()[1][1][0][0][1] = 4;
  ExpectDamagedEntry(model, "entry 1: text 4 of the text table: need a text, have the int 12");
}

TEST(BadRanges, FirstLineOutsideUint32) {
  SmallModel model;
  model.range_entries()[1][1][0][2] = int64_t{1} << 32;
  ExpectDamagedEntry(model, "entry 1: source: first line: need 0 to 4294967295, have 4294967296");
  model.range_entries()[1][1][0][2] = -1;
  ExpectDamagedEntry(model, "entry 1: source: first line: need 0 to 4294967295, have -1");
}

TEST(BadRanges, SourceOfTwoParts) {
  SmallModel model;
  model.range_entries()[1][1][0].items.pop_back();
  ExpectDamagedEntry(model, "entry 1: source: need a tuple of 3, have a tuple of 2 at 0xba");
}

TEST(BadRanges, RangeWithoutEnd) {
  SmallModel model;
  model.range_entries()[1][1].items.pop_back();
  ExpectDamagedEntry(model, "entry 1: source range: need a tuple of 3, have a tuple of 2 at 0xbf");
}

TEST(BadRanges, StartThatIsNoInt) {
  SmallModel model;
  model.range_entries()[1][1][1] = "31";
  ExpectDamagedEntry(model, "entry 1: start: need an int, have the text '31' at 0xbd");
}

TEST(BadRanges, EntriesOfOtherSizes) {
  SmallModel model;
  model.range_entries().items.push_back(Tuple({1, 2, 3, 4}));
  model.range_entries().items.push_back(5);
  EXPECT_THAT(
      WarningTexts(Read(model)),
      ElementsAre(kRanges + "entry 3: source range: need a tuple of 2 or 3, have a tuple of "
                            "4 at 0xec (and 1 more like it)"));
}

TEST(BadRanges, TagThatIsNoInt) {
  SmallModel model;
  model.range_entries().items.push_back(model.range_entries()[1]);
  model.range_entries()[3][2] = "one";
  EXPECT_THAT(Outcome(Read(model)),
              ElementsAre(kAddNode, kReturnNode,
                          HasSubstr("entry 3: tag: need an int, have the text 'one'")));
}

TEST(BadRanges, StartOutsideTheText) {
  for (const int64_t start : {int64_t{1'000'000}, int64_t{-5}, INT64_MIN}) {
    SmallModel model;
    model.range_entries()[1][1][1] = start;
    EXPECT_THAT(
        Outcome(Read(model)),
        ElementsAre(
            HasSubstr("21: 'aten::add' gap3 in"), kReturnNode,
            fmt::format("{}entry 1: start: need at most 41 (the size of the source's text), "
                        "have {}",
                        kRanges, start)));
  }
}

TEST(BadRanges, EndOutsideTheTextIsAPlaceAfterIt) {
  SmallModel model;
  model.range_entries()[1][1][2] = 1'000'000;
  const auto read = Read(model);
  EXPECT_THAT(NodeTexts(read).front(), HasSubstr("'model.py':21:10-22:999960 in"));
  EXPECT_THAT(WarningTexts(read), IsEmpty());
}

TEST(BadRanges, FirstDefinitionOfATagCounts) {
  SmallModel model;
  model.range_entries().items.push_back(model.range_entries()[1]);
  EXPECT_THAT(Outcome(Read(model)), ElementsAre(kAddNode, kReturnNode));
  model.range_entries()[3][1][1] = 24;
  EXPECT_THAT(Outcome(Read(model)),
              ElementsAre(kAddNode, kReturnNode,
                          kRanges + "tag 1 is another range than in record "
                                    "'code/__torch__.py.debug_pkl', which comes first"));
}

TEST(BadRanges, ReadableDefinitionOfATagCountsMoreThanADamagedOne) {
  SmallModel model;
  model.range_entries().items.push_back(model.range_entries()[1]);
  model.range_entries()[1][1][0][1] = 999;
  EXPECT_THAT(NodeTexts(Read(model)), ElementsAre(kAddNode, kReturnNode));
}

// ---- callstack_debug_map.pkl

TEST(BadMap, RecordThatIsNoPickle) {
  Records records = SmallModel().Build();
  records["callstack_debug_map.pkl"] = "";
  EXPECT_THAT(Outcome(Read(records)),
              ElementsAre(kDamagedAdd, "22: none gap5 in '__torch__.M.forward'",
                          kMap + "offset 0x0: ends without STOP"));
}

TEST(BadMap, RecordThatIsNoTuple) {
  Records records = SmallModel().Build();
  records["callstack_debug_map.pkl"] = Value("map").Pickled();
  EXPECT_THAT(Outcome(Read(records)),
              ElementsAre(kDamagedAdd, "22: none gap5 in '__torch__.M.forward'",
                          kMap + "debug info: need a tuple, have the text 'map' at 0x2"));
}

TEST(BadMap, MissingEntry) {
  SmallModel model;
  model.map.items.pop_back();
  EXPECT_THAT(Outcome(Read(model)), ElementsAre(kAddNode, "22: none gap4 in '__torch__.M.forward'",
                                                kHandles + "debug handle 22 has no entry in record "
                                                           "'callstack_debug_map.pkl'"));
}

TEST(BadMap, EntryWithoutReadableHandleMayBeTheMissingOne) {
  SmallModel model;
  model.map[1][0] = "22";
  EXPECT_THAT(
      Outcome(Read(model)),
      ElementsAre(kAddNode, "22: none gap5 in '__torch__.M.forward'",
                  kMap + "entry 1: debug info: need a tuple that begins with a debug handle, "
                         "have a tuple of 4 at 0x66",
                  HasSubstr("debug handle 22 has no entry")));
}

TEST(BadMap, EntriesOfOtherSizes) {
  SmallModel model;
  model.map[0].items.resize(2, 0);
  EXPECT_THAT(
      Outcome(Read(model)),
      ElementsAre(kDamagedAdd, kReturnNode,
                  kMap + "entry 0: debug handle 21: debug info: need a tuple of 4 (3 before "
                         "PyTorch 1.10), have a tuple of 2 at 0x6"));
}

TEST(BadMap, PartsOfOtherKinds) {
  SmallModel model;
  model.map[0][1] = "tag";
  EXPECT_THAT(
      Outcome(Read(model)),
      ElementsAre(kDamagedAdd, kReturnNode,
                  kMap + "entry 0: debug handle 21: source range tag: need an int, have the "
                         "text 'tag' at 0x5"));
  model = SmallModel();
  model.map[0][2] = 4;
  EXPECT_THAT(
      Outcome(Read(model)),
      ElementsAre(kDamagedAdd, kReturnNode,
                  kMap + "entry 0: debug handle 21: node name: need a text, have the int 4"));
}

TEST(BadMap, UndefinedTag) {
  SmallModel model;
  model.map[0][1] = 9999;
  EXPECT_THAT(Outcome(Read(model)),
              ElementsAre(HasSubstr("21: 'aten::add' gap2 in '__torch__.M.forward' < 'forward'"),
                          kReturnNode,
                          kMap + "entry 0: debug handle 21: source range tag 9999 is defined by no "
                                 "debug_pkl record"));
}

TEST(BadMap, UndefinedTagOfACall) {
  SmallModel model;
  model.map[0][3][1] = 9999;
  EXPECT_THAT(Outcome(Read(model)),
              ElementsAre(HasSubstr("< 'forward' of '__torch__.A' 'a' at gap2"), kReturnNode,
                          kMap + "source range tag 9999 of a call at 0x45 is defined by no "
                                 "debug_pkl record"));
}

TEST(BadMap, DuplicateHandle) {
  SmallModel model;
  model.map.items.push_back(model.map[0]);
  EXPECT_THAT(Outcome(Read(model)),
              ElementsAre(kAddNode, kReturnNode,
                          kMap + "entry 2: debug handle: need one without an entry so far, have 21 "
                                 "again"));
  model.map[2][2] = "aten::sub";
  EXPECT_THAT(NodeTexts(Read(model)), ElementsAre("21: none gap6 in none", kReturnNode));
}

TEST(BadMap, HandleThatMeansNone) {
  SmallModel model;
  model.map[0][0] = -1;
  EXPECT_THAT(Outcome(Read(model)),
              ElementsAre("21: none gap4 in '__torch__.M.forward'", kReturnNode,
                          kMap + "entry 0: debug handle: need one that stands for a node, have -1",
                          HasSubstr("debug handle 21 has no entry")));
}

TEST(BadMap, CallStackOfOtherShape) {
  SmallModel model;
  const auto expect = [&](Value stack, std::string_view message) {
    model.map[0][3] = std::move(stack);
    EXPECT_THAT(Outcome(Read(model)),
                ElementsAre(kDamagedAdd, kReturnNode, kMap + "debug handle 21: " + message));
  };
  expect("stack",
         "call stack: need None or a tuple of 4 (3 before PyTorch 1.10), have the text "
         "'stack' at 0x17");
  expect(Tuple({None(), 1}),
         "call stack: need None or a tuple of 4 (3 before PyTorch 1.10), have a "
         "tuple of 2 at 0x1a");
  expect(Tuple({5, 2, None(), "f"}),
         "call stack: module instance: need a tuple of 2, have the int 5");
  expect(Tuple({Tuple({"A"}), 2, None(), "f"}),
         "call stack: module instance: need a tuple of 2, have a tuple of 1 at 0x20");
  expect(Tuple({Tuple({5, "a"}), 2, None(), "f"}),
         "call stack: module type: need a text, have the "
         "int 5");
  expect(Tuple({Tuple({"A", 5}), 2, None(), "f"}),
         "call stack: module name: need a text, have the "
         "int 5");
  expect(Tuple({None(), "2", None(), "f"}),
         "call stack: source range tag: need an int, have the text '2' at 0x19");
  expect(Tuple({None(), 2, None(), 5}), "call stack: function name: need a text, have the int 5");
  // However deep it is damaged: a part must not be shown as the whole.
  expect(Tuple({None(), 2, Tuple({None(), 2, None(), 5}), "f"}),
         "call stack: function name: need a text, have the int 5");
}

// ---- mobile_debug_handles.pkl and bytecode.pkl

TEST(BadHandles, RecordThatIsNoPickle) {
  Records records = SmallModel().Build();
  records["mobile_debug_handles.pkl"] = "handles";
  const auto read = Read(records);
  EXPECT_THAT(NodeTexts(read), ElementsAre(HasSubstr("'aten::add' 'model.py':21:10-21:19 in none"),
                                           "22: 'prim::Return' gap0 in none"));
  EXPECT_THAT(WarningTexts(read),
              ElementsAre(kHandles + "offset 0x0: BINGET: nothing was memoized under index 97"));
  EXPECT_TRUE(read->has_debug_handles);
}

TEST(BadHandles, VersionThatIsNoInt) {
  SmallModel model;
  model.handles[0] = "8";
  EXPECT_THAT(
      Outcome(Read(model)),
      ElementsAre(kAddNode, kReturnNode,
                  kHandles + "bytecode version: need an int, have the text '8' at 0x2",
                  HasSubstr("entry 1: function: need a tuple of at least 2, have the text '8'"),
                  kHandles + "need 1 functions (from bytecode.pkl), have 2"));
}

TEST(BadHandles, WrongKey) {
  SmallModel model;
  model.handles[1][1][0][0] = "function_debug_handle";
  EXPECT_THAT(WarningTexts(Read(model)),
              ElementsAre(kHandles + "entry 1: function '__torch__.M.forward': debug info: need "
                                     "'function_debug_handles', have 'function_debug_handle'"));
}

TEST(BadHandles, HandlesThatAreNoInts) {
  SmallModel model;
  model.handles[1][1][0][1][0] = Tuple({21, 22});
  EXPECT_THAT(
      WarningTexts(Read(model)),
      ElementsAre(kHandles + "entry 1: function '__torch__.M.forward': debug handles: need a "
                             "list of ints, have a tuple of 2 at 0x3f"));
}

TEST(BadHandles, EmptyTupleIsNoHandles) {
  SmallModel model;
  model.handles[1][1][0][1] = Tuple({});
  model.bytecode[1][1][0][1] = Tuple({});
  EXPECT_THAT(WarningTexts(Read(model)), IsEmpty());
}

TEST(BadHandles, OtherNumberOfFunctions) {
  SmallModel model;
  model.handles.items.pop_back();
  EXPECT_THAT(Outcome(Read(model)),
              ElementsAre(HasSubstr("21: 'aten::add'"), HasSubstr("22: 'prim::Return'"),
                          kHandles + "need 1 functions (from bytecode.pkl), have 0"));
}

TEST(BadHandles, OtherFunctionName) {
  SmallModel model;
  model.handles[1][0] = "__torch__.N.forward";
  EXPECT_THAT(
      Outcome(Read(model)),
      ElementsAre(HasSubstr("in '__torch__.N.forward'"), HasSubstr("in '__torch__.N.forward'"),
                  kHandles + "entry 1: need function '__torch__.M.forward' (from "
                             "bytecode.pkl), have '__torch__.N.forward'"));
}

TEST(BadHandles, OtherNumberOfHandles) {
  SmallModel model;
  model.handles[1][1][0][1][0] = Ints({21});
  EXPECT_THAT(Outcome(Read(model)),
              ElementsAre(kAddNode, "22: 'prim::Return' gap0 in none",
                          kHandles + "function '__torch__.M.forward': need 2 debug handles "
                                     "(instructions in bytecode.pkl), have 1"));
}

TEST(BadHandles, FunctionNameThatIsTooLong) {
  SmallModel model;
  model.handles[1][0] = std::string_view(std::string(5000, 'f'));
  EXPECT_THAT(WarningTexts(Read(model)),
              ElementsAre(kHandles + "entry 1: function name: need at most 4096 bytes, have 5000"));
}

TEST(BadBytecode, IsAWarning) {
  Records records = SmallModel().Build();
  records["bytecode.pkl"] = Value(3).Pickled();
  EXPECT_THAT(
      Outcome(Read(records)),
      ElementsAre(kAddNode, kReturnNode, kBytecode + "bytecode: need a tuple, have the int 3"));
  records.Erase("bytecode.pkl");
  EXPECT_THAT(
      Outcome(Read(records)),
      ElementsAre(kAddNode, kReturnNode, kBytecode + "need it in a mobile archive, have none"));
}

TEST(BadBytecode, CodeOfOtherShape) {
  const auto expect = [](const SmallModel& model, std::string_view message) {
    EXPECT_THAT(WarningTexts(Read(model)),
                ElementsAre(kBytecode + "entry 1: function '__torch__.M.forward': " + message));
  };
  SmallModel model;
  model.bytecode[1][1][0][0] = "instruction";
  expect(model, "code: need 'instructions', have 'instruction'");
  model = SmallModel();
  model.bytecode[1][1][0][1][0].items.pop_back();
  expect(model, "instruction: need a tuple of 3 (opcode, X, N), have a tuple of 2 at 0x3d");
  model = SmallModel();
  model.bytecode[1][1][1][1][0].items.pop_back();
  model.bytecode[1][1][1][1][0].items.pop_back();
  expect(model,
         "operator: need a tuple of 2 or 3 (name, overload, number of arguments), have a "
         "tuple of 1 at 0x71");
}

TEST(BadBytecode, OldFileWithoutVersion) {
  SmallModel model;
  model.bytecode.items.erase(model.bytecode.items.begin());
  model.bytecode[0].items.pop_back();
  Records records = model.Build();
  records.Erase("callstack_debug_map.pkl");
  records.Erase("mobile_debug_handles.pkl");
  const auto read = Read(records);
  EXPECT_THAT(WarningTexts(read), IsEmpty());
  EXPECT_EQ(read->bytecode_version, std::nullopt);
  EXPECT_THAT(read->functions, SizeIs(1));
}

TEST(BadRootObject, TopTypeComesFromTheFirstMethod) {
  Records records = SmallModel().Build();
  records["data.pkl"] = "garbage";
  EXPECT_EQ(Read(records)->top_type, "__torch__.M");
  records.Erase("data.pkl");
  EXPECT_EQ(Read(records)->top_type, "__torch__.M");
}

// ---- the container

TEST(BadContainer, IsAnError) {
  const auto error = [](const Result<TorchDebugInfo>& read) {
    return read ? "no error" : read.error().message;
  };
  EXPECT_EQ(error(Read("")), "m.ptl: is empty, need a zip archive");
  EXPECT_THAT(error(Read("PYTORCH1....")), HasSubstr("m.ptl: begins with 'PYTORCH1'"));
  EXPECT_THAT(error(Read("\x10\0\0\0PTMFabcd", "m.ff")), HasSubstr("m.ff: "));
  Records records;
  records["data.pkl"] = RootObject("__torch__", "M");
  EXPECT_EQ(error(Read(records)),
            "m.ptl: need a record bytecode.pkl or code/*.py, have 1 records, none of them");
}

TEST(BadContainer, RecordNamedTwice) {
  // Whoever asks by name must not get one of two by chance.
  Records records = SmallModel().Build();
  records["callstack_debug_map.pk2"] = Tuple({}).Pickled();
  std::string file = records.Zipped();
  for (size_t at = 0; (at = file.find("map.pk2", at)) != std::string::npos; ++at) {
    file.replace(at, 7, "map.pkl");
  }
  EXPECT_THAT(Outcome(Read(file)),
              ElementsAre(kDamagedAdd, "22: none gap5 in '__torch__.M.forward'",
                          HasSubstr("m.ptl: record 'callstack_debug_map.pkl': ")));
}

}  // namespace
}  // namespace handrail
