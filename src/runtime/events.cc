#include "handrail/runtime/events.h"

#include <algorithm>
#include <chrono>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace handrail::runtime {
namespace {

// The clocks are compared over at least this long: reading them takes some 50 ns.
constexpr uint64_t kCalibrationNs = 1'000'000;

}  // namespace

EventRecorder::EventRecorder(size_t capacity)
    : rows_(capacity),
      has_tick_counter_(HasEvenTickCounter()),
      first_ticks_(Now()),
      first_ns_(SteadyNs()) {}

uint64_t EventRecorder::SteadyNs() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

// Intel's manual, volume 3, "Time-Stamp Counter": leaf 0x80000007, bit 8 of EDX.
bool EventRecorder::HasEvenTickCounter() {
#if defined(__x86_64__)
  constexpr unsigned kPowerLeaf = 0x80000007;
  constexpr unsigned kInvariantBit = 8;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(kPowerLeaf, &eax, &ebx, &ecx, &edx) != 0 && (edx >> kInvariantBit & 1) != 0;
#else
  return false;
#endif
}

std::vector<Event> EventRecorder::Take() {
  uint64_t last_ns = SteadyNs();
  while (last_ns - first_ns_ < kCalibrationNs) last_ns = SteadyNs();
  const uint64_t last_ticks = Now();
  const double ns_per_tick = static_cast<double>(last_ns - first_ns_) /
                             static_cast<double>(std::max<uint64_t>(last_ticks - first_ticks_, 1));
  const auto ns = [&](uint64_t ticks) {
    return static_cast<uint64_t>(static_cast<double>(ticks) * ns_per_tick);
  };

  std::vector<Event> taken;
  const auto count = static_cast<size_t>(std::min<uint64_t>(recorded_count_, rows_.size()));
  taken.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const Row& row = rows_[(next_ + rows_.size() - count + i) % rows_.size()];
    taken.push_back({row.handle, first_ns_ + ns(row.start_ticks - first_ticks_),
                     ns(row.end_ticks - row.start_ticks), row.backend});
  }
  next_ = 0;
  recorded_count_ = 0;
  return taken;
}

}  // namespace handrail::runtime
