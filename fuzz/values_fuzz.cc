// Properties of the reader of object graphs (values/values.h), whatever pickle an archive holds:
// - it does not crash, and gives back all of its budget;
// - every value that can be reached has rows for all of its parts, and every element of a tensor
//   lies inside of its storage's bytes.
#include <string>
#include <unordered_set>
#include <vector>

#include "handrail/base/check.h"

#include "archive/zip_writer.h"
#include "values/values.h"

namespace {

using namespace handrail::values;

void CheckTensor(const ObjectGraph& graph, const StoredTensor& tensor) {
  const Storage& storage = graph.storage(tensor.storage);
  HANDRAIL_CHECK(storage.bytes.size() == storage.element_count * SizeBytes(storage.element_type));
  int64_t last = static_cast<int64_t>(tensor.first_element);
  for (uint32_t i = 0; i < tensor.dimension_count; ++i) {
    if (graph.sizes(tensor)[i] == 0) return;
    last += (graph.sizes(tensor)[i] - 1) * graph.strides(tensor)[i];
  }
  HANDRAIL_CHECK(last >= 0 && static_cast<uint64_t>(last) < storage.element_count);
}

void Visit(const ObjectGraph& graph) {
  std::unordered_set<uint32_t> seen;
  std::vector<ValueId> open{graph.root()};
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    if (value.is_none() || !seen.insert(value.index).second) continue;
    HANDRAIL_CHECK(value.index < graph.size());
    switch (graph.kind(value)) {
      case ValueKind::kTensor:
        CheckTensor(graph, graph.tensor(value));
        break;
      case ValueKind::kList:
      case ValueKind::kTuple:
      case ValueKind::kDict:
        open.insert(open.end(), graph.elements(value).begin(), graph.elements(value).end());
        break;
      case ValueKind::kObject:
      case ValueKind::kEnum:
        HANDRAIL_CHECK(!graph.class_name(value).empty());
        open.push_back(graph.state(value));
        break;
      default:
        break;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 64 * 1024) return 0;
  std::string file;
  handrail::ZipWriter writer("fuzz", file);
  HANDRAIL_CHECK(writer.Add("data.pkl", std::as_bytes(std::span(data, size))).has_value());
  HANDRAIL_CHECK(writer.Add("data/0", std::string(64, '\0')).has_value());
  HANDRAIL_CHECK(writer.Finish().has_value());
  handrail::MemoryBudget budget(file.size());
  {
    const auto archive = handrail::Archive::Open(std::as_bytes(std::span(file)), "fuzz.pt", budget);
    HANDRAIL_CHECK(archive.has_value());
    const auto graph = ReadObjectGraph(*archive, "data.pkl", "data/", budget);
    if (graph) Visit(*graph);
  }
  HANDRAIL_CHECK(budget.left_bytes() == budget.total_bytes());
  return 0;
}
