#include "handrail/symbolize/symbolizer.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "symbolize/find_in_scope.h"
#include "symbolize/generated_code.h"
#include "symbolize/map_memo.h"
#include "symbolize/unknown_text.h"

namespace handrail {
namespace {

using Name = MapMemo::Name;
using Range = MapMemo::Range;

constexpr std::string_view kUnknownFunction = "<unknown>";
// What PyTorch puts for a call whose function has no name, an instance without a name, a module
// whose type it does not know.
constexpr std::string_view kPytorchUnnamedFunction = "FunctionName_UNKNOWN";
constexpr std::string_view kUnknownInstance = "UNKNOWN_INSTANCE";
constexpr std::string_view kUnknownType = "UNKNOWN_TYPE";
constexpr std::string_view kUnknownTopType = "ModuleTypeUnknown";
// The outermost module, which has no attribute name.
constexpr std::string_view kTopInstance = "top";
constexpr std::string_view kSelfInstance = "SELF";

constexpr std::string_view kHierarchyHead = "Module hierarchy:";
constexpr std::string_view kTracebackHead = "\nTraceback of TorchScript (most recent call last):\n";

std::string_view TextOf(const Name* name) {
  return name == nullptr ? "" : name->text;
}
std::string_view LastAtomOf(const Name* name) {
  return name == nullptr ? "" : name->last_atom;
}

bool IsDunder(std::string_view function) {
  return function.starts_with("__");
}

}  // namespace

class Symbolizer::State {
 public:
  State(const DebugMap& map, TraceStyle style, size_t memo_bytes_max)
      : memo_(map), style_(style), memo_bytes_max_(memo_bytes_max) {}

  const DebugMap& map() const { return memo_.map(); }
  TraceStyle style() const { return style_; }

  // `is_list`: see the two forms of Symbolizer::Symbolize.
  void Symbolize(std::span<const DebugHandle> handles, const HandleScope& scope, bool is_list,
                 Trace& trace);

 private:
  // One frame of a handle, with its strings. All of them live in the memo.
  struct Frame {
    const Name* function;  // null: unknown
    const Name* type;
    const Name* instance;
    const Range* range;
    bool has_module;
    bool is_generated;
  };
  // What one handle stands for: frames_[first, first + count), outermost first.
  struct Chain {
    DebugHandle handle = kUnknownHandle;
    tl::expected<void, Unknown> status;
    const Name* node = nullptr;
    const Name* top_type = nullptr;
    size_t first = 0;
    size_t count = 0;
  };
  // Where the code of the next inner handle runs, as far as the handle around it tells.
  struct Context {
    std::string_view function = kUnknownFunction;
    std::string_view module = {};
    std::string_view type = {};
    bool is_lowered_method = false;
  };

  Answer<const Name*> TopTypeOf(UnitId id);
  Answer<void> Read(DebugHandle handle, const HandleScope& scope, Chain& chain);
  void MarkGenerated(const Chain& chain);
  void FillUnknown(bool is_list, Trace& trace);
  void AppendHierarchy(const Chain& chain, std::string& out) const;
  Context ContextOf(const Chain& chain, bool is_outermost, const Context& around) const;
  void AppendFrames(const Chain& chain, const Context& context, Trace& trace);
  void AppendFrameText(const Frame& frame, std::string_view function, bool is_node,
                       std::string& out) const;
  Context Inwards(const Chain& chain, const Context& context) const;

  std::string_view FunctionOf(const Frame& frame) const {
    if (frame.function != nullptr) return frame.function->text;
    return style_ == TraceStyle::kPytorch ? kPytorchUnnamedFunction : kUnknownFunction;
  }
  // A step of the hierarchy that no author wrote.
  bool IsHiddenStep(const Frame& frame) const {
    if (style_ == TraceStyle::kPytorch) return false;
    const std::string_view instance = TextOf(frame.instance);
    return instance == kLoweredModuleName ||
           (instance == kSelfInstance && frame.type != nullptr && frame.type->is_generated_type);
  }

