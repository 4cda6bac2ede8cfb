// What annotations mean.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "handrail/base/limits.h"

#include "graph/emit.h"

namespace handrail::graph {

using script::NodeKind;
using script::SyntaxId;
using script::SyntaxTree;

namespace {

struct TypeName {
  std::string_view name;
  TypeId type;
};

constexpr TypeName kTypeNames[] = {
    {"Tensor", types::kTensor},   {"int", types::kInt},           {"float", types::kFloat},
    {"bool", types::kBool},       {"str", types::kString},        {"complex", types::kComplex},
    {"number", types::kNumber},   {"None", types::kNone},         {"NoneType", types::kNone},
    {"Any", types::kAny},         {"Device", types::kDevice},     {"Generator", types::kGenerator},
    {"Storage", types::kStorage}, {"Stream", types::kStream},     {"Capsule", types::kCapsule},
    {"QScheme", types::kQScheme}, {"list", types::kAnyList},      {"tuple", types::kAnyTuple},
    {"AnyList", types::kAnyList}, {"AnyTuple", types::kAnyTuple}, {"AnyEnumType", types::kAnyEnum},
    {"Layout", types::kInt},      {"MemoryFormat", types::kInt},  {"Dtype", types::kInt},
    {"dtype", types::kInt},       {"device", types::kDevice},     {"layout", types::kInt},
};

// The text of `a.b.c`, or nothing if that is not what the expression is.
std::optional<std::string> DottedName(const SyntaxTree& tree, SyntaxId id) {
  std::vector<std::string_view> parts;
  while (tree.kind(id) == NodeKind::kSelect) {
    const script::SelectView select = tree.select(id);
    parts.push_back(select.name);
    id = select.value;
  }
  if (tree.kind(id) != NodeKind::kName) return std::nullopt;
  std::string name(tree.text(id));
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    name += '.';
    name += *part;
  }
  return name;
}

class TypeReader {
 public:
  TypeReader(CompilationUnit& unit, const EmitText& text) : unit_(unit), text_(text) {}

  Result<TypeId> Read(SyntaxId annotation) {
    if (depth_ >= limits::kEmitDepthMax) {
      return tl::unexpected<Error>(
          script::ErrorAt(ErrorCode::kLimit, tree(), annotation, "this type is nested too deep"));
    }
    ++depth_;
    Result<TypeId> type = ReadOne(annotation);
    --depth_;
    return type;
  }

 private:
  const SyntaxTree& tree() const { return text_.tree; }

  tl::unexpected<Error> Unknown(SyntaxId id, std::string_view message) const {
    return tl::unexpected<Error>(script::ErrorAt(ErrorCode::kCorrupt, tree(), id, message));
  }

  Result<TypeId> ReadOne(SyntaxId id) {
    switch (tree().kind(id)) {
      case NodeKind::kNone:
      case NodeKind::kNoneType:
        return types::kNone;
      case NodeKind::kSubscript:
        return ReadSubscript(id);
      case NodeKind::kName:
      case NodeKind::kSelect:
        return ReadName(id);
      default:
        return Unknown(id, "this is no type");
    }
  }

  Result<TypeId> ReadName(SyntaxId id) {
    const std::optional<std::string> name = DottedName(tree(), id);
    if (!name) return Unknown(id, "this is no type");
    std::string_view plain = *name;
    if (plain.starts_with("torch.") && plain.find('.', 6) == std::string_view::npos) {
      plain.remove_prefix(6);
    }
    if (plain.starts_with("typing.")) plain.remove_prefix(7);
    for (const TypeName& row : kTypeNames) {
      if (row.name == plain) return row.type;
    }
    if (plain == "List") return unit_.types.List(types::kTensor);
    Result<TypeId> type = text_.resolver.ResolveType(*name);
    if (!type) {
      return tl::unexpected<Error>(
          script::ErrorAt(type.error().code, tree(), id, type.error().message));
    }
    if (type->is_none()) return Unknown(id, fmt::format("unknown type '{}'", *name));
    return *type;
  }

  Result<TypeId> ReadSubscript(SyntaxId id) {
    const script::SubscriptView view = tree().subscript(id);
    const std::optional<std::string> dotted = DottedName(tree(), view.value);
    if (!dotted) return Unknown(id, "this is no type");
    std::string_view name = *dotted;
    if (name.starts_with("typing.")) name.remove_prefix(7);
    if (name == "Tuple" || name == "Union") {
      std::vector<TypeId> elements;
      HANDRAIL_RETURN_IF_ERROR(ReadElements(view.indices, elements));
      return name == "Tuple" ? unit_.types.Tuple(elements) : unit_.types.Union(elements);
    }
    if (name == "Dict") {
      if (view.indices.size() != 2) return Unknown(id, "need a key and a value type of Dict");
      HANDRAIL_ASSIGN_OR_RETURN(const TypeId key, Read(view.indices[0]));
      HANDRAIL_ASSIGN_OR_RETURN(const TypeId value, Read(view.indices[1]));
      return unit_.types.Dict(key, value);
    }
    const bool is_known = name == "List" || name == "Optional" || name == "Future" ||
                          name == "RRef" || name == "Final" || name.starts_with("BroadcastingList");
    if (!is_known) return Unknown(view.value, fmt::format("unknown type '{}[...]'", name));
    if (view.indices.size() != 1) return Unknown(id, fmt::format("need one type in {}", name));
    HANDRAIL_ASSIGN_OR_RETURN(const TypeId element, Read(view.indices[0]));
    if (name == "Optional") return unit_.types.Optional(element);
    if (name == "Future") return unit_.types.Future(element);
    if (name == "RRef") return unit_.types.RRef(element);
    if (name == "Final") return element;
    return unit_.types.List(element);
  }

  // `Tuple[()]` has no elements.
  Status ReadElements(script::SyntaxIds indices, std::vector<TypeId>& elements) {
    for (const SyntaxId index : indices) {
      if (tree().kind(index) == NodeKind::kTuple && tree().children(index).empty()) continue;
      HANDRAIL_ASSIGN_OR_RETURN(const TypeId element, Read(index));
      elements.push_back(element);
    }
    return {};
  }

  CompilationUnit& unit_;
  const EmitText& text_;
  uint32_t depth_ = 0;
};

}  // namespace

Result<TypeId> ReadType(CompilationUnit& unit, const EmitText& text, SyntaxId annotation) {
  return TypeReader(unit, text).Read(annotation);
}

}  // namespace handrail::graph
