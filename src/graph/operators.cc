#include "graph/operators.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "handrail/base/check.h"

#include "graph/schema_parser.h"
#include "graph/schema_text.h"

namespace handrail::graph {
namespace {

// The lines of one operator in kSchemaText.
struct Group {
  std::string_view name;
  std::string_view lines;
};

// "aten::add" of "aten::add.Tensor(Tensor self, …".
std::string_view OperatorNameOf(std::string_view line) {
  const std::string_view name = line.substr(0, line.find('('));
  const size_t colons = name.find("::");
  return name.substr(0, name.find('.', colons));
}

std::vector<Group> FindGroups() {
  std::vector<Group> groups;
  std::string_view rest = kSchemaText;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end);
    if (line[0] == '#' || line[0] == '\n') continue;
    const std::string_view name = OperatorNameOf(line);
    if (groups.empty() || groups.back().name != name) {
      HANDRAIL_CHECK(groups.empty() || groups.back().name < name);
      groups.push_back({name, line});
    } else {
      Group& group = groups.back();
      group.lines = {group.lines.data(), group.lines.size() + line.size()};
    }
  }
  return groups;
}

std::string_view LinesOf(std::string_view name) {
  static const std::vector<Group> groups = FindGroups();
  const auto found = std::ranges::lower_bound(groups, name, {}, &Group::name);
  return found != groups.end() && found->name == name ? found->lines : std::string_view();
}

std::vector<SchemaId>& Overloads(CompilationUnit& unit, Symbol name) {
  const auto [found, is_new] = unit.operators().try_emplace(name);
  if (!is_new) return found->second;
  std::vector<SchemaId> overloads;
  std::string_view lines = LinesOf(unit.text(name));
  while (!lines.empty()) {
    const size_t end = lines.find('\n');
    Result<Schema> schema = ParseSchema(unit, lines.substr(0, end));
    HANDRAIL_CHECK(schema.has_value());  // a test parses every line
    overloads.push_back(unit.AddSchema(*std::move(schema)));
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return unit.operators()[name] = std::move(overloads);
}

}  // namespace

std::span<const SchemaId> OperatorsNamed(CompilationUnit& unit, Symbol name) {
  return Overloads(unit, name);
}

SchemaId FindOperator(CompilationUnit& unit, Symbol name, std::string_view overload) {
  for (SchemaId id : Overloads(unit, name)) {
    if (unit.text(unit.schema(id).overload) == overload) return id;
  }
  return SchemaId::none();
}

Result<SchemaId> AddOperator(CompilationUnit& unit, std::string_view schema_text) {
  HANDRAIL_ASSIGN_OR_RETURN(Schema schema, ParseSchema(unit, schema_text));
  if (!FindOperator(unit, schema.name, unit.text(schema.overload)).is_none()) {
    return Fail(ErrorCode::kConflict, fmt::format("operator '{}.{}' exists", unit.text(schema.name),
                                                  unit.text(schema.overload)));
  }
  std::vector<SchemaId>& overloads = Overloads(unit, schema.name);
  overloads.push_back(unit.AddSchema(std::move(schema)));
  return overloads.back();
}

}  // namespace handrail::graph
