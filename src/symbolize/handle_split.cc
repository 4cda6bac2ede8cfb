#include "symbolize/handle_split.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include "symbolize/handle_roles.h"

namespace handrail {
namespace {

// "-9223372036854775808"
constexpr size_t kHandleDigitsMax = 20;

// One handle as the digits [at, at + length), if they can be one: nothing prints leading zeros.
struct Part {
  DebugHandle handle = kUnknownHandle;
  HandleRole role = HandleRole::kNone;
};

std::optional<DebugHandle> ParsePart(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || (digits.front() == '0' && text.size() > 1)) return std::nullopt;
  DebugHandle handle = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), handle);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return handle;
}

class Splitter {
 public:
  Splitter(const DebugMap& map, std::string_view digits) : digits_(digits) {
    parts_.resize(digits.size());
    for (size_t at = 0; at < digits.size(); ++at) {
      const size_t longest = std::min(kHandleDigitsMax, digits.size() - at);
      for (size_t length = 1; length <= longest; ++length) {
        const std::optional<DebugHandle> handle = ParsePart(digits.substr(at, length));
        if (handle) parts_[at][length - 1] = Part{*handle, RoleOf(map, *handle)};
      }
    }
    // From the end forwards, so that a look ahead is a look up: whether the rest can be split.
    can_end_.resize(digits.size() + 1);
    for (ListStates states = 1; states < kListStatesCount; ++states) can_end_.back()[states] = true;
    for (size_t at = digits.size(); at-- > 0;) {
      for (ListStates states = 1; states < kListStatesCount; ++states) {
        for (size_t length = 1; length <= kHandleDigitsMax; ++length) {
          if (LeadsOn(at, states, length)) can_end_[at][states] = true;
        }
      }
    }
  }

  bool Collect(size_t ways_max, std::vector<std::vector<DebugHandle>>& ways) const {
    // Depth first, without recursion. `length` counts down: what is left to try at this place.
    struct Place {
      size_t at;
      ListStates states;
      size_t length;
    };
    std::vector<Place> path = {{0, kListStart, kHandleDigitsMax + 1}};
    std::vector<DebugHandle> handles;
    while (!path.empty()) {
      Place& place = path.back();
      do {
        --place.length;
      } while (place.length > 0 && !LeadsOn(place.at, place.states, place.length));
      if (place.length == 0) {
        path.pop_back();
        if (!handles.empty()) handles.pop_back();
        continue;
      }
      const Part& part = parts_[place.at][place.length - 1];
      handles.push_back(part.handle);
      const size_t next = place.at + place.length;
      if (next < digits_.size()) {
        path.push_back({next, Step(place.states, part.role), kHandleDigitsMax + 1});
        continue;
      }
      if (std::find(ways.begin(), ways.end(), handles) == ways.end()) {
        if (ways.size() >= ways_max) return false;
        ways.push_back(handles);
      }
      handles.pop_back();
    }
    return true;
  }

 private:
  bool LeadsOn(size_t at, ListStates states, size_t length) const {
    if (at + length > digits_.size()) return false;
    const ListStates next = Step(states, parts_[at][length - 1].role);
    return next != kImpossible && can_end_[at + length][next];
  }

  std::string_view digits_;
  std::vector<std::array<Part, kHandleDigitsMax>> parts_;
  std::vector<std::array<bool, kListStatesCount>> can_end_;
};

}  // namespace

bool SplitForMap(const DebugMap& map, std::string_view digits, size_t ways_max,
                 std::vector<std::vector<DebugHandle>>& ways) {
  if (digits.empty()) return true;
  return Splitter(map, digits).Collect(ways_max, ways);
}

}  // namespace handrail
