// Build ids of PyTorch's files: what ties a debug map to the file whose handles it knows.
//
// Each is FieldHasher over the fields listed; docs/format.md, "Build id", is normative.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "handrail/base/hash128.h"

#include "archive/archive.h"
#include "archive/mobile_flatbuffer.h"

namespace handrail {

// A record as far as the build id is concerned.
struct BuildIdRecord {
  bool is_present = false;
  // Nothing if it is there and cannot be read.
  std::optional<std::span<const std::byte>> content;
};

// "mobile", then for bytecode.pkl and for mobile_debug_handles.pkl: "absent"; or "damaged"; or
// "present" and the content. If `data` (data.pkl) names a lowered module, also "lowered", the same
// for data.pkl, and of each record in data/, by name: name, size, checksum. Blobs are there, and
// the handles in them are part of what this map must fit. Last, if there is a record
// handrail/build_key (own_records.h): "key", and the same for it.
Hash128 BuildIdOfMobile(const Archive& archive, const BuildIdRecord& bytecode,
                        const BuildIdRecord& handles, const BuildIdRecord& data,
                        const BuildIdRecord& key);

// "module", then of each code/*.py, by name: name, and "damaged" or content's hash. If `data` names
// a lowered module, "lowered" and so on, as above.
Hash128 BuildIdOfModule(const Archive& archive,
                        std::vector<std::pair<std::string_view, std::optional<Hash128>>> code,
                        const BuildIdRecord& data);

// "flatbuffer", then of each function, in the file's order: name, instructions, the number of
// operators and of each name, overload and number of arguments, and the handles as bytes.
Hash128 BuildIdOfFlatbuffer(const MobileModule& module);

// The key of the one unit of a file: "unit" and the build id.
Hash128 UnitKeyOf(const Hash128& build_id);

}  // namespace handrail
