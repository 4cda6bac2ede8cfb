// Models made at random, lowered in random pieces to random backends, fail at a random node: the
// trace is the one that their maker knows.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
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

#include "test/lowered_models/random_model.h"

namespace handrail::testing {
namespace {

constexpr uint64_t kCaseCount = 10'000;
constexpr uint64_t kShareCount = 4;  // tests that share the cases

struct ReadTrace {
  std::string hierarchy;
  std::vector<ExpectedFrame> frames;
};

// What a trace's text says: its first line, and of each frame its head and what is underlined.
ReadTrace ParseTrace(const std::string& text) {
  constexpr std::string_view kHierarchy = "Module hierarchy:";
  constexpr std::string_view kHead = "  File \"code/__torch__.py\", line ";
  constexpr std::string_view kMark = " <--- HERE";
  ReadTrace trace;
  std::string before;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); before = line) {
    if (line.starts_with(kHierarchy)) trace.hierarchy = line.substr(kHierarchy.size());
    if (line.starts_with(kHead)) {
      const size_t function = line.find(", in ");
      if (function == std::string::npos) continue;
      trace.frames.push_back({line.substr(function + 5),
                              static_cast<uint32_t>(std::stoul(line.substr(kHead.size()))), 0, ""});
    } else if (line.ends_with(kMark) && !trace.frames.empty()) {
      const size_t column = line.find('~');
      trace.frames.back().column = static_cast<uint32_t>(column + 1);
      trace.frames.back().text = before.substr(column, line.size() - kMark.size() - column);
    }
  }
  return trace;
}

values::Value Ones(int64_t count) {
  const std::vector<int64_t> sizes = {count};
  auto tensor = values::Tensor::Allocate(values::ElementType::kFloat32, sizes);
  for (int64_t i = 0; i < count; ++i) tensor->mutable_data<float>()[i] = 1;
  return values::Value(std::move(tensor));
}

bool IsOfBlob(DebugHandle handle) {
  return IsWellFormed(handle) && HandleSpaceOf(handle) != kBytecodeSpace;
}

// The trace of the failed run, or what went wrong instead. Counts runs that failed in a blob.
std::string FailureOf(const std::string& archive, const BackendRegistry& registry,
                      int& blob_count) {
  auto module = runtime::Load(AsBytes(archive), "m", {.backends = &registry});
  if (!module) return "load: " + module.error().message;
  const std::vector<values::Value> inputs = {Ones(2), Ones(3), values::Value(1)};
  const auto result = module->Run("forward", inputs);
  if (result) return "it did not fail";
  blob_count += std::any_of(result.error().handles.begin(), result.error().handles.end(), IsOfBlob);
  return result.error().trace;
}

// The same offline: of an archive that was stripped, from the log and the debug map.
std::string OfflineFailureOf(const std::string& archive, const BackendRegistry& registry,
                             int& blob_count) {
  const Result<TorchDebugInfo> info = ReadTorchDebugInfo(AsBytes(archive), "m.ptl");
  if (!info) return "debug info: " + info.error().message;
  const Result<std::string> stripped = StripTorchArchive(AsBytes(archive), "m.ptl");
  if (!stripped) return "strip: " + stripped.error().message;
  auto bytes = EncodeDebugMap(info->info);
  if (!bytes) return "map: " + bytes.error().message;
  auto map = DebugMap::FromBytes(*std::move(bytes), "m.hdm");
  if (!map) return "map: " + map.error().message;
  MapSet maps;
  maps.Add(OpenedMap{*std::move(map), MapFileKind::kDebugMap, "m.hdm", {}});
  std::string log;
  LogFilter filter(maps, {}, [&](std::string_view piece) -> Status {
    log += piece;
    return {};
  });
  if (!filter.Write(FailureOf(*stripped, registry, blob_count) + "\n") || !filter.Finish())
    return "filter";
  return log;
}

class RandomModels : public ::testing::TestWithParam<uint64_t> {
 protected:
  RandomModels() { HANDRAIL_CHECK(RegisterShippedBackends(registry_).has_value()); }

  // Nothing: the trace is right.
  std::optional<std::string> FaultOf(uint64_t seed) {
    const RandomModel model = MakeRandomModel(seed);
    std::string archive = model.archive;
    std::vector<LowerSelection> selections;
    for (const Piece& piece : model.pieces) selections.push_back({piece.path, piece.backend});
    if (!selections.empty()) {
      Result<std::string> lowered = Lower(AsBytes(archive), "m.pt", selections, registry_);
      if (!lowered) return "lower: " + lowered.error().message;
      archive = *std::move(lowered);
    }
    std::string text;
    if (seed % 3 == 0) {
      text = FailureOf(archive, registry_, blob_count_);
    } else {
      const auto mobile = mobile_archive::MakeMobileArchive(AsBytes(archive), "m.pt");
      if (!mobile) return "mobile: " + mobile.error().message;
      text = seed % 3 == 1 ? FailureOf(mobile->bytes, registry_, blob_count_)
                           : OfflineFailureOf(mobile->bytes, registry_, blob_count_);
    }
    const ReadTrace trace = ParseTrace(text);
    if (trace.hierarchy == model.hierarchy && trace.frames == model.frames) return std::nullopt;
    return "need hierarchy " + model.hierarchy + ", found\n" + text;
  }

  BackendRegistry registry_;
  int blob_count_ = 0;
};

TEST_P(RandomModels, FailWithTheTraceThatTheirMakerKnows) {
  int fault_count = 0;
  for (uint64_t seed = GetParam(); seed < kCaseCount && fault_count < 3; seed += kShareCount) {
    const std::optional<std::string> fault = FaultOf(seed);
    if (!fault) continue;
    ++fault_count;
    ADD_FAILURE() << "seed " << seed << ": " << *fault;
  }
  // The others fail in bytecode.
  EXPECT_GT(blob_count_, static_cast<int>(kCaseCount / kShareCount / 4));
}

INSTANTIATE_TEST_SUITE_P(Shares, RandomModels, ::testing::Range<uint64_t>(0, kShareCount));

}  // namespace
}  // namespace handrail::testing
