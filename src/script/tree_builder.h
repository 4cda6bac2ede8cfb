// The tables of a tree under construction, and the stack of nodes that have no parent yet.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "handrail/base/check.h"

#include "script/syntax_tree.h"

namespace handrail::script {

class TreeBuilder {
 public:
  explicit TreeBuilder(const SourceText& source) : source_(source) {
    // Measured on code that PyTorch writes: a node for every 7 bytes.
    nodes_.reserve(source.text.size() / 6 + 16);
    children_.reserve(source.text.size() / 6 + 16);
  }

  SyntaxId Add(SyntaxNode node, SyntaxIds children) {
    node.first_child = static_cast<uint32_t>(children_.size());
    node.child_count = static_cast<uint32_t>(children.size());
    children_.insert(children_.end(), children.begin(), children.end());
    nodes_.push_back(node);
    return {static_cast<uint32_t>(nodes_.size() - 1)};
  }
  SyntaxId Add(SyntaxNode node, std::initializer_list<SyntaxId> children) {
    return Add(node, SyntaxIds(children.begin(), children.size()));
  }
  SyntaxId AddLeaf(NodeKind kind, TextRange range) {
    return Add({.kind = kind, .range = range}, {});
  }

  // Takes back the node that was added last.
  void RemoveLast(SyntaxId id) {
    HANDRAIL_CHECK(id.index == nodes_.size() - 1);
    children_.resize(nodes_.back().first_child);
    nodes_.pop_back();
  }

  SyntaxNode& at(SyntaxId id) { return nodes_[id.index]; }
  TextRange range(SyntaxId id) const { return nodes_[id.index].range; }
  SyntaxIds children(SyntaxId id) const {
    return SyntaxIds(children_).subspan(nodes_[id.index].first_child, nodes_[id.index].child_count);
  }
  // The range that holds `range` and the nodes, of which some may be none.
  TextRange CoverAll(TextRange range, SyntaxIds ids) const {
    for (const SyntaxId id : ids) {
      if (!id.is_none()) range = Cover(range, nodes_[id.index].range);
    }
    return range;
  }

  // Nodes wait here until their parent is complete; whoever pushes remembers where its own start.
  std::vector<SyntaxId>& waiting() { return waiting_; }
  SyntaxIds waiting_from(uint32_t base) const { return SyntaxIds(waiting_).subspan(base); }
  uint32_t waiting_count() const { return static_cast<uint32_t>(waiting_.size()); }

  SyntaxTree Finish() && { return {source_, std::move(nodes_), std::move(children_)}; }

 private:
  const SourceText& source_;
  std::vector<SyntaxNode> nodes_;
  std::vector<SyntaxId> children_;
  std::vector<SyntaxId> waiting_;
};

}  // namespace handrail::script
