// Archives of debug records for tests: values written down as they would be in Python, changed at
// will, and put into an archive as PyTorch would.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "handrail/base/byte_cursor.h"
#include "handrail/torch_debug/torch_debug.h"

#include "archive/pickle_writer.h"
#include "archive/zip_writer.h"
#include "test/support/node_text.h"

namespace handrail {

// A Python value: 5, "text", Tuple({1, 2}), Ints({1, 2}), None().
struct Value {
  enum class Kind { kNone, kInt, kText, kTuple, kInts };

  // Implicit, so that values read like Python's.
  Value(int64_t n) : kind(Kind::kInt), number(n) {}          // NOLINT
  Value(int n) : Value(int64_t{n}) {}                        // NOLINT
  Value(std::string_view t) : kind(Kind::kText), text(t) {}  // NOLINT
  Value(const char* t) : Value(std::string_view(t)) {}       // NOLINT
  Value(Kind k, std::vector<Value> elements) : kind(k), items(std::move(elements)) {}

  Value& operator[](size_t index) { return items.at(index); }
  void Write(PickleWriter& writer) const {
    switch (kind) {
      case Kind::kNone:
        return writer.None();
      case Kind::kInt:
        return writer.Int(number);
      case Kind::kText:
        return writer.Text(text);
      case Kind::kTuple:
        writer.BeginTuple(items.size());
        for (const Value& item : items) item.Write(writer);
        return writer.EndTuple(items.size());
      case Kind::kInts: {
        std::vector<int64_t> numbers;
        for (const Value& item : items) numbers.push_back(item.number);
        return writer.IntList(numbers);
      }
    }
  }
  std::string Pickled() const {
    PickleWriter writer;
    Write(writer);
    return std::move(writer).Finish();
  }

  Kind kind;
  int64_t number = 0;
  std::string text = {};
  std::vector<Value> items = {};
};
inline Value None() {
  return Value(Value::Kind::kNone, {});
}
inline Value Tuple(std::vector<Value> items) {
  return Value(Value::Kind::kTuple, std::move(items));
}
inline Value Ints(std::vector<Value> items) {
  return Value(Value::Kind::kInts, std::move(items));
}

// Records by name, in the order in which they will be in the archive.
struct Records {
  std::string& operator[](std::string_view name) {
    for (auto& [known, content] : all) {
      if (known == name) return content;
    }
    return all.emplace_back(name, "").second;
  }
  void Erase(std::string_view name) {
    std::erase_if(all, [&](const auto& record) { return record.first == name; });
  }
  std::string Zipped() const {
    std::string out;
    ZipWriter writer("m", out);
    for (const auto& [name, content] : all) {
      EXPECT_TRUE(writer.Add(name, content, PyTorchRecordMethod(name, content.size())));
    }
    EXPECT_TRUE(writer.Finish());
    return out;
  }

  std::vector<std::pair<std::string, std::string>> all = {};
};

// The object that data.pkl holds.
inline std::string RootObject(std::string_view module, std::string_view name) {
  PickleWriter writer;
  writer.Global(module, name);
  writer.BeginTuple(0);
  writer.EndTuple(0);
  writer.NewObject();
  writer.BeginDict();
  writer.EndDict();
  writer.Build();
  return std::move(writer).Finish();
}

// A module M whose forward calls its submodule a, which adds: two handles, three tags, 21 is
// inlined. Each record is what PyTorch 1.13 would write.
struct SmallModel {
  // model.py from line 20 on: "def forward(self, x):\n  return self.a(x)\n"
  static Value Source() { return Tuple({Ints({1, 2, 0}), 3, 20}); }
  static Value NullSource() { return Tuple({Ints({}), 0, 0}); }

  Value ranges = Tuple(
      {"FORMAT_WITH_STRING_TABLE",
       Tuple({"", "def forward(self, x):\n", "  return self.a(x)\n", "model.py"}),
       Tuple({Tuple({0, Tuple({NullSource(), 0, 0}), 0}), Tuple({10, Tuple({Source(), 31, 40}), 1}),
              Tuple({20, Tuple({Source(), 24, 40}), 2})})});
  Value map = Tuple(
      {Tuple({21, 1, "aten::add", Tuple({Tuple({"__torch__.A", "a"}), 2, None(), "forward"})}),
       Tuple({22, 0, "prim::Return", None()})});
  Value handles =
      Tuple({8, Tuple({"__torch__.M.forward",
                       Tuple({Tuple({"function_debug_handles", Tuple({Ints({21, 22})})})})})});
  Value bytecode = Tuple(
      {8, Tuple({"__torch__.M.forward",
                 Tuple({Tuple({"instructions", Tuple({Tuple({"OP", 0, 0}), Tuple({"RET", 0, 0})})}),
                        Tuple({"operators", Tuple({Tuple({"aten::add", "Tensor", 2})})}),
                        Tuple({"constants", Tuple({})}), Tuple({"types", Tuple({})}),
                        Tuple({"register_size", 2})}),
                 Tuple({Tuple({"arguments", Tuple({})}), Tuple({"returns", Tuple({})})})})});

  // The entries of the record with text table, and one of its texts.
  Value& range_entries() { return ranges[2]; }

  Records Build() const {
    Records records;
    records["data.pkl"] = RootObject("__torch__", "M");
    records["code/__torch__.py"] = "class M(Module):\n  pass\n";
    records["code/__torch__.py.debug_pkl"] = ranges.Pickled();
    records["bytecode.pkl"] = bytecode.Pickled();
    records["mobile_debug_handles.pkl"] = handles.Pickled();
    records["callstack_debug_map.pkl"] = map.Pickled();
    records["version"] = "3\n";
    return records;
  }
};

inline Result<TorchDebugInfo> Read(std::string_view file, std::string_view name = "m.ptl") {
  return ReadTorchDebugInfo(AsBytes(file), name);
}
inline Result<TorchDebugInfo> Read(const Records& records) {
  return Read(records.Zipped());
}
inline Result<TorchDebugInfo> Read(const SmallModel& model) {
  return Read(model.Build());
}

// "21: 'aten::add' 'model.py':21:10-21:19 in ..." of each handle (node_text.h has the form), of the
// last unit.
inline std::vector<std::string> NodeTexts(const DebugInfo& info) {
  std::vector<std::string> texts;
  if (info.units.empty()) return texts;
  const Unit& unit = info.units.back();
  for (size_t i = 0; i < unit.handles.size(); ++i) {
    texts.push_back(fmt::format("{}: {}", unit.handles[i], testing::NodeText(info, unit.nodes[i])));
  }
  return texts;
}
inline std::vector<std::string> NodeTexts(const Result<TorchDebugInfo>& read) {
  if (!read) return {"error: " + read.error().message};
  return NodeTexts(read->info);
}
inline std::vector<std::string> WarningTexts(const Result<TorchDebugInfo>& read) {
  if (!read) return {"error: " + read.error().message};
  std::vector<std::string> texts;
  for (const Error& warning : read->warnings) texts.push_back(warning.message);
  return texts;
}

// The nodes, then the warnings.
inline std::vector<std::string> Outcome(const Result<TorchDebugInfo>& read) {
  std::vector<std::string> texts = NodeTexts(read);
  if (!read) return texts;
  for (const std::string& warning : WarningTexts(read)) texts.push_back(warning);
  return texts;
}

}  // namespace handrail
