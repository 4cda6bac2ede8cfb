#include "debug_map/text_blocks.h"

#include <algorithm>

#include <fmt/format.h>
#include <zstd.h>

#include "handrail/base/byte_cursor.h"
#include "handrail/base/check.h"

#include "debug_map/layout.h"

namespace handrail::debug_map {
namespace {

// The best ratio that decompresses as fast as the others; source texts are small.
constexpr int kCompressionLevel = 19;

tl::unexpected<Error> DamagedAt(const Unknown& unknown) {
  return Fail(ErrorCode::kCorrupt, fmt::format("offset {:#x}: damaged block", unknown.offset),
              unknown.offset);
}

}  // namespace

Result<TextBlocks> TextBlocks::Open(const Body& body, PackedTable texts, PackedTable blocks,
                                    std::span<const std::byte> header, uint64_t payload_begin,
                                    uint64_t payload_bytes) {
  TextBlocks result;
  result.texts_ = texts;
  result.blocks_ = blocks;
  result.payload_begin_ = payload_begin;
  result.payload_bytes_ = payload_bytes;
  ByteCursor cursor(header);
  HANDRAIL_ASSIGN_OR_RETURN(result.run_bytes_, cursor.Varint("size of the texts"));
  const uint64_t need = TextBlockCount(result.run_bytes_);
  if (need != result.block_count() || payload_begin + payload_bytes > body.size()) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("{} bytes of text need {} blocks, have {}", result.run_bytes_, need,
                            result.block_count()),
                payload_begin);
  }
  return result;
}

Result<std::string> TextBlocks::ReadBlock(const Body& body, uint64_t block) const {
  const auto begin = blocks_.Field(body, block, 0);
  if (!begin) return DamagedAt(begin.error());
  const auto end = blocks_.Field(body, block + 1, 0);
  if (!end) return DamagedAt(end.error());
  const uint64_t size = std::min(kTextBlockBytes, run_bytes_ - block * kTextBlockBytes);
  if (*begin > *end || *end > payload_bytes_) {
    return Fail(
        ErrorCode::kCorrupt,
        fmt::format("text block {}: bytes {} to {} of {}", block, *begin, *end, payload_bytes_),
        payload_begin_);
  }
  const uint64_t at = payload_begin_ + *begin;
  if (!body.IsIntact(at, payload_begin_ + *end)) return DamagedAt({UnknownReason::kDamagedMap, at});
  const auto compressed = static_cast<size_t>(*end - *begin);
  std::string text(static_cast<size_t>(size), '\0');
  const size_t got = ZSTD_decompress(text.data(), text.size(), body.data() + at, compressed);
  if (ZSTD_isError(got) != 0 || got != text.size()) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("text block {}: {}", block,
                            ZSTD_isError(got) != 0 ? ZSTD_getErrorName(got) : "too short"),
                at);
  }
  return text;
}

Result<std::string> TextBlocks::Read(const Body& body, uint64_t text, Unpacked& last) const {
  const auto begin = texts_.Field(body, text, 0);
  if (!begin) return DamagedAt(begin.error());
  const auto end = texts_.Field(body, text + 1, 0);
  if (!end) return DamagedAt(end.error());
  if (*begin > *end || *end > run_bytes_) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("text {}: bytes {} to {} of {}", text, *begin, *end, run_bytes_));
  }
  std::string result;
  for (uint64_t at = *begin; at < *end;) {
    const uint64_t block = at / kTextBlockBytes;
    if (last.block != block) {
      last.block = UINT64_MAX;
      HANDRAIL_ASSIGN_OR_RETURN(last.text, ReadBlock(body, block));
      last.block = block;
    }
    const uint64_t in_block = at - block * kTextBlockBytes;
    const uint64_t take = std::min(*end - at, last.text.size() - in_block);
    result.append(last.text, static_cast<size_t>(in_block), static_cast<size_t>(take));
    at += take;
  }
  return result;
}

EncodedTexts EncodeTexts(std::span<const std::string_view> texts) {
  EncodedTexts encoded;
  std::string run;
  PackedTableWriter starts(1);
  for (const std::string_view text : texts) {
    starts.Add({run.size()});
    run += text;
  }
  starts.Add({run.size()});
  starts.Finish(encoded.texts_header, encoded.texts_payload);
  PutVarint(encoded.bytes_header, run.size());
  PackedTableWriter blocks(1);
  std::vector<std::byte>& out = encoded.bytes_payload;
  for (size_t at = 0; at < run.size(); at += kTextBlockBytes) {
    blocks.Add({out.size()});
    const size_t size = std::min<size_t>(kTextBlockBytes, run.size() - at);
    const size_t out_begin = out.size();
    out.resize(out_begin + ZSTD_compressBound(size));
    const size_t written = ZSTD_compress(out.data() + out_begin, out.size() - out_begin,
                                         run.data() + at, size, kCompressionLevel);
    HANDRAIL_CHECK(ZSTD_isError(written) == 0);
    out.resize(out_begin + written);
  }
  blocks.Add({out.size()});
  blocks.Finish(encoded.blocks_header, encoded.blocks_payload);
  return encoded;
}

}  // namespace handrail::debug_map
