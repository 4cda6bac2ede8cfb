#include "torch_debug/build_id.h"

#include <algorithm>
#include <tuple>

namespace handrail {
namespace {

// A lowered module's type has this part: "torch.jit.LoweredModule.demo.__torch__.M".
constexpr std::string_view kLoweredModule = "LoweredModule";
constexpr std::string_view kDataFolder = "data/";

void AddRecord(FieldHasher& hasher, const BuildIdRecord& record) {
  if (!record.is_present) {
    hasher.Add("absent");
  } else if (!record.content) {
    hasher.Add("damaged");
  } else {
    hasher.Add("present").Add(*record.content);
  }
}

bool NamesLoweredModule(const BuildIdRecord& data) {
  if (!data.content) return false;
  const std::string_view text(reinterpret_cast<const char*>(data.content->data()),
                              data.content->size());
  return text.find(kLoweredModule) != std::string_view::npos;
}

void AddBlobs(FieldHasher& hasher, const Archive& archive, const BuildIdRecord& data) {
  if (!NamesLoweredModule(data)) return;
  hasher.Add("lowered");
  AddRecord(hasher, data);
  std::vector<std::tuple<std::string_view, uint64_t, uint32_t>> blobs;
  for (const ArchiveRecord& record : archive.records()) {
    if (record.name.starts_with(kDataFolder)) {
      blobs.emplace_back(record.name, record.size_bytes, record.checksum);
    }
  }
  std::sort(blobs.begin(), blobs.end());
  for (const auto& [name, size_bytes, checksum] : blobs) {
    hasher.Add(name).Add(size_bytes).Add(uint64_t{checksum});
  }
}

}  // namespace

Hash128 BuildIdOfMobile(const Archive& archive, const BuildIdRecord& bytecode,
                        const BuildIdRecord& handles, const BuildIdRecord& data,
                        const BuildIdRecord& key) {
  FieldHasher hasher;
  hasher.Add("mobile");
  AddRecord(hasher, bytecode);
  AddRecord(hasher, handles);
  AddBlobs(hasher, archive, data);
  if (key.is_present) {
    hasher.Add("key");
    AddRecord(hasher, key);
  }
  return hasher.Finish();
}

Hash128 BuildIdOfModule(const Archive& archive,
                        std::vector<std::pair<std::string_view, std::optional<Hash128>>> code,
                        const BuildIdRecord& data) {
  std::sort(code.begin(), code.end());
  FieldHasher hasher;
  hasher.Add("module");
  for (const auto& [name, content] : code) {
    hasher.Add(name);
    if (content) {
      hasher.Add(*content);
    } else {
      hasher.Add("damaged");
    }
  }
  AddBlobs(hasher, archive, data);
  return hasher.Finish();
}

Hash128 BuildIdOfFlatbuffer(const MobileModule& module) {
  FieldHasher hasher;
  hasher.Add("flatbuffer");
  for (const MobileFunction& function : module.functions) {
    hasher.Add(function.qualified_name).Add(function.instruction_bytes);
    hasher.Add(uint64_t{function.operators.size()});
    for (const MobileOperator& op : function.operators) {
      hasher.Add(op.name).Add(op.overload).Add(static_cast<uint64_t>(op.specified_args));
    }
    hasher.Add(function.debug_handles.bytes());
  }
  return hasher.Finish();
}

Hash128 UnitKeyOf(const Hash128& build_id) {
  return FieldHasher().Add("unit").Add(build_id).Finish();
}

}  // namespace handrail
