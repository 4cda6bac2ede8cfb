// A debug map, opened for look-up: handle -> node, source range, inlined call stack.
//
// In:  the bytes of an *.hdm file (docs/format.md). Out: rows, by id; symbolize/ makes traces of
// them.
//
// Opening costs the same for every size: it checks the header and the section table. What a look-up
// touches is checked when it is first touched, by the checksum of its 4 KiB block, and every
// reference is checked against the table it names. A damaged block is an answer (kDamagedMap),
// never a wrong row. Look-ups do not allocate and may run on any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/base/hash128.h"
#include "handrail/base/mapped_file.h"
#include "handrail/base/result.h"
#include "handrail/debug_info/debug_info.h"

namespace handrail {

enum class UnknownReason : uint8_t {
#define HANDRAIL_UNKNOWN_REASON(name, text, sentence) name,
#include "handrail/debug_map/unknown_reasons.def"
};
// Stable text for JSON: "not-issued".
std::string_view ToString(UnknownReason reason);
// What a user reads: "not issued by this map".
std::string_view Sentence(UnknownReason reason);

// The value that an answer has when it has no other: why.
struct Unknown {
  UnknownReason reason;
  // kDamagedMap: byte offset of the damaged block in the map. Otherwise 0.
  uint64_t offset = 0;

  friend bool operator==(const Unknown&, const Unknown&) = default;
};

template <typename T>
using Answer = tl::expected<T, Unknown>;

// A short text out of the map. Strings in a map are in pieces, so reading one assembles it here:
// within `inline_bytes` without allocating.
class TextBuffer {
 public:
  static constexpr size_t kInlineBytes = 512;
  std::string_view view() const {
    return spill_.empty() ? std::string_view(inline_, size_) : std::string_view(spill_);
  }

 private:
  friend class StringTable;
  friend class DebugMap;
  void Clear();
  void Append(std::string_view piece);
  void Truncate(size_t size_bytes);

  char inline_[kInlineBytes];
  size_t size_ = 0;
  std::string spill_;  // holds everything once the inline bytes are too few
};

class DebugMap {
 public:
  // Fails with kIo, kUnsupported (not a debug map; a newer major version; a critical section that
  // this version does not know, by name), kTruncated, kCorrupt.
  static Result<DebugMap> Open(const std::filesystem::path& path, MapMode mode = MapMode::kMap);
  // The same over bytes that the map then owns. `name` is for messages.
  static Result<DebugMap> FromBytes(std::vector<std::byte> bytes, std::string name);

  DebugMap(DebugMap&&) noexcept;
  DebugMap& operator=(DebugMap&&) noexcept;
  ~DebugMap();

  const std::string& name() const;
  std::span<const std::byte> bytes() const;
  // Of this very file: a digest of everything in it.
  const Hash128& digest() const;

  struct UnitInfo {
    UnitKind kind = UnitKind::kForeign;
    Hash128 key;
    Hash128 build_id;
    StringId top_type;  // none: unknown
    uint64_t handle_count = 0;
    DebugHandle first_handle = 0;  // the smallest; 0 if there are no handles
    DebugHandle last_handle = -1;  // the largest; -1 if there are no handles
  };
  uint32_t unit_count() const;
  Answer<UnitInfo> unit(UnitId id) const;

  struct FoundNode {
    UnitId unit;
    DebugHandle handle = kUnknownHandle;
    Node node;
  };
  // The node of a handle in one unit; or in the one unit that has it, kAmbiguous if several do.
  Answer<FoundNode> Find(UnitId unit, DebugHandle handle) const;
  Answer<FoundNode> Find(DebugHandle handle) const;
  // The same among the units of one build only (kOtherBuild if there are none).
  Answer<FoundNode> FindInBuild(const Hash128& build_id, DebugHandle handle) const;

  // Calls `visit(DebugHandle, const Answer<Node>&)` for every handle of a unit, ascending.
  // A handle whose debug info is missing is visited too, with the reason. Fails where the table of
  // handles itself cannot be read: the handles beyond are not known.
  template <typename Visitor>
  Answer<void> ForEachHandle(UnitId unit, Visitor&& visit) const;

  // Rows. Ids come from other rows of the same map; a row is read when it is asked for.
  Answer<SourceRange> range(RangeId id) const;
  Answer<CallSite> call_site(CallSiteId id) const;
  Answer<Stack> stack(StackId id) const;
  Answer<Source> source(SourceId id) const;
  // Assembles a string; the view is into `buffer`.
  Answer<std::string_view> string(StringId id, TextBuffer& buffer) const;
  // A range, together with what its source says: what most callers want.
  struct Location {
    SourceRange range;
    StringId file_name;  // none: no source, or one without a name
    uint32_t line = 0;   // of the file, 1-based; 0: unknown
    uint32_t column = 0;
    uint32_t end_line = 0;
    uint32_t end_column = 0;
  };
  Answer<Location> location(RangeId id) const;

  uint32_t source_count() const;
  uint32_t string_count() const;
  uint32_t range_count() const;
  uint32_t stack_count() const;
  uint32_t call_site_count() const;

  bool has_source_text() const;
  // The text of a source. Unpacks a block of texts, so it allocates, and fails as other readers do:
  // kNotFound if the map holds no text for it, kCorrupt. For many texts, use a TextReader.
  Result<std::string> SourceText(SourceId id) const;

  // Reads one text after another, each block unpacked once where they follow each other. One per
  // thread; the map must outlive it.
  class TextReader {
   public:
    explicit TextReader(const DebugMap& map);
    ~TextReader();
    TextReader(const TextReader&) = delete;
    TextReader& operator=(const TextReader&) = delete;
    Result<std::string> Read(SourceId id);

   private:
    struct State;
    const DebugMap& map_;
    std::unique_ptr<State> state_;
  };

  // For the stages of this library that look at the bytes themselves (verify, stats, dump).
  class Reader;
  const Reader& reader() const { return *reader_; }

 private:
  explicit DebugMap(std::unique_ptr<Reader> reader);
  struct HandleCursor {
    uint64_t segment = 0;
    uint64_t index = 0;
    DebugHandle handle = kUnknownHandle;
  };
  // Steps to the unit's next handle; false at the end.
  Answer<bool> NextHandle(UnitId unit, HandleCursor& cursor, Answer<Node>& node) const;
  Answer<Node> NodeAt(uint64_t position) const;

  std::unique_ptr<Reader> reader_;
};

template <typename Visitor>
Answer<void> DebugMap::ForEachHandle(UnitId unit, Visitor&& visit) const {
  HandleCursor cursor;
  Answer<Node> node;
  for (;;) {
    const Answer<bool> more = NextHandle(unit, cursor, node);
    if (!more) return tl::unexpected<Unknown>(more.error());
    if (!*more) return {};
    visit(cursor.handle, node);
  }
}

}  // namespace handrail
