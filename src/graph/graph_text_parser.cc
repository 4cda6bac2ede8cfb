// Reads the text form that graph_text.cc writes.
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "handrail/base/hash128.h"

#include "graph/constant_text.h"
#include "graph/graph_text.h"
#include "graph/graph_text_words.h"
#include "graph/operators.h"
#include "graph/structural_kinds.h"
#include "graph/text_cursor.h"
#include "graph/type_parser.h"

namespace handrail::graph {
namespace {

// A range or a call stack as the text names it: by numbers of its tables, which come last.
struct RangeText {
  uint32_t source = UINT32_MAX;  // none: `gap`
  uint32_t start = 0;
  uint32_t end = 0;
  RangeGap gap = RangeGap::kNull;
  size_t offset = 0;  // in the text, for errors
};

struct OriginText {
  NodeId node;
  RangeText range;
  uint32_t stack = UINT32_MAX;
};

class GraphParser {
 public:
  GraphParser(CompilationUnit& unit, std::string_view text)
      : unit_(unit), cursor_(text), graph_(unit) {}

  Result<Graph> Parse() {
    cursor_.TakeLineEnd();
    HANDRAIL_RETURN_IF_ERROR(cursor_.Expect("graph"));
    HANDRAIL_RETURN_IF_ERROR(ReadParameters(graph_.root()));
    open_.push_back({graph_.root(), NodeId::none()});
    while (!open_.empty()) HANDRAIL_RETURN_IF_ERROR(ReadLine());
    HANDRAIL_RETURN_IF_ERROR(ReadTables());
    HANDRAIL_RETURN_IF_ERROR(SetOrigins());
    return std::move(graph_);
  }

 private:
  struct Open {
    BlockId block;
    NodeId last_node;  // what a `block` line belongs to
  };
  struct NewValue {
    std::string_view text;  // without `%`
    StringId debug_name;
    TypeId type;
    size_t offset;
  };

  tl::unexpected<Error> Fails(Error error) { return tl::unexpected(std::move(error)); }

  Status ReadLine() {
    Open& current = open_.back();
    const bool is_root = current.block == graph_.root();
    if (is_root ? cursor_.Take("return") : cursor_.Take("->")) {
      HANDRAIL_RETURN_IF_ERROR(ReadUses());
      for (ValueId result : uses_) graph_.AddResult(current.block, result);
      const NodeId node = graph_.return_node(current.block);
      open_.pop_back();
      return EndLine(node);
    }
    if (SeesBlock()) {
      if (current.last_node.is_none()) {
        return Fails(cursor_.ErrorHere("a block without a node in front of it"));
      }
      cursor_.TakeName();
      const BlockId block = graph_.AddBlock(current.last_node);
      open_.push_back({block, NodeId::none()});
      return ReadParameters(block);
    }
    HANDRAIL_ASSIGN_OR_RETURN(current.last_node, ReadNode(current.block));
    return EndLine(current.last_node);
  }

  // "block0(": a node's kind has a namespace.
  bool SeesBlock() {
    TextCursor ahead = cursor_;
    const std::string_view name = ahead.TakeDottedName();
    return name.starts_with("block") && name.find_first_of(".:") == std::string_view::npos &&
           ahead.next() == '(';
  }

  Status ReadParameters(BlockId block) {
    HANDRAIL_RETURN_IF_ERROR(cursor_.Expect("("));
    std::vector<NewValue> parameters;
    if (!cursor_.Sees(")")) {
      HANDRAIL_ASSIGN_OR_RETURN(parameters, ReadDefinitions());
    }
    HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(")"));
    HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(":"));
    HANDRAIL_RETURN_IF_ERROR(Define(graph_.param_node(block), parameters));
    return EndLine(graph_.param_node(block));
  }

