#include "test/support/debug_info_text.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "handrail/debug_info/debug_info_builder.h"

namespace handrail::golden {
namespace {

// Cuts a line at blanks; "..." is one word, without its quotes.
std::vector<std::string> SplitWords(std::string_view line) {
  std::vector<std::string> words;
  size_t i = 0;
  while (i < line.size()) {
    if (line[i] == ' ') {
      ++i;
    } else if (line[i] == '"') {
      const size_t end = std::min(line.find('"', i + 1), line.size());
      words.emplace_back(line.substr(i + 1, end - i - 1));
      i = end + 1;
    } else {
      const size_t end = std::min(line.find(' ', i), line.size());
      words.emplace_back(line.substr(i, end - i));
      i = end;
    }
  }
  return words;
}

std::string_view LineOf(std::string_view text, uint32_t line) {
  for (; line > 1 && !text.empty(); --line) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return text.substr(0, text.find('\n'));
}

// Reads one description, line by line. The first thing that has no meaning stops it.
class Reader {
 public:
  Result<DescribedDebugInfo> Read(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++line_number_;
      if (line.starts_with("|")) {
        HANDRAIL_RETURN_IF_ERROR(AddTextLine(line));
        continue;
      }
      HANDRAIL_RETURN_IF_ERROR(FinishSource());
      words_ = SplitWords(line);
      next_word_ = 0;
      if (words_.empty()) continue;
      HANDRAIL_RETURN_IF_ERROR(ReadStatement());
      if (next_word_ < words_.size()) return Wrong("'" + words_[next_word_] + "' is not expected");
    }
    HANDRAIL_RETURN_IF_ERROR(FinishSource());
    return DescribedDebugInfo{std::move(builder_).Finish(), std::move(handles_)};
  }

 private:
  struct PendingSource {
    std::string name;
    uint32_t first_line = 1;
    std::string text;
    bool has_text = false;
  };
  struct KnownSource {
    SourceId id;
    std::string text;
  };

  tl::unexpected<Error> Wrong(const std::string& why) const {
    return Fail(ErrorCode::kInvalidArgument,
                "description, line " + std::to_string(line_number_) + ": " + why);
  }
  std::string Word() { return next_word_ < words_.size() ? words_[next_word_++] : std::string(); }
  bool TakeWord(std::string_view word) {
    if (next_word_ >= words_.size() || words_[next_word_] != word) return false;
    ++next_word_;
    return true;
  }
  // The value of `key=value`, if that is the next word.
  std::optional<std::string> TakeValue(std::string_view key) {
    const std::string prefix = std::string(key) + "=";
    if (next_word_ >= words_.size() || !words_[next_word_].starts_with(prefix)) return std::nullopt;
    return words_[next_word_++].substr(prefix.size());
  }
  template <typename Number>
  Result<Number> ToNumber(std::string_view text) const {
    Number number{};
    const char* const end = text.data() + text.size();
    if (std::from_chars(text.data(), end, number).ptr != end || text.empty()) {
      return Wrong("'" + std::string(text) + "' is not a number");
    }
    return number;
  }
  StringId Name(const std::string& name) {
    return name == "-" ? StringId::none() : builder_.AddString(name);
  }

  Status AddTextLine(std::string_view line) {
    if (!pending_) return Wrong("text belongs below a source");
    pending_->has_text = true;
    line.remove_prefix(line.starts_with("| ") ? 2 : 1);
    pending_->text += std::string(line) + "\n";
    return {};
  }

  Status FinishSource() {
    if (!pending_) return {};
    PendingSource source = std::move(*pending_);
    pending_.reset();
    DebugInfoBuilder::SourceOptions options;
    options.first_line = source.first_line;
    if (source.name != "-") options.file_name = source.name;
    if (source.has_text) options.text = source.text;
    const SourceId id = builder_.AddSource(options);
    sources_[source.name] = {id, std::move(source.text)};
    return {};
  }

  Status ReadStatement() {
    const std::string statement = Word();
    if (statement == "source") return ReadSource();
    if (statement == "unit") return ReadUnit();
    if (statement == "function") {
      function_ = Word();
      builder_.BeginFunction(function_ == "-" ? "" : function_);
      return {};
    }
    if (statement == "call") return ReadCall();
    if (statement == "node") return ReadNode();
    return Wrong("'" + statement + "' is not a statement");
  }

  Status ReadSource() {
    PendingSource source;
    source.name = Word();
    if (const auto line = TakeValue("line")) {
      HANDRAIL_ASSIGN_OR_RETURN(source.first_line, ToNumber<uint32_t>(*line));
    }
    pending_ = std::move(source);
    return {};
  }

  Status ReadUnit() {
    const std::string kind = Word();
    std::optional<UnitKind> found;
#define HANDRAIL_UNIT_KIND(name, value, text) \
  if (kind == (text)) found = UnitKind::name;
#include "handrail/debug_info/unit_kinds.def"
    if (!found) return Wrong("'" + kind + "' is not a kind of unit");
    kind_ = *found;
    DebugInfoBuilder::UnitOptions options;
    options.kind = kind_;
    options.key = HashBytes(TakeValue("key").value_or(""));
    if (const auto build = TakeValue("build")) options.build_id = HashBytes(*build);
    const std::string type = TakeValue("type").value_or("");
    options.top_type = type;
    return builder_.BeginUnit(options);
  }

