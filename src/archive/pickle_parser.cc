// The pickle machine: a stack, marks on it, a memo, and an arena for what is made.
//
// Handlers return false after they have set error_; the loop then stops. Results would do, but one
// is seven words to return, per opcode, of which there are millions.
#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "archive/charged_stack.h"
#include "archive/pickle.h"
#include "archive/pickle_opcodes.h"
#include "archive/word_arena.h"

namespace handrail {

class PickleParser {
 public:
  PickleParser(std::span<const std::byte> bytes, MemoryBudget& budget)
      : begin_(reinterpret_cast<const uint8_t*>(bytes.data())),
        end_(begin_ + bytes.size()),
        next_(begin_),
        stack_(budget, "pickle stack"),
        marks_(budget, "pickle marks"),
        memo_(budget, "pickle memo") {
    pickle_.bytes_ = bytes;
    pickle_.arena_ = WordArena(budget);
  }

  Result<Pickle> Parse() {
    while (true) {
      if (next_ == end_) {
        opcode_ = next_;
        return Fail(ErrorCode::kTruncated, fmt::format("offset {:#x}: ends without STOP", Offset()),
                    Offset());
      }
      opcode_ = next_++;
      if (static_cast<PickleOpcode>(*opcode_) == PickleOpcode::kStop) break;
      if (!Step(static_cast<PickleOpcode>(*opcode_))) return tl::unexpected(std::move(error_));
    }
    if (marks_.size() != 0 || stack_.size() != 1) {
      Refuse(ErrorCode::kCorrupt, "need one value and no open mark, have {} and {}", stack_.size(),
             marks_.size());
      return tl::unexpected(std::move(error_));
    }
    pickle_.root_ = stack_.back();
    return std::move(pickle_);
  }

 private:
  using Tag = PickleValue::Tag;
  using Value = PickleValue;

  // --- Errors ------------------------------------------------------------------------------------

  uint64_t Offset() const { return static_cast<uint64_t>(opcode_ - begin_); }

  // "offset 0x12: TUPLE2: <message>". Always false.
  template <typename... Args>
  [[gnu::cold, gnu::noinline]] bool Refuse(ErrorCode code, fmt::format_string<Args...> format,
                                           Args&&... args) {
    error_ = Error{
        code, Offset(),
        fmt::format("offset {:#x}: {}: {}", Offset(), ToString(static_cast<PickleOpcode>(*opcode_)),
                    fmt::format(format, std::forward<Args>(args)...))};
    return false;
  }
  [[gnu::cold, gnu::noinline]] bool Refuse(Error error) {
    return Refuse(error.code, "{}", error.message);
  }

  // --- Input -------------------------------------------------------------------------------------

  size_t Remaining() const { return static_cast<size_t>(end_ - next_); }
  bool Need(uint64_t size_bytes) {
    if (size_bytes <= Remaining()) return true;
    return Refuse(ErrorCode::kTruncated, "need {} bytes, have {}", size_bytes, Remaining());
  }
  // The operand that follows the opcode; Need has been asked.
  template <typename T>
  T TakeOperand() {
    const T value = LoadLittleEndian<T>(next_);
    next_ += sizeof(T);
    return value;
  }

  // --- Stack -------------------------------------------------------------------------------------

  bool Push(Value value) { return stack_.Push(value) || Refuse(std::move(stack_.error())); }
  bool PushInt(int64_t value) { return Push(Value(Tag::kInt, static_cast<uint64_t>(value))); }
  bool PushConstant(uint64_t constant) { return Push(Value(Tag::kConstant, constant)); }
  // The scalar whose opcode this is.
  bool PushScalar() { return Push(Value(Tag::kScalar, reinterpret_cast<uint64_t>(opcode_))); }

  // What the opcode may use: values above the last mark.
  size_t Height() const { return stack_.size() - floor_; }
  bool NeedValues(size_t count) {
    if (Height() >= count) return true;
    return Refuse(ErrorCode::kCorrupt, "need {} values on the stack, have {}", count, Height());
  }

