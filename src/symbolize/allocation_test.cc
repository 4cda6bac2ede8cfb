// Look-ups allocate nothing: counted, by taking the place of operator new in this program.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "handrail/symbolize/symbolizer.h"

#include "symbolize/symbolize_fixture.h"

namespace {
std::atomic<uint64_t> allocation_count = 0;
}  // namespace

// All forms, since memory from one may be given back through another. Not inlined: compilers take a
// malloc and free that they see for a mismatch.
[[gnu::noinline]] void* operator new(size_t size_bytes, const std::nothrow_t&) noexcept {
  ++allocation_count;
  return std::malloc(size_bytes == 0 ? 1 : size_bytes);
}
[[gnu::noinline]] void* operator new(size_t size_bytes) {
  void* const memory = operator new(size_bytes, std::nothrow);
  if (memory == nullptr) std::abort();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace handrail {
namespace {

TEST(Allocations, TheCounterCounts) {
  const uint64_t before = allocation_count;
  const std::vector<int> one(1'000);
  EXPECT_EQ(one.size(), 1'000u);
  EXPECT_GT(allocation_count, before);
}

TEST(Allocations, FramesAreReadWithoutAny) {
  TestMap maker;
  maker.AddOuterAndInner();
  const DebugMap map = maker.Make();
  std::vector<FrameIds> frames;
  frames.reserve(8);
  const Hash128 build = map.unit(UnitId{0})->build_id;
  const HandleScope scopes[] = {{}, {.unit = UnitId{0}}, {.build_id = build}};
  const uint64_t before = allocation_count;
  size_t found = 0;
  for (const HandleScope& scope : scopes) {
    for (DebugHandle handle = 0; handle < 20; ++handle) {
      if (ReadFrames(map, scope, handle, frames)) ++found;
    }
  }
  EXPECT_EQ(allocation_count, before);
  EXPECT_EQ(found, 6u);
}

TEST(Allocations, TextsAreMadeWithoutAnyOnceSeen) {
  TestMap maker;
  maker.AddOuterAndInner();
  const DebugMap map = maker.Make();
  Symbolizer symbolizer(map);
  Trace trace;
  const std::vector<DebugHandle> handles = {12, 11, 99};
  symbolizer.Symbolize(handles, {}, trace);
  const std::string first = trace.text;
  const uint64_t before = allocation_count;
  for (int i = 0; i < 10; ++i) symbolizer.Symbolize(handles, {}, trace);
  EXPECT_EQ(allocation_count, before);
  EXPECT_EQ(trace.text, first);
}

}  // namespace
}  // namespace handrail
