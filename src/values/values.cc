#include "values/values.h"

#include <utility>

#include <fmt/format.h>

#include "archive/pickle.h"
#include "archive/quoted.h"
#include "values/object_reader.h"

namespace handrail::values {

Result<ObjectGraph> ReadObjectGraph(const Archive& archive, std::string_view record_name,
                                    std::string_view folder, MemoryBudget& budget) {
  HANDRAIL_ASSIGN_OR_RETURN(const RecordBytes record, archive.Read(record_name, budget));
  const auto in_record = [&](Error error) {
    return tl::unexpected<Error>(
        std::move(error).In(fmt::format("{}: record {}", archive.name(), Quoted(record_name))));
  };
  Result<Pickle> pickle = Pickle::Parse(record.bytes(), budget);
  if (!pickle) return in_record(std::move(pickle).error());
  Result<ObjectGraph> graph = ObjectReader(*pickle, {archive, folder}).Read();
  if (!graph) return in_record(std::move(graph).error());
  return graph;
}

}  // namespace handrail::values
