// Reads a pickle into a tree of values that nothing can change.
//
// In:  a record's bytes (archive.h).   Out: values, each one machine word, in one arena.
//
// Reads what PyTorch's Pickler writes (protocol 2) and the binary opcodes of protocols 1 to 4 that
// Python's pickle writes for such values (pickle_opcodes.def lists them). No opcode executes
// anything: a GLOBAL is a pair of names, REDUCE, NEWOBJ and BUILD make an object that remembers
// them. Format: https://github.com/python/cpython/blob/3.11/Lib/pickletools.py.
//
// What input can do, and consumers must expect:
//   - chains of tuples can be as deep as the pickle is long (limits::kPickleDepthMax bounds only
//     open marks): walk values with a loop, never by recursion;
//   - one value may be reached many times through the memo, so a small pickle can spell a tree of
//     exponential size: visit shared containers once (identity()), or bound the work;
//   - lists, dicts and objects can contain themselves; tuples can not, unless through one of those;
//   - text can be any bytes, invalid UTF-8 included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "handrail/base/check.h"
#include "handrail/base/result.h"

#include "archive/memory_budget.h"
#include "archive/word_arena.h"

namespace handrail {

enum class PickleKind : uint8_t {
  kNone,
  kBool,
  kInt,  // int64
  kDouble,
  kText,
  kBytes,
  kTuple,
  kList,
  kDict,
  kGlobal,        // a module's and a thing's name
  kObject,        // REDUCE or NEWOBJ, perhaps with a state (BUILD) and items (APPENDS, SETITEMS)
  kPersistentId,  // BINPERSID; PyTorch: a tuple that names a tensor's storage
};

// "none", "bool", ... as messages name it.
std::string_view ToString(PickleKind kind);

// A value of a Pickle: one word, passed by value. Valid as long as the Pickle (moved or not) and
// the bytes it was parsed from live. Accessors other than kind() and is_...() require the kind that
// they name: anything else is a bug of the caller and aborts.
class PickleValue {
 public:
  // The value None, of no pickle.
  PickleValue() : PickleValue(Tag::kConstant, kNoneConstant) {}

  PickleKind kind() const;

  bool is_none() const { return word_ == Pack(Tag::kConstant, kNoneConstant); }
  bool is_int() const { return tag() == Tag::kInt || kind() == PickleKind::kInt; }
  bool is_text() const { return tag() == Tag::kScalar && kind() == PickleKind::kText; }
  bool is_tuple() const {
    return tag() == Tag::kTuple || word_ == Pack(Tag::kConstant, kEmptyTupleConstant);
  }
  bool is_list() const { return tag() == Tag::kList; }
  bool is_dict() const { return tag() == Tag::kDict; }

  bool as_bool() const;
  int64_t as_int() const {
    return tag() == Tag::kInt ? static_cast<int64_t>(word_) >> kTagBits : LongInt();
  }
  double as_double() const;
  // A view into the parsed bytes.
  std::string_view as_text() const;
  std::span<const std::byte> as_bytes() const;

  // Tuple, list: how many elements. Dict: how many pairs.
  size_t size() const {
    if (tag() == Tag::kTuple) return TupleSize();
    return SlowSize();
  }
  // Tuple, list; `index` < size().
  PickleValue at(size_t index) const {
    const auto all = elements();
    HANDRAIL_CHECK(index < all.size());
    return all[index];
  }
  // Tuple, list: the elements. Dict: key, value, key, value, ... in the order of writing; a key
  // may appear twice (readers of Python let the last one win).
  std::span<const PickleValue> elements() const {
    if (tag() == Tag::kTuple) return {Node() + 1, TupleSize()};
    return SlowElements();
  }
  // Dict: the value of the last pair whose key is this text. Takes O(size).
  std::optional<PickleValue> Find(std::string_view key) const;

  // Global: "torch.jit._pickle" and "build_intlist".
  std::string_view global_module() const;
  std::string_view global_name() const;
  bool is_global(std::string_view module, std::string_view name) const;

  // Object: what was called with what. For REDUCE a function, for NEWOBJ a class; usually a global.
  PickleValue callable() const;
  PickleValue args() const;                  // usually a tuple
  bool is_new_object() const;                // NEWOBJ rather than REDUCE; false for other kinds
  std::optional<PickleValue> state() const;  // what BUILD gave it
  // What APPENDS (a list) or SETITEMS (a dict) gave it, as for OrderedDict.
  std::optional<PickleValue> items() const;

  // Persistent id: the value that names it.
  PickleValue persistent_id() const;

  // The list inside PyTorch's typed lists, REDUCE of `torch.jit._pickle.<builder>` with the list as
  // only argument ("build_intlist", "build_doublelist", ...); a plain list is itself. Nothing for
  // other values. Elements are of any kind: check each.
  std::optional<PickleValue> TypedList(std::string_view builder) const;
  std::optional<PickleValue> IntList() const { return TypedList("build_intlist"); }

  // Equal for two references to one value of the pickle (through the memo), different for two
  // values of the same Pickle that were written twice, except small ints, None, bools and the empty
  // tuple, which are equal whenever their content is. Never 0.
  uint64_t identity() const { return word_; }

 private:
  friend class Pickle;
  friend class PickleParser;

  // The word: 3 bits of tag below 61 bits of payload. Containers are pointers to their node in the
  // arena, which are multiples of 8; scalars that do not fit are pointers to their opcode in the
  // input, shifted left, and decoded when asked for.
  enum class Tag : uint8_t { kScalar, kInt, kConstant, kTuple, kList, kDict, kObject, kOther };
  static constexpr int kTagBits = 3;
  static constexpr uint64_t kNoneConstant = 1;
  static constexpr uint64_t kFalseConstant = 2;
  static constexpr uint64_t kTrueConstant = 3;
  static constexpr uint64_t kEmptyTupleConstant = 4;
  static constexpr uint64_t kAbsentConstant = 5;  // "no state", "no items": never leaves this class

