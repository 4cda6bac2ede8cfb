#include "debug_map/string_table.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "handrail/base/byte_cursor.h"

#include "debug_map/layout.h"

namespace handrail {

using debug_map::Body;
using debug_map::kNumberMark;
using debug_map::kPatternsPerBlock;
using debug_map::PackedTable;

void TextBuffer::Clear() {
  size_ = 0;
  spill_.clear();
}

void TextBuffer::Append(std::string_view piece) {
  if (spill_.empty() && size_ + piece.size() <= kInlineBytes) {
    std::memcpy(inline_ + size_, piece.data(), piece.size());
    size_ += piece.size();
    return;
  }
  if (spill_.empty()) spill_.assign(inline_, size_);
  spill_.append(piece);
  size_ = spill_.size();
}

void TextBuffer::Truncate(size_t size_bytes) {
  size_ = std::min(size_, size_bytes);
  if (!spill_.empty()) spill_.resize(size_);
}

Result<StringTable> StringTable::Open(const Body& body, PackedTable strings,
                                      PackedTable pattern_blocks,
                                      std::span<const std::byte> pattern_header,
                                      uint64_t payload_begin, uint64_t payload_bytes) {
  StringTable table;
  table.strings_ = strings;
  table.pattern_blocks_ = pattern_blocks;
  table.payload_begin_ = payload_begin;
  table.payload_end_ = payload_begin + payload_bytes;
  ByteCursor cursor(pattern_header);
  HANDRAIL_ASSIGN_OR_RETURN(table.pattern_count_, cursor.Varint("pattern count"));
  const uint64_t blocks = table.pattern_count_ / kPatternsPerBlock +
                          (table.pattern_count_ % kPatternsPerBlock != 0 ? 1 : 0);
  if (blocks != pattern_blocks.row_count() || table.payload_end_ > body.size()) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("{} patterns need {} blocks, have {}", table.pattern_count_, blocks,
                            pattern_blocks.row_count()),
                payload_begin);
  }
  return table;
}

bool StringTable::ReadPattern(const Body& body, uint64_t pattern, TextBuffer& buffer) const {
  if (pattern >= pattern_count_) return false;
  const auto block = pattern_blocks_.Field(body, pattern / kPatternsPerBlock, 0);
  if (!block || *block > payload_end_ - payload_begin_) return false;
  uint64_t at = payload_begin_ + *block;
  // A varint of at most 32 bits; false if it is longer, or not there.
  const auto read_varint = [&](uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      if (at >= payload_end_ || !body.IsIntact(at, at + 1)) return false;
      const auto byte = static_cast<uint64_t>(body.data()[at++]);
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return true;
    }
    return false;
  };
  buffer.Clear();
  for (uint64_t i = 0; i <= pattern % kPatternsPerBlock; ++i) {
    uint64_t shared = 0;
    uint64_t length = 0;
    if (i != 0 && !read_varint(shared)) return false;
    if (!read_varint(length)) return false;
    if (shared > buffer.view().size() || length > payload_end_ - at) return false;
    if (!body.IsIntact(at, at + length)) return false;
    buffer.Truncate(static_cast<size_t>(shared));
    buffer.Append({reinterpret_cast<const char*>(body.data() + at), static_cast<size_t>(length)});
    at += length;
  }
  return true;
}

Answer<std::string_view> StringTable::Read(const Body& body, uint64_t index,
                                           TextBuffer& buffer) const {
  const auto row = strings_.Row<2>(body, index);
  if (!row) return tl::unexpected<Unknown>(row.error());
  const auto [pattern, number_plus_one] = *row;
  if (!ReadPattern(body, pattern, buffer)) return debug_map::Damaged(strings_.DamageOffset(index));
  if (number_plus_one == 0) return buffer.view();
  const std::string_view text = buffer.view();
  const size_t mark = text.find(kNumberMark);
  if (mark == std::string_view::npos || mark + 1 >= text.size()) {
    return debug_map::Damaged(strings_.DamageOffset(index));
  }
  char digits[20];
  const auto digits_end = std::to_chars(digits, digits + sizeof(digits), number_plus_one - 1).ptr;
  const auto digit_count = static_cast<size_t>(digits_end - digits);
  const auto least_width = static_cast<size_t>(static_cast<unsigned char>(text[mark + 1]));
  // What follows the mark moves to make room for the number. It is short, so a copy does.
  char tail_bytes[TextBuffer::kInlineBytes];
  const std::string_view tail = text.substr(mark + 2);
  if (tail.size() > sizeof(tail_bytes) || least_width > debug_map::kNumberDigitsMax) {
    return debug_map::Damaged(strings_.DamageOffset(index));
  }
  std::memcpy(tail_bytes, tail.data(), tail.size());
  const size_t tail_size = tail.size();
  buffer.Truncate(mark);
  for (size_t i = digit_count; i < least_width; ++i) buffer.Append("0");
  buffer.Append({digits, digit_count});
  buffer.Append({tail_bytes, tail_size});
  return buffer.view();
}