  bool Mark() {
    if (marks_.size() == limits::kPickleDepthMax) {
      return Refuse(ErrorCode::kLimit, "more than {} open marks", limits::kPickleDepthMax);
    }
    if (!marks_.Push(floor_)) return Refuse(std::move(marks_.error()));
    floor_ = stack_.size();
    return true;
  }
  // Closes the last mark: `values` are those above it, which are off the stack afterwards, but stay
  // in place until the next push. Below them `below` values must be left.
  bool PopMark(std::span<const Value>& values, size_t below) {
    if (marks_.size() == 0) return Refuse(ErrorCode::kCorrupt, "need a mark, have none");
    values = {stack_.begin() + floor_, stack_.end()};
    floor_ = marks_.back();
    marks_.Drop(1);
    stack_.Drop(values.size());
    return NeedValues(below);
  }

  // --- Arena -------------------------------------------------------------------------------------

  // A new node, its header written; null after an error.
  Value* NewNode(size_t words, uint32_t high) {
    Value* node = NewWords(words);
    if (node != nullptr) *node = Header(high, static_cast<uint32_t>(Offset()));
    return node;
  }
  Value* NewWords(size_t count) {
    auto* words = reinterpret_cast<Value*>(pickle_.arena_.Take(count));
    if (words == nullptr) Refuse(std::move(pickle_.arena_.error()));
    return words;
  }
  static Value Header(uint32_t high, uint32_t offset) {
    return Value::OfWord(uint64_t{high} << 32 | offset);
  }
  static uint32_t Count(size_t count) { return static_cast<uint32_t>(count); }

  // --- Containers --------------------------------------------------------------------------------

  // Of the `count` values at the stack's top, which it replaces.
  bool MakeTuple(size_t count) {
    if (!NeedValues(count)) return false;
    stack_.Drop(count);
    return PushTuple({stack_.end(), count});
  }
  bool PushTuple(std::span<const Value> values) {
    if (values.empty()) return PushConstant(Value::kEmptyTupleConstant);
    Value* node = NewNode(values.size() + 1, Count(values.size()));
    if (node == nullptr) return false;
    std::copy(values.begin(), values.end(), node + 1);
    return Push(Value::OfNode(Tag::kTuple, node));
  }

  // An empty list or dict; a value of tag kConstant after an error.
  Value NewList(Tag tag) {
    Value* node = NewNode(Value::kListWords, 0);
    if (node == nullptr) return Value();
    node[Value::kListArray] = Value::OfWord(0);
    node[Value::kListCapacity] = Value::OfWord(0);
    return Value::OfNode(tag, node);
  }
  bool PushList(Tag tag) {
    const Value list = NewList(tag);
    return list.tag() == tag && Push(list);
  }
  // Adds elements to a list, or pairs to a dict; `values` are not in the list's own array.
  bool Extend(Value list, std::span<const Value> values) {
    if (values.empty()) return true;
    Value* node = list.Node();
    const size_t words_per_element = list.tag() == Tag::kDict ? 2 : 1;
    const size_t used = node->HeaderHigh() * words_per_element;
    const size_t need = used + values.size();
    if (need > node[Value::kListCapacity].word_) {
      // Exact the first time, since most lists are written at once; then doubling.
      const size_t capacity = used == 0 ? need : std::max(need, 2 * used);
      Value* array = NewWords(capacity);
      if (array == nullptr) return false;
      if (used > 0) std::copy_n(node[Value::kListArray].Array(), used, array);
      node[Value::kListArray] = Value::OfWord(reinterpret_cast<uint64_t>(array));
      node[Value::kListCapacity] = Value::OfWord(capacity);
    }
    std::copy(values.begin(), values.end(), node[Value::kListArray].Array() + used);
    *node = Header(Count(need / words_per_element), node->HeaderOffset());
    return true;
  }
  // The list or dict itself, or the items of an object.
  bool ExtendTarget(Value target, Tag tag, std::span<const Value> values) {
    if (tag == Tag::kDict && values.size() % 2 != 0) {
      return Refuse(ErrorCode::kCorrupt, "need pairs of key and value, have {} values",
                    values.size());
    }
    if (target.tag() == tag) return Extend(target, values);
    if (target.tag() == Tag::kObject) {
      Value& items = target.Node()[Value::kObjectItems];
      if (!Value::Present(items)) {
        const Value list = NewList(tag);
        if (list.tag() != tag) return false;
        items = list;
      }
      if (items.tag() == tag) return Extend(items, values);
    }
    return Refuse(ErrorCode::kCorrupt, "need {} to add to, have {}",
                  tag == Tag::kDict ? "a dict" : "a list", pickle_.Describe(target));
  }
  // APPEND and SETITEM: the target lies below `count` values.
  bool AddFew(Tag tag, size_t count) {
    if (!NeedValues(count + 1)) return false;
    stack_.Drop(count);
    return ExtendTarget(stack_.back(), tag, {stack_.end(), count});
  }
  // APPENDS and SETITEMS.
  bool AddMany(Tag tag) {
    std::span<const Value> values;
    return PopMark(values, 1) && ExtendTarget(stack_.back(), tag, values);
  }
  // LIST and DICT.
  bool MakeList(Tag tag) {
    std::span<const Value> values;
    if (!PopMark(values, 0)) return false;
    const Value list = NewList(tag);
    return list.tag() == tag && ExtendTarget(list, tag, values) && Push(list);
  }

