#include "handrail/symbolize/map_set_symbolizer.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "symbolize/handle_split.h"
#include "symbolize/unknown_text.h"

namespace handrail {
namespace {

// Symbolizers that are kept, each with its memory. A log speaks of few builds at a time.
constexpr size_t kSymbolizersMax = 16;
// Builds whose maps are remembered.
constexpr size_t kBuildsMax = 4096;
// Files that one line names.
constexpr size_t kFilesSaidMax = 4;

std::string_view FileName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Whether two maps say the same of the same handles. File names may differ by the folder: maps are
// written with other path prefixes.
bool Agree(const Trace& a, const Trace& b) {
  return a.hierarchy == b.hierarchy &&
         std::equal(a.frames.begin(), a.frames.end(), b.frames.begin(), b.frames.end(),
                    [](const TraceFrame& x, const TraceFrame& y) {
                      return x.function == y.function && x.module == y.module && x.type == y.type &&
                             FileName(x.file) == FileName(y.file) && x.line == y.line &&
                             x.column == y.column && x.end_line == y.end_line &&
                             x.end_column == y.end_column;
                    });
}

std::string Files(const std::vector<MapSet::Candidate>& candidates) {
  std::string out;
  for (size_t i = 0; i < candidates.size() && i < kFilesSaidMax; ++i) {
    if (i != 0) out += ", ";
    out += candidates[i].map->path;
  }
  if (candidates.size() > kFilesSaidMax) {
    out += fmt::format(" and {} more", candidates.size() - kFilesSaidMax);
  }
  return out;
}

}  // namespace

class MapSetSymbolizer::State {
 public:
  State(MapSet& maps, TraceStyle style) : maps_(&maps), style_(style) {}

  Source Symbolize(const std::optional<BuildName>& build, std::span<const DebugHandle> handles,
                   Trace& trace);
  Splits SplitHandles(std::string_view digits) const;

 private:
  using Candidates = std::vector<MapSet::Candidate>;

  Symbolizer& SymbolizerOf(const OpenedMap& map);
  void Ask(const MapSet::Candidate& candidate, bool by_build, std::span<const DebugHandle> handles,
           Trace& trace);
  Source Settle(const Candidates& candidates, bool by_build, std::span<const DebugHandle> handles,
                Trace& trace);
  void SayUnknown(std::span<const DebugHandle> handles, UnknownReason reason,
                  std::string_view detail, Trace& trace) const;
  void SayNoBuild(const BuildName& build, std::span<const DebugHandle> handles, Trace& trace) const;

  const Candidates& Find(const BuildName& build);