  Status ReadCall() {
    const std::string name = Word();
    if (!TakeWord("=")) return Wrong("need '=' after the call's name");
    StackId caller;
    std::string function = Word();
    if (TakeWord(">")) {
      HANDRAIL_ASSIGN_OR_RETURN(caller, FindCall(function));
      function = Word();
    }
    CallSite call_site;
    call_site.function = Name(function);
    if (TakeWord("on")) {
      const std::string module = Word();
      const size_t colon = module.find(':');
      if (colon == std::string::npos) return Wrong("need NAME:TYPE after 'on'");
      call_site.module_name = Name(module.substr(0, colon));
      call_site.module_type = Name(module.substr(colon + 1));
    }
    HANDRAIL_ASSIGN_OR_RETURN(call_site.range, ReadPlace());
    calls_[name] = builder_.AddCall(caller, call_site);
    return {};
  }

  Status ReadNode() {
    DebugHandle handle = kUnknownHandle;
    if (kind_ == UnitKind::kForeign) {
      const auto number = TakeValue("handle");
      if (!number) return Wrong("a node of a foreign unit needs handle=");
      HANDRAIL_ASSIGN_OR_RETURN(handle, ToNumber<DebugHandle>(*number));
    }
    Node node;
    node.name = Name(Word());
    if (TakeWord("in")) {
      HANDRAIL_ASSIGN_OR_RETURN(node.stack, FindCall(Word()));
    }
    HANDRAIL_ASSIGN_OR_RETURN(node.range, ReadPlace());
    if (kind_ == UnitKind::kForeign) {
      if (!function_.empty()) node.function = Name(function_);
      builder_.AddForeignNode(handle, node);
    } else {
      HANDRAIL_ASSIGN_OR_RETURN(handle, builder_.AddNode(node.name, node.range, node.stack));
    }
    handles_.push_back(handle);
    return {};
  }

  Result<StackId> FindCall(const std::string& name) const {
    const auto found = calls_.find(name);
    if (found == calls_.end()) return Wrong("there is no call '" + name + "'");
    return found->second;
  }

  Result<RangeId> ReadPlace() {
    if (TakeWord("gap")) return ReadGap();
    if (!TakeWord("at")) return Wrong("need 'at' and a place, or 'gap' and its name");
    const std::string place = Word();
    const size_t colon = place.find(':');
    const auto source = sources_.find(place.substr(0, colon));
    if (source == sources_.end() || colon == std::string::npos) {
      return Wrong("'" + place + "' names no source");
    }
    const std::string rest = place.substr(colon + 1);
    const size_t dash = rest.find('-');
    if (dash == std::string::npos) return FindPlace(source->second, rest);
    HANDRAIL_ASSIGN_OR_RETURN(const Position start, ToPosition(rest.substr(0, dash)));
    HANDRAIL_ASSIGN_OR_RETURN(const Position end, ToPosition(rest.substr(dash + 1)));
    return builder_.AddRange(source->second.id, start, end);
  }

  Result<RangeId> ReadGap() {
    const std::string name = Word();
#define HANDRAIL_RANGE_GAP(gap, text) \
  if (name == #gap) return builder_.AddGap(RangeGap::gap);
#include "handrail/debug_info/range_gaps.def"
    return Wrong("'" + name + "' is not a gap");
  }

  Result<Position> ToPosition(const std::string& text) const {
    const size_t colon = std::min(text.find(':'), text.size());
    Position position;
    HANDRAIL_ASSIGN_OR_RETURN(position.line, ToNumber<uint32_t>(text.substr(0, colon)));
    HANDRAIL_ASSIGN_OR_RETURN(position.column,
                              ToNumber<uint32_t>(text.substr(std::min(colon + 1, text.size()))));
    return position;
  }

  Result<RangeId> FindPlace(const KnownSource& source, const std::string& line_number) {
    HANDRAIL_ASSIGN_OR_RETURN(const uint32_t line, ToNumber<uint32_t>(line_number));
    const std::string token = Word();
    const size_t column = LineOf(source.text, line).find(token);
    if (token.empty() || column == std::string::npos) {
      return Wrong("\"" + token + "\" is not in line " + line_number + " of the source");
    }
    const auto first = static_cast<uint32_t>(column) + 1;
    const auto length = static_cast<uint32_t>(token.size());
    return builder_.AddRange(source.id, Position{line, first}, Position{line, first + length});
  }

  DebugInfoBuilder builder_;
  std::vector<DebugHandle> handles_;
  std::map<std::string, KnownSource> sources_;
  std::map<std::string, StackId> calls_;
  std::optional<PendingSource> pending_;
  UnitKind kind_ = UnitKind::kBackend;
  std::string function_;
  std::vector<std::string> words_;
  size_t next_word_ = 0;
  size_t line_number_ = 0;
};

}  // namespace

Result<DescribedDebugInfo> DescribeDebugInfo(std::string_view text) {
  return Reader().Read(text);
}

}  // namespace handrail::golden
