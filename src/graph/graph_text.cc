// Writes graphs as text; graph_text_parser.cc reads it.
#include "graph/graph_text.h"

#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "handrail/base/hash128.h"

#include "graph/constant_text.h"
#include "graph/graph_text_words.h"
#include "graph/structural_kinds.h"
#include "graph/text_cursor.h"

namespace handrail::graph {
namespace {

bool IsPlainName(std::string_view name) {
  TextCursor cursor(name);
  return !name.empty() && name[0] != ' ' && cursor.TakeName().size() == name.size();
}

class GraphWriter {
 public:
  GraphWriter(const Graph& graph, const GraphTextOptions& options)
      : graph_(graph),
        unit_(graph.unit()),
        options_(options),
        ordinals_(graph.value_count(), UINT32_MAX) {}

  std::string Write() {
    out_ += "graph";
    WriteParameters(graph_.root());
    WriteBlocks();
    out_ += "  return ";
    WriteResults(graph_.root());
    WriteTables();
    return std::move(out_);
  }

 private:
  struct Open {
    BlockId block;
    NodeId next;
    uint32_t depth;
    std::vector<BlockId> pending;  // blocks of the node before `next`, last first
    uint32_t block_number = 0;
  };

  void Indent(uint32_t depth) { out_.append(size_t{depth} * 2, ' '); }

  Open OpenBlock(BlockId block, uint32_t depth) const {
    return {block, graph_.next(graph_.param_node(block)), depth, {}, 0};
  }

  // All nodes, depth first; blocks nest as deep as the graph says.
  void WriteBlocks() {
    std::vector<Open> open{OpenBlock(graph_.root(), 1)};
    while (!open.empty()) {
      Open& current = open.back();
      if (!current.pending.empty()) {
        const BlockId block = current.pending.back();
        current.pending.pop_back();
        Indent(current.depth + 1);
        fmt::format_to(std::back_inserter(out_), "block{}", current.block_number++);
        WriteParameters(block);
        open.push_back(OpenBlock(block, current.depth + 2));
        continue;
      }
      if (current.next == graph_.return_node(current.block)) {
        if (current.block != graph_.root()) {
          Indent(current.depth);
          out_ += "-> ";
          WriteResults(current.block);
        }
        open.pop_back();
        continue;
      }
      const NodeId node = current.next;
      current.next = graph_.next(node);
      const auto blocks = graph_.blocks(node);
      current.pending.assign(blocks.rbegin(), blocks.rend());
      current.block_number = 0;
      Indent(current.depth);
      WriteNode(node);
    }
  }

  void WriteParameters(BlockId block) {
    out_ += '(';
    WriteDefinitions(graph_.parameters(block));
    out_ += "):";
    EndLine(graph_.param_node(block));
  }

  void WriteResults(BlockId block) {
    WriteUses(graph_.results(block));
    EndLine(graph_.return_node(block));
  }

  void WriteNode(NodeId node) {
    const auto outputs = graph_.outputs(node);
    WriteDefinitions(outputs);
    if (!outputs.empty()) out_ += " = ";
    out_ += graph_.kind_name(node);
    if (FindStructuralKind(graph_.kind(node)) == nullptr && !graph_.overload(node).empty()) {
      out_ += '.';
      out_ += graph_.overload(node);
    }
    WriteAttributes(node);
    WriteUses(graph_.inputs(node));
    EndLine(node);
  }

  void WriteDefinitions(std::span<const ValueId> values) {
    std::string_view separator;
    for (ValueId value : values) {
      const StringId name = graph_.debug_name(value);
      ordinals_[value.index] = name.is_none() ? next_number_++ : ++named_[name];
      out_ += separator;
      separator = ", ";
      WriteName(value);
      out_ += " : " + unit_.ToString(graph_.type(value));
    }
  }

  void WriteUses(std::span<const ValueId> values) {
    out_ += '(';
    std::string_view separator;
    for (ValueId value : values) {
      out_ += separator;
      separator = ", ";
      WriteName(value);
    }
    out_ += ')';
  }

  void WriteName(ValueId value) {
    out_ += '%';
    const StringId name = graph_.debug_name(value);
    if (!name.is_none()) {
      const std::string_view text = unit_.text(name);
      if (IsPlainName(text)) {
        out_ += text;
      } else {
        WriteQuoted(text, out_);
      }
      out_ += '.';
    }
    // A use above its definition, in a graph that is broken.
    const uint32_t ordinal = ordinals_[value.index];
    out_ += ordinal == UINT32_MAX ? "?" : std::to_string(ordinal);
  }

