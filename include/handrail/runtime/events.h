// What a run took, by debug handle: the profiler's hook.
//
//   runtime::EventRecorder recorder(1'000'000);
//   module.set_recorder(&recorder);
//   module.Run("forward", inputs);
//   for (const runtime::Event& event : recorder.Take()) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "handrail/debug_info/handle.h"

namespace handrail::runtime {

struct Event {
  DebugHandle handle = kUnknownHandle;
  uint64_t start_ns = 0;  // of the steady clock
  uint64_t duration_ns = 0;
  // Which backend ran it; "" for the interpreter's own operators. Valid as long as the module.
  std::string_view backend;
};

// Room for a fixed number of events, taken once: recording allocates nothing. When it is full, the
// oldest events make room. Not thread-safe: one for each thread that runs a module.
//
// Times are read from the processor's time stamp counter where that ticks evenly, for it costs half
// of what the steady clock does. Ticks become nanoseconds when the events are taken.
class EventRecorder {
 public:
  explicit EventRecorder(size_t capacity);

  // The time now, in ticks.
  uint64_t Now() const { return has_tick_counter_ ? TickCounter() : SteadyNs(); }
  void Record(DebugHandle handle, uint64_t start_ticks, uint64_t end_ticks,
              std::string_view backend = {}) {
    if (next_ == rows_.size()) {
      if (rows_.empty()) return;
      next_ = 0;
    }
    rows_[next_++] = {handle, start_ticks, end_ticks, backend};
    ++recorded_count_;
  }

  // How many were recorded since they were last taken, those that made room included.
  uint64_t recorded_count() const { return recorded_count_; }
  // Oldest first. Takes a millisecond if the recorder is younger than that.
  std::vector<Event> Take();

 private:
  struct Row {
    DebugHandle handle;
    uint64_t start_ticks;
    uint64_t end_ticks;
    std::string_view backend;
  };

  static uint64_t TickCounter();
  static uint64_t SteadyNs();
  static bool HasEvenTickCounter();

  std::vector<Row> rows_;
  size_t next_ = 0;
  uint64_t recorded_count_ = 0;
  bool has_tick_counter_;
  // One moment on both clocks.
  uint64_t first_ticks_;
  uint64_t first_ns_;
};

inline uint64_t EventRecorder::TickCounter() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

}  // namespace handrail::runtime
