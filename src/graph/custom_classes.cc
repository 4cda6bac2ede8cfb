#include "graph/custom_classes.h"

#include <string_view>
#include <utility>

#include "graph/schema_parser.h"

namespace handrail::graph {
namespace {

struct CustomMethod {
  std::string_view class_name;
  std::string_view schema;
};

constexpr CustomMethod kCustomMethods[] = {
#define HANDRAIL_CUSTOM_METHOD(class_name, schema) {class_name, schema},
#include "graph/custom_classes.def"
};

}  // namespace

Status AddCustomMethods(CompilationUnit& unit, DefinitionId definition) {
  std::string_view name = unit.text(unit.definition(definition).name);
  name.remove_prefix(kCustomClasses.size());
  for (const CustomMethod& method : kCustomMethods) {
    const bool is_group = method.class_name.ends_with('.');
    if (is_group ? !name.starts_with(method.class_name) : name != method.class_name) continue;
    HANDRAIL_ASSIGN_OR_RETURN(Schema schema, ParseSchema(unit, method.schema));
    schema.arguments.front().type = unit.definition(definition).type;
    const StringId method_name = schema.name;
    const SchemaId id = unit.AddSchema(std::move(schema));
    unit.definition(definition).methods.push_back({method_name, id, FunctionId::none()});
  }
  return {};
}

}  // namespace handrail::graph
