#include "backends/demo/demo_program.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace handrail::demo {
namespace {

constexpr std::string_view kHandleMark = "<debug_handle>";
constexpr uint32_t kRegistersMax = 1u << 20;

template <typename Number>
std::optional<Number> NumberIn(std::string_view digits) {
  Number number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::nullopt;
  return number;
}

// Takes the first word off `line`; "" at its end.
std::string_view TakeWord(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

class Reader {
 public:
  Reader(std::string_view text, size_t constant_count)
      : rest_(text), constant_count_(constant_count) {}

  Result<Program> Read() {
    while (!rest_.empty() && !has_results_) {
      const size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_number_;
      if (!ReadLine(line)) {
        return Fail(ErrorCode::kCorrupt,
                    fmt::format("demo program: line {}: '{}'", line_number_, line.substr(0, 80)));
      }
    }
    if (!has_results_ || !rest_.empty()) {
      return Fail(ErrorCode::kCorrupt, "demo program: need 'return' in its last line");
    }
    program_.register_count = static_cast<uint32_t>(is_written_.size());
    return std::move(program_);
  }

 private:
  bool ReadLine(std::string_view line) {
    const bool is_first = line_number_ == 1;
    std::string_view words = line;
    const std::string_view op = TakeWord(words);
    if (is_first) {
      const auto count = NumberIn<uint32_t>(TakeWord(words));
      if (op != "inputs" || !count || *count > kRegistersMax) return false;
      program_.input_count = *count;
      is_written_.assign(*count, true);
      return words.empty();
    }
    if (op == "return") {
      has_results_ = true;
      return ReadRegisters(words, program_.results) && words.empty();
    }
    return ReadStep(line);
  }

  bool ReadStep(std::string_view line) {
    const size_t mark = line.find(kHandleMark);
    if (mark == std::string_view::npos) return false;
    const auto handle = NumberIn<DebugHandle>(line.substr(mark + kHandleMark.size()));
    std::string_view words = line.substr(0, mark);
    Step step;
    step.op = TakeWord(words);
    if (step.is_load()) {
      const std::string_view word = TakeWord(words);
      const auto constant =
          word.starts_with('#') ? NumberIn<uint32_t>(word.substr(1)) : std::nullopt;
      if (!constant || *constant >= constant_count_ || TakeWord(words) != "->") return false;
      step.inputs.push_back(*constant);
    } else if (!ReadRegisters(words, step.inputs)) {
      return false;
    }
    for (std::string_view word = TakeWord(words); !word.empty(); word = TakeWord(words)) {
      const auto number = word.starts_with('%') ? NumberIn<uint32_t>(word.substr(1)) : std::nullopt;
      // Registers are counted up: one more than there are is the next.
      if (!number || *number > is_written_.size() || *number >= kRegistersMax) return false;
      if (*number == is_written_.size()) is_written_.push_back(false);
      is_written_[*number] = true;
      step.outputs.push_back(*number);
    }
    if (!handle || step.op.empty() || step.outputs.size() != 1) return false;
    step.handle = *handle;
    program_.steps.push_back(std::move(step));
    return true;
  }

  // Up to `->`, or to the end.
  bool ReadRegisters(std::string_view& words, std::vector<uint32_t>& registers) const {
    for (std::string_view word = TakeWord(words); !word.empty() && word != "->";
         word = TakeWord(words)) {
      const auto number = word.starts_with('%') ? NumberIn<uint32_t>(word.substr(1)) : std::nullopt;
      if (!number || *number >= is_written_.size() || !is_written_[*number]) return false;
      registers.push_back(*number);
    }
    return true;
  }

  std::string_view rest_;
  size_t constant_count_;
  size_t line_number_ = 0;
  bool has_results_ = false;
  std::vector<bool> is_written_;
  Program program_;
};

}  // namespace

std::string ToText(const Program& program) {
  std::string text = fmt::format("inputs {}\n", program.input_count);
  for (const Step& step : program.steps) {
    text += step.op;
    for (const uint32_t input : step.inputs) {
      text += fmt::format(" {}{}", step.is_load() ? '#' : '%', input);
    }
    text += " ->";
    for (const uint32_t output : step.outputs) text += fmt::format(" %{}", output);
    text += fmt::format("{}{}\n", kHandleMark, step.handle);
  }
  text += "return";
  for (const uint32_t result : program.results) text += fmt::format(" %{}", result);
  return text + "\n";
}

Result<Program> FromText(std::string_view text, size_t constant_count) {
  return Reader(text, constant_count).Read();
}

}  // namespace handrail::demo