  void WriteAttributes(NodeId node) {
    const auto attributes = graph_.attributes(node);
    if (attributes.empty()) return;
    const auto outputs = graph_.outputs(node);
    std::string_view separator = "[";
    for (const NodeAttribute& attribute : attributes) {
      out_ += separator;
      separator = ", ";
      out_ += unit_.text(attribute.name);
      out_ += '=';
      const AttributeKind usual = UsualAttributeKind(attribute.name);
      const bool is_wrapped = attribute.kind != usual;
      switch (attribute.kind) {
        case AttributeKind::kConstant:
          if (is_wrapped) out_ += "constant(";
          WriteConstant(unit_, ConstantId{attribute.index},
                        outputs.empty() ? types::kNone : graph_.type(outputs[0]), out_);
          break;
        case AttributeKind::kString:
          if (is_wrapped) out_ += "text(";
          WriteQuoted(unit_.text(StringId{attribute.index}), out_);
          break;
        case AttributeKind::kType:
          if (is_wrapped) out_ += "type(";
          out_ += unit_.ToString(TypeId{attribute.index});
          break;
      }
      if (is_wrapped) out_ += ')';
    }
    out_ += ']';
  }

  void EndLine(NodeId node) {
    const RangeId range = graph_.range(node);
    const StackId stack = graph_.stack(node);
    if (options_.has_origins && (range != OriginTable::null_range() || !stack.is_none())) {
      out_ += "  # ";
      WritePlace(range);
      WriteRange(range);
      if (!stack.is_none()) fmt::format_to(std::back_inserter(out_), " via {}", NumberOf(stack));
    }
    out_ += '\n';
  }

  // "model.py:12:20 ", for people.
  void WritePlace(RangeId range) {
    const OriginTable::Place place = unit_.origins.PlaceOf(range);
    if (place.line == 0) return;
    const SourceRow& source = unit_.origins.source(unit_.origins.range(range).source);
    for (char byte : source.file_name.value_or("")) out_ += byte < ' ' && byte >= 0 ? '?' : byte;
    fmt::format_to(std::back_inserter(out_), ":{}:{} ", place.line, place.column);
  }

  void WriteRange(RangeId id) {
    const RangeRow& range = unit_.origins.range(id);
    if (range.source.is_none()) {
      fmt::format_to(std::back_inserter(out_), "@{}", NameOf(range.gap));
    } else {
      fmt::format_to(std::back_inserter(out_), "@{}:[{},{})", NumberOf(range.source), range.start,
                     range.end);
    }
  }

  uint32_t NumberOf(SourceId source) {
    const auto [found, is_new] =
        source_numbers_.try_emplace(source, static_cast<uint32_t>(sources_.size()));
    if (is_new) sources_.push_back(source);
    return found->second;
  }

  // Callers get their numbers first.
  uint32_t NumberOf(StackId stack) {
    std::vector<StackId> unknown;
    for (StackId at = stack; !at.is_none() && !stack_numbers_.contains(at);
         at = unit_.origins.stack(at).caller) {
      unknown.push_back(at);
    }
    for (size_t i = unknown.size(); i-- > 0;) {
      stack_numbers_.emplace(unknown[i], static_cast<uint32_t>(stacks_.size()));
      stacks_.push_back(unknown[i]);
    }
    return stack_numbers_.at(stack);
  }

  void WriteTables() {
    std::string graph_text = std::move(out_);
    out_.clear();
    // Calls first: they name sources, too.
    for (size_t i = 0; i < stacks_.size(); ++i) WriteCall(i);
    const std::string calls = std::move(out_);
    out_ = std::move(graph_text);
    for (size_t i = 0; i < sources_.size(); ++i) {
      const SourceRow& source = unit_.origins.source(sources_[i]);
      fmt::format_to(std::back_inserter(out_), "source {} = ", i);
      if (source.file_name) {
        WriteQuoted(*source.file_name, out_);
      } else {
        out_ += "none";
      }
      fmt::format_to(std::back_inserter(out_), " line {}", source.first_line);
      if (source.text) out_ += " text " + HashBytes(*source.text).ToHex();
      out_ += '\n';
    }
    out_ += calls;
  }

  void WriteCall(size_t number) {
    const StackRow& call = unit_.origins.stack(stacks_[number]);
    fmt::format_to(std::back_inserter(out_), "call {} =", number);
    const auto part = [&](std::string_view word, StringId text) {
      if (text.is_none()) return;
      out_ += word;
      WriteQuoted(unit_.text(text), out_);
    };
    part(" ", call.function);
    part(" type ", call.module_type);
    part(" as ", call.module_name);
    if (!call.caller.is_none()) {
      fmt::format_to(std::back_inserter(out_), " from {}", stack_numbers_.at(call.caller));
    }
    out_ += " at ";
    WritePlace(call.range);
    WriteRange(call.range);
    out_ += '\n';
  }

  const Graph& graph_;
  const CompilationUnit& unit_;
  const GraphTextOptions& options_;
  std::string out_;
  std::vector<uint32_t> ordinals_;  // by ValueId
  std::unordered_map<StringId, uint32_t> named_;
  uint32_t next_number_ = 0;
  std::vector<SourceId> sources_;
  std::unordered_map<SourceId, uint32_t> source_numbers_;
  std::vector<StackId> stacks_;
  std::unordered_map<StackId, uint32_t> stack_numbers_;
};

}  // namespace

std::string ToString(const Graph& graph, const GraphTextOptions& options) {
  return GraphWriter(graph, options).Write();
}

}  // namespace handrail::graph
