// The code files of an archive, as far as lowering changes them: where a class stands, and where it
// mentions types.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"

#include "archive/archive.h"
#include "script/syntax_tree.h"

namespace handrail {

struct CodeFile {
  std::string record_name;  // "code/__torch__/a.py"
  RecordBytes bytes;
  script::SyntaxTree tree;

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size()};
  }
};

// Places are bytes of the file's text.
struct ClassPlace {
  struct Annotation {
    std::string attribute;
    size_t start = 0;
    size_t end = 0;
  };
  const CodeFile* file = nullptr;
  size_t start = 0;  // of the line with `class`
  size_t end = 0;    // behind the last line
  std::vector<Annotation> annotations;
  // Where methods say the type of `self`.
  std::vector<Annotation> selves;

  const Annotation* Find(std::string_view attribute) const;
};

// "code/__torch__/a.py" of the class "__torch__.a.M".
std::string CodeRecordName(std::string_view class_name);

class CodeFiles {
 public:
  // Both must outlive it.
  CodeFiles(const Archive& archive, MemoryBudget& budget) : archive_(archive), budget_(budget) {}

  // Fails with kNotFound if the archive's code has no such class.
  Result<const ClassPlace*> ClassAt(const std::string& class_name);

 private:
  Result<const CodeFile*> FileAt(const std::string& record_name);

  const Archive& archive_;
  MemoryBudget& budget_;
  std::map<std::string, std::unique_ptr<CodeFile>> files_;
  std::map<std::string, ClassPlace> classes_;
};

}  // namespace handrail
