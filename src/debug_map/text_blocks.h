// The source texts of a debug map: one run of text, cut into blocks that are compressed (zstd) each
// on its own, so that one text costs one block or a few.
//
//   txts: per text: where it begins in the run, in bytes; one more row: where the last one ends
//   txtb: per block of kTextBlockBytes: where its compressed bytes begin; one more row: their end
//   text: section header: varint size of the run, in bytes; payload: the compressed blocks
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"

#include "debug_map/packed_table.h"

namespace handrail::debug_map {

class TextBlocks {
 public:
  TextBlocks() = default;
  static Result<TextBlocks> Open(const Body& body, PackedTable texts, PackedTable blocks,
                                 std::span<const std::byte> header, uint64_t payload_begin,
                                 uint64_t payload_bytes);

  uint64_t text_count() const { return texts_.row_count() == 0 ? 0 : texts_.row_count() - 1; }
  uint64_t run_bytes() const { return run_bytes_; }
  uint64_t block_count() const { return blocks_.row_count() == 0 ? 0 : blocks_.row_count() - 1; }
  // The block that was unpacked last, for the next text that begins in it.
  struct Unpacked {
    uint64_t block = UINT64_MAX;
    std::string text;
  };
  Result<std::string> Read(const Body& body, uint64_t text, Unpacked& last) const;

 private:
  Result<std::string> ReadBlock(const Body& body, uint64_t block) const;

  PackedTable texts_;
  PackedTable blocks_;
  uint64_t run_bytes_ = 0;
  uint64_t payload_begin_ = 0;
  uint64_t payload_bytes_ = 0;
};

struct EncodedTexts {
  std::vector<std::byte> texts_header, texts_payload;
  std::vector<std::byte> blocks_header, blocks_payload;
  std::vector<std::byte> bytes_header, bytes_payload;
};
EncodedTexts EncodeTexts(std::span<const std::string_view> texts);

}  // namespace handrail::debug_map
