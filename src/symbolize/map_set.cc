#include "handrail/symbolize/map_set.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "archive/archive.h"

namespace handrail {
namespace {

namespace fs = std::filesystem;

constexpr size_t kShortDigits = 8;
constexpr size_t kFullDigits = 32;
// Build ids that one line names; a merged map may have many.
constexpr size_t kBuildsSaidMax = 4;

std::string Builds(const std::vector<Hash128>& builds) {
  if (builds.empty()) return "no units, so no build";
  std::string out = "build ";
  for (size_t i = 0; i < builds.size() && i < kBuildsSaidMax; ++i) {
    if (i != 0) out += ", ";
    out += builds[i].ToHex();
  }
  if (builds.size() > kBuildsSaidMax) {
    out += fmt::format(" and {} more", builds.size() - kBuildsSaidMax);
  }
  return out;
}

}  // namespace

std::optional<BuildName> BuildName::FromHex(std::string_view hex) {
  if (hex.size() != kShortDigits && hex.size() != kFullDigits) return std::nullopt;
  std::string digits(hex);
  digits.resize(kFullDigits, '0');
  const std::optional<Hash128> id = Hash128::FromHex(digits);
  if (!id) return std::nullopt;
  return BuildName{*id, hex.size() == kShortDigits};
}

bool BuildName::Matches(const Hash128& build_id) const {
  return is_short ? id.high >> 32 == build_id.high >> 32 : id == build_id;
}

std::string BuildName::ToHex() const {
  return is_short ? id.ToShortHex() : id.ToHex();
}

std::vector<Hash128> BuildIdsOf(const DebugMap& map) {
  std::vector<Hash128> builds;
  for (uint32_t i = 0; i < map.unit_count(); ++i) {
    const Answer<DebugMap::UnitInfo> unit = map.unit(UnitId{i});
    if (!unit) continue;
    if (std::find(builds.begin(), builds.end(), unit->build_id) == builds.end()) {
      builds.push_back(unit->build_id);
    }
  }
  return builds;
}

struct MapSet::State {
  // A file of a folder. Its map is opened to learn its builds, and again when it is used.
  struct File {
    fs::path path;
    bool is_archive = false;
    bool is_indexed = false;
    std::vector<Hash128> builds;
    std::string outcome;
    std::unique_ptr<OpenedMap> opened;
  };
  struct Folder {
    fs::path path;
    bool is_listed = false;
    std::string problem;  // why not all of it was looked at
    std::vector<File> files;
  };

  void List(Folder& folder);
  void Index(File& file);
  void AddMatches(const BuildName& name, bool archives, std::vector<Candidate>& found);
  void Warn(const OpenedMap& map) {
    warnings.insert(warnings.end(), map.warnings.begin(), map.warnings.end());
  }

  std::vector<std::unique_ptr<OpenedMap>> owned;
  std::vector<const OpenedMap*> named;
  std::vector<Folder> folders;
  std::vector<std::string> warnings;
};

void MapSet::State::List(Folder& folder) {
  if (folder.is_listed) return;
  folder.is_listed = true;
  std::error_code error;
  fs::recursive_directory_iterator at(folder.path, fs::directory_options::skip_permission_denied,
                                      error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code status_error;
    if (!at->is_regular_file(status_error)) continue;
    if (folder.files.size() == kFolderFilesMax) {
      folder.problem = fmt::format("only its first {} files were looked at", kFolderFilesMax);
      break;
    }
    folder.files.emplace_back().path = at->path();
  }
  if (error) folder.problem = error.message();
  std::sort(folder.files.begin(), folder.files.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  for (File& file : folder.files) {
    const Result<MappedFile> mapped = MappedFile::Open(file.path);
    if (!mapped) {
      file.is_indexed = true;
      file.outcome = mapped.error().message;
      continue;
    }
    const ContentKind kind = RecognizeContent(mapped->bytes());
    file.is_archive = kind == ContentKind::kZip || kind == ContentKind::kMobileFlatbuffer;
    if (!file.is_archive) Index(file);
  }
}

void MapSet::State::Index(File& file) {
  if (file.is_indexed) return;
  file.is_indexed = true;
  const Result<OpenedMap> opened = OpenMap(file.path);
  if (!opened) {
    file.outcome = opened.error().message;
    return;
  }
  file.builds = BuildIdsOf(opened->map);
  file.outcome = Builds(file.builds);
}

void MapSet::State::AddMatches(const BuildName& name, bool archives,
                               std::vector<Candidate>& found) {
  for (Folder& folder : folders) {
    List(folder);
    for (File& file : folder.files) {
      if (file.is_archive != archives) continue;
      Index(file);
      for (const Hash128& build : file.builds) {
        if (!name.Matches(build)) continue;
        if (file.opened == nullptr) {
          Result<OpenedMap> opened = OpenMap(file.path);
          if (!opened) {
            file.outcome = opened.error().message;
            break;
          }
          file.opened = std::make_unique<OpenedMap>(*std::move(opened));
          Warn(*file.opened);
        }
        found.push_back(Candidate{file.opened.get(), build, /*is_named=*/false});
      }
    }
  }
}

MapSet::MapSet() : state_(std::make_unique<State>()) {}
MapSet::MapSet(MapSet&&) noexcept = default;
MapSet& MapSet::operator=(MapSet&&) noexcept = default;
MapSet::~MapSet() = default;

Status MapSet::Add(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    State::Folder folder;
    folder.path = path;
    state_->folders.push_back(std::move(folder));
    return {};
  }
  HANDRAIL_ASSIGN_OR_RETURN(OpenedMap opened, OpenMap(path));
  Add(std::move(opened));
  return {};
}

void MapSet::Add(OpenedMap map) {
  state_->owned.push_back(std::make_unique<OpenedMap>(std::move(map)));
  state_->named.push_back(state_->owned.back().get());
  state_->Warn(*state_->named.back());
}

const std::vector<const OpenedMap*>& MapSet::named() const {
  return state_->named;
}
bool MapSet::has_folders() const {
  return !state_->folders.empty();
}

std::vector<MapSet::Candidate> MapSet::Find(const BuildName& name) {
  std::vector<Candidate> found;
  for (const OpenedMap* map : state_->named) {
    for (const Hash128& build : BuildIdsOf(map->map)) {
      if (name.Matches(build)) found.push_back(Candidate{map, build, /*is_named=*/true});
    }
  }
  if (found.empty()) state_->AddMatches(name, /*archives=*/false, found);
  if (found.empty()) state_->AddMatches(name, /*archives=*/true, found);
  return found;
}

size_t MapSet::tried_count() const {
  size_t count = 0;
  for (const State::Folder& folder : state_->folders) count += folder.files.size();
  return count;
}

std::vector<MapSet::Tried> MapSet::tried() const {
  std::vector<Tried> out;
  for (const State::Folder& folder : state_->folders) {
    for (const State::File& file : folder.files) {
      if (file.is_indexed) out.push_back(Tried{file.path.string(), file.outcome});
    }
    if (!folder.problem.empty()) out.push_back(Tried{folder.path.string(), folder.problem});
  }
  return out;
}

std::vector<std::string> MapSet::warnings() const {
  return state_->warnings;
}

}  // namespace handrail