  static constexpr uint64_t Pack(Tag tag, uint64_t payload) {
    return payload << kTagBits | static_cast<uint64_t>(tag);
  }
  PickleValue(Tag tag, uint64_t payload) : word_(Pack(tag, payload)) {}
  static PickleValue OfWord(uint64_t word) {
    PickleValue value;
    value.word_ = word;
    return value;
  }
  static PickleValue OfNode(Tag tag, const PickleValue* node) {
    return OfWord(reinterpret_cast<uint64_t>(node) | static_cast<uint64_t>(tag));
  }

  Tag tag() const { return static_cast<Tag>(word_ & 7); }
  PickleValue* Node() const { return reinterpret_cast<PickleValue*>(word_ & ~uint64_t{7}); }
  const uint8_t* Opcode() const { return reinterpret_cast<const uint8_t*>(word_ >> kTagBits); }
  // A node of the arena is a run of words. Its first holds a size or a form above the offset, 32
  // bits each, of the opcode that made it. A tuple's elements follow it. Others have these words:
  static constexpr size_t kListArray = 1;     // list, dict: pointer to the elements, or 0 if empty
  static constexpr size_t kListCapacity = 2;  // words of that array
  static constexpr size_t kListWords = 3;
  static constexpr size_t kObjectCallable = 1;
  static constexpr size_t kObjectArgs = 2;
  static constexpr size_t kObjectState = 3;
  static constexpr size_t kObjectItems = 4;
  static constexpr size_t kObjectWords = 5;
  static constexpr size_t kPersistentIdValue = 1;
  static constexpr size_t kPersistentIdWords = 2;
  static constexpr size_t kGlobalModule = 1;
  static constexpr size_t kGlobalName = 2;
  static constexpr size_t kGlobalWords = 3;
  // Forms of object nodes, and of the nodes with tag kOther.
  static constexpr uint32_t kReduceForm = 0;
  static constexpr uint32_t kNewObjectForm = 1;
  static constexpr uint32_t kPersistentIdForm = 0;
  static constexpr uint32_t kGlobalForm = 1;

  uint32_t HeaderHigh() const { return static_cast<uint32_t>(word_ >> 32); }
  uint32_t HeaderOffset() const { return static_cast<uint32_t>(word_); }
  PickleValue* Array() const { return reinterpret_cast<PickleValue*>(word_); }
  static std::optional<PickleValue> Present(PickleValue value);

  size_t TupleSize() const { return Node()->HeaderHigh(); }
  int64_t LongInt() const;
  size_t SlowSize() const;
  std::span<const PickleValue> SlowElements() const;

  uint64_t word_;
};
static_assert(sizeof(PickleValue) == 8);

// Owns the values of one pickle. Strings and other long scalars are views into the parsed bytes,
// which must outlive it. Move-only; moving keeps values valid. Freeing it takes no recursion.
class Pickle {
 public:
  // Parses all of `bytes` up to STOP; what follows STOP is ignored, as Python and PyTorch do.
  // Memory is taken from `budget`: 8 bytes per value, 8 more per tuple, at most 64 more per list,
  // dict or object (lists written in many batches up to three times their size), kept until the
  // Pickle is destroyed; and for the time of parsing 8 per value on the stack or in the memo.
  //
  // Errors do not name the record (the caller does, with Error::In), but offset and opcode:
  //   "offset 0x12: SETITEMS: need pairs of key and value, have 3 values"
  // kTruncated: the bytes end before STOP; kCorrupt: stack, marks or memo do not fit the opcode;
  // kUnsupported: an opcode or integer (beyond 64 bits) that we do not read; kLimit: the budget,
  // limits::kPickleDepthMax or 4 GiB.
  static Result<Pickle> Parse(std::span<const std::byte> bytes, MemoryBudget& budget);

  PickleValue root() const { return root_; }

  // Where the opcode that made the value stands in the parsed bytes: before the bytes of a text,
  // after the elements of a tuple. Error::kNoOffset for ints (but the longest), bools, None and the
  // empty tuple, which have no place.
  uint64_t OffsetOf(PickleValue value) const;

  // "a tuple of 3", "the text 'abc'", "the int 7", with " at 0x48" where the offset is known: for
  // messages. Long texts are shortened, and what is not printable ASCII is escaped.
  std::string Describe(PickleValue value) const;

  // The value's content if it is of the kind, else kCorrupt: "<what>: need an int, have a tuple of
  // 3 at 0x48". In hot loops ask is_int() first and come here only for the message.
  Result<int64_t> ExpectInt(PickleValue value, std::string_view what) const;
  Result<std::string_view> ExpectText(PickleValue value, std::string_view what) const;
  // The elements of a tuple of at least `size_min` elements.
  Result<std::span<const PickleValue>> ExpectTuple(PickleValue value, std::string_view what,
                                                   size_t size_min = 0) const;
  // The elements of PickleValue::IntList(), each checked to be an int.
  Result<std::span<const PickleValue>> ExpectIntList(PickleValue value,
                                                     std::string_view what) const;

 private:
  friend class PickleParser;
  Pickle() = default;
  tl::unexpected<Error> Mismatch(std::string_view what, std::string_view need,
                                 PickleValue have) const;

  std::span<const std::byte> bytes_;
  PickleValue root_;
  WordArena arena_;
};

}  // namespace handrail
