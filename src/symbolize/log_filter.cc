#include "handrail/symbolize/log_filter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "handrail/symbolize/map_set_symbolizer.h"

#include "symbolize/log_token.h"

namespace handrail {
namespace {

constexpr size_t kHeadCount = std::size(kTokenHeads);

// The first place at or after `from` where a token may start: the nearest of all heads.
class HeadFinder {
 public:
  explicit HeadFinder(std::string_view text) : text_(text) {}

  size_t Next(size_t from) {
    size_t nearest = text_.size();
    for (size_t i = 0; i < kHeadCount; ++i) {
      if (is_first_ || next_[i] < from) next_[i] = FindHead(kTokenHeads[i], from);
      nearest = std::min(nearest, next_[i]);
    }
    is_first_ = false;
    return nearest;
  }

 private:
  size_t FindHead(std::string_view head, size_t from) const {
    const void* found = memmem(text_.data() + from, text_.size() - from, head.data(), head.size());
    if (found == nullptr) return text_.size();
    return static_cast<size_t>(static_cast<const char*>(found) - text_.data());
  }

  std::string_view text_;
  std::array<size_t, kHeadCount> next_ = {};
  bool is_first_ = true;
};

// How many bytes at the end of `text` may be the beginning of a head.
size_t HeadBeginningAtEnd(std::string_view text) {
  size_t longest = 0;
  for (const std::string_view head : kTokenHeads) {
    for (size_t size = std::min(head.size() - 1, text.size()); size > longest; --size) {
      if (text.ends_with(head.substr(0, size))) longest = size;
    }
  }
  return longest;
}

}  // namespace

class LogFilter::State {
 public:
  State(MapSet& maps, const LogFilterOptions& options, Sink sink)
      : symbolizer_(maps, options.style), options_(options), sink_(std::move(sink)) {}

  Status Write(std::string_view piece);
  Status Finish();
  const Counts& counts() const { return counts_; }

 private:
  Result<size_t> Filter(std::string_view text, bool is_all);
  Status Pass(std::string_view text);
  Status Copy(std::string_view text);
  Status Answer(const LogToken& token, std::string_view text);
  void Symbolize(const LogToken& token);
  void SymbolizeDigits(const LogToken& token);
  void SayTooLong();
  std::optional<UnknownReason> CommonReason();
  std::string_view ReasonForNoHandles(const LogToken& token) const;
  std::string JsonLine(const LogToken& token, std::string_view text) const;

  MapSetSymbolizer symbolizer_;
  LogFilterOptions options_;
  Sink sink_;
  Counts counts_;
  std::string held_back_;  // the end of the log so far, if a token may start in it

  // Below the current line.
  std::string below_;
  std::unordered_set<std::string> tokens_in_line_;

