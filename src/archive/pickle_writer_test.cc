#include "archive/pickle_writer.h"

#include <array>
#include <functional>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include "archive/archive.h"
#include "archive/pickle.h"
#include "archive/zip_image_test.h"

namespace handrail {
namespace {

std::string Written(const std::function<void(PickleWriter&)>& write) {
  PickleWriter writer;
  write(writer);
  return std::move(writer).Finish();
}

TEST(PickleWriterTest, WritesPyTorchsOpcodes) {
  const auto expect = [](std::string_view bytes, const std::function<void(PickleWriter&)>& write) {
    EXPECT_EQ(Written(write), std::string("\x80\2").append(bytes) + ".");
  };
  using W = PickleWriter;
  using std::string_view_literals::operator""sv;
  expect("N"sv, [](W& w) { w.None(); });
  expect("\x88"sv, [](W& w) { w.Bool(true); });
  expect("\x89"sv, [](W& w) { w.Bool(false); });
  expect("K\xff"sv, [](W& w) { w.Int(255); });
  expect("M\0\1"sv, [](W& w) { w.Int(256); });
  expect("M\xff\xff"sv, [](W& w) { w.Int(65535); });
  expect("J\0\0\1\0"sv, [](W& w) { w.Int(65536); });
  expect("J\xff\xff\xff\xff"sv, [](W& w) { w.Int(-1); });
  expect("J\0\0\0\x80"sv, [](W& w) { w.Int(INT32_MIN); });
  expect("\x8a\x08\0\0\0\x80\0\0\0\0"sv, [](W& w) { w.Int(2147483648); });
  expect("\x8a\x08\0\0\0\0\0\0\0\x80"sv, [](W& w) { w.Int(INT64_MIN); });
  expect("G\xbf\xe0\0\0\0\0\0\0"sv, [](W& w) { w.Double(-0.5); });
  expect("X\1\0\0\0aq\0h\0\x86"sv, [](W& w) {
    w.BeginTuple(2);
    w.Text("a");
    w.Text("a");
    w.EndTuple(2);
  });
  expect(")"sv, [](W& w) {
    w.BeginTuple(0);
    w.EndTuple(0);
  });
  expect("(NNNNt"sv, [](W& w) {
    w.BeginTuple(4);
    for (int i = 0; i < 4; ++i) w.None();
    w.EndTuple(4);
  });
  expect("ctorch.jit._pickle\nbuild_intlist\nq\0(](K\1etRh\0(](etR\x86"sv, [](W& w) {
    w.BeginTuple(2);
    w.IntList(std::array<int64_t, 1>{1});
    w.IntList({});
    w.EndTuple(2);
  });
  expect("cm\nC\nq\0)\x81}(X\1\0\0\0xq\1Nub"sv, [](W& w) {
    w.Global("m", "C");
    w.BeginTuple(0);
    w.EndTuple(0);
    w.NewObject();
    w.BeginDict();
    w.Text("x");
    w.None();
    w.EndDict();
    w.Build();
  });
  expect("NQ](e\x86"sv, [](W& w) {
    w.BeginTuple(2);
    w.None();
    w.PersistentId();
    w.BeginList();
    w.EndList();
    w.EndTuple(2);
  });
}

TEST(PickleWriterTest, MemoIndicesGrowBeyondAByte) {
  PickleWriter writer;
  writer.BeginTuple(258);
  for (int i = 0; i < 257; ++i) writer.Text(std::to_string(i));
  writer.Text("256");
  writer.EndTuple(258);
  const std::string bytes = std::move(writer).Finish();
  using std::string_view_literals::operator""sv;
  EXPECT_TRUE(bytes.ends_with("256r\0\1\0\0j\0\1\0\0t."sv));
  MemoryBudget budget(bytes.size());
  const Result<Pickle> pickle = Pickle::Parse(AsBytes(bytes), budget);
  ASSERT_TRUE(pickle);
  EXPECT_EQ(pickle->root().at(257).as_text(), "256");
}

// Writes the values of a record again. PyTorch memoizes what it holds twice, which only the record
// tells: a BINPUT follows the value there. Recurses: for honest fixtures only.
class Rewriter {
 public:
  static std::string Rewrite(const Pickle& pickle, std::string_view record) {
    Rewriter rewriter(pickle, record);
    rewriter.Write(pickle.root());
    return std::move(rewriter.writer_).Finish();
  }

 private:
  Rewriter(const Pickle& pickle, std::string_view record) : pickle_(pickle), record_(record) {}

  bool IsMemoized(PickleValue tuple) const {
    if (tuple.size() == 0) return false;
    const char next = record_[pickle_.OffsetOf(tuple) + 1];
    return next == 'q' || next == 'r';
  }

  void Write(PickleValue value) {
    if (const auto found = memo_.find(value.identity()); found != memo_.end()) {
      return writer_.Get(found->second);
    }
    if (value.is_tuple()) {
      writer_.BeginTuple(value.size());
      for (const PickleValue element : value.elements()) Write(element);
      writer_.EndTuple(value.size());
      if (IsMemoized(value)) memo_[value.identity()] = writer_.Memoize();
    } else if (value.is_text()) {
      writer_.Text(value.as_text());
    } else if (value.is_int()) {
      writer_.Int(value.as_int());
    } else if (value.is_none()) {
      writer_.None();
    } else {
      ASSERT_TRUE(value.IntList());
      std::vector<int64_t> ints;
      for (const PickleValue element : value.IntList()->elements()) {
        ints.push_back(element.as_int());
      }
      writer_.IntList(ints);
    }
  }

  const Pickle& pickle_;
  std::string_view record_;
  PickleWriter writer_;
  std::unordered_map<uint64_t, uint32_t> memo_;
};

TEST(PickleWriterTest, PyTorchsDebugRecordsRewrittenAreTheSameBytes) {
  size_t record_count = 0;
  for (const char* name : {"double.ptl", "interface.ptl", "lowered.ptl", "model.ptl"}) {
    const std::string bytes = Fixture(name);
    MemoryBudget budget(bytes.size());
    const Result<Archive> archive = Archive::Open(AsBytes(bytes), name, budget);
    ASSERT_TRUE(archive) << archive.error().message;
    for (const ArchiveRecord& record : archive->records()) {
      if (record.name != "callstack_debug_map.pkl" && !record.name.ends_with(".debug_pkl") &&
          record.name != "mobile_debug_handles.pkl") {
        continue;
      }
      const Result<RecordBytes> content = archive->Read(record, budget);
      ASSERT_TRUE(content) << content.error().message;
      const Result<Pickle> pickle = Pickle::Parse(content->bytes(), budget);
      ASSERT_TRUE(pickle) << record.name << ": " << pickle.error().message;
      // Of an empty file: an empty tuple is memoized, which has no place to look it up.
      if (pickle->root().size() == 3 && pickle->root().at(2).size() == 0) continue;
      EXPECT_TRUE(Rewriter::Rewrite(*pickle, AsText(content->bytes())) == AsText(content->bytes()))
          << name << ": " << record.name;
      ++record_count;
    }
  }
  EXPECT_EQ(record_count, 14u);
}

}  // namespace
}  // namespace handrail
