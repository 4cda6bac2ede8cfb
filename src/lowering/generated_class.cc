#include "lowering/generated_class.h"

#include <utility>

#include "handrail/base/check.h"

namespace handrail {

void GeneratedClass::BeginMethod(std::string text) {
  texts_.push_back(std::move(text));
}

void GeneratedClass::Put(std::string_view code, std::string_view source) {
  const size_t start = texts_.back().find(source);
  HANDRAIL_CHECK(start != std::string::npos);
  Append(code, texts_.size() - 1, start, start + source.size());
}

void GeneratedClass::Append(std::string_view code, std::optional<size_t> text, size_t start,
                            size_t end) {
  const GeneratedRange range{static_cast<int64_t>(code_.size()), text, static_cast<int64_t>(start),
                             static_cast<int64_t>(end)};
  code_ += code;
  if (!ranges_.empty() && ranges_.back().text == range.text &&
      ranges_.back().start == range.start && ranges_.back().end == range.end) {
    return;
  }
  ranges_.push_back(range);
}

}  // namespace handrail