  // --- Objects -----------------------------------------------------------------------------------

  bool MakeObject(uint32_t form) {
    if (!NeedValues(2)) return false;
    Value args = stack_.back();
    const Value callable = stack_.end()[-2];
    if (!args.is_tuple()) {
      // PyTorch writes a member of an enum as its class called with its value, without a tuple.
      if (form != Value::kReduceForm || callable.kind() != PickleKind::kGlobal) {
        return Refuse(ErrorCode::kCorrupt, "need a tuple of arguments, have {}",
                      pickle_.Describe(args));
      }
      Value* tuple = NewNode(2, 1);
      if (tuple == nullptr) return false;
      tuple[1] = args;
      args = Value::OfNode(Tag::kTuple, tuple);
    }
    Value* node = NewNode(Value::kObjectWords, form);
    if (node == nullptr) return false;
    node[Value::kObjectCallable] = callable;
    node[Value::kObjectArgs] = args;
    node[Value::kObjectState] = Value(Tag::kConstant, Value::kAbsentConstant);
    node[Value::kObjectItems] = Value(Tag::kConstant, Value::kAbsentConstant);
    stack_.Drop(2);
    return Push(Value::OfNode(Tag::kObject, node));
  }
  bool Build() {
    if (!NeedValues(2)) return false;
    const Value state = stack_.back();
    stack_.Drop(1);
    const Value object = stack_.back();
    if (object.tag() != Tag::kObject) {
      return Refuse(ErrorCode::kCorrupt, "need an object, have {}", pickle_.Describe(object));
    }
    Value& slot = object.Node()[Value::kObjectState];
    if (Value::Present(slot)) {
      return Refuse(ErrorCode::kUnsupported, "a second state for the object at {:#x}",
                    pickle_.OffsetOf(object));
    }
    slot = state;
    return true;
  }
  bool MakePersistentId() {
    if (!NeedValues(1)) return false;
    Value* node = NewNode(Value::kPersistentIdWords, Value::kPersistentIdForm);
    if (node == nullptr) return false;
    node[Value::kPersistentIdValue] = stack_.back();
    stack_.Drop(1);
    return Push(Value::OfNode(Tag::kOther, node));
  }
  bool MakeStackGlobal() {
    if (!NeedValues(2)) return false;
    const Value name = stack_.back();
    const Value module = stack_.end()[-2];
    if (!module.is_text() || !name.is_text()) {
      return Refuse(ErrorCode::kCorrupt, "need two texts, have {} and {}", pickle_.Describe(module),
                    pickle_.Describe(name));
    }
    Value* node = NewNode(Value::kGlobalWords, Value::kGlobalForm);
    if (node == nullptr) return false;
    node[Value::kGlobalModule] = module;
    node[Value::kGlobalName] = name;
    stack_.Drop(2);
    return Push(Value::OfNode(Tag::kOther, node));
  }
  bool ReadGlobal() {
    for (int line = 0; line < 2; ++line) {
      const uint8_t* newline = std::find(next_, end_, uint8_t{'\n'});
      if (newline == end_) {
        return Refuse(ErrorCode::kTruncated, "need two lines, have {}", line);
      }
      next_ = newline + 1;
    }
    return PushScalar();
  }

