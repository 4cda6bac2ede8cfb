#include "handrail/lowering/backend_debug_info_recorder.h"

#include <utility>

#include "handrail/debug_info/debug_info_builder.h"

#include "inlining/node_origins.h"
#include "lowering/handle_order.h"

namespace handrail {
namespace {

tl::unexpected<Error> HasStopped() {
  return Fail(ErrorCode::kInvalidArgument, "the recorder has stopped: its debug info was taken");
}

}  // namespace

class BackendDebugInfoRecorder::State {
 public:
  State(const graph::CompilationUnit& unit, const Options& options) : origins(unit, builder) {
    // The builder is empty: no other key can have the space.
    const Status begun = builder.BeginUnit(
        {.kind = UnitKind::kBackend, .key = options.key, .top_type = options.top_type});
    HANDRAIL_CHECK(begun.has_value());
  }

  Result<DebugHandle> Next(const graph::Graph& graph, graph::NodeId node) {
    return builder.AddNode(origins.NameOf(graph.kind(node)), origins.RangeOf(graph.range(node)),
                           origins.StackOf(graph.stack(node)));
  }

  DebugInfoBuilder builder;
  NodeOrigins origins;
};

BackendDebugInfoRecorder::BackendDebugInfoRecorder(const graph::CompilationUnit& unit,
                                                   const Options& options)
    : state_(std::make_unique<State>(unit, options)) {}
BackendDebugInfoRecorder::BackendDebugInfoRecorder(BackendDebugInfoRecorder&&) noexcept = default;
BackendDebugInfoRecorder& BackendDebugInfoRecorder::operator=(BackendDebugInfoRecorder&&) noexcept =
    default;
BackendDebugInfoRecorder::~BackendDebugInfoRecorder() = default;

void BackendDebugInfoRecorder::BeginFunction(std::string_view name) {
  if (state_ != nullptr) state_->builder.BeginFunction(name);
}

Result<DebugHandle> BackendDebugInfoRecorder::NextDebugHandle(const graph::Graph& graph,
                                                              graph::NodeId node) {
  if (state_ == nullptr) return HasStopped();
  return state_->Next(graph, node);
}

Result<NodeHandles> BackendDebugInfoRecorder::GenerateDebugHandles(const graph::Graph& graph) {
  if (state_ == nullptr) return HasStopped();
  NodeHandles handles(graph.node_count());
  state_->builder.ReserveNodes(graph.node_count());
  Status failure;
  ForEachNodeInHandleOrder(graph, [&](graph::NodeId node) {
    Result<DebugHandle> handle = state_->Next(graph, node);
    if (!handle) {
      failure = tl::unexpected<Error>(std::move(handle).error());
      return false;
    }
    handles.Set(node, *handle);
    return true;
  });
  HANDRAIL_RETURN_IF_ERROR(std::move(failure));
  return handles;
}

Result<DebugInfo> BackendDebugInfoRecorder::StopRecording() {
  if (state_ == nullptr) return HasStopped();
  const std::unique_ptr<State> state = std::move(state_);
  return std::move(state->builder).Finish();
}

}  // namespace handrail
