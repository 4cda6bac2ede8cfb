// Reads a debug map of any content. The checksums are made right first, so that the search gets
// behind them.
//
// Properties: never crashes, never runs away; what opens can be verified and walked; what decodes
// encodes again, and that map is free of faults and decodes to the same bytes.
#include "handrail/base/check.h"
#include "handrail/debug_map/debug_map.h"
#include "handrail/debug_map/debug_map_writer.h"

#include "debug_map/verify.h"
#include "test/support/reseal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace handrail;
  const auto bytes = std::as_bytes(std::span(data, size));
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  testing::Reseal(file);
  const auto map = DebugMap::FromBytes(std::move(file), "fuzz.hdm");
  if (!map) return 0;
  (void)debug_map::Verify(*map);
  const auto info = DecodeDebugMap(*map);
  if (!info) return 0;
  const auto encoded = EncodeDebugMap(*info);
  if (!encoded) return 0;
  const auto again = DebugMap::FromBytes(*encoded, "again.hdm");
  HANDRAIL_CHECK(again && debug_map::Verify(*again).empty());
  HANDRAIL_CHECK(EncodeDebugMap(*DecodeDebugMap(*again)) == encoded);
  return 0;
}
