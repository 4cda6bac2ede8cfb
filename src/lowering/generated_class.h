// Code of a class as PyTorch's serializer prints it, together with the texts of methods that it
// stands for: traces show those texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lowering/range_records.h"

namespace handrail {

// Code is appended piece by piece; each piece stands for a range of the current method's text, or
// for nothing.
class GeneratedClass {
 public:
  // The text that the pieces of code from here on stand for, as PyTorch's compiler would be given
  // it.
  void BeginMethod(std::string text);

  // Code that stands for no source.
  void Put(std::string_view code) { Append(code, std::nullopt, 0, 0); }
  // Code that stands for the first place of `source` in the method's text.
  void Put(std::string_view code, std::string_view source);
  // A temporary's next name: `_0`, `_1`, … through the whole class.
  std::string NextTemporary() { return "_" + std::to_string(temporary_count_++); }

  const std::string& code() const { return code_; }
  const std::vector<GeneratedRange>& ranges() const { return ranges_; }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  void Append(std::string_view code, std::optional<size_t> text, size_t start, size_t end);

  std::string code_;
  std::vector<GeneratedRange> ranges_;
  std::vector<std::string> texts_;
  uint32_t temporary_count_ = 0;
};

}  // namespace handrail
