// Random debug info for property tests: equal seeds give equal contents.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "handrail/debug_info/debug_info_builder.h"

namespace handrail::testing {

struct RandomShape {
  uint32_t units = 2;
  uint32_t nodes_per_unit = 200;
  uint32_t sources = 4;
  uint32_t depth_max = 6;
  bool is_foreign = true;  // else: backend units
  bool has_text = true;
  // Records the rows and (foreign) nodes in another order, with the same contents.
  uint64_t shuffle_seed = 0;
};

// One node's contents, independent of ids, before it is recorded.
struct PlannedNode {
  DebugHandle handle;
  std::string name;
  uint32_t source;
  uint64_t start, end;
  RangeGap gap;  // kNull: the range is in the source
  bool is_null;
  std::vector<uint32_t> calls;  // indices of planned call sites, outermost first
  std::string function;
};
struct PlannedCall {
  std::string function, type, name;
  bool has_module;
  uint32_t source;
  uint64_t start, end;
};

inline std::string RandomSourceText(std::mt19937_64& random, uint32_t index) {
  std::string text;
  const auto lines = 3 + random() % 30;
  for (uint64_t i = 0; i < lines; ++i) {
    text +=
        fmt::format("    y{} = x{} + {} * source_{}\n", i, random() % 9, random() % 1000, index);
  }
  return text;
}

inline DebugInfo RandomDebugInfo(uint64_t seed, const RandomShape& shape) {
  std::mt19937_64 random(seed);
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < shape.sources; ++i) texts.push_back(RandomSourceText(random, i));
  std::vector<PlannedCall> calls;
  for (uint32_t i = 0; i < 30; ++i) {
    PlannedCall call;
    call.function = i % 3 == 0 ? "forward" : fmt::format("helper_{}", random() % 20);
    call.type = fmt::format("__torch__.net.___torch_mangle_{}.Block{}", random() % 40, i % 4);
    call.name = i % 5 == 0 ? "SELF" : fmt::format("layer{}", random() % 12);
    call.has_module = i % 7 != 0;
    call.source = static_cast<uint32_t>(random() % shape.sources);
    call.start = random() % texts[call.source].size();
    call.end = call.start + random() % 20;
    calls.push_back(call);
  }
  std::vector<std::vector<PlannedNode>> plan(shape.units);
  for (auto& nodes : plan) {
    DebugHandle handle = shape.is_foreign ? static_cast<DebugHandle>(random() % 5000) - 100 : 0;
    std::vector<uint32_t> stack;
    for (uint32_t i = 0; i < shape.nodes_per_unit; ++i) {
      // Handles have holes of all sizes; stacks change now and then.
      const uint64_t step = random() % 20;
      handle += step < 15   ? 1
                : step < 18 ? 1 + static_cast<DebugHandle>(random() % 70)
                            : static_cast<DebugHandle>(random() % 100000) + 1;
      if (random() % 3 == 0) {
        if (!stack.empty() && random() % 2 == 0) stack.pop_back();
        if (stack.size() < shape.depth_max && random() % 2 == 0) {
          stack.push_back(static_cast<uint32_t>(random() % calls.size()));
        }
      }
      PlannedNode node;
      node.handle = handle;
      node.name = random() % 10 == 0 ? "prim::If" : fmt::format("aten::op{}", random() % 15);
      node.source = static_cast<uint32_t>(random() % shape.sources);
      node.start = random() % texts[node.source].size();
      node.end = node.start + random() % 40;
      node.is_null = random() % 8 == 0;
      node.gap = random() % 30 == 0 ? RangeGap::kNotRecorded : RangeGap::kNull;
      node.calls = stack;
      node.function = i < shape.nodes_per_unit / 2 ? "__torch__.net.Top.forward" : "";
      nodes.push_back(node);
    }
  }

  DebugInfoBuilder builder;
  std::mt19937_64 shuffle(shape.shuffle_seed);
  std::vector<SourceId> sources(shape.sources);
  std::vector<uint32_t> source_order(shape.sources);
  for (uint32_t i = 0; i < shape.sources; ++i) source_order[i] = i;
  std::vector<uint32_t> unit_order(shape.units);
  for (uint32_t i = 0; i < shape.units; ++i) unit_order[i] = i;
  if (shape.shuffle_seed != 0) {
    std::shuffle(source_order.begin(), source_order.end(), shuffle);
    std::shuffle(unit_order.begin(), unit_order.end(), shuffle);
    for (uint32_t i = 0; i < 20; ++i) builder.AddString(fmt::format("unused {}", shuffle() % 99));
  }
  for (const uint32_t i : source_order) {
    const std::string name = fmt::format("/home/user/net/part_{}.py", i);
    DebugInfoBuilder::SourceOptions options;
    options.file_name = name;
    options.first_line = 10 * i + 1;
    if (shape.has_text) options.text = texts[i];
    sources[i] = builder.AddSource(options);
  }
  const auto add_range = [&](uint32_t source, uint64_t start, uint64_t end) {
    if (shape.has_text) return builder.AddRange(sources[source], start, end);
    return builder.AddRange(
        sources[source], Position{static_cast<uint32_t>(start) + 1, 5},
        Position{static_cast<uint32_t>(start) + 1, static_cast<uint32_t>(end - start) + 5});
  };
  for (const uint32_t u : unit_order) {
    DebugInfoBuilder::UnitOptions options;
    options.kind = shape.is_foreign ? UnitKind::kForeign : UnitKind::kBackend;
    options.key = HashBytes(fmt::format("unit {} of seed {}", u, seed));
    options.build_id = HashBytes(fmt::format("build of seed {}", seed));
    options.top_type = "__torch__.net.Top";
    (void)builder.BeginUnit(options);
    std::vector<PlannedNode> nodes = plan[u];
    if (shape.is_foreign && shape.shuffle_seed != 0) {
      std::shuffle(nodes.begin(), nodes.end(), shuffle);
    }
    for (const PlannedNode& node : nodes) {
      StackId stack;
      for (const uint32_t c : node.calls) {
        const PlannedCall& call = calls[c];
        std::optional<ModuleInstance> module;
        if (call.has_module) module = ModuleInstance{call.type, call.name};
        stack = builder.AddCall(stack, call.function, module,
                                add_range(call.source, call.start, call.end));
      }
      const RangeId range = node.gap != RangeGap::kNull ? builder.AddGap(node.gap)
                            : node.is_null              ? builder.AddGap(RangeGap::kNull)
                                           : add_range(node.source, node.start, node.end);
      if (shape.is_foreign) {
        Node row{builder.AddString(node.name), range, stack, {}};
        if (!node.function.empty()) row.function = builder.AddString(node.function);
        builder.AddForeignNode(node.handle, row);
      } else {
        builder.BeginFunction(node.function);
        (void)builder.AddNode(node.name, range, stack);
      }
    }
  }
  return std::move(builder).Finish();
}

}  // namespace handrail::testing
