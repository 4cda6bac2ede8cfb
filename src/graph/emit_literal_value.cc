#include "graph/emit_literal_value.h"

#include <charconv>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "handrail/base/limits.h"

#include "graph/subtyping.h"
#include "script/literals.h"

namespace handrail::graph {

using script::NodeKind;
using script::SyntaxId;

namespace {

class LiteralReader {
 public:
  LiteralReader(CompilationUnit& unit, const EmitText& text)
      : unit_(unit), text_(text), tree_(text.tree), constants_(unit.constants) {}

  Result<ConstantId> Read(SyntaxId id, TypeId type) {
    if (depth_ >= limits::kEmitDepthMax) {
      return tl::unexpected<Error>(
          script::ErrorAt(ErrorCode::kLimit, tree_, id, "this value is nested too deep"));
    }
    ++depth_;
    Result<ConstantId> value =
        ReadOne(id, type.is_none() ? type : unit_.types.WithoutOptional(type));
    --depth_;
    return value;
  }

 private:
  tl::unexpected<Error> NotLiteral(SyntaxId id) const {
    return tl::unexpected<Error>(script::ErrorAt(ErrorCode::kUnsupported, tree_, id,
                                                 "need a literal here, have another expression"));
  }

  Result<ConstantId> ReadOne(SyntaxId id, TypeId type) {
    switch (tree_.kind(id)) {
      case NodeKind::kNumber: {
        HANDRAIL_ASSIGN_OR_RETURN(const script::Number number, script::NumberValue(tree_, id));
        if (const auto* integer = std::get_if<int64_t>(&number)) {
          if (type == types::kFloat) return constants_.Float(static_cast<double>(*integer));
          return constants_.Int(*integer);
        }
        if (const auto* real = std::get_if<double>(&number)) return constants_.Float(*real);
        return constants_.Complex(std::get<std::complex<double>>(number));
      }
      case NodeKind::kTrue:
        return constants_.Bool(true);
      case NodeKind::kFalse:
        return constants_.Bool(false);
      case NodeKind::kNone:
        return constants_.None();
      case NodeKind::kString: {
        const StringId text = unit_.strings.Intern(script::StringValue(tree_, id));
        return type == types::kDevice ? constants_.Device(text) : constants_.String(text);
      }
      case NodeKind::kUnary:
        return ReadNegative(id, type);
      case NodeKind::kName:
        return ReadName(id);
      case NodeKind::kSelect:
        return ReadSelect(id);
      case NodeKind::kList:
      case NodeKind::kTuple:
        return ReadSequence(id, type);
      case NodeKind::kDict:
        return ReadDict(id, type);
      default:
        return NotLiteral(id);
    }
  }

  Result<ConstantId> ReadNegative(SyntaxId id, TypeId type) {
    const script::UnaryView view = tree_.unary(id);
    if (view.op != script::Operator::kNegate) return NotLiteral(id);
    HANDRAIL_ASSIGN_OR_RETURN(const ConstantId value, Read(view.operand, type));
    switch (constants_.at(value).kind) {
      case ConstantKind::kInt:
        if (constants_.int_value(value) == std::numeric_limits<int64_t>::min()) {
          return NotLiteral(id);
        }
        return constants_.Int(-constants_.int_value(value));
      case ConstantKind::kFloat:
        return constants_.Float(-constants_.float_value(value));
      case ConstantKind::kComplex:
        return constants_.Complex(-constants_.complex_value(value));
      default:
        return NotLiteral(id);
    }
  }

  Result<ConstantId> ReadName(SyntaxId id) {
    const std::string_view name = tree_.text(id);
    if (name == "inf") return constants_.Float(std::numeric_limits<double>::infinity());
    if (name == "nan") return constants_.Float(std::numeric_limits<double>::quiet_NaN());
    return NotLiteral(id);
  }