  MapMemo memo_;
  TraceStyle style_;
  size_t memo_bytes_max_;
  UnitId last_unit_;  // the unit that was asked for last, and its top type; none after Clear
  const Name* last_top_type_ = nullptr;
  std::vector<Frame> frames_;
  std::vector<Chain> chains_;  // outermost first
};

void Symbolizer::State::Symbolize(std::span<const DebugHandle> handles, const HandleScope& scope,
                                  bool is_list, Trace& trace) {
  trace.frames.clear();
  if (memo_.size_bytes() > memo_bytes_max_) {
    memo_.Clear();
    last_unit_ = UnitId::none();
  }
  trace.handles.assign(handles.begin(), handles.end());
  trace.unknown.clear();
  trace.hierarchy.clear();
  trace.node.clear();
  trace.text.clear();

  frames_.clear();
  chains_.clear();
  const Chain* outermost_known = nullptr;
  chains_.resize(handles.size());
  for (size_t i = 0; i < handles.size(); ++i) {
    Chain& chain = chains_[i];
    chain.handle = handles[handles.size() - 1 - i];
    chain.first = frames_.size();
    chain.status = Read(chain.handle, scope, chain);
    if (!chain.status) {
      frames_.resize(chain.first);
    } else if (outermost_known == nullptr) {
      outermost_known = &chain;
    }
  }
  for (auto chain = chains_.rbegin(); chain != chains_.rend(); ++chain) {
    if (!chain->status)
      trace.unknown.push_back(UnknownHandle{chain->handle, chain->status.error()});
  }
  if (outermost_known == nullptr || (style_ == TraceStyle::kPytorch && !trace.unknown.empty())) {
    FillUnknown(is_list, trace);
    return;
  }

  const Chain& outermost = chains_.front();
  const Name* top_type = outermost_known->top_type;
  trace.hierarchy += "top(";
  trace.hierarchy += top_type == nullptr ? kUnknownTopType : top_type->last_atom;
  trace.hierarchy += ")::";
  const Name* function = outermost.count == 0 ? nullptr : frames_[outermost.first].function;
  trace.hierarchy += style_ == TraceStyle::kPytorch || function == nullptr ? kUnknownFunction
                                                                           : function->last_atom;
  for (const Chain& chain : chains_) AppendHierarchy(chain, trace.hierarchy);
  if (chains_.back().node != nullptr) {
    trace.node = chains_.back().node->text;
    trace.hierarchy += '.';
    trace.hierarchy += trace.node;
  }

  trace.text += kHierarchyHead;
  trace.text += trace.hierarchy;
  trace.text += kTracebackHead;
  Context around;
  for (const Chain& chain : chains_) {
    if (!chain.status) {
      AppendUnknownLine({&chain.handle, 1}, chain.status.error(), "", trace.text);
      around = Context{};
      continue;
    }
    const Context context = ContextOf(chain, &chain == &outermost, around);
    AppendFrames(chain, context, trace);
    around = Inwards(chain, context);
  }
}

Answer<const Name*> Symbolizer::State::TopTypeOf(UnitId id) {
  if (id == last_unit_) return last_top_type_;
  const Answer<DebugMap::UnitInfo> unit = map().unit(id);
  if (!unit) return tl::unexpected<Unknown>(unit.error());
  const auto top_type = memo_.NameOrNull(unit->top_type);
  if (!top_type) return top_type;
  last_unit_ = id;
  last_top_type_ = *top_type;
  return top_type;
}

// Reads everything that the handle's frames need, so that a damaged map costs the whole handle and
// never a part of it.
Answer<void> Symbolizer::State::Read(DebugHandle handle, const HandleScope& scope, Chain& chain) {
  const Answer<DebugMap::FoundNode> found = FindInScope(map(), scope, handle);
  if (!found) return tl::unexpected<Unknown>(found.error());
  const Node& node = found->node;
  const auto name = memo_.NameOrNull(node.name);
  if (!name) return tl::unexpected<Unknown>(name.error());
  const auto top_type = TopTypeOf(found->unit);
  if (!top_type) return tl::unexpected<Unknown>(top_type.error());
  const auto function = memo_.NameOrNull(node.function);
  if (!function) return tl::unexpected<Unknown>(function.error());
  const auto node_range = memo_.RangeOf(node.range);
  if (!node_range) return tl::unexpected<Unknown>(node_range.error());
  // From the node outwards. Where a frame stands is known from what it was called for: the node, or
  // the call that leads inwards.
  const Range* range = *node_range;
  for (StackId id = node.stack; !id.is_none();) {
    const auto call = memo_.CallOf(id);
    if (!call) return tl::unexpected<Unknown>(call.error());
    const auto& [callee, type, instance, site, caller] = **call;
    frames_.push_back(
        Frame{callee, type, instance, range, type != nullptr || instance != nullptr, false});
    range = site;
    id = caller;
  }
  frames_.push_back(Frame{*function, nullptr, nullptr, range, false, false});
  std::reverse(frames_.begin() + static_cast<std::ptrdiff_t>(chain.first), frames_.end());
  chain.node = *name;
  chain.top_type = *top_type;
  chain.count = frames_.size() - chain.first;
  if (style_ == TraceStyle::kHandrail) MarkGenerated(chain);
  return {};
}

void Symbolizer::State::MarkGenerated(const Chain& chain) {
  for (size_t i = 0; i < chain.count; ++i) {
    Frame& frame = frames_[chain.first + i];
    const Frame* callee = i + 1 < chain.count ? &frame + 1 : nullptr;
    const bool runs_in_generated_type =
        i == 0 ? frame.function != nullptr && frame.function->is_owner_generated
               : frame.type != nullptr && frame.type->is_generated_type;
    frame.is_generated = runs_in_generated_type || frame.range->is_generated_call ||
                         TextOf(frame.instance) == kLoweredModuleName ||
                         // Only a wrapper calls a lowered module.
                         (callee != nullptr && TextOf(callee->instance) == kLoweredModuleName);
  }
}

void Symbolizer::State::FillUnknown(bool is_list, Trace& trace) {
  if (style_ == TraceStyle::kPytorch) {
    trace.text = "Debug info for handle(s): ";
    if (is_list) {
      fmt::format_to(std::back_inserter(trace.text), "debug_handles:{{{}}}",
                     fmt::join(trace.handles, ""));
    } else {
      fmt::format_to(std::back_inserter(trace.text), "{}", fmt::join(trace.handles, ""));
    }
    trace.text += ", was not found.";
    trace.hierarchy = trace.text;
    return;
  }
  for (const Chain& chain : chains_) {
    AppendUnknownLine({&chain.handle, 1}, chain.status.error(), "", trace.text);
  }
  if (chains_.empty()) trace.text = "  <no debug handles>\n";
}

void Symbolizer::State::AppendHierarchy(const Chain& chain, std::string& out) const {
  // The first frame is where the handle's code was entered; the steps are the calls from there on.
  for (size_t i = 1; i < chain.count; ++i) {
    const Frame& frame = frames_[chain.first + i];
    if (IsHiddenStep(frame)) continue;
    const std::string_view instance = TextOf(frame.instance);
    out += '.';
    out += instance.empty() ? kUnknownInstance : instance;
    out += '(';
    out += frame.type == nullptr ? kUnknownType : frame.type->last_atom;
    out += ')';
    if (frame.function == nullptr) continue;
    out += "::";
    out += frame.function->text;
  }
}

Symbolizer::State::Context Symbolizer::State::ContextOf(const Chain& chain, bool is_outermost,
                                                        const Context& around) const {
  const Name* function = frames_[chain.first].function;
  Context context;
  if (function != nullptr && style_ == TraceStyle::kHandrail)
    context.function = function->last_atom;
  const std::string_view owner = function == nullptr ? "" : function->owner;
  if (is_outermost) {
    const std::string_view top_type = TextOf(chain.top_type);
    // A handle whose function is a method of another type than the top module's runs on an instance
    // that its map does not name.
    if (function == nullptr || (!top_type.empty() && (owner.empty() || owner == top_type))) {
      context.module = kTopInstance;
      context.type = LastAtomOf(chain.top_type);
    } else {
      context.type = LastAtom(owner);
    }
    return context;
  }
  if (around.is_lowered_method) {
    context.module = around.module;
    context.type = around.type;
    if (function == nullptr) context.function = around.function;
    return context;
  }
  context.type = LastAtom(owner);
  return context;
}

void Symbolizer::State::AppendFrames(const Chain& chain, const Context& context, Trace& trace) {
  for (size_t i = 0; i < chain.count; ++i) {
    const Frame& frame = frames_[chain.first + i];
    if (frame.is_generated) continue;
    const std::string_view function = i == 0 ? context.function : FunctionOf(frame);
    AppendFrameText(frame, function, i + 1 == chain.count, trace.text);
    const DebugMap::Location& location = frame.range->location;
    trace.frames.push_back(TraceFrame{
        .function = function,
        .module = i == 0 ? context.module : TextOf(frame.instance),
        .type = i == 0 ? context.type : LastAtomOf(frame.type),
        .file = frame.range->file,
        .line = location.line,
        .column = location.column,
        .end_line = location.end_line,
        .end_column = location.end_column,
        .handle = chain.handle,
    });
  }
}

void Symbolizer::State::AppendFrameText(const Frame& frame, std::string_view function, bool is_node,
                                        std::string& out) const {
  const Range& range = *frame.range;
  if (range.has_header) {
    out += range.header;
    if (!function.empty()) {
      out += ", in ";
      out += function;
    }
    out += '\n';
  }
  out += range.body;
  if (is_node && style_ == TraceStyle::kHandrail && !range.has_source &&
      range.gap != RangeGap::kNull) {
    fmt::format_to(std::back_inserter(out), "  <no source line, in {}: {}>\n", function,
                   ToString(range.gap));
  }
}

Symbolizer::State::Context Symbolizer::State::Inwards(const Chain& chain,
                                                      const Context& context) const {
  const Frame& last = frames_[chain.first + chain.count - 1];
  Context inner;
  if (!last.is_generated) return inner;
  // The generated method has the name of the method that was lowered, unless it is one of those
  // that make and unmake the lowered module.
  const std::string_view function = chain.count == 1 ? context.function : FunctionOf(last);
  if (!IsDunder(function)) inner.function = function;
  inner.is_lowered_method = true;
  inner.module = context.module;
  inner.type = context.type;
  for (size_t i = 1; i < chain.count; ++i) {
    const Frame& frame = frames_[chain.first + i];
    if (IsHiddenStep(frame)) continue;
    inner.module = TextOf(frame.instance);
    inner.type = LastAtomOf(frame.type);
  }
  return inner;
}

Symbolizer::Symbolizer(const DebugMap& map, TraceStyle style, size_t memo_bytes_max)
    : state_(std::make_unique<State>(map, style, memo_bytes_max)) {}
Symbolizer::Symbolizer(Symbolizer&&) noexcept = default;
Symbolizer& Symbolizer::operator=(Symbolizer&&) noexcept = default;
Symbolizer::~Symbolizer() = default;

void Symbolizer::Symbolize(std::span<const DebugHandle> handles, const HandleScope& scope,
                           Trace& trace) {
  state_->Symbolize(handles, scope, /*is_list=*/true, trace);
}

void Symbolizer::Symbolize(DebugHandle handle, const HandleScope& scope, Trace& trace) {
  state_->Symbolize({&handle, 1}, scope, /*is_list=*/false, trace);
}

const DebugMap& Symbolizer::map() const {
  return state_->map();
}
TraceStyle Symbolizer::style() const {
  return state_->style();
}

}  // namespace handrail
