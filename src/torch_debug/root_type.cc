#include <string>
#include <string_view>

#include "handrail/base/byte_cursor.h"

#include "torch_debug/file_readers.h"

namespace handrail {
namespace {

// Pickle opcodes (archive/pickle_opcodes.def). Parsing all of data.pkl, which describes every
// tensor, would cost more than everything else that is read of a large archive.
constexpr char kProto = '\x80';
constexpr char kGlobal = 'c';
constexpr char kBinPut = 'q';
constexpr char kLongBinPut = 'r';
constexpr char kEmptyTuple = ')';
constexpr char kNewObject = '\x81';

// Takes the text up to the next line's end, or nothing.
bool TakeLine(std::string_view& text, std::string_view& line) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return false;
  line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return true;
}

}  // namespace

std::string RootTypeOf(std::span<const std::byte> data_pkl) {
  std::string_view text = AsText(data_pkl);
  if (text.size() < 2 || text[0] != kProto) return {};
  text.remove_prefix(2);
  if (!text.starts_with(kGlobal)) return {};
  text.remove_prefix(1);
  std::string_view module;
  std::string_view name;
  if (!TakeLine(text, module) || !TakeLine(text, name)) return {};
  if (text.starts_with(kBinPut)) text.remove_prefix(std::min<size_t>(2, text.size()));
  if (text.starts_with(kLongBinPut)) text.remove_prefix(std::min<size_t>(5, text.size()));
  if (!text.starts_with(std::string{kEmptyTuple, kNewObject})) return {};
  return std::string(module) + "." + std::string(name);
}

std::string_view ClassOfMethod(std::string_view qualified_name) {
  const size_t dot = qualified_name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : qualified_name.substr(0, dot);
}

}  // namespace handrail