  Result<NodeId> ReadNode(BlockId block) {
    std::vector<NewValue> outputs;
    if (cursor_.Sees("%")) {
      HANDRAIL_ASSIGN_OR_RETURN(outputs, ReadDefinitions());
      HANDRAIL_RETURN_IF_ERROR(cursor_.Expect("="));
    }
    cursor_.at_end();  // blanks
    const size_t start = cursor_.offset();
    std::string_view kind = cursor_.TakeDottedName();
    if (kind.empty()) return Fails(cursor_.Expected("a node"));
    std::string_view overload;
    const size_t colons = kind.find("::");
    const size_t dot = colons == std::string_view::npos ? colons : kind.find('.', colons);
    if (dot != std::string_view::npos) {
      overload = kind.substr(dot + 1);
      kind = kind.substr(0, dot);
    }
    const Symbol symbol = unit_.strings.Intern(kind);
    SchemaId schema;
    if (FindStructuralKind(symbol) == nullptr) {
      schema = FindOperator(unit_, symbol, overload);
      if (schema.is_none() && !overload.empty()) {
        return Fails(
            cursor_.ErrorAt(start, fmt::format("there is no operator '{}.{}'", kind, overload)));
      }
    } else if (!overload.empty()) {
      return Fails(cursor_.ErrorAt(start, fmt::format("'{}' has no overloads", kind)));
    }
    std::vector<NodeAttribute> attributes;
    if (cursor_.Take("[")) {
      const TypeId type = outputs.empty() ? types::kNone : outputs[0].type;
      HANDRAIL_ASSIGN_OR_RETURN(attributes, ReadAttributes(type));
    }
    HANDRAIL_RETURN_IF_ERROR(ReadUses());
    const NodeId node =
        graph_.Insert(graph_.end_of(block), symbol, uses_, OriginTable::null_range(), schema);
    for (const NodeAttribute& attribute : attributes) graph_.AddAttribute(node, attribute);
    HANDRAIL_RETURN_IF_ERROR(Define(node, outputs));
    return node;
  }

  // "%x.1" or "%5" or "%\"odd name\".1": the text, and the name in it.
  Result<NewValue> ReadValueName() {
    HANDRAIL_RETURN_IF_ERROR(cursor_.Expect("%"));
    NewValue value;
    value.offset = cursor_.offset();
    std::string name;
    if (cursor_.next() == '"') {
      HANDRAIL_ASSIGN_OR_RETURN(name, cursor_.TakeQuoted());
      HANDRAIL_RETURN_IF_ERROR(cursor_.Expect("."));
      HANDRAIL_RETURN_IF_ERROR(TakeOrdinal());
      value.debug_name = unit_.strings.Intern(name);
    } else {
      const std::string_view text = cursor_.TakeDottedName();
      const size_t dot = text.rfind('.');
      if (dot != std::string_view::npos) {
        value.debug_name = unit_.strings.Intern(text.substr(0, dot));
      }
      const std::string_view number = dot == std::string_view::npos ? text : text.substr(dot + 1);
      if (number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos) {
        return Fails(cursor_.ErrorAt(value.offset, fmt::format("value '%{}' has no number", text)));
      }
    }
    value.text = cursor_.TextSince(value.offset);
    return value;
  }

  Status TakeOrdinal() {
    return cursor_.TakeUint32("a value's number").transform([](uint32_t) {});
  }

