// For the tests of this stage: small debug maps made in memory.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/debug_map/debug_map.h"
#include "handrail/debug_map/debug_map_writer.h"

namespace handrail {

inline constexpr std::string_view kOuterText =
    "class Outer(nn.Module):\n"
    "    def forward(self, x, y):\n"
    "        z = self.inner(x, y)\n"
    "        return z - 1\n";
inline constexpr std::string_view kInnerText =
    "class Inner(nn.Module):\n"
    "    def forward(self, x, y):\n"
    "        return x + y\n";
inline constexpr std::string_view kWrapperText =
    "\n"
    "            def forward(self, x: Tensor, y: Tensor):\n"
    "                return self.__loweredModule__.forward(x, y)\n"
    "            ";
inline constexpr std::string_view kLoweredText =
    "\n"
    "            def forward(self, x: Tensor, y: Tensor):\n"
    "                typed_inputs: List[Any] = [x, y, ]\n"
    "                _0, = self.__backend.execute(self.__handles[\"forward\"], typed_inputs)\n"
    "                return _0\n"
    "            ";
inline constexpr std::string_view kWrapperType = "torch.jit.LoweredWrapper.demo.__torch__.Outer";
inline constexpr std::string_view kLoweredType = "torch.jit.LoweredModule.demo.__torch__.Outer";

// A recorder with words for what tests need. Handles are given by the tests, as in an archive.
class TestMap {
 public:
  explicit TestMap(std::string_view top_type = "__torch__.Outer", Hash128 build_id = {7, 7}) {
    BeginUnit(top_type, build_id);
  }

  void BeginUnit(std::string_view top_type, Hash128 build_id) {
    const Hash128 key{build_id.high, build_id.low + 1};
    EXPECT_TRUE(builder.BeginUnit(
        {.kind = UnitKind::kForeign, .key = key, .build_id = build_id, .top_type = top_type}));
  }
  SourceId Source(std::string_view name, std::string_view text, uint32_t first_line = 1) {
    return builder.AddSource({.file_name = name, .first_line = first_line, .text = text});
  }
  // The range of the first `part` of `text`.
  RangeId Range(std::string_view file, std::string_view text, std::string_view part) {
    const size_t at = text.find(part);
    EXPECT_NE(at, std::string_view::npos) << part;
    return builder.AddRange(Source(file, text), at, at + part.size());
  }
  StackId Call(StackId caller, std::string_view function, std::string_view type,
               std::string_view name, RangeId range) {
    return builder.AddCall(caller, function, ModuleInstance{type, name}, range);
  }
  void Add(DebugHandle handle, std::string_view name, RangeId range,
           StackId stack = StackId::none(), std::string_view function = {}) {
    handrail::Node node;
    if (!name.empty()) node.name = builder.AddString(name);
    node.range = range;
    node.stack = stack;
    if (!function.empty()) node.function = builder.AddString(function);
    builder.AddForeignNode(handle, node);
  }
  DebugMap Make(const DebugMapOptions& options = {}) {
    const DebugInfo info = std::move(builder).Finish();
    auto bytes = EncodeDebugMap(info, options);
    EXPECT_TRUE(bytes) << bytes.error().message;
    auto map = DebugMap::FromBytes(*std::move(bytes), "test.hdm");
    EXPECT_TRUE(map) << map.error().message;
    return *std::move(map);
  }

  // Outer.forward calls self.inner(x, y), whose add is handle 12; 11 is Outer's own sub.
  void AddOuterAndInner() {
    const RangeId call = Range("outer.py", kOuterText, "self.inner");
    const StackId in_inner = Call({}, "forward", "__torch__.Inner", "inner", call);
    Add(11, "aten::sub", Range("outer.py", kOuterText, "z - 1"), {}, "__torch__.Outer.forward");
    Add(12, "aten::add", Range("inner.py", kInnerText, "x + y"), in_inner,
        "__torch__.Outer.forward");
  }
  // The same model, lowered as a whole by PyTorch: 20 is the backend's add, 30 the interpreter's
  // call of the backend.
  void AddLowered() {
    const RangeId call = Range("outer.py", kOuterText, "self.inner");
    const StackId in_inner = Call({}, "forward", "__torch__.Inner", "inner", call);
    Add(20, "aten::add", Range("inner.py", kInnerText, "x + y"), in_inner);
    const RangeId wrapper = Range("<string>", kWrapperText, "self.__loweredModule__.forward");
    const StackId in_lowered = Call({}, "forward", kLoweredType, "__loweredModule__", wrapper);
    Add(30, "prim::CallMethod", Range("<string>", kLoweredText, "self.__backend.execute"),
        in_lowered, std::string(kWrapperType) + ".forward");
  }

  DebugInfoBuilder builder;
};

}  // namespace handrail
