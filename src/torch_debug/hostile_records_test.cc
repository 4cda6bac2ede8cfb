// Records that try to take memory, time or the stack: limits::kArchiveMemory... hold, and what fits
// is read.
#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include "torch_debug/record_values_test.h"

namespace {

std::atomic<size_t> live_bytes = 0;
std::atomic<size_t> peak_bytes = 0;

void* CountedAllocate(size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  const size_t live = live_bytes += malloc_usable_size(memory);
  size_t peak = peak_bytes;
  while (live > peak && !peak_bytes.compare_exchange_weak(peak, live)) {
  }
  return memory;
}
void CountedFree(void* memory) {
  if (memory == nullptr) return;
  live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) {
  return CountedAllocate(size);
}
void* operator new[](size_t size) {
  return CountedAllocate(size);
}
// All forms, since memory from one may be given back through another.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return CountedAllocate(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return CountedAllocate(size);
}
void operator delete(void* memory) noexcept {
  CountedFree(memory);
}
void operator delete[](void* memory) noexcept {
  CountedFree(memory);
}
void operator delete(void* memory, size_t) noexcept {
  CountedFree(memory);
}
void operator delete[](void* memory, size_t) noexcept {
  CountedFree(memory);
}

namespace handrail {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Reads the archive and checks that it took no more memory than a file of its size may.
Result<TorchDebugInfo> ReadWithinMemory(const Records& records) {
  const std::string file = records.Zipped();
  const size_t before = live_bytes;
  peak_bytes = before;
  Result<TorchDebugInfo> read = Read(file);
  EXPECT_LE(peak_bytes - before, 4 * file.size() + (size_t{16} << 20)) << file.size();
  return read;
}

// PickleWriter for records larger than Values are good for.
std::string Written(const std::function<void(PickleWriter&)>& write) {
  PickleWriter writer;
  write(writer);
  return std::move(writer).Finish();
}

TEST(HostileRecords, RecordThatInflatesBeyondTheLimit) {
  Records records = SmallModel().Build();
  records["callstack_debug_map.pkl"] = std::string(60 << 20, '\0');
  const auto read = ReadWithinMemory(records);
  EXPECT_THAT(WarningTexts(read), Contains(HasSubstr("need 62914560 bytes of memory")));
  EXPECT_THAT(NodeTexts(read), Contains("21: none gap5 in '__torch__.M.forward'"));
}

// A record with a text table of one text, and sources that repeat it.
std::string RepeatedTexts(std::string_view text, size_t sources, size_t lines) {
  return Written([&](PickleWriter& writer) {
    writer.BeginTuple(3);
    writer.Text("FORMAT_WITH_STRING_TABLE");
    writer.BeginTuple(2);
    writer.Text("");
    writer.Text(text);
    writer.EndTuple(2);
    writer.BeginTuple(sources);
    for (size_t i = 0; i < sources; ++i) {
      writer.BeginTuple(3);
      writer.Int(0);
      writer.BeginTuple(3);
      writer.BeginTuple(3);
      writer.IntList(std::vector<int64_t>(lines + i % 7, 1));
      writer.Int(0);
      writer.Int(1);
      writer.EndTuple(3);
      writer.Int(0);
      writer.Int(1);
      writer.EndTuple(3);
      writer.Int(static_cast<int64_t>(i));
      writer.EndTuple(3);
    }
    writer.EndTuple(sources);
    writer.EndTuple(3);
  });
}

TEST(HostileRecords, SourcesOfManyLines) {
  Records records = SmallModel().Build();
  for (const size_t text_size : {size_t{0}, size_t{100}, size_t{1} << 20, size_t{8} << 20}) {
    records["code/__torch__.py.debug_pkl"] =
        RepeatedTexts(std::string(text_size, text_size == 100 ? '\n' : 'x'), 2000, 100);
    const auto read = ReadWithinMemory(records);
    EXPECT_EQ(WarningTexts(read).empty(), text_size <= 100) << text_size;
  }
}

TEST(HostileRecords, TextOfNothingButLines) {
  Records records = SmallModel().Build();
  records["code/__torch__.py.debug_pkl"] = RepeatedTexts(std::string(6 << 20, '\n'), 1, 1);
  EXPECT_THAT(WarningTexts(ReadWithinMemory(records)),
              Contains(HasSubstr("entry 0: source texts: need ")));
}

// A stack of `depth` calls, nested from the outermost inwards.
void WriteDeepStack(PickleWriter& writer, size_t depth) {
  for (size_t i = 0; i < depth; ++i) {
    writer.BeginTuple(4);
    writer.None();
    writer.Int(2);
  }
  writer.None();
  for (size_t i = 0; i < depth; ++i) {
    writer.Text("f");
    writer.EndTuple(4);
  }
}

TEST(HostileRecords, DeepStackIsReadAndFreedWithoutRecursion) {
  constexpr size_t kDepth = 200'000;
  Records records = SmallModel().Build();
  records["callstack_debug_map.pkl"] = Written([](PickleWriter& writer) {
    writer.BeginTuple(1);
    writer.BeginTuple(4);
    writer.Int(21);
    writer.Int(1);
    writer.Text("aten::add");
    WriteDeepStack(writer, kDepth);
    writer.EndTuple(4);
    writer.EndTuple(1);
  });
  records["padding"] = std::string(20 << 20, 'p');
  const auto read = ReadWithinMemory(records);
  ASSERT_TRUE(read);
  size_t depth = 0;
  for (StackId id = read->info.units.at(0).nodes.at(0).stack; !id.is_none();
       id = read->info.stacks[id.index].caller) {
    ++depth;
  }
  EXPECT_EQ(depth, kDepth);
}

TEST(HostileRecords, ManyStacksThatLeadIntoADeepOne) {
  constexpr int kStacks = 50'000;
  Records records = SmallModel().Build();
  for (const bool are_equal : {false, true}) {
    records["callstack_debug_map.pkl"] = Written([&](PickleWriter& writer) {
      writer.BeginTuple(kStacks + 1);
      writer.BeginTuple(4);
      writer.Int(21);
      writer.Int(1);
      writer.Text("aten::add");
      WriteDeepStack(writer, 20'000);
      const uint32_t deep = writer.Memoize();
      writer.EndTuple(4);
      for (int i = 0; i < kStacks; ++i) {
        writer.BeginTuple(4);
        writer.Int(100 + i);
        writer.Int(1);
        writer.Text("aten::add");
        writer.BeginTuple(4);
        writer.None();
        writer.Int(are_equal ? 2 : i);
        writer.Get(deep);
        writer.Text(are_equal ? "f" : fmt::format("f{}", i));
        writer.EndTuple(4);
        writer.EndTuple(4);
      }
      writer.EndTuple(kStacks + 1);
    });
    const auto read = ReadWithinMemory(records);
    ASSERT_TRUE(read);
    EXPECT_THAT(read->info.units.at(0).handles, SizeIs(kStacks + 2));
    if (are_equal) continue;
    // What has no room is not known, rather than known in part.
    EXPECT_THAT(WarningTexts(read), Contains(HasSubstr("call stacks: need ")));
    const Node& last = read->info.units[0].nodes.back();
    EXPECT_TRUE(last.stack.is_none());
    EXPECT_EQ(read->info.ranges[last.range.index].gap, RangeGap::kDamagedRecord);
  }
}

TEST(HostileRecords, HandlesFarApart) {
  constexpr int64_t kStep = INT64_MAX / 100'000;
  std::vector<int64_t> handles;
  for (int64_t i = 0; i < 100'000; ++i) handles.push_back(i * kStep);
  Records records = SmallModel().Build();
  SmallModel model;
  model.handles[1][1][0][1][0] = Ints({});
  records["mobile_debug_handles.pkl"] = Written([&](PickleWriter& writer) {
    writer.BeginTuple(2);
    writer.Int(8);
    writer.BeginTuple(2);
    writer.Text("__torch__.M.forward");
    writer.BeginTuple(1);
    writer.BeginTuple(2);
    writer.Text("function_debug_handles");
    writer.BeginTuple(1);
    writer.IntList(handles);
    writer.EndTuple(1);
    writer.EndTuple(2);
    writer.EndTuple(1);
    writer.EndTuple(2);
    writer.EndTuple(2);
  });
  const auto read = ReadWithinMemory(records);
  ASSERT_TRUE(read);
  EXPECT_THAT(read->info.units.at(0).handles, SizeIs(100'002));
}

TEST(HostileRecords, OneNameForManyFunctions) {
  constexpr size_t kFunctions = 100'000;
  for (const size_t name_size : {size_t{4096}, size_t{1} << 20}) {
    Records records = SmallModel().Build();
    records["mobile_debug_handles.pkl"] = Written([&](PickleWriter& writer) {
      writer.BeginTuple(kFunctions + 1);
      writer.Int(8);
      for (size_t i = 0; i < kFunctions; ++i) {
        writer.BeginTuple(2);
        if (i == 0) {
          writer.Text(std::string(name_size, 'f'));
        } else {
          writer.Get(0);
        }
        writer.BeginTuple(1);
        writer.BeginTuple(2);
        writer.Text("function_debug_handles");
        writer.BeginTuple(0);
        writer.EndTuple(0);
        writer.EndTuple(2);
        writer.EndTuple(1);
        writer.EndTuple(2);
      }
      writer.EndTuple(kFunctions + 1);
    });
    records.Erase("bytecode.pkl");
    EXPECT_THAT(WarningTexts(ReadWithinMemory(records)), ::testing::Not(IsEmpty()));
  }
}

TEST(HostileRecords, ManyDamagedRecordsGiveFewWarnings) {
  Records records = SmallModel().Build();
  for (int i = 0; i < 1000; ++i) records.all.emplace_back(fmt::format("{}.debug_pkl", i), "bad");
  const auto warnings = WarningTexts(ReadWithinMemory(records));
  ASSERT_THAT(warnings, SizeIs(201));
  EXPECT_EQ(warnings.back(), "m.ptl: 800 more warnings left out after the first 200");
}

}  // namespace
}  // namespace handrail
