#include <algorithm>

#include "handrail/symbolize/symbolizer.h"

#include "symbolize/find_in_scope.h"

namespace handrail {

Answer<DebugMap::FoundNode> ReadFrames(const DebugMap& map, const HandleScope& scope,
                                       DebugHandle handle, std::vector<FrameIds>& frames) {
  frames.clear();
  const Answer<DebugMap::FoundNode> found = FindInScope(map, scope, handle);
  if (!found) return found;
  const Node& node = found->node;
  // From the node outwards. Where a frame stands is known from what it was called for: the node, or
  // the call that leads inwards.
  RangeId range = node.range;
  StackId id = node.stack;
  while (!id.is_none()) {
    const Answer<Stack> stack = map.stack(id);
    if (!stack) return tl::unexpected<Unknown>(stack.error());
    const Answer<CallSite> call = map.call_site(stack->call_site);
    if (!call) return tl::unexpected<Unknown>(call.error());
    frames.push_back(FrameIds{call->function, call->module_type, call->module_name, range});
    range = call->range;
    id = stack->caller;
  }
  frames.push_back(FrameIds{node.function, StringId::none(), StringId::none(), range});
  std::reverse(frames.begin(), frames.end());
  return found;
}

}  // namespace handrail
