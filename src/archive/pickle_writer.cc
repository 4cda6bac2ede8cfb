#include "archive/pickle_writer.h"

#include <bit>
#include <limits>

#include "archive/pickle_opcodes.h"

namespace handrail {
namespace {

constexpr uint8_t kProtocol = 2;

}  // namespace

PickleWriter::PickleWriter() {
  Opcode(PickleOpcode::kProto);
  Byte(kProtocol);
}

void PickleWriter::Byte(uint8_t byte) {
  out_ += static_cast<char>(byte);
}
void PickleWriter::Opcode(PickleOpcode opcode) {
  Byte(static_cast<uint8_t>(opcode));
}

template <typename T>
void PickleWriter::LittleEndian(T value) {
  for (unsigned i = 0; i < sizeof(T); ++i) Byte(static_cast<uint8_t>(value >> (8 * i)));
}

void PickleWriter::None() {
  Opcode(PickleOpcode::kNone);
}
void PickleWriter::Bool(bool value) {
  Opcode(value ? PickleOpcode::kNewTrue : PickleOpcode::kNewFalse);
}

void PickleWriter::Int(int64_t value) {
  if (value >= 0 && value <= std::numeric_limits<uint8_t>::max()) {
    Opcode(PickleOpcode::kBinInt1);
    Byte(static_cast<uint8_t>(value));
  } else if (value >= 0 && value <= std::numeric_limits<uint16_t>::max()) {
    Opcode(PickleOpcode::kBinInt2);
    LittleEndian(static_cast<uint16_t>(value));
  } else if (value >= std::numeric_limits<int32_t>::min() &&
             value <= std::numeric_limits<int32_t>::max()) {
    Opcode(PickleOpcode::kBinInt);
    LittleEndian(static_cast<uint32_t>(value));
  } else {
    Opcode(PickleOpcode::kLong1);
    Byte(sizeof(value));
    LittleEndian(static_cast<uint64_t>(value));
  }
}

void PickleWriter::Double(double value) {
  Opcode(PickleOpcode::kBinFloat);
  const auto bits = std::bit_cast<uint64_t>(value);
  for (int shift = 56; shift >= 0; shift -= 8) Byte(static_cast<uint8_t>(bits >> shift));
}

void PickleWriter::Text(std::string_view value) {
  if (const auto found = texts_.find(value); found != texts_.end()) return Get(found->second);
  Opcode(PickleOpcode::kBinUnicode);
  LittleEndian(static_cast<uint32_t>(value.size()));
  out_ += value;
  texts_.emplace(value, Memoize());
}

void PickleWriter::BeginTuple(size_t size) {
  if (size > 3) Opcode(PickleOpcode::kMark);
}

void PickleWriter::EndTuple(size_t size) {
  constexpr PickleOpcode kBySize[] = {PickleOpcode::kEmptyTuple, PickleOpcode::kTuple1,
                                      PickleOpcode::kTuple2, PickleOpcode::kTuple3};
  Opcode(size > 3 ? PickleOpcode::kTuple : kBySize[size]);
}

uint32_t PickleWriter::Memoize() {
  const uint32_t index = memo_count_++;
  if (index <= std::numeric_limits<uint8_t>::max()) {
    Opcode(PickleOpcode::kBinPut);
    Byte(static_cast<uint8_t>(index));
  } else {
    Opcode(PickleOpcode::kLongBinPut);
    LittleEndian(index);
  }
  return index;
}

void PickleWriter::Get(uint32_t memo_index) {
  if (memo_index <= std::numeric_limits<uint8_t>::max()) {
    Opcode(PickleOpcode::kBinGet);
    Byte(static_cast<uint8_t>(memo_index));
  } else {
    Opcode(PickleOpcode::kLongBinGet);
    LittleEndian(memo_index);
  }
}

void PickleWriter::BeginList() {
  Opcode(PickleOpcode::kEmptyList);
  Opcode(PickleOpcode::kMark);
}
void PickleWriter::EndList() {
  Opcode(PickleOpcode::kAppends);
}

void PickleWriter::BeginDict() {
  Opcode(PickleOpcode::kEmptyDict);
  Opcode(PickleOpcode::kMark);
}
void PickleWriter::EndDict() {
  Opcode(PickleOpcode::kSetItems);
}

void PickleWriter::IntList(std::span<const int64_t> values) {
  BeginTypedList("build_intlist");
  for (const int64_t value : values) Int(value);
  EndTypedList();
}

void PickleWriter::BeginTypedList(std::string_view builder) {
  Global("torch.jit._pickle", builder);
  // PyTorch marks the argument tuple although it has one element.
  Opcode(PickleOpcode::kMark);
  BeginList();
}

void PickleWriter::EndTypedList() {
  EndList();
  Opcode(PickleOpcode::kTuple);
  Reduce();
}

void PickleWriter::Global(std::string_view module, std::string_view name) {
  std::string lines(module);
  lines += '\n';
  lines += name;
  lines += '\n';
  if (const auto found = globals_.find(lines); found != globals_.end()) return Get(found->second);
  Opcode(PickleOpcode::kGlobal);
  out_ += lines;
  globals_.emplace(std::move(lines), Memoize());
}

void PickleWriter::Reduce() {
  Opcode(PickleOpcode::kReduce);
}
void PickleWriter::NewObject() {
  Opcode(PickleOpcode::kNewObj);
}
void PickleWriter::Build() {
  Opcode(PickleOpcode::kBuild);
}
void PickleWriter::PersistentId() {
  Opcode(PickleOpcode::kBinPersId);
}
void PickleWriter::Raw(std::string_view bytes) {
  out_ += bytes;
}

std::string PickleWriter::Finish() && {
  Opcode(PickleOpcode::kStop);
  return std::move(out_);
}

}  // namespace handrail
