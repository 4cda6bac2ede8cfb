#include "archive/pickle.h"

#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "handrail/base/byte_cursor.h"

#include "archive/pickle_opcodes.h"
#include "archive/quoted.h"

namespace handrail {
namespace {

// The text, bytes or long integer that follows a scalar's opcode; the parser has checked that it is
// there.
std::span<const uint8_t> ScalarBytes(const uint8_t* opcode) {
  const unsigned length_bytes = LengthBytes(static_cast<PickleOpcode>(*opcode));
  HANDRAIL_CHECK(length_bytes != 0);
  return {opcode + 1 + length_bytes, static_cast<size_t>(LoadLength(opcode + 1, length_bytes))};
}

// A line of a GLOBAL; the parser has checked that its '\n' is there.
std::string_view LineAt(const char* start) {
  const char* end = start;
  while (*end != '\n') ++end;
  return {start, static_cast<size_t>(end - start)};
}

std::string_view WithArticle(PickleKind kind) {
  switch (kind) {
    case PickleKind::kNone:
      return "None";
    case PickleKind::kBool:
      return "a bool";
    case PickleKind::kInt:
      return "an int";
    case PickleKind::kDouble:
      return "a double";
    case PickleKind::kText:
      return "a text";
    case PickleKind::kBytes:
      return "bytes";
    case PickleKind::kTuple:
      return "a tuple";
    case PickleKind::kList:
      return "a list";
    case PickleKind::kDict:
      return "a dict";
    case PickleKind::kGlobal:
      return "a global";
    case PickleKind::kObject:
      return "an object";
    case PickleKind::kPersistentId:
      return "a persistent id";
  }
  return "nothing";
}

}  // namespace

std::string_view ToString(PickleKind kind) {
  const std::string_view text = WithArticle(kind);
  const size_t space = text.starts_with("a ") || text.starts_with("an ") ? text.find(' ') + 1 : 0;
  return text.substr(space);
}

std::string_view ToString(PickleOpcode opcode) {
  switch (opcode) {
#define HANDRAIL_PICKLE_OPCODE(name, byte, text, meaning) \
  case PickleOpcode::name:                                \
    return text;
#include "archive/pickle_opcodes.def"
  }
  return "";
}

PickleKind PickleValue::kind() const {
  switch (tag()) {
    case Tag::kInt:
      return PickleKind::kInt;
    case Tag::kTuple:
      return PickleKind::kTuple;
    case Tag::kList:
      return PickleKind::kList;
    case Tag::kDict:
      return PickleKind::kDict;
    case Tag::kObject:
      return PickleKind::kObject;
    case Tag::kOther:
      return Node()->HeaderHigh() == kPersistentIdForm ? PickleKind::kPersistentId
                                                       : PickleKind::kGlobal;
    case Tag::kConstant:
      if (word_ == Pack(Tag::kConstant, kNoneConstant)) return PickleKind::kNone;
      if (word_ == Pack(Tag::kConstant, kEmptyTupleConstant)) return PickleKind::kTuple;
      return PickleKind::kBool;
    case Tag::kScalar:
      break;
  }
  switch (static_cast<PickleOpcode>(*Opcode())) {
    case PickleOpcode::kBinFloat:
      return PickleKind::kDouble;
    case PickleOpcode::kLong1:
    case PickleOpcode::kLong4:
      return PickleKind::kInt;
    case PickleOpcode::kGlobal:
      return PickleKind::kGlobal;
    case PickleOpcode::kBinBytes:
    case PickleOpcode::kShortBinBytes:
    case PickleOpcode::kBinBytes8:
      return PickleKind::kBytes;
    default:
      return PickleKind::kText;
  }
}

bool PickleValue::as_bool() const {
  HANDRAIL_CHECK(kind() == PickleKind::kBool);
  return word_ == Pack(Tag::kConstant, kTrueConstant);
}

int64_t PickleValue::LongInt() const {
  HANDRAIL_CHECK(kind() == PickleKind::kInt);
  const auto bytes = ScalarBytes(Opcode());
  return LoadLong(bytes.data(), static_cast<unsigned>(bytes.size()));
}

double PickleValue::as_double() const {
  HANDRAIL_CHECK(kind() == PickleKind::kDouble);
  uint64_t bits = 0;
  for (int i = 1; i <= 8; ++i) bits = bits << 8 | Opcode()[i];
  return std::bit_cast<double>(bits);
}

std::string_view PickleValue::as_text() const {
  HANDRAIL_CHECK(is_text());
  return AsText(std::as_bytes(ScalarBytes(Opcode())));
}

std::span<const std::byte> PickleValue::as_bytes() const {
  HANDRAIL_CHECK(kind() == PickleKind::kBytes);
  return std::as_bytes(ScalarBytes(Opcode()));
}

size_t PickleValue::SlowSize() const {
  if (is_tuple()) return 0;
  HANDRAIL_CHECK(is_list() || is_dict());
  return Node()->HeaderHigh();
}

std::span<const PickleValue> PickleValue::SlowElements() const {
  if (is_tuple()) return {};
  HANDRAIL_CHECK(is_list() || is_dict());
  const PickleValue* node = Node();
  const size_t count = is_dict() ? size_t{2} * node->HeaderHigh() : node->HeaderHigh();
  return {node[kListArray].Array(), count};
}

std::optional<PickleValue> PickleValue::Find(std::string_view key) const {
  HANDRAIL_CHECK(is_dict());
  const auto pairs = elements();
  for (size_t i = pairs.size(); i > 0; i -= 2) {
    if (pairs[i - 2].is_text() && pairs[i - 2].as_text() == key) return pairs[i - 1];
  }
  return std::nullopt;
}

std::string_view PickleValue::global_module() const {
  HANDRAIL_CHECK(kind() == PickleKind::kGlobal);
  if (tag() == Tag::kOther) return Node()[kGlobalModule].as_text();
  return LineAt(reinterpret_cast<const char*>(Opcode()) + 1);
}

std::string_view PickleValue::global_name() const {
  HANDRAIL_CHECK(kind() == PickleKind::kGlobal);
  if (tag() == Tag::kOther) return Node()[kGlobalName].as_text();
  const std::string_view module = global_module();
  return LineAt(module.data() + module.size() + 1);
}

bool PickleValue::is_global(std::string_view module, std::string_view name) const {
  return kind() == PickleKind::kGlobal && global_module() == module && global_name() == name;
}

PickleValue PickleValue::callable() const {
  HANDRAIL_CHECK(tag() == Tag::kObject);
  return Node()[kObjectCallable];
}

PickleValue PickleValue::args() const {
  HANDRAIL_CHECK(tag() == Tag::kObject);
  return Node()[kObjectArgs];
}

bool PickleValue::is_new_object() const {
  return tag() == Tag::kObject && Node()->HeaderHigh() == kNewObjectForm;
}

std::optional<PickleValue> PickleValue::Present(PickleValue value) {
  if (value.word_ == Pack(Tag::kConstant, kAbsentConstant)) return std::nullopt;
  return value;
}

std::optional<PickleValue> PickleValue::state() const {
  HANDRAIL_CHECK(tag() == Tag::kObject);
  return Present(Node()[kObjectState]);
}

std::optional<PickleValue> PickleValue::items() const {
  HANDRAIL_CHECK(tag() == Tag::kObject);
  return Present(Node()[kObjectItems]);
}

PickleValue PickleValue::persistent_id() const {
  HANDRAIL_CHECK(kind() == PickleKind::kPersistentId);
  return Node()[kPersistentIdValue];
}

std::optional<PickleValue> PickleValue::TypedList(std::string_view builder) const {
  if (is_list()) return *this;
  if (tag() != Tag::kObject || !callable().is_global("torch.jit._pickle", builder)) {
    return std::nullopt;
  }
  const PickleValue arguments = args();
  if (!arguments.is_tuple() || arguments.size() != 1 || !arguments.at(0).is_list()) {
    return std::nullopt;
  }
  return arguments.at(0);
}

uint64_t Pickle::OffsetOf(PickleValue value) const {
  switch (value.tag()) {
    case PickleValue::Tag::kInt:
    case PickleValue::Tag::kConstant:
      return Error::kNoOffset;
    case PickleValue::Tag::kScalar:
      return static_cast<uint64_t>(reinterpret_cast<const std::byte*>(value.Opcode()) -
                                   bytes_.data());
    default:
      return value.Node()->HeaderOffset();
  }
}

std::string Pickle::Describe(PickleValue value) const {
  const PickleKind kind = value.kind();
  std::string text(WithArticle(kind));
  switch (kind) {
    case PickleKind::kBool:
      text = value.as_bool() ? "True" : "False";
      break;
    case PickleKind::kInt:
      text = fmt::format("the int {}", value.as_int());
      break;
    case PickleKind::kDouble:
      text = fmt::format("the double {}", value.as_double());
      break;
    case PickleKind::kText:
      text = fmt::format("the text {}", Quoted(value.as_text()));
      break;
    case PickleKind::kTuple:
    case PickleKind::kList:
    case PickleKind::kDict:
      text += fmt::format(" of {}", value.size());
      break;
    case PickleKind::kGlobal:
      text = fmt::format("the global {}",
                         Quoted(fmt::format("{}.{}", value.global_module(), value.global_name())));
      break;
    default:
      break;
  }
  const uint64_t offset = OffsetOf(value);
  if (offset != Error::kNoOffset) text += fmt::format(" at {:#x}", offset);
  return text;
}

tl::unexpected<Error> Pickle::Mismatch(std::string_view what, std::string_view need,
                                       PickleValue have) const {
  return Fail(ErrorCode::kCorrupt, fmt::format("{}: need {}, have {}", what, need, Describe(have)),
              OffsetOf(have));
}

Result<int64_t> Pickle::ExpectInt(PickleValue value, std::string_view what) const {
  if (!value.is_int()) return Mismatch(what, "an int", value);
  return value.as_int();
}

Result<std::string_view> Pickle::ExpectText(PickleValue value, std::string_view what) const {
  if (!value.is_text()) return Mismatch(what, "a text", value);
  return value.as_text();
}

Result<std::span<const PickleValue>> Pickle::ExpectTuple(PickleValue value, std::string_view what,
                                                         size_t size_min) const {
  if (!value.is_tuple() || value.size() < size_min) {
    return Mismatch(what, fmt::format("a tuple of at least {}", size_min), value);
  }
  return value.elements();
}

Result<std::span<const PickleValue>> Pickle::ExpectIntList(PickleValue value,
                                                           std::string_view what) const {
  const std::optional<PickleValue> list = value.IntList();
  if (!list) return Mismatch(what, "a list of ints", value);
  for (const PickleValue element : list->elements()) {
    if (!element.is_int()) return Mismatch(what, "a list of ints", element);
  }
  return list->elements();
}

}  // namespace handrail
