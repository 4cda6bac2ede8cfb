#include "graph/type_parser.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace handrail::graph {
namespace {

struct SimpleType {
  std::string_view name;
  TypeId type;
};
constexpr SimpleType kSimpleTypes[] = {
#define HANDRAIL_SIMPLE_TYPE(kind, text, annotation) {text, types::kind},
#include "handrail/graph/type_kinds.def"
    // Other names of the same types, as schemas of operators write them.
    {"number", types::kNumber}, {"SymInt", types::kInt},       {"ScalarType", types::kInt},
    {"Layout", types::kInt},    {"MemoryFormat", types::kInt}, {"Dimname", types::kString},
};

struct Constructor {
  std::string_view name;
  TypeKind kind;
};
constexpr Constructor kConstructors[] = {{"Dict", TypeKind::kDict},
                                         {"Future", TypeKind::kFuture},
                                         {"RRef", TypeKind::kRRef},
                                         {"Union", TypeKind::kUnion},
                                         {"", TypeKind::kTuple}};

constexpr std::string_view kCustomClassPrefix = "__torch__.torch.classes.";

class TypeReader {
 public:
  TypeReader(CompilationUnit& unit, TextCursor& cursor, TypeVariables variables)
      : unit_(unit), cursor_(cursor), variables_(variables) {}

  Result<ArgumentType> Read() {
    while (true) {
      HANDRAIL_ASSIGN_OR_RETURN(const bool is_complete, ReadOpening());
      if (!is_complete) continue;
      // A type is complete: what stands behind it, and what it completes in turn.
      while (true) {
        HANDRAIL_RETURN_IF_ERROR(ReadSuffixes());
        if (open_.empty()) return whole_;
        open_.back().elements.push_back(whole_.type);
        if (cursor_.Take(",") && !cursor_.Sees(")")) break;
        HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(")"));
        HANDRAIL_RETURN_IF_ERROR(Close());
      }
    }
  }

 private:
  struct Open {
    TypeKind kind;
    size_t offset;
    std::vector<TypeId> elements;
  };

  // A name, or what opens a type of several. True if a type is complete.
  Result<bool> ReadOpening() {
    if (cursor_.Take("(")) {
      open_.push_back({TypeKind::kTuple, cursor_.offset(), {}});
      if (!cursor_.Take(")")) return false;
      HANDRAIL_RETURN_IF_ERROR(Close());
      return true;
    }
    cursor_.at_end();  // blanks
    const size_t start = cursor_.offset();
    const std::string_view name = cursor_.TakeDottedName();
    if (name.empty()) return tl::unexpected(cursor_.Expected("a type"));
    if (cursor_.next() == '(') {
      const auto* constructor = std::ranges::find(kConstructors, name, &Constructor::name);
      if (constructor != std::end(kConstructors)) {
        cursor_.Take("(");
        open_.push_back({constructor->kind, start, {}});
        return false;
      }
    }
    HANDRAIL_ASSIGN_OR_RETURN(whole_.type, Named(name, start));
    return true;
  }

  Result<TypeId> Named(std::string_view name, size_t offset) {
    const auto* simple = std::ranges::find(kSimpleTypes, name, &SimpleType::name);
    if (simple != std::end(kSimpleTypes)) return simple->type;
    const StringId id = unit_.strings.Intern(name);
    if (const DefinitionId definition = unit_.FindDefinition(id); !definition.is_none()) {
      const TypeId type = unit_.definition(definition).type;
      if (!type.is_none()) return type;
    }
    if (!unit_.FindFunction(id).is_none()) return unit_.types.Function(id);
    if (name.starts_with(kCustomClassPrefix)) {
      HANDRAIL_ASSIGN_OR_RETURN(const DefinitionId definition,
                                unit_.AddDefinition(DefinitionKind::kCustomClass, id));
      return unit_.definition(definition).type;
    }
    const bool is_plain = name.find_first_of(".:") == std::string_view::npos;
    if (variables_ == TypeVariables::kAllowed && is_plain && name[0] >= 'a' && name[0] <= 'z') {
      return unit_.types.Variable(id);
    }
    return tl::unexpected(cursor_.ErrorAt(offset, fmt::format("unknown type '{}'", name)));
  }

  Status ReadSuffixes() {
    while (true) {
      if (cursor_.next() == '(') {
        HANDRAIL_RETURN_IF_ERROR(ReadAlias());
      } else if (cursor_.next() == '?') {
        cursor_.Take("?");
        whole_.type = unit_.types.Optional(whole_.type);
      } else if (cursor_.next() == '[') {
        cursor_.Take("[");
        whole_.list_size = 0;
        if (!cursor_.Sees("]")) {
          HANDRAIL_ASSIGN_OR_RETURN(whole_.list_size, cursor_.TakeUint32("a list's size"));
        }
        HANDRAIL_RETURN_IF_ERROR(cursor_.Expect("]"));
        whole_.type = unit_.types.List(whole_.type);
      } else {
        return {};
      }
    }
  }

  Status ReadAlias() {
    cursor_.Take("(");
    HANDRAIL_ASSIGN_OR_RETURN(const std::string_view alias, cursor_.TakeUpTo(')'));
    whole_.alias = unit_.strings.Intern(alias);
    whole_.is_written |= alias.find('!') != std::string_view::npos;
    return {};
  }

  Status Close() {
    const Open closed = std::move(open_.back());
    open_.pop_back();
    const size_t count = closed.elements.size();
    const auto wrong_count = [&](std::string_view needed) {
      return tl::unexpected(cursor_.ErrorAt(
          closed.offset, fmt::format("need {} elements of a type, have {}", needed, count)));
    };
    whole_.list_size = 0;
    switch (closed.kind) {
      case TypeKind::kTuple:
        whole_.type = unit_.types.Tuple(closed.elements);
        return {};
      case TypeKind::kDict:
        if (count != 2) return wrong_count("2");
        whole_.type = unit_.types.Dict(closed.elements[0], closed.elements[1]);
        return {};
      case TypeKind::kUnion:
        if (count == 0) return wrong_count("1 or more");
        whole_.type = unit_.types.Union(closed.elements);
        return {};
      default:
        if (count != 1) return wrong_count("1");
        whole_.type = closed.kind == TypeKind::kFuture ? unit_.types.Future(closed.elements[0])
                                                       : unit_.types.RRef(closed.elements[0]);
        return {};
    }
  }

  CompilationUnit& unit_;
  TextCursor& cursor_;
  TypeVariables variables_;
  std::vector<Open> open_;
  ArgumentType whole_;  // the type that was completed last, and the facts of all its parts
};

}  // namespace

Result<ArgumentType> ParseTypeAt(CompilationUnit& unit, TextCursor& cursor,
                                 TypeVariables variables) {
  return TypeReader(unit, cursor, variables).Read();
}

}  // namespace handrail::graph