  MapSet* maps_;
  TraceStyle style_;
  std::unordered_map<std::string, Candidates> found_;  // by BuildName::ToHex
  std::unordered_map<const OpenedMap*, Symbolizer> symbolizers_;
};

Symbolizer& MapSetSymbolizer::State::SymbolizerOf(const OpenedMap& map) {
  const auto known = symbolizers_.find(&map);
  if (known != symbolizers_.end()) return known->second;
  return symbolizers_.emplace(&map, Symbolizer(map.map, style_)).first->second;
}

void MapSetSymbolizer::State::Ask(const MapSet::Candidate& candidate, bool by_build,
                                  std::span<const DebugHandle> handles, Trace& trace) {
  HandleScope scope;
  if (by_build) scope.build_id = candidate.build_id;
  SymbolizerOf(*candidate.map).Symbolize(handles, scope, trace);
}

void MapSetSymbolizer::State::SayUnknown(std::span<const DebugHandle> handles, UnknownReason reason,
                                         std::string_view detail, Trace& trace) const {
  trace.handles.assign(handles.begin(), handles.end());
  trace.frames.clear();
  trace.unknown.clear();
  trace.hierarchy.clear();
  trace.node.clear();
  trace.text.clear();
  for (const DebugHandle handle : handles) {
    trace.unknown.push_back(UnknownHandle{handle, Unknown{reason, 0}});
  }
  AppendUnknownLine(handles, Unknown{reason, 0}, detail, trace.text);
}

void MapSetSymbolizer::State::SayNoBuild(const BuildName& build,
                                         std::span<const DebugHandle> handles, Trace& trace) const {
  std::string detail = "it is of build " + build.ToHex();
  for (const OpenedMap* map : maps_->named()) {
    const std::vector<Hash128> builds = BuildIdsOf(map->map);
    detail += fmt::format(", {} is of ", map->path);
    detail += builds.empty() ? "none" : "build " + builds.front().ToHex();
    if (builds.size() > 1) detail += fmt::format(" and {} more", builds.size() - 1);
  }
  if (maps_->has_folders()) {
    detail += fmt::format(", none of the {} files searched is of it", maps_->tried_count());
  }
  const bool is_other_build = !maps_->named().empty() && !maps_->has_folders();
  SayUnknown(handles, is_other_build ? UnknownReason::kOtherBuild : UnknownReason::kNoMap, detail,
             trace);
}

const MapSetSymbolizer::State::Candidates& MapSetSymbolizer::State::Find(const BuildName& build) {
  const std::string hex = build.ToHex();
  const auto known = found_.find(hex);
  if (known != found_.end()) return known->second;
  if (found_.size() == kBuildsMax) found_.clear();
  return found_.emplace(hex, maps_->Find(build)).first->second;
}

MapSetSymbolizer::Source MapSetSymbolizer::State::Symbolize(const std::optional<BuildName>& build,
                                                            std::span<const DebugHandle> handles,
                                                            Trace& trace) {
  if (symbolizers_.size() > kSymbolizersMax) symbolizers_.clear();
  if (!build) {
    Candidates candidates;
    for (const OpenedMap* map : maps_->named()) {
      candidates.push_back(MapSet::Candidate{map, Hash128(), /*is_named=*/true});
    }
    if (candidates.empty()) {
      SayUnknown(handles, UnknownReason::kNoMap, "it comes without one, and no map was named",
                 trace);
      return {};
    }
    return Settle(candidates, /*by_build=*/false, handles, trace);
  }
  const Candidates& candidates = Find(*build);
  if (candidates.empty()) {
    SayNoBuild(*build, handles, trace);
    return {};
  }
  for (const MapSet::Candidate& candidate : candidates) {
    if (candidate.build_id == candidates.front().build_id) continue;
    SayUnknown(handles, UnknownReason::kAmbiguous,
               fmt::format("build {} may be {} ({}) or {} ({})", build->ToHex(),
                           candidates.front().build_id.ToHex(), candidates.front().map->path,
                           candidate.build_id.ToHex(), candidate.map->path),
               trace);
    return {};
  }
  return Settle(candidates, /*by_build=*/true, handles, trace);
}

// Several maps may answer: the one that knows the most handles does, if no other knows as many and
// says something else.
MapSetSymbolizer::Source MapSetSymbolizer::State::Settle(const Candidates& candidates,
                                                         bool by_build,
                                                         std::span<const DebugHandle> handles,
                                                         Trace& trace) {
  const auto source_of = [by_build](const MapSet::Candidate& candidate) {
    return Source{candidate.map, by_build ? std::optional(candidate.build_id) : std::nullopt};
  };
  const MapSet::Candidate* best = &candidates.front();
  Ask(*best, by_build, handles, trace);
  if (candidates.size() == 1) return source_of(*best);

  Trace other;
  Candidates equals = {*best};
  bool is_settled = true;
  for (size_t i = 1; i < candidates.size(); ++i) {
    const MapSet::Candidate& candidate = candidates[i];
    Ask(candidate, by_build, handles, other);
    if (other.unknown.size() > trace.unknown.size()) continue;
    if (other.unknown.size() < trace.unknown.size()) {
      best = &candidate;
      equals = {candidate};
      is_settled = true;
    } else {
      equals.push_back(candidate);
      if (!Agree(trace, other)) {
        is_settled = false;
        continue;
      }
      const bool adds_text = other.text.size() > trace.text.size() &&
                             candidate.map->map.has_source_text() &&
                             !best->map->map.has_source_text();
      if (!adds_text) continue;
      best = &candidate;
    }
    std::swap(trace, other);
  }
  if (!is_settled) {
    SayUnknown(handles, UnknownReason::kAmbiguous,
               "these maps have it and differ: " + Files(equals), trace);
    return {};
  }
  return source_of(*best);
}

MapSetSymbolizer::Splits MapSetSymbolizer::State::SplitHandles(std::string_view digits) const {
  Splits splits;
  if (digits.size() > kSplitBytesMax) {
    splits.is_complete = false;
    return splits;
  }
  for (const OpenedMap* map : maps_->named()) {
    if (!SplitForMap(map->map, digits, kSplitWaysMax, splits.ways)) splits.is_complete = false;
  }
  return splits;
}

MapSetSymbolizer::MapSetSymbolizer(MapSet& maps, TraceStyle style)
    : state_(std::make_unique<State>(maps, style)) {}
MapSetSymbolizer::MapSetSymbolizer(MapSetSymbolizer&&) noexcept = default;
MapSetSymbolizer& MapSetSymbolizer::operator=(MapSetSymbolizer&&) noexcept = default;
MapSetSymbolizer::~MapSetSymbolizer() = default;

MapSetSymbolizer::Source MapSetSymbolizer::Symbolize(const std::optional<BuildName>& build,
                                                     std::span<const DebugHandle> handles,
                                                     Trace& trace) {
  return state_->Symbolize(build, handles, trace);
}

MapSetSymbolizer::Splits MapSetSymbolizer::SplitHandles(std::string_view digits) {
  return state_->SplitHandles(digits);
}

}  // namespace handrail