  // The token at hand.
  Trace trace_;
  MapSetSymbolizer::Source source_;
  MapSetSymbolizer::Splits splits_;
  std::optional<UnknownReason> common_reason_;
};

Status LogFilter::State::Write(std::string_view piece) {
  counts_.bytes += piece.size();
  if (held_back_.empty()) {
    HANDRAIL_ASSIGN_OR_RETURN(const size_t done, Filter(piece, /*is_all=*/false));
    held_back_ = piece.substr(done);
    return {};
  }
  held_back_ += piece;
  HANDRAIL_ASSIGN_OR_RETURN(const size_t done, Filter(held_back_, /*is_all=*/false));
  held_back_.erase(0, done);
  return {};
}

Status LogFilter::State::Finish() {
  HANDRAIL_RETURN_IF_ERROR(Filter(held_back_, /*is_all=*/true));
  held_back_.clear();
  if (below_.empty()) return {};
  // The last line has no newline, so what is put below it does not end with one either.
  if (below_.ends_with('\n')) below_.pop_back();
  below_.insert(0, 1, '\n');
  return sink_(std::exchange(below_, {}));
}

// Passes on as much of `text` as is decided, and returns how much that is.
Result<size_t> LogFilter::State::Filter(std::string_view text, bool is_all) {
  HeadFinder heads(text);
  size_t done = 0;
  size_t from = 0;
  for (;;) {
    const size_t at = heads.Next(from);
    if (at == text.size()) break;
    const LogToken token = ParseLogToken(text.substr(at), is_all);
    if (token.state == TokenState::kNone) {
      from = at + 1;
      continue;
    }
    HANDRAIL_RETURN_IF_ERROR(Pass(text.substr(done, at - done)));
    done = at;
    if (token.state == TokenState::kNeedMore) return done;
    const std::string_view token_text = text.substr(at, token.size_bytes);
    HANDRAIL_RETURN_IF_ERROR(Answer(token, token_text));
    HANDRAIL_RETURN_IF_ERROR(Pass(token_text));
    done = from = at + token.size_bytes;
  }
  const size_t end = is_all ? text.size() : text.size() - HeadBeginningAtEnd(text.substr(done));
  HANDRAIL_RETURN_IF_ERROR(Pass(text.substr(done, end - done)));
  return end;
}

// Passes bytes of the log on, with what belongs below a line put below it.
Status LogFilter::State::Pass(std::string_view text) {
  if (!tokens_in_line_.empty()) {
    const size_t newline = text.find('\n');
    if (newline == std::string_view::npos) return Copy(text);
    HANDRAIL_RETURN_IF_ERROR(Copy(text.substr(0, newline + 1)));
    if (!below_.empty()) HANDRAIL_RETURN_IF_ERROR(sink_(below_));
    below_.clear();
    tokens_in_line_.clear();
    text.remove_prefix(newline + 1);
  }
  return Copy(text);
}

Status LogFilter::State::Copy(std::string_view text) {
  if (text.empty()) return {};
  counts_.lines += static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
  if (options_.format == LogFormat::kJson) return {};
  return sink_(text);
}

Status LogFilter::State::Answer(const LogToken& token, std::string_view text) {
  ++counts_.tokens;
  const bool is_text = options_.format == LogFormat::kText;
  if (is_text) {
    if (tokens_in_line_.size() > kTokensPerLineMax) {
      ++counts_.unknown;
      return {};
    }
    if (tokens_in_line_.size() == kTokensPerLineMax &&
        !tokens_in_line_.contains(std::string(text))) {
      tokens_in_line_.emplace(text);
      ++counts_.unknown;
      below_ +=
          fmt::format("  <more than {} different tokens in this line: the others are left out>\n",
                      kTokensPerLineMax);
      return {};
    }
  }
  Symbolize(token);
  const bool is_known = trace_.unknown.empty() && !trace_.handles.empty();
  ++(is_known ? counts_.symbolized : counts_.unknown);
  if (!is_text) return sink_(JsonLine(token, text));
  // The same token again in one line has its trace already.
  if (!tokens_in_line_.emplace(text).second) return {};
  if (source_.map != nullptr && token.build && token.build->is_short) {
    below_ += fmt::format("  <build {} is taken for {}, the only one found: {}>\n",
                          token.build->ToHex(), source_.build_id->ToHex(), source_.map->path);
  }
  below_ += trace_.text;
  if (!below_.ends_with('\n')) below_ += '\n';
  return {};
}

// Fills trace_, source_ and splits_.
void LogFilter::State::Symbolize(const LogToken& token) {
  source_ = {};
  splits_ = {};
  common_reason_.reset();
  if (token.state == TokenState::kTooLong) {
    SayTooLong();
  } else if (token.handles.empty()) {
    SymbolizeDigits(token);
  } else {
    source_ = symbolizer_.Symbolize(token.build, token.handles, trace_);
  }
}

void LogFilter::State::SayTooLong() {
  trace_ = {};
  trace_.text = fmt::format("  <debug handles longer than {} bytes: not read>\n", kTokenBytesMax);
}

void LogFilter::State::SymbolizeDigits(const LogToken& token) {
  splits_ = symbolizer_.SplitHandles(token.digits);
  if (splits_.ways.size() == 1 && splits_.is_complete) {
    source_ = symbolizer_.Symbolize(std::nullopt, splits_.ways.front(), trace_);
    return;
  }
  if (splits_.ways.empty()) {
    trace_ = {};
    DebugHandle handle = 0;
    const char* end = token.digits.data() + token.digits.size();
    const auto [parsed, error] = std::from_chars(token.digits.data(), end, handle);
    if (error == std::errc() && parsed == end) {
      source_ = symbolizer_.Symbolize(std::nullopt, {&handle, 1}, trace_);
    } else {
      trace_.text =
          fmt::format("  <debug handles {}: no way to split them is in the map>\n", token.digits);
    }
    return;
  }
  common_reason_ = CommonReason();
  trace_ = {};
  trace_.text = fmt::format("  <debug handles {}, which may be", token.digits);
  for (size_t i = 0; i < splits_.ways.size(); ++i) {
    trace_.text += fmt::format("{} {}", i == 0 ? "" : " or", fmt::join(splits_.ways[i], ","));
  }
  if (!splits_.is_complete) trace_.text += " or others";
  if (common_reason_) trace_.text += fmt::format(": {}", Sentence(*common_reason_));
  trace_.text += ">\n";
}

// Why none of the handles is known, however they are split; nothing if some are known, or they are
// unknown for several reasons.
std::optional<UnknownReason> LogFilter::State::CommonReason() {
  std::optional<UnknownReason> common;
  for (const std::vector<DebugHandle>& way : splits_.ways) {
    symbolizer_.Symbolize(std::nullopt, way, trace_);
    if (trace_.unknown.size() < way.size()) return std::nullopt;
    for (const UnknownHandle& unknown : trace_.unknown) {
      if (!common) common = unknown.why.reason;
      if (*common != unknown.why.reason) return std::nullopt;
    }
  }
  return common;
}

// Why there is not one list of handles: stable text for JSON.
std::string_view LogFilter::State::ReasonForNoHandles(const LogToken& token) const {
  if (token.state == TokenState::kTooLong) return "too-long";
  if (splits_.ways.empty()) return ToString(UnknownReason::kNotIssued);
  return ToString(common_reason_.value_or(UnknownReason::kAmbiguous));
}

std::string LogFilter::State::JsonLine(const LogToken& token, std::string_view text) const {
  std::string out = fmt::format("{{\"line\":{},\"token\":", counts_.lines + 1);
  AppendJsonString(text, out);
  if (token.build) out += fmt::format(",\"build_id\":\"{}\"", token.build->ToHex());
  if (source_.map != nullptr) {
    out += ",\"map\":";
    AppendJsonString(source_.map->path, out);
  }
  if (trace_.handles.empty()) {
    out += fmt::format(",\"reason\":\"{}\"", ReasonForNoHandles(token));
  }
  if (trace_.handles.empty() && !splits_.ways.empty()) {
    out += ",\"candidates\":[";
    for (size_t i = 0; i < splits_.ways.size(); ++i) {
      out += fmt::format("{}[{}]", i == 0 ? "" : ",", fmt::join(splits_.ways[i], ","));
    }
    out += ']';
  }
  out += ',';
  const size_t object = out.size();
  AppendTraceJson(trace_, out);
  out.erase(object, 1);  // the brace: its fields go on in this object
  out += '\n';
  return out;
}

LogFilter::LogFilter(MapSet& maps, const LogFilterOptions& options, Sink sink)
    : state_(std::make_unique<State>(maps, options, std::move(sink))) {}
LogFilter::~LogFilter() = default;

Status LogFilter::Write(std::string_view piece) {
  return state_->Write(piece);
}
Status LogFilter::Finish() {
  return state_->Finish();
}
const LogFilter::Counts& LogFilter::counts() const {
  return state_->counts();
}

}  // namespace handrail
