// The maps that a user has: files named one by one, and folders that are searched by build id.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/base/hash128.h"
#include "handrail/base/result.h"
#include "handrail/symbolize/map_file.h"

namespace handrail {

// A build id as a log has it: all 32 hexadecimal digits, or the first 8 of them.
struct BuildName {
  Hash128 id;  // a short name has zeros below its 8 digits
  bool is_short = false;

  // Anything but 8 or 32 hexadecimal digits is nothing.
  static std::optional<BuildName> FromHex(std::string_view hex);
  bool Matches(const Hash128& build_id) const;
  std::string ToHex() const;
};

// Not thread-safe. Maps stay where they are and are kept open as long as the set lives.
class MapSet {
 public:
  // Files in one folder that are looked at. Stops a walk through a whole disk.
  static constexpr size_t kFolderFilesMax = 100'000;

  MapSet();
  MapSet(MapSet&&) noexcept;
  MapSet& operator=(MapSet&&) noexcept;
  ~MapSet();

  // A file is opened now, and fails as OpenMap does. A folder is only remembered; its files are
  // looked at when a build id is first asked for.
  Status Add(const std::filesystem::path& path);
  // A map that is open already, as if its file had been named.
  void Add(OpenedMap map);

  // The maps that were named one by one, in that order. They are the only ones asked about handles
  // that come without a build id: a folder's maps answer for their build ids alone.
  const std::vector<const OpenedMap*>& named() const;
  bool has_folders() const;

  // One map that has units of a build that `name` matches.
  struct Candidate {
    const OpenedMap* map = nullptr;
    Hash128 build_id;  // in full
    bool is_named = false;
  };
  // All named files that match; if there are none, all debug maps in folders, by path; if there are
  // none either, all archives in folders, which take long to read.
  std::vector<Candidate> Find(const BuildName& name);

  // A file of a folder that was looked at, and what came of it: why it cannot be used, or which
  // builds it is of.
  struct Tried {
    std::string path;
    std::string outcome;  // "not a debug map or PyTorch archive"; "build 0123...";
  };
  std::vector<Tried> tried() const;
  size_t tried_count() const;
  // What is wrong with maps that were opened, in the order they were.
  std::vector<std::string> warnings() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The distinct build ids of a map's units, in the order of the units.
std::vector<Hash128> BuildIdsOf(const DebugMap& map);

}  // namespace handrail