  // --- Memo --------------------------------------------------------------------------------------

  bool Put(uint64_t index) {
    if (!NeedValues(1)) return false;
    if (index >= memo_.size()) {
      // Writers count up, two bytes or more an index, so an honest one is below the offset. The
      // check keeps the memo in proportion to the input.
      if (index > Offset()) {
        return Refuse(ErrorCode::kCorrupt, "memo index {} so early", index);
      }
      if (!memo_.Extend(static_cast<size_t>(index) + 1, Value::OfWord(0))) {
        return Refuse(std::move(memo_.error()));
      }
    }
    memo_.begin()[index] = stack_.back();
    return true;
  }
  bool Get(uint64_t index) {
    if (index >= memo_.size() || memo_.begin()[index].word_ == 0) {
      return Refuse(ErrorCode::kCorrupt, "nothing was memoized under index {}", index);
    }
    return Push(memo_.begin()[index]);
  }

  // --- Scalars -----------------------------------------------------------------------------------

  bool ReadText(unsigned length_bytes) {
    if (!Need(length_bytes)) return false;
    const uint64_t length = LoadLength(next_, length_bytes);
    next_ += length_bytes;
    if (!Need(length)) return false;
    next_ += length;
    return PushScalar();
  }
  bool ReadLong(unsigned length_bytes) {
    if (!Need(length_bytes)) return false;
    const uint64_t length = LoadLength(next_, length_bytes);
    next_ += length_bytes;
    if (!Need(length)) return false;
    if (length > 8) {
      return Refuse(ErrorCode::kUnsupported, "an integer of {} bytes, need 8 at most", length);
    }
    const int64_t value = LoadLong(next_, static_cast<unsigned>(length));
    next_ += length;
    constexpr int64_t kImmediateMax = std::numeric_limits<int64_t>::max() >> Value::kTagBits;
    if (value > kImmediateMax || value < -kImmediateMax - 1) return PushScalar();
    return PushInt(value);
  }

  // --- The machine -------------------------------------------------------------------------------