  // `CONSTANTS.c0`, or a member of an enum.
  Result<ConstantId> ReadSelect(SyntaxId id) {
    const script::SelectView view = tree_.select(id);
    if (tree_.text(view.value) == "CONSTANTS" && view.name.size() > 1 && view.name[0] == 'c') {
      uint32_t row = 0;
      const char* end = view.name.data() + view.name.size();
      const auto read = std::from_chars(view.name.data() + 1, end, row);
      if (read.ec == std::errc() && read.ptr == end) return text_.resolver.ResolveConstant(row);
    }
    HANDRAIL_ASSIGN_OR_RETURN(const TypeId type,
                              text_.resolver.ResolveType(tree_.text(view.value)));
    if (type.is_none() || !unit_.types.is(type, TypeKind::kEnum)) return NotLiteral(id);
    HANDRAIL_RETURN_IF_ERROR(text_.resolver.Complete(unit_.types.at(type).definition));
    const StringId member = unit_.strings.Intern(view.name);
    if (!unit_.definition(unit_.types.at(type).definition).FindConstant(member)) {
      return NotLiteral(id);
    }
    return constants_.Enum(type, member);
  }

  Result<ConstantId> ReadSequence(SyntaxId id, TypeId type) {
    const bool is_tuple = tree_.kind(id) == NodeKind::kTuple;
    const script::SyntaxIds children = tree_.children(id);
    std::vector<TypeId> wanted(children.size());
    if (!type.is_none()) {
      const TypeKind kind = unit_.types.kind(type);
      if (kind == TypeKind::kList) {
        wanted.assign(children.size(), unit_.types.element(type));
      } else if (kind == TypeKind::kTuple && unit_.types.elements(type).size() == children.size()) {
        wanted.assign(unit_.types.elements(type).begin(), unit_.types.elements(type).end());
      }
    }
    std::vector<ConstantId> elements;
    std::vector<TypeId> element_types;
    for (size_t row = 0; row < children.size(); ++row) {
      HANDRAIL_ASSIGN_OR_RETURN(const ConstantId element, Read(children[row], wanted[row]));
      elements.push_back(element);
      element_types.push_back(constants_.at(element).type);
    }
    const bool makes_list = !type.is_none() ? unit_.types.is(type, TypeKind::kList) : !is_tuple;
    if (!makes_list) {
      return constants_.Compound(ConstantKind::kTuple, unit_.types.Tuple(element_types), elements);
    }
    TypeId list = type;
    if (list.is_none() || !unit_.types.is(list, TypeKind::kList)) {
      const auto element = elements.empty() ? std::optional(types::kTensor)
                                            : UnifyTypes(unit_, element_types, /*or_union=*/true);
      list = unit_.types.List(*element);
    }
    return constants_.Compound(ConstantKind::kList, list, elements);
  }

  Result<ConstantId> ReadDict(SyntaxId id, TypeId type) {
    const script::SyntaxIds children = tree_.children(id);
    const bool is_typed = !type.is_none() && unit_.types.is(type, TypeKind::kDict);
    const TypeId key_type = is_typed ? unit_.types.key(type) : TypeId::none();
    const TypeId value_type = is_typed ? unit_.types.value(type) : TypeId::none();
    std::vector<ConstantId> elements;
    for (size_t row = 0; row < children.size(); ++row) {
      HANDRAIL_ASSIGN_OR_RETURN(const ConstantId element,
                                Read(children[row], row % 2 == 0 ? key_type : value_type));
      elements.push_back(element);
    }
    TypeId dict = type;
    if (!is_typed) {
      dict = elements.empty() ? unit_.types.Dict(types::kString, types::kTensor)
                              : unit_.types.Dict(constants_.at(elements[0]).type,
                                                 constants_.at(elements[1]).type);
    }
    return constants_.Compound(ConstantKind::kDict, dict, elements);
  }

  CompilationUnit& unit_;
  const EmitText& text_;
  const script::SyntaxTree& tree_;
  ConstantTable& constants_;
  uint32_t depth_ = 0;
};

}  // namespace

Result<ConstantId> LiteralValue(CompilationUnit& unit, const EmitText& text, SyntaxId expression,
                                TypeId type) {
  return LiteralReader(unit, text).Read(expression, type);
}

}  // namespace handrail::graph
