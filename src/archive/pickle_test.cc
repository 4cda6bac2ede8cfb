#include "archive/pickle.h"

#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/pickle_writer.h"
#include "archive/zip_image_test.h"

namespace handrail {
namespace {

using testing::ElementsAre;

// A pickle together with its bytes and its budget.
struct Parsed {
  explicit Parsed(std::string_view pickled, uint64_t budget_bytes = 64u << 20)
      // Exactly these bytes on the heap, so that a sanitizer sees the first one beyond.
      : bytes(pickled.begin(), pickled.end()),
        budget(MemoryBudget::OfBytes(budget_bytes)),
        pickle(Pickle::Parse(std::as_bytes(std::span(bytes)), budget)) {}

  PickleValue root() const { return pickle->root(); }
  std::string error() const { return pickle ? "" : pickle.error().message; }

  std::vector<char> bytes;
  MemoryBudget budget;
  Result<Pickle> pickle;
};

// A literal with zero bytes in it.
template <size_t size>
std::string_view P(const char (&literal)[size]) {
  return {literal, size - 1};
}

int64_t IntOf(std::string_view pickled) {
  const Parsed parsed(pickled);
  EXPECT_EQ(parsed.error(), "");
  EXPECT_EQ(parsed.root().kind(), PickleKind::kInt);
  EXPECT_TRUE(parsed.root().is_int());
  return parsed.root().as_int();
}

TEST(PickleTest, Integers) {
  EXPECT_EQ(IntOf(P("K\xff.")), 255);
  EXPECT_EQ(IntOf(P("M\xff\xff.")), 65535);
  EXPECT_EQ(IntOf(P("J\xff\xff\xff\xff.")), -1);
  EXPECT_EQ(IntOf(P("J\0\0\0\x80.")), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(IntOf(P("\x8a\0.")), 0);
  EXPECT_EQ(IntOf(P("\x8a\1\xff.")), -1);
  EXPECT_EQ(IntOf(P("\x8a\2\xff\0.")), 255);
  EXPECT_EQ(IntOf(P("\x8a\x08\0\0\0\0\0\0\0\x80.")), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(IntOf(P("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f.")),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(IntOf(P("\x8b\1\0\0\0\x7f.")), 127);
  // Both sides of what fits in a word beside its tag.
  for (const int64_t edge : {int64_t{1} << 60, -(int64_t{1} << 60)}) {
    for (const int64_t value : {edge - 1, edge, edge + 1}) {
      const std::string bytes = LittleEndian(static_cast<uint64_t>(value), 8);
      EXPECT_EQ(IntOf("\x8a\x08" + bytes + "."), value);
    }
  }
}

TEST(PickleTest, OtherScalars) {
  EXPECT_TRUE(Parsed("N.").root().is_none());
  EXPECT_EQ(Parsed("N.").root().kind(), PickleKind::kNone);
  EXPECT_TRUE(Parsed(P("\x88.")).root().as_bool());
  EXPECT_FALSE(Parsed(P("\x89.")).root().as_bool());
  const Parsed half(P("G\xbf\xe0\0\0\0\0\0\0."));
  EXPECT_EQ(half.root().kind(), PickleKind::kDouble);
  EXPECT_EQ(half.root().as_double(), -0.5);
  for (const std::string_view text : {P("X\3\0\0\0a\0c."), P("\x8c\3a\0c."), P("T\3\0\0\0a\0c."),
                                      P("U\3a\0c."), P("\x8d\3\0\0\0\0\0\0\0a\0c.")}) {
    const Parsed parsed(text);
    ASSERT_TRUE(parsed.root().is_text());
    EXPECT_EQ(parsed.root().as_text(), P("a\0c"));
  }
  for (const std::string_view bytes :
       {P("B\2\0\0\0ab."), P("C\2ab."), P("\x8e\2\0\0\0\0\0\0\0ab.")}) {
    const Parsed parsed(bytes);
    ASSERT_EQ(parsed.root().kind(), PickleKind::kBytes);
    EXPECT_EQ(AsText(parsed.root().as_bytes()), "ab");
  }
}

std::vector<int64_t> Ints(PickleValue value) {
  std::vector<int64_t> ints;
  for (const PickleValue element : value.elements()) ints.push_back(element.as_int());
  return ints;
}

TEST(PickleTest, Tuples) {
  const Parsed empty(").");
  EXPECT_TRUE(empty.root().is_tuple());
  EXPECT_EQ(empty.root().size(), 0u);
  EXPECT_EQ(Parsed("(t.").root().size(), 0u);
  EXPECT_THAT(Ints(Parsed(P("K\1\x85.")).root()), ElementsAre(1));
  EXPECT_THAT(Ints(Parsed(P("K\1K\2\x86.")).root()), ElementsAre(1, 2));
  EXPECT_THAT(Ints(Parsed(P("K\1K\2K\3\x87.")).root()), ElementsAre(1, 2, 3));
  const Parsed four(P("(K\1K\2K\3K\4t."));
  EXPECT_THAT(Ints(four.root()), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(four.root().at(3).as_int(), 4);
  EXPECT_EQ(four.pickle->OffsetOf(four.root()), 9u);
}

TEST(PickleTest, ListsAndDicts) {
  EXPECT_THAT(Ints(Parsed("].").root()), ElementsAre());
  EXPECT_THAT(Ints(Parsed(P("](K\1K\2e(e(K\3eK\4a.")).root()), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Ints(Parsed(P("(K\1K\2l.")).root()), ElementsAre(1, 2));
  for (const std::string_view dict :
       {P("}(U\1aK\1U\1bK\2u."), P("(U\1aK\1U\1bK\2d."), P("}U\1aK\1sU\1bK\2s.")}) {
    const Parsed parsed(dict);
    ASSERT_TRUE(parsed.root().is_dict()) << parsed.error();
    EXPECT_EQ(parsed.root().size(), 2u);
    EXPECT_EQ(parsed.root().elements().size(), 4u);
    EXPECT_EQ(parsed.root().Find("b")->as_int(), 2);
    EXPECT_FALSE(parsed.root().Find("c"));
  }
  // The last of two equal keys wins.
  EXPECT_EQ(Parsed(P("}(U\1aK\1U\1aK\2u.")).root().Find("a")->as_int(), 2);
}

TEST(PickleTest, ListsWrittenInManyBatches) {
  // Two lists that grow in turns, so that neither can grow in place.
  std::string pickled = "]q";
  pickled += '\0';
  pickled += "]q\1";
  for (int i = 0; i < 1000; ++i) {
    pickled += P("h\0K\1ah\1K\2a");
  }
  // On the stack: both lists, and 2000 references to them.
  pickled = "(" + pickled + "t.";
  const Parsed parsed(pickled);
  ASSERT_EQ(parsed.error(), "");
  EXPECT_THAT(Ints(parsed.root().at(0)), testing::AllOf(testing::SizeIs(1000), testing::Each(1)));
  EXPECT_THAT(Ints(parsed.root().at(1)), testing::AllOf(testing::SizeIs(1000), testing::Each(2)));
}

TEST(PickleTest, Objects) {
  const Parsed reduced(P("cm\nf\n(K\1K\2tR."));
  const PickleValue object = reduced.root();
  ASSERT_EQ(object.kind(), PickleKind::kObject);
  EXPECT_FALSE(object.is_new_object());
  EXPECT_EQ(object.callable().global_module(), "m");
  EXPECT_EQ(object.callable().global_name(), "f");
  EXPECT_TRUE(object.callable().is_global("m", "f"));
  EXPECT_FALSE(object.callable().is_global("m", "g"));
  EXPECT_THAT(Ints(object.args()), ElementsAre(1, 2));
  EXPECT_FALSE(object.state());
  EXPECT_FALSE(object.items());

  const Parsed built(P("c__torch__.a\nC\n)\x81}(U\1xK\5ub."));
  ASSERT_EQ(built.error(), "");
  EXPECT_TRUE(built.root().is_new_object());
  EXPECT_EQ(built.root().callable().global_module(), "__torch__.a");
  EXPECT_EQ(built.root().state()->Find("x")->as_int(), 5);

  // OrderedDict: items after REDUCE. Lists do the same with APPENDS.
  const Parsed ordered(P("ccollections\nOrderedDict\n)R(U\1xK\5u."));
  ASSERT_EQ(ordered.error(), "");
  EXPECT_EQ(ordered.root().items()->Find("x")->as_int(), 5);
  EXPECT_THAT(Ints(*Parsed(P("cm\nL\n)RK\5aK\6a.")).root().items()), ElementsAre(5, 6));

  // A member of an enum, as PyTorch writes it: the value is not in a tuple.
  const Parsed member(P("c__torch__\nColor\nK\3R."));
  ASSERT_EQ(member.error(), "");
  EXPECT_EQ(member.root().args().size(), 1u);
  EXPECT_EQ(member.root().args().at(0).as_int(), 3);

  const Parsed global(P("\x8c\1m\x8c\1f\x93."));
  EXPECT_TRUE(global.root().is_global("m", "f"));

  const Parsed id(
      P("(U\7storageU\1"
        "0tQ."));
  ASSERT_EQ(id.root().kind(), PickleKind::kPersistentId);
  EXPECT_EQ(id.root().persistent_id().at(0).as_text(), "storage");
}

TEST(PickleTest, TypedListsAreListsToo) {
  const Parsed list(P("ctorch.jit._pickle\nbuild_intlist\nq\0(](K\1K\2etR."));
  ASSERT_EQ(list.error(), "");
  ASSERT_TRUE(list.root().IntList());
  EXPECT_THAT(Ints(*list.root().IntList()), ElementsAre(1, 2));
  EXPECT_FALSE(list.root().TypedList("build_doublelist"));
  EXPECT_THAT(Ints(*Parsed(P("](K\1e.")).root().IntList()), ElementsAre(1));
  EXPECT_FALSE(Parsed(P("K\1\x85.")).root().IntList());
  // Another number or kind of arguments.
  EXPECT_FALSE(Parsed(P("ctorch.jit._pickle\nbuild_intlist\n]]\x86R.")).root().IntList());
  EXPECT_FALSE(Parsed(P("ctorch.jit._pickle\nbuild_intlist\nN\x85R.")).root().IntList());
}

TEST(PickleTest, TheMemoKeepsIdentity) {
  const Parsed parsed(P("(K\1K\2\x86q\0h\0K\1K\2\x86h\0t."));
  ASSERT_EQ(parsed.error(), "");
  const auto elements = parsed.root().elements();
  EXPECT_EQ(elements[0].identity(), elements[1].identity());
  EXPECT_EQ(elements[0].identity(), elements[3].identity());
  EXPECT_NE(elements[0].identity(), elements[2].identity());

  // MEMOIZE counts; LONG_BINPUT and DUP; a memo may be written again.
  EXPECT_THAT(Ints(Parsed(P("(K\5\x94K\6\x94h\0j\1\0\0\0t.")).root()), ElementsAre(5, 6, 5, 6));
  EXPECT_THAT(Ints(Parsed(P("(K\5r\2\0\0\0"
                            "2h\2K\7q\2h\2t."))
                       .root()),
              ElementsAre(5, 5, 5, 7, 7));
}

TEST(PickleTest, ListsCanContainThemselves) {
  const Parsed parsed(P("]q\0h\0a."));
  ASSERT_EQ(parsed.error(), "");
  EXPECT_EQ(parsed.root().at(0).identity(), parsed.root().identity());
  const Parsed dict(P("}q\0U\1ah\0s."));
  EXPECT_EQ(dict.root().Find("a")->identity(), dict.root().identity());
}

TEST(PickleTest, PythonsProtocol4) {
  // pickle.dumps((1, "a", [2.5]), protocol=4)
  const Parsed parsed(
      P("\x80\4\x95\x16\0\0\0\0\0\0\0K\1\x8c\1a\x94]\x94G@\4\0\0\0\0\0\0a\x87\x94."));
  ASSERT_EQ(parsed.error(), "");
  EXPECT_EQ(parsed.root().at(1).as_text(), "a");
  EXPECT_EQ(parsed.root().at(2).at(0).as_double(), 2.5);
}

TEST(PickleTest, WhatFollowsStopIsIgnored) {
  EXPECT_EQ(IntOf(P("K\1.garbage")), 1);
  EXPECT_EQ(IntOf(P("K\2K\1"
                    "0(K\3"
                    "1.")),
            2);  // POP, POP_MARK
}

TEST(PickleTest, ChainsOfTuplesAsDeepAsThePickle) {
  constexpr int kDepth = 200'000;
  for (const bool with_marks : {false, true}) {
    std::string pickled;
    for (int i = 0; with_marks && i < kDepth; ++i) pickled += P("(K\1K\2K\3");
    pickled += 'N';
    for (int i = 0; i < kDepth; ++i) pickled += with_marks ? "t" : "\x85";
    pickled += '.';
    const Parsed parsed(pickled);
    ASSERT_EQ(parsed.error(), "");
    int depth = 0;
    PickleValue value = parsed.root();
    for (; value.is_tuple(); value = value.elements().back()) ++depth;
    EXPECT_EQ(depth, kDepth);
    EXPECT_TRUE(value.is_none());
  }
}

// Every fault has its offset, its opcode, what was needed and what was there.
TEST(PickleTest, NamesWhatIsWrong) {
  const auto error = [](std::string_view pickled) { return Parsed(pickled).error(); };
  EXPECT_EQ(error(""), "offset 0x0: ends without STOP");
  EXPECT_EQ(error(P("K\1")), "offset 0x2: ends without STOP");
  EXPECT_EQ(error("."), "offset 0x0: STOP: need one value and no open mark, have 0 and 0");
  EXPECT_EQ(error("NN."), "offset 0x2: STOP: need one value and no open mark, have 2 and 0");
  EXPECT_EQ(error("N(."), "offset 0x2: STOP: need one value and no open mark, have 1 and 1");
  EXPECT_EQ(error(P("M\1")), "offset 0x0: BININT2: need 2 bytes, have 1");
  EXPECT_EQ(error(P("NG1234567")), "offset 0x1: BINFLOAT: need 8 bytes, have 7");
  EXPECT_EQ(error(P("X\4\0\0\0abc")), "offset 0x0: BINUNICODE: need 4 bytes, have 3");
  EXPECT_EQ(error(P("X\4\0\0")), "offset 0x0: BINUNICODE: need 4 bytes, have 3");
  EXPECT_EQ(error(P("T\xff\xff\xff\xff"
                    "abc")),
            "offset 0x0: BINSTRING: need 4294967295 bytes, have 3");
  EXPECT_EQ(error(P("\x8d\xfe\xff\xff\xff\xff\xff\xff\xff"
                    "abc")),
            "offset 0x0: BINUNICODE8: need 18446744073709551614 bytes, have 3");
  EXPECT_EQ(error(P("\x8a\x09"
                    "123456789.")),
            "offset 0x0: LONG1: an integer of 9 bytes, need 8 at most");
  EXPECT_EQ(error("t."), "offset 0x0: TUPLE: need a mark, have none");
  EXPECT_EQ(error("e."), "offset 0x0: APPENDS: need a mark, have none");
  EXPECT_EQ(error("N\x86."), "offset 0x1: TUPLE2: need 2 values on the stack, have 1");
  // Values below a mark are out of reach.
  EXPECT_EQ(error("NN(\x86."), "offset 0x3: TUPLE2: need 2 values on the stack, have 0");
  EXPECT_EQ(error("(e."), "offset 0x1: APPENDS: need 1 values on the stack, have 0");
  EXPECT_EQ(error("0."), "offset 0x0: POP: need 1 values on the stack, have 0");
  EXPECT_EQ(error(P("N(K\1e.")), "offset 0x4: APPENDS: need a list to add to, have None");
  EXPECT_EQ(error(P("}K\1a.")),
            "offset 0x3: APPEND: need a list to add to, have a dict of 0 at 0x0");
  EXPECT_EQ(error("}(NNNu."), "offset 0x5: SETITEMS: need pairs of key and value, have 3 values");
  EXPECT_EQ(error("(NNNd."), "offset 0x4: DICT: need pairs of key and value, have 3 values");
  EXPECT_EQ(error("](NNu."),
            "offset 0x4: SETITEMS: need a dict to add to, have a list of 0 at 0x0");
  EXPECT_EQ(error(P("cm\nf\n)R(NNuNa.")),
            "offset 0xc: APPEND: need a list to add to, have an object at 0x6");
  EXPECT_EQ(error("h\7."), "offset 0x0: BINGET: nothing was memoized under index 7");
  EXPECT_EQ(error(P("Nq\2h\1.")), "offset 0x1: BINPUT: memo index 2 so early");
  EXPECT_EQ(error(P("Nr\xff\xff\xff\xff.")),
            "offset 0x1: LONG_BINPUT: memo index 4294967295 so early");
  EXPECT_EQ(error(P("NNNq\2h\1.")), "offset 0x5: BINGET: nothing was memoized under index 1");
  EXPECT_EQ(error(P("q\0.")), "offset 0x0: BINPUT: need 1 values on the stack, have 0");
  EXPECT_EQ(error("NNR."), "offset 0x2: REDUCE: need a tuple of arguments, have None");
  EXPECT_EQ(error("NNb."), "offset 0x2: BUILD: need an object, have None");
  EXPECT_EQ(error(P("cm\nf\n)\x81NbNb.")),
            "offset 0xa: BUILD: a second state for the object at 0x6");
  EXPECT_EQ(error("cm\nf"), "offset 0x0: GLOBAL: need two lines, have 1");
  EXPECT_EQ(error(P("U\1aN\x93.")),
            "offset 0x4: STACK_GLOBAL: need two texts, have the text 'a' at 0x0 and None");
  EXPECT_EQ(error("I1\n."), "offset 0x0: opcode 0x49: is not one that we read");
  EXPECT_EQ(error(P("\xff")), "offset 0x0: opcode 0xff: is not one that we read");
}

TEST(PickleTest, ErrorsHaveCodes) {
  EXPECT_EQ(Parsed("K").pickle.error().code, ErrorCode::kTruncated);
  EXPECT_EQ(Parsed("t").pickle.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(Parsed("\x8b\x09").pickle.error().code, ErrorCode::kTruncated);
  EXPECT_EQ(Parsed("I").pickle.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(Parsed("Nt").pickle.error().offset, 1u);
}

TEST(PickleTest, TakesNoMoreThanTheBudget) {
  const std::string wide = std::string(100'000, 'N') + "0.";
  const Parsed refused(wide, 100'000);
  ASSERT_FALSE(refused.pickle);
  EXPECT_EQ(refused.pickle.error().code, ErrorCode::kLimit);
  EXPECT_EQ(refused.error(),
            "offset 0x2000: NONE: pickle stack: need 131072 bytes of memory, have 34464 of 100000 "
            "left");
  EXPECT_EQ(refused.budget.left_bytes(), refused.budget.total_bytes());

  const std::string lists = std::string(100'000, ']') + "0.";
  EXPECT_EQ(Parsed(lists, 500'000).pickle.error().code, ErrorCode::kLimit);
  const std::string marks = std::string(limits::kPickleDepthMax + 1, '(');
  EXPECT_EQ(Parsed(marks).error(), "offset 0x100000: MARK: more than 1048576 open marks");
}

TEST(PickleTest, GivesTheBudgetBack) {
  const std::string pickled = "(" + std::string(100'000, 'N') + "t.";
  MemoryBudget budget = MemoryBudget::OfBytes(64u << 20);
  {
    const Result<Pickle> pickle = Pickle::Parse(AsBytes(pickled), budget);
    ASSERT_TRUE(pickle);
    // The stack's memory has gone back; a word per value and the first chunk are kept.
    EXPECT_LE(budget.total_bytes() - budget.left_bytes(), 8 * 100'001 + 4096u);
  }
  EXPECT_EQ(budget.left_bytes(), budget.total_bytes());
}

TEST(PickleTest, ValuesOutliveAMove) {
  Parsed parsed(P("(K\1U\1a]t."));
  const PickleValue text = parsed.root().at(1);
  const Pickle moved = *std::move(parsed.pickle);
  EXPECT_EQ(text.as_text(), "a");
  EXPECT_EQ(moved.root().at(1).identity(), text.identity());
}

TEST(PickleTest, ExpectNamesWhatIsThere) {
  const Parsed parsed(
      P("(K\1U\3a\n'NK\1K\2\x86]K\3aG?\xf0\0\0\0\0\0\0cm\nf\nq\0)R}C\1a\x88h\0Qt."));
  ASSERT_EQ(parsed.error(), "");
  const Pickle& pickle = *parsed.pickle;
  const auto mismatch = [&](size_t index) {
    const Result<int64_t> result = pickle.ExpectInt(pickle.root().at(index), "x");
    return result ? "" : result.error().message;
  };
  EXPECT_EQ(*pickle.ExpectInt(pickle.root().at(0), "x"), 1);
  EXPECT_EQ(mismatch(1), "x: need an int, have the text 'a\\x0a\\x27' at 0x3");
  EXPECT_EQ(mismatch(2), "x: need an int, have None");
  EXPECT_EQ(mismatch(3), "x: need an int, have a tuple of 2 at 0xd");
  EXPECT_EQ(mismatch(4), "x: need an int, have a list of 1 at 0xe");
  EXPECT_EQ(mismatch(5), "x: need an int, have the double 1 at 0x12");
  EXPECT_EQ(mismatch(6), "x: need an int, have an object at 0x23");
  EXPECT_EQ(mismatch(7), "x: need an int, have a dict of 0 at 0x24");
  EXPECT_EQ(mismatch(8), "x: need an int, have bytes at 0x25");
  EXPECT_EQ(mismatch(9), "x: need an int, have True");
  EXPECT_EQ(mismatch(10), "x: need an int, have a persistent id at 0x2b");
  EXPECT_EQ(*pickle.ExpectText(pickle.root().at(1), "x"), "a\n'");
  EXPECT_EQ(pickle.ExpectText(pickle.root().at(0), "x").error().message,
            "x: need a text, have the int 1");
  EXPECT_EQ(pickle.ExpectTuple(pickle.root().at(3), "x", 2)->size(), 2u);
  EXPECT_EQ(pickle.ExpectTuple(pickle.root().at(3), "x", 3).error().message,
            "x: need a tuple of at least 3, have a tuple of 2 at 0xd");
  EXPECT_EQ(pickle.ExpectIntList(pickle.root().at(4), "x")->size(), 1u);
  EXPECT_EQ(pickle.ExpectIntList(pickle.root().at(6), "x").error().message,
            "x: need a list of ints, have an object at 0x23");
  const Parsed texts(P("]U\1aa."));
  EXPECT_EQ(texts.pickle->ExpectIntList(texts.root(), "x").error().message,
            "x: need a list of ints, have the text 'a' at 0x1");
}

// Reads everything, with a bound on the work since memos can spell trees of exponential size.
size_t Visit(const Pickle& pickle) {
  std::vector<PickleValue> open{pickle.root()};
  size_t visited = 0;
  while (!open.empty() && ++visited < 10'000) {
    const PickleValue value = open.back();
    open.pop_back();
    EXPECT_NE(pickle.Describe(value), "");
    switch (value.kind()) {
      case PickleKind::kTuple:
      case PickleKind::kList:
      case PickleKind::kDict:
        open.insert(open.end(), value.elements().begin(), value.elements().end());
        break;
      case PickleKind::kObject:
        open.insert(open.end(), {value.callable(), value.args()});
        if (value.state()) open.push_back(*value.state());
        if (value.items()) open.push_back(*value.items());
        break;
      case PickleKind::kPersistentId:
        open.push_back(value.persistent_id());
        break;
      default:
        break;
    }
  }
  return visited;
}

// One pickle with every opcode that we read.
std::string EveryOpcode() {
  std::string pickled(P("\x80\2\x95\0\0\0\0\0\0\0\0((NK\1M\1\1J\1\1\1\1\x8a\2\1\1\x8b\1\0\0\0\1t"));
  pickled += P("q\0G\1\2\3\4\5\6\7\x08(X\1\0\0\0a\x8c\1bU\1cT\1\0\0\0dlr\1\0\0\0");
  pickled +=
      P("]K\1a(K\2K\3e}K\4NsU\1k(\x88\x89"
        "10(N\x85N)\x86u(NNdcm\nf\n)Rcm\nC\n)\x81}b");
  pickled += P("\x8c\1m\x8c\1n\x93\x94h\0j\1\0\0\0B\1\0\0\0xC\1y\x8e\1\0\0\0\0\0\0\0z");
  pickled += P("\x8d\1\0\0\0\0\0\0\0w2QNNN\x87t.");
  return pickled;
}

TEST(PickleTest, EveryTruncationIsAnError) {
  const std::string whole = EveryOpcode();
  const Parsed all(whole);
  ASSERT_EQ(all.error(), "");
  EXPECT_GT(Visit(*all.pickle), 30u);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(Parsed(std::string_view(whole).substr(0, size)).error(), "") << size;
  }
}

TEST(PickleTest, NoFlippedBitCrashes) {
  const std::string whole = EveryOpcode();
  size_t read = 0;
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const Parsed parsed(flipped);
    if (parsed.pickle) read += Visit(*parsed.pickle) > 0;
  }
  EXPECT_GT(read, 0u);
}

}  // namespace
}  // namespace handrail