  bool Step(PickleOpcode opcode) {
    switch (opcode) {
      case PickleOpcode::kBinInt1:
        return Need(1) && PushInt(TakeOperand<uint8_t>());
      case PickleOpcode::kBinInt2:
        return Need(2) && PushInt(TakeOperand<uint16_t>());
      case PickleOpcode::kBinInt:
        return Need(4) && PushInt(static_cast<int32_t>(TakeOperand<uint32_t>()));
      case PickleOpcode::kBinGet:
        return Need(1) && Get(TakeOperand<uint8_t>());
      case PickleOpcode::kLongBinGet:
        return Need(4) && Get(TakeOperand<uint32_t>());
      case PickleOpcode::kBinPut:
        return Need(1) && Put(TakeOperand<uint8_t>());
      case PickleOpcode::kLongBinPut:
        return Need(4) && Put(TakeOperand<uint32_t>());
      case PickleOpcode::kMemoize:
        return Put(memo_.size());
      case PickleOpcode::kMark:
        return Mark();
      case PickleOpcode::kTuple: {
        std::span<const Value> values;
        return PopMark(values, 0) && PushTuple(values);
      }
      case PickleOpcode::kTuple1:
        return MakeTuple(1);
      case PickleOpcode::kTuple2:
        return MakeTuple(2);
      case PickleOpcode::kTuple3:
        return MakeTuple(3);
      case PickleOpcode::kEmptyTuple:
        return PushConstant(Value::kEmptyTupleConstant);
      case PickleOpcode::kNone:
        return PushConstant(Value::kNoneConstant);
      case PickleOpcode::kNewTrue:
        return PushConstant(Value::kTrueConstant);
      case PickleOpcode::kNewFalse:
        return PushConstant(Value::kFalseConstant);
      case PickleOpcode::kBinUnicode:
      case PickleOpcode::kShortBinUnicode:
      case PickleOpcode::kBinUnicode8:
      case PickleOpcode::kBinString:
      case PickleOpcode::kShortBinString:
      case PickleOpcode::kBinBytes:
      case PickleOpcode::kShortBinBytes:
      case PickleOpcode::kBinBytes8:
        return ReadText(LengthBytes(opcode));
      case PickleOpcode::kLong1:
      case PickleOpcode::kLong4:
        return ReadLong(LengthBytes(opcode));
      case PickleOpcode::kBinFloat:
        if (!Need(8)) return false;
        next_ += 8;
        return PushScalar();
      case PickleOpcode::kGlobal:
        return ReadGlobal();
      case PickleOpcode::kStackGlobal:
        return MakeStackGlobal();
      case PickleOpcode::kEmptyList:
        return PushList(Tag::kList);
      case PickleOpcode::kEmptyDict:
        return PushList(Tag::kDict);
      case PickleOpcode::kList:
        return MakeList(Tag::kList);
      case PickleOpcode::kDict:
        return MakeList(Tag::kDict);
      case PickleOpcode::kAppend:
        return AddFew(Tag::kList, 1);
      case PickleOpcode::kSetItem:
        return AddFew(Tag::kDict, 2);
      case PickleOpcode::kAppends:
        return AddMany(Tag::kList);
      case PickleOpcode::kSetItems:
        return AddMany(Tag::kDict);
      case PickleOpcode::kReduce:
        return MakeObject(Value::kReduceForm);
      case PickleOpcode::kNewObj:
        return MakeObject(Value::kNewObjectForm);
      case PickleOpcode::kBuild:
        return Build();
      case PickleOpcode::kBinPersId:
        return MakePersistentId();
      case PickleOpcode::kPop:
        if (!NeedValues(1)) return false;
        stack_.Drop(1);
        return true;
      case PickleOpcode::kPopMark: {
        std::span<const Value> values;
        return PopMark(values, 0);
      }
      case PickleOpcode::kDup:
        return NeedValues(1) && Push(stack_.back());
      case PickleOpcode::kProto:
        // Protocols differ in their opcodes alone, each of which speaks for itself.
        if (!Need(1)) return false;
        next_ += 1;
        return true;
      case PickleOpcode::kFrame:
        if (!Need(8)) return false;
        next_ += 8;
        return true;
      case PickleOpcode::kStop:
        break;
    }
    error_ = Error{ErrorCode::kUnsupported, Offset(),
                   fmt::format("offset {:#x}: opcode {:#04x}: is not one that we read", Offset(),
                               static_cast<unsigned>(opcode))};
    return false;
  }

  const uint8_t* const begin_;
  const uint8_t* const end_;
  const uint8_t* next_;
  const uint8_t* opcode_ = nullptr;
  ChargedStack<Value> stack_;
  // Where on the stack the values above the last open mark begin; marks_ holds the floors below.
  size_t floor_ = 0;
  ChargedStack<size_t> marks_;
  ChargedStack<Value> memo_;
  Pickle pickle_;
  Error error_{ErrorCode::kCorrupt, 0, ""};
};

Result<Pickle> Pickle::Parse(std::span<const std::byte> bytes, MemoryBudget& budget) {
  if (bytes.size() > limits::kPickleBytesMax) {
    return Fail(ErrorCode::kLimit, fmt::format("a pickle of {} bytes, need {} at most",
                                               bytes.size(), limits::kPickleBytesMax));
  }
  return PickleParser(bytes, budget).Parse();
}

}  // namespace handrail