  Result<std::vector<NewValue>> ReadDefinitions() {
    std::vector<NewValue> values;
    do {
      HANDRAIL_ASSIGN_OR_RETURN(NewValue value, ReadValueName());
      HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(":"));
      HANDRAIL_ASSIGN_OR_RETURN(const ArgumentType type,
                                ParseTypeAt(unit_, cursor_, TypeVariables::kRefused));
      value.type = type.type;
      values.push_back(value);
    } while (cursor_.Take(","));
    return values;
  }

  Status Define(NodeId node, const std::vector<NewValue>& values) {
    for (const NewValue& value : values) {
      const ValueId id = graph_.AddOutput(node, value.type, value.debug_name);
      if (!values_.emplace(value.text, id).second) {
        return Fails(
            cursor_.ErrorAt(value.offset, fmt::format("value '%{}' is defined twice", value.text)));
      }
    }
    return {};
  }

  // "(%a, %b)" into uses_.
  Status ReadUses() {
    uses_.clear();
    HANDRAIL_RETURN_IF_ERROR(cursor_.Expect("("));
    if (cursor_.Take(")")) return {};
    do {
      HANDRAIL_ASSIGN_OR_RETURN(const NewValue value, ReadValueName());
      const auto found = values_.find(value.text);
      if (found == values_.end()) {
        return Fails(cursor_.ErrorAt(value.offset,
                                     fmt::format("value '%{}' is not defined above", value.text)));
      }
      uses_.push_back(found->second);
    } while (cursor_.Take(","));
    return cursor_.Expect(")");
  }

  Result<std::vector<NodeAttribute>> ReadAttributes(TypeId output_type) {
    std::vector<NodeAttribute> attributes;
    do {
      const std::string_view name = cursor_.TakeName();
      if (name.empty()) return Fails(cursor_.Expected("an attribute's name"));
      NodeAttribute attribute;
      attribute.name = unit_.strings.Intern(name);
      attribute.kind = UsualAttributeKind(attribute.name);
      HANDRAIL_RETURN_IF_ERROR(cursor_.Expect("="));
      bool is_wrapped = true;
      if (cursor_.Take("constant(")) {
        attribute.kind = AttributeKind::kConstant;
      } else if (cursor_.Take("text(")) {
        attribute.kind = AttributeKind::kString;
      } else if (cursor_.Take("type(")) {
        attribute.kind = AttributeKind::kType;
      } else {
        is_wrapped = false;
      }
      HANDRAIL_ASSIGN_OR_RETURN(attribute.index, ReadAttributeValue(attribute.kind, output_type));
      if (is_wrapped) HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(")"));
      attributes.push_back(attribute);
    } while (cursor_.Take(","));
    HANDRAIL_RETURN_IF_ERROR(cursor_.Expect("]"));
    return attributes;
  }

  Result<uint32_t> ReadAttributeValue(AttributeKind kind, TypeId output_type) {
    switch (kind) {
      case AttributeKind::kConstant: {
        HANDRAIL_ASSIGN_OR_RETURN(const ConstantId constant,
                                  ParseConstantAt(unit_, cursor_, output_type));
        return constant.index;
      }
      case AttributeKind::kType: {
        HANDRAIL_ASSIGN_OR_RETURN(const ArgumentType type,
                                  ParseTypeAt(unit_, cursor_, TypeVariables::kRefused));
        return type.type.index;
      }
      case AttributeKind::kString:
        break;
    }
    HANDRAIL_ASSIGN_OR_RETURN(const std::string text, cursor_.TakeQuoted());
    return unit_.strings.Intern(text).index;
  }

  // "  # model.py:12:20 @0:[231,232) via 3"
  Status EndLine(NodeId node) {
    if (cursor_.Take("#")) {
      OriginText origin{node, {}, UINT32_MAX};
      HANDRAIL_ASSIGN_OR_RETURN(origin.range, ReadRange());
      if (cursor_.Take("via")) {
        HANDRAIL_ASSIGN_OR_RETURN(origin.stack, cursor_.TakeUint32("a call's number"));
      }
      origins_.push_back(origin);
    }
    if (cursor_.TakeLineEnd() || cursor_.at_end()) return {};
    return Fails(cursor_.Expected("end of line"));
  }

  // Whatever stands in front of the line's last `@` is for people.
  Result<RangeText> ReadRange() {
    TextCursor ahead = cursor_;
    const std::string_view line = ahead.TakeRestOfLine();
    const size_t at = line.rfind('@');
    if (at == std::string_view::npos) return Fails(cursor_.Expected("'@' and a range"));
    cursor_.Skip(at + 1);
    RangeText range;
    range.offset = cursor_.offset();
    if (cursor_.next() < '0' || cursor_.next() > '9') {
      const auto gap = RangeGapOf(cursor_.TakeName());
      if (!gap) return Fails(cursor_.ErrorAt(range.offset, "expected a range"));
      range.gap = *gap;
      return range;
    }
    HANDRAIL_ASSIGN_OR_RETURN(range.source, cursor_.TakeUint32("a source's number"));
    HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(":["));
    HANDRAIL_ASSIGN_OR_RETURN(range.start, cursor_.TakeUint32("where the range starts"));
    HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(","));
    HANDRAIL_ASSIGN_OR_RETURN(range.end, cursor_.TakeUint32("where the range ends"));
    HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(")"));
    return range;
  }

  Status ReadTables() {
    while (cursor_.Take("source")) HANDRAIL_RETURN_IF_ERROR(ReadSource());
    while (cursor_.Take("call")) HANDRAIL_RETURN_IF_ERROR(ReadCall());
    if (cursor_.at_end()) return {};
    return Fails(cursor_.Expected("end of text"));
  }

  Status ExpectNumber(size_t number, std::string_view what) {
    HANDRAIL_ASSIGN_OR_RETURN(const uint32_t found, cursor_.TakeUint32(what));
    if (found != number) {
      return Fails(cursor_.ErrorHere(fmt::format("need number {}, have {}", number, found)));
    }
    return cursor_.Expect("=");
  }

  // source 0 = "model.py" line 1 text 5e2c…
  Status ReadSource() {
    HANDRAIL_RETURN_IF_ERROR(ExpectNumber(sources_.size(), "a source's number"));
    SourceRow row;
    std::string name;
    if (!cursor_.Take("none")) {
      HANDRAIL_ASSIGN_OR_RETURN(name, cursor_.TakeQuoted());
      row.file_name = name;
    }
    HANDRAIL_RETURN_IF_ERROR(cursor_.Expect("line"));
    HANDRAIL_ASSIGN_OR_RETURN(row.first_line, cursor_.TakeUint32("a line number"));
    std::string_view hash;
    if (cursor_.Take("text")) {
      hash = cursor_.TakeName();
      if (!Hash128::FromHex(hash)) return Fails(cursor_.ErrorHere("expected a hash"));
    }
    sources_.push_back(FindSource(row, hash));
    if (cursor_.TakeLineEnd() || cursor_.at_end()) return {};
    return Fails(cursor_.Expected("end of line"));
  }

  SourceId FindSource(const SourceRow& row, std::string_view hash) {
    if (!hash.empty()) {
      for (uint32_t i = 0; i < unit_.origins.source_count(); ++i) {
        const SourceRow& known = unit_.origins.source(SourceId{i});
        if (known.text && known.file_name == row.file_name && known.first_line == row.first_line &&
            HashBytes(*known.text).ToHex() == hash) {
          return SourceId{i};
        }
      }
    }
    return unit_.origins.AddSource(row);
  }

  // call 0 = "forward" type "__torch__.M" as "m" from 1 at @0:[220,231)
  Status ReadCall() {
    HANDRAIL_RETURN_IF_ERROR(ExpectNumber(stacks_.size(), "a call's number"));
    StackRow row;
    if (cursor_.Sees("\"")) {
      HANDRAIL_ASSIGN_OR_RETURN(row.function, ReadQuoted());
    }
    if (cursor_.Take("type")) {
      HANDRAIL_ASSIGN_OR_RETURN(row.module_type, ReadQuoted());
    }
    if (cursor_.Take("as")) {
      HANDRAIL_ASSIGN_OR_RETURN(row.module_name, ReadQuoted());
    }
    if (cursor_.Take("from")) {
      HANDRAIL_ASSIGN_OR_RETURN(const uint32_t caller, cursor_.TakeUint32("a call's number"));
      if (caller >= stacks_.size()) {
        return Fails(cursor_.ErrorHere(
            fmt::format("call {}: caller {} is not above it", stacks_.size(), caller)));
      }
      row.caller = stacks_[caller];
    }
    HANDRAIL_RETURN_IF_ERROR(cursor_.Expect("at"));
    HANDRAIL_ASSIGN_OR_RETURN(const RangeText range, ReadRange());
    HANDRAIL_ASSIGN_OR_RETURN(row.range, RangeOf(range));
    stacks_.push_back(unit_.origins.AddStack(row));
    if (cursor_.TakeLineEnd() || cursor_.at_end()) return {};
    return Fails(cursor_.Expected("end of line"));
  }

  Result<StringId> ReadQuoted() {
    HANDRAIL_ASSIGN_OR_RETURN(const std::string text, cursor_.TakeQuoted());
    return unit_.strings.Intern(text);
  }

  Result<RangeId> RangeOf(const RangeText& range) {
    if (range.source == UINT32_MAX) return unit_.origins.AddGap(range.gap);
    if (range.source >= sources_.size()) {
      return Fails(
          cursor_.ErrorAt(range.offset, fmt::format("there is no source {}", range.source)));
    }
    return unit_.origins.AddRange(sources_[range.source], range.start, range.end);
  }

  Status SetOrigins() {
    for (const OriginText& origin : origins_) {
      HANDRAIL_ASSIGN_OR_RETURN(const RangeId range, RangeOf(origin.range));
      graph_.SetRange(origin.node, range);
      if (origin.stack == UINT32_MAX) continue;
      if (origin.stack >= stacks_.size()) {
        return Fails(
            cursor_.ErrorAt(origin.range.offset, fmt::format("there is no call {}", origin.stack)));
      }
      graph_.SetStack(origin.node, stacks_[origin.stack]);
    }
    return {};
  }

  CompilationUnit& unit_;
  TextCursor cursor_;
  Graph graph_;
  std::vector<Open> open_;
  std::vector<ValueId> uses_;
  std::unordered_map<std::string_view, ValueId> values_;  // by text, without `%`
  std::vector<OriginText> origins_;
  std::vector<SourceId> sources_;
  std::vector<StackId> stacks_;
};

}  // namespace

Result<Graph> ParseGraph(CompilationUnit& unit, std::string_view text) {
  return GraphParser(unit, text).Parse();
}

}  // namespace handrail::graph