namespace debug_map {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

struct DigitRun {
  size_t begin = 0;
  size_t size = 0;
};

// The longest run of digits that a number can hold, the first of equally long ones: in
// `conv.___torch_mangle_3.Conv2d` that is the 3 of the mangling.
DigitRun LongestDigitRun(std::string_view text) {
  DigitRun best;
  for (size_t i = 0; i < text.size();) {
    if (!IsDigit(text[i])) {
      ++i;
      continue;
    }
    const size_t begin = i;
    while (i < text.size() && IsDigit(text[i])) ++i;
    const size_t size = i - begin;
    if (size > best.size && size <= kNumberDigitsMax) best = {begin, size};
  }
  return best;
}

size_t SharedPrefix(std::string_view a, std::string_view b) {
  const size_t most = std::min(a.size(), b.size());
  size_t shared = 0;
  while (shared < most && a[shared] == b[shared]) ++shared;
  return shared;
}

}  // namespace

PatternedString TakeApart(std::string_view text) {
  PatternedString result;
  const DigitRun run = LongestDigitRun(text);
  // A text that holds the mark itself cannot be a pattern with a number; nor may it be so long that
  // the reader would have to allocate for its tail.
  if (run.size == 0 || text.find(kNumberMark) != std::string_view::npos ||
      text.size() > TextBuffer::kInlineBytes / 2) {
    result.pattern = text;
    return result;
  }
  uint64_t number = 0;
  const std::string_view digits = text.substr(run.begin, run.size);
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_filled = digits.size() > 1 && digits[0] == '0';
  result.pattern = text.substr(0, run.begin);
  result.pattern += kNumberMark;
  result.pattern += static_cast<char>(is_filled ? digits.size() : 0);
  result.pattern += text.substr(run.begin + run.size);
  result.number_plus_one = number + 1;
  return result;
}

EncodedStrings EncodeStrings(std::span<const std::string_view> strings) {
  std::vector<PatternedString> parts;
  parts.reserve(strings.size());
  for (const std::string_view text : strings) parts.push_back(TakeApart(text));
  std::vector<std::string_view> patterns;
  patterns.reserve(parts.size());
  for (const PatternedString& part : parts) patterns.push_back(part.pattern);
  std::sort(patterns.begin(), patterns.end());
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());

  EncodedStrings encoded;
  PutVarint(encoded.patterns_header, patterns.size());
  PackedTableWriter blocks(1);
  for (size_t i = 0; i < patterns.size(); ++i) {
    size_t shared = 0;
    if (i % kPatternsPerBlock == 0) {
      blocks.Add({encoded.patterns_payload.size()});
    } else {
      shared = SharedPrefix(patterns[i - 1], patterns[i]);
      PutVarint(encoded.patterns_payload, shared);
    }
    PutVarint(encoded.patterns_payload, patterns[i].size() - shared);
    PutBytes(encoded.patterns_payload, AsBytes(patterns[i].substr(shared)));
  }
  blocks.Finish(encoded.blocks_header, encoded.blocks_payload);

  PackedTableWriter rows(2);
  rows.Reserve(parts.size());
  for (const PatternedString& part : parts) {
    const auto at = std::lower_bound(patterns.begin(), patterns.end(), part.pattern);
    rows.Add({static_cast<uint64_t>(at - patterns.begin()), part.number_plus_one});
  }
  rows.Finish(encoded.strings_header, encoded.strings_payload);
  return encoded;
}

}  // namespace debug_map
}  // namespace handrail
