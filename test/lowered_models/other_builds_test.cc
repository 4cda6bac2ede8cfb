// Two builds of one model that differ by a comment above it: a handle of one is never answered with
// a line of the other.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handrail/backend/registry.h"
#include "handrail/backends/backends.h"
#include "handrail/base/byte_cursor.h"
#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/lowering/lowering.h"
#include "handrail/mobile_archive/mobile_archive.h"
#include "handrail/runtime/load.h"
#include "handrail/symbolize/log_filter.h"
#include "handrail/symbolize/map_set.h"
#include "handrail/torch_debug/strip.h"
#include "handrail/torch_debug/torch_debug.h"

#include "values/object_archive_testing.h"

namespace handrail {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kCode =
    "class Part(Module):\n"
    "  __parameters__ = []\n"
    "  def forward(self: __torch__.Part, x: Tensor, y: Tensor) -> Tensor:\n"
    "    return torch.add(x, y)\n"
    "class Top(Module):\n"
    "  __parameters__ = []\n"
    "  part : __torch__.Part\n"
    "  def forward(self: __torch__.Top, x: Tensor, y: Tensor) -> Tensor:\n"
    "    return self.part.forward(x, y)\n";

values::Value Ones(int64_t count) {
  const std::vector<int64_t> sizes = {count};
  auto tensor = values::Tensor::Allocate(values::ElementType::kFloat32, sizes);
  for (int64_t i = 0; i < count; ++i) tensor->mutable_data<float>()[i] = 1;
  return values::Value(std::move(tensor));
}

class OtherBuilds : public ::testing::TestWithParam<bool> {
 protected:
  OtherBuilds() { HANDRAIL_CHECK(RegisterShippedBackends(registry_).has_value()); }

  // For the mobile runtime; `comment` stands above the code. Lowered, if the parameter says so.
  std::string Build(const std::string& comment) {
    std::string archive = ModuleArchiveOf({"__torch__.Top", {{"part", {"__torch__.Part", {}}}}},
                                          {{"__torch__", comment + std::string(kCode)}});
    if (GetParam()) {
      const std::vector<LowerSelection> selections = {{"part", "reference"}};
      Result<std::string> lowered = Lower(AsBytes(archive), "m.pt", selections, registry_);
      EXPECT_TRUE(lowered) << lowered.error().message;
      archive = *std::move(lowered);
    }
    const auto mobile = mobile_archive::MakeMobileArchive(AsBytes(archive), "m.pt");
    EXPECT_TRUE(mobile) << mobile.error().message;
    return mobile->bytes;
  }

  // What the failing run of the archive without its debug info says.
  std::string LogOf(const std::string& archive) {
    const Result<std::string> stripped = StripTorchArchive(AsBytes(archive), "m.ptl");
    EXPECT_TRUE(stripped) << stripped.error().message;
    auto module = runtime::Load(AsBytes(*stripped), "m.ptl", {.backends = &registry_});
    EXPECT_TRUE(module) << module.error().message;
    const std::vector<values::Value> inputs = {Ones(2), Ones(3)};
    const auto result = module->Run("forward", inputs);
    EXPECT_FALSE(result);
    return result ? "" : result.error().ToString() + "\n";
  }

  static std::string Filtered(const std::string& log, const std::string& map_of) {
    const Result<TorchDebugInfo> info = ReadTorchDebugInfo(AsBytes(map_of), "m.ptl");
    auto map = DebugMap::FromBytes(*EncodeDebugMap(info->info), "m.hdm");
    MapSet maps;
    maps.Add(OpenedMap{*std::move(map), MapFileKind::kDebugMap, "m.hdm", {}});
    std::string out;
    LogFilter filter(maps, {}, [&](std::string_view piece) -> Status {
      out += piece;
      return {};
    });
    EXPECT_TRUE(filter.Write(log));
    EXPECT_TRUE(filter.Finish());
    return out;
  }

  BackendRegistry registry_;
};

TEST_P(OtherBuilds, AreRefusedAndNamed) {
  const std::string first = Build("");
  const std::string second = Build("# A comment.\n");
  const auto first_id = ReadTorchDebugInfo(AsBytes(first), "m.ptl")->build_id;
  const auto second_id = ReadTorchDebugInfo(AsBytes(second), "m.ptl")->build_id;
  EXPECT_NE(first_id, second_id);
  EXPECT_THAT(Filtered(LogOf(first), first), HasSubstr("code/__torch__.py\", line 4, in forward"));
  EXPECT_THAT(Filtered(LogOf(second), second),
              HasSubstr("code/__torch__.py\", line 5, in forward"));
  EXPECT_THAT(Filtered(LogOf(first), second),
              AllOf(HasSubstr("of another build"), HasSubstr(first_id.ToHex()),
                    HasSubstr(second_id.ToHex()), Not(HasSubstr("__torch__.py"))));
  EXPECT_THAT(Filtered(LogOf(second), first),
              AllOf(HasSubstr("of another build"), Not(HasSubstr("__torch__.py"))));
}

INSTANTIATE_TEST_SUITE_P(LoweredOrNot, OtherBuilds, ::testing::Bool());

}  // namespace
}  // namespace handrail
