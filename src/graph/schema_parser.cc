#include "graph/schema_parser.h"

#include <fmt/format.h>

#include "graph/constant_text.h"
#include "graph/text_cursor.h"
#include "graph/type_parser.h"

namespace handrail::graph {
namespace {

// `int[2] padding=0` means [0, 0].
ConstantId Repeated(CompilationUnit& unit, ConstantId value, const Argument& argument) {
  const TypeId list = unit.types.WithoutOptional(argument.type);
  const ConstantKind kind = unit.constants.at(value).kind;
  const bool is_scalar =
      kind == ConstantKind::kInt || kind == ConstantKind::kFloat || kind == ConstantKind::kBool;
  if (argument.list_size == 0 || !is_scalar) return value;
  const std::vector<ConstantId> elements(argument.list_size, value);
  return unit.constants.Compound(ConstantKind::kList, list, elements);
}

class SchemaReader {
 public:
  SchemaReader(CompilationUnit& unit, TextCursor& cursor) : unit_(unit), cursor_(cursor) {}

  Result<Schema> Read() {
    Schema schema;
    HANDRAIL_RETURN_IF_ERROR(ReadName(schema));
    HANDRAIL_RETURN_IF_ERROR(ReadArguments(schema));
    HANDRAIL_RETURN_IF_ERROR(cursor_.Expect("->"));
    HANDRAIL_RETURN_IF_ERROR(ReadResults(schema));
    if (!cursor_.at_end()) return tl::unexpected(cursor_.Expected("end of text"));
    return schema;
  }

 private:
  // "aten::add.Tensor": the overload follows the only dot. Names of functions of models have
  // several, and no overload.
  Status ReadName(Schema& schema) {
    std::string_view name = cursor_.TakeDottedName();
    if (name.empty()) return tl::unexpected(cursor_.Expected("a name"));
    std::string_view overload;
    const size_t colons = name.find("::");
    if (colons != std::string_view::npos) {
      const size_t dot = name.find('.', colons);
      if (dot != std::string_view::npos) {
        overload = name.substr(dot + 1);
        name = name.substr(0, dot);
      }
    }
    schema.name = unit_.strings.Intern(name);
    schema.overload = unit_.strings.Intern(overload);
    return {};
  }

  Status ReadArguments(Schema& schema) {
    HANDRAIL_RETURN_IF_ERROR(cursor_.Expect("("));
    bool is_keyword_only = false;
    while (!cursor_.Take(")")) {
      if (!schema.arguments.empty() || is_keyword_only)
        HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(","));
      if (cursor_.Take("...")) {
        schema.takes_more = true;
        return cursor_.Expect(")");
      }
      if (!is_keyword_only && cursor_.Take("*")) {
        is_keyword_only = true;
        continue;
      }
      HANDRAIL_ASSIGN_OR_RETURN(Argument argument, ReadTyped());
      if (argument.name.is_none()) return tl::unexpected(cursor_.Expected("an argument's name"));
      argument.is_keyword_only = is_keyword_only;
      if (cursor_.Take("=")) {
        HANDRAIL_ASSIGN_OR_RETURN(const ConstantId value,
                                  ParseConstantAt(unit_, cursor_, argument.type));
        argument.default_value = Repeated(unit_, value, argument);
      }
      schema.arguments.push_back(argument);
    }
    return {};
  }

  Status ReadResults(Schema& schema) {
    if (cursor_.Take("...")) {
      schema.gives_more = true;
      return {};
    }
    if (!cursor_.Take("(")) {
      HANDRAIL_ASSIGN_OR_RETURN(const Argument result, ReadTyped());
      schema.results.push_back(result);
      return {};
    }
    while (!cursor_.Take(")")) {
      if (!schema.results.empty()) HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(","));
      if (cursor_.Take("...")) {
        schema.gives_more = true;
        return cursor_.Expect(")");
      }
      HANDRAIL_ASSIGN_OR_RETURN(const Argument result, ReadTyped());
      schema.results.push_back(result);
    }
    return {};
  }

  Result<Argument> ReadTyped() {
    HANDRAIL_ASSIGN_OR_RETURN(const ArgumentType type,
                              ParseTypeAt(unit_, cursor_, TypeVariables::kAllowed));
    Argument argument;
    argument.type = type.type;
    argument.alias = type.alias;
    argument.is_written = type.is_written;
    argument.list_size = type.list_size;
    const std::string_view name = cursor_.TakeName();
    if (!name.empty()) argument.name = unit_.strings.Intern(name);
    return argument;
  }

  CompilationUnit& unit_;
  TextCursor& cursor_;
};

// `int[2]`, `int[1]?`: the type with its size; `t[](a!)`.
std::string TypeText(const CompilationUnit& unit, const Argument& argument) {
  std::string text = unit.ToString(argument.type);
  if (argument.list_size != 0) {
    const size_t bracket = text.rfind("[]");
    text.insert(bracket + 1, fmt::format("{}", argument.list_size));
  }
  if (!argument.alias.is_none()) text += fmt::format("({})", unit.text(argument.alias));
  return text;
}

void WriteTyped(const CompilationUnit& unit, const Argument& argument, std::string& out) {
  out += TypeText(unit, argument);
  if (argument.name.is_none()) return;
  out += ' ';
  out += unit.text(argument.name);
}

}  // namespace

Result<Schema> ParseSchema(CompilationUnit& unit, std::string_view text) {
  TextCursor cursor(text);
  return SchemaReader(unit, cursor).Read();
}

Result<TypeId> ParseType(CompilationUnit& unit, std::string_view text, TypeVariables variables) {
  TextCursor cursor(text);
  HANDRAIL_ASSIGN_OR_RETURN(const ArgumentType type, ParseTypeAt(unit, cursor, variables));
  if (!cursor.at_end()) return tl::unexpected(cursor.Expected("end of text"));
  return type.type;
}

std::string ToString(const CompilationUnit& unit, const Schema& schema) {
  std::string out(unit.text(schema.name));
  if (!unit.text(schema.overload).empty())
    fmt::format_to(std::back_inserter(out), ".{}", unit.text(schema.overload));
  out += '(';
  std::string_view separator;
  const auto separate = [&] {
    out += separator;
    separator = ", ";
  };
  bool is_keyword_only = false;
  for (const Argument& argument : schema.arguments) {
    separate();
    if (argument.is_keyword_only && !is_keyword_only) out += "*, ";
    is_keyword_only = argument.is_keyword_only;
    WriteTyped(unit, argument, out);
    if (!argument.has_default()) continue;
    out += '=';
    WriteConstant(unit, argument.default_value, argument.type, out);
  }
  if (schema.takes_more) {
    separate();
    out += "...";
  }
  out += ") -> ";
  // A single tuple keeps the brackets of the results, so that its own are not taken for them.
  const bool is_bare = schema.results.size() == 1 && !schema.gives_more &&
                       !TypeText(unit, schema.results[0]).starts_with('(');
  if (!is_bare) out += '(';
  separator = {};
  for (const Argument& result : schema.results) {
    separate();
    WriteTyped(unit, result, out);
  }
  if (schema.gives_more) {
    separate();
    out += "...";
  }
  if (!is_bare) out += ')';
  return out;
}

}  // namespace handrail::graph
