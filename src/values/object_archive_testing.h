// Archives of objects and code for tests, made in memory as PyTorch makes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handrail/base/check.h"

#include "archive/pickle_writer.h"
#include "archive/zip_writer.h"

namespace handrail {

struct TestSubmodule;

// A module of a class `__torch__.<path>` with submodules as attributes.
struct TestModule {
  std::string class_name;  // "__torch__.M"
  std::vector<TestSubmodule> submodules;

  void Write(PickleWriter& writer) const;
  std::string Pickled() const {
    PickleWriter writer;
    Write(writer);
    return std::move(writer).Finish();
  }
};

struct TestSubmodule {
  std::string name;
  TestModule module;
};

inline void TestModule::Write(PickleWriter& writer) const {
  const size_t dot = class_name.rfind('.');
  writer.Global(class_name.substr(0, dot), class_name.substr(dot + 1));
  writer.BeginTuple(0);
  writer.EndTuple(0);
  writer.NewObject();
  writer.BeginDict();
  for (const TestSubmodule& part : submodules) {
    writer.Text(part.name);
    part.module.Write(writer);
  }
  writer.EndDict();
  writer.Build();
}

// Records by name, in the order of the file.
using TestRecords = std::vector<std::pair<std::string, std::string>>;

inline std::string ZipOf(const TestRecords& records, ZipMethod method = ZipMethod::kStored) {
  std::string file;
  ZipWriter writer("model", file);
  for (const auto& [name, content] : records) {
    HANDRAIL_CHECK(writer.Add(name, content, method).has_value());
  }
  HANDRAIL_CHECK(writer.Finish().has_value());
  return file;
}

inline std::span<const std::byte> BytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// A module archive: the top module, and code files by qualifier ("__torch__.a": its text).
inline std::string ModuleArchiveOf(const TestModule& top, const TestRecords& code,
                                   const TestRecords& more = {}) {
  TestRecords records{{"data.pkl", top.Pickled()}};
  for (const auto& [qualifier, text] : code) {
    std::string path = "code/" + qualifier + ".py";
    for (char& c : path) {
      if (c == '.' && &c < path.data() + path.size() - 3) c = '/';
    }
    records.emplace_back(path, text);
  }
  records.insert(records.end(), more.begin(), more.end());
  return ZipOf(records);
}

}  // namespace handrail
