// Writes values as PyTorch's Pickler does: protocol 2, texts and globals memoized by value, shared
// tuples by reference. The mirror of pickle.h.
//
// In:  values, depth first, as calls.   Out: the bytes of a record.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "archive/pickle_opcodes.h"

namespace handrail {

// Calls follow the order of the values; each writes one value unless it says otherwise. The pickle
// ("version", (1, [2, 3])) is
//
//   PickleWriter writer;
//   writer.BeginTuple(2);
//   writer.Text("version");
//   writer.BeginTuple(2);
//   writer.Int(1);
//   writer.IntList(std::array<int64_t, 2>{2, 3});
//   writer.EndTuple(2);
//   writer.EndTuple(2);
//   std::string record = std::move(writer).Finish();
//
// The writer does not check that the calls make one value: tests also write broken pickles with it.
class PickleWriter {
 public:
  PickleWriter();

  void None();
  void Bool(bool value);
  // BININT1, BININT2, BININT or LONG1 of 8 bytes, the first that holds it.
  void Int(int64_t value);
  void Double(double value);
  // The second text of the same content is a BINGET of the first. At most 2^32 - 1 bytes.
  void Text(std::string_view value);

  // BeginTuple, `size` values, EndTuple. 0 to 3 elements need no mark, which is why both ask.
  void BeginTuple(size_t size);
  void EndTuple(size_t size);
  // Memoizes the value just written (BINPUT) and returns its memo index. PyTorch does so for
  // tuples, lists, dicts and objects that are used more than once.
  uint32_t Memoize();
  // The value memoized under this index, again.
  void Get(uint32_t memo_index);

  // BeginList, values, EndList: a plain list. BeginDict, key, value, ..., EndDict.
  void BeginList();
  void EndList();
  void BeginDict();
  void EndDict();
  // PyTorch's typed lists: `torch.jit._pickle.build_intlist` called with a list.
  void IntList(std::span<const int64_t> values);
  // The same for a list of any values of the typed kind: builder "build_doublelist", ...
  void BeginTypedList(std::string_view builder);
  void EndTypedList();

  // A module's and a thing's name; memoized by value.
  void Global(std::string_view module, std::string_view name);
  // Takes the two values before it, callable and argument tuple, and makes one.
  void Reduce();
  // The same with NEWOBJ: a class and an argument tuple (PyTorch's is always empty).
  void NewObject();
  // Takes the two values before it, an object and its state, and makes one.
  void Build();
  // Takes the value before it and makes it a persistent id (BINPERSID).
  void PersistentId();

  // Bytes as they are, between values: for tests of what no writer makes.
  void Raw(std::string_view bytes);

  // Writes STOP and gives the record away.
  std::string Finish() &&;

 private:
  void Byte(uint8_t byte);
  void Opcode(PickleOpcode opcode);
  template <typename T>
  void LittleEndian(T value);

  std::string out_;
  uint32_t memo_count_ = 0;
  std::map<std::string, uint32_t, std::less<>> texts_;
  std::map<std::string, uint32_t, std::less<>> globals_;
};

}  // namespace handrail
