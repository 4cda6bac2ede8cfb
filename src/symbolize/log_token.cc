#include "symbolize/log_token.h"

#include <algorithm>
#include <charconv>

#include "handrail/symbolize/log_filter.h"

namespace handrail {
namespace {

bool IsDigit(char byte) {
  return byte >= '0' && byte <= '9';
}
bool IsHandleByte(char byte) {
  return IsDigit(byte) || byte == '-';
}
bool IsHexDigit(char byte) {
  return IsDigit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

// Reads forward through a token. Once something does not fit, `state` says what, and nothing is
// read any more.
class TokenReader {
 public:
  TokenReader(std::string_view text, bool is_all)
      : text_(text.substr(0, LogFilter::kTokenBytesMax)),
        at_end_(text.size() >= LogFilter::kTokenBytesMax ? TokenState::kTooLong
                : is_all                                 ? TokenState::kNone
                                                         : TokenState::kNeedMore) {}

  TokenState state() const { return state_; }
  size_t size_bytes() const { return state_ == TokenState::kTooLong ? text_.size() : at_; }
  bool ok() const { return state_ == TokenState::kToken; }

  // The next byte, or 0 at the end. `may_end`: the token may end here if the log does.
  char Peek(bool may_end = false) {
    if (!ok()) return 0;
    if (at_ < text_.size()) return text_[at_];
    if (may_end && at_end_ == TokenState::kNone) return 0;
    state_ = at_end_;
    return 0;
  }

  bool Accept(std::string_view expected) {
    const std::string_view have = text_.substr(at_, expected.size());
    if (have == expected) {
      at_ += expected.size();
      return true;
    }
    if (expected.starts_with(have)) state_ = at_end_;
    return false;
  }
  void Expect(std::string_view expected) {
    if (ok() && !Accept(expected) && ok()) state_ = TokenState::kNone;
  }

  template <typename Predicate>
  std::string_view Run(Predicate belongs, bool may_end = false) {
    const size_t start = at_;
    while (ok() && at_ < text_.size() && belongs(text_[at_])) ++at_;
    Peek(may_end);
    return text_.substr(start, at_ - start);
  }

  void Refuse() { state_ = TokenState::kNone; }

 private:
  std::string_view text_;
  TokenState at_end_;
  TokenState state_ = TokenState::kToken;
  size_t at_ = 0;
};

std::optional<DebugHandle> ParseHandle(std::string_view text) {
  DebugHandle handle = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), handle);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return handle;
}

void TakeHandle(std::string_view text, TokenReader& reader, LogToken& token) {
  if (!reader.ok()) return;
  if (const std::optional<DebugHandle> handle = ParseHandle(text)) {
    token.handles.push_back(*handle);
  } else {
    reader.Refuse();
  }
}

// {{{hdh:<build id>:<handle>[,<handle>...]}}}
void ReadOwn(TokenReader& reader, LogToken& token) {
  const std::string_view build = reader.Run(IsHexDigit);
  reader.Expect(":");
  if (!reader.ok()) return;
  token.build = BuildName::FromHex(build);
  if (!token.build) return reader.Refuse();
  do {
    TakeHandle(reader.Run(IsHandleByte), reader, token);
  } while (reader.ok() && reader.Accept(","));
  reader.Expect("}}}");
}

// debug_handles:{<handles>}: usually without separators.
void ReadList(TokenReader& reader, LogToken& token) {
  const std::string_view list =
      reader.Run([](char byte) { return IsHandleByte(byte) || byte == ',' || byte == ' '; });
  reader.Expect("}");
  if (!reader.ok()) return;
  if (list.find_first_of(", ") == std::string_view::npos) {
    if (list.empty()) return reader.Refuse();
    token.digits = list;
    return;
  }
  for (size_t at = list.find_first_not_of(", "); at != std::string_view::npos;) {
    const size_t end = std::min(list.find_first_of(", ", at), list.size());
    TakeHandle(list.substr(at, end - at), reader, token);
    at = list.find_first_not_of(", ", end);
  }
  if (token.handles.empty()) reader.Refuse();
}

}  // namespace

LogToken ParseLogToken(std::string_view text, bool is_all) {
  LogToken token;
  TokenReader reader(text, is_all);
  if (reader.Accept("{{{hdh:")) {
    ReadOwn(reader, token);
  } else if (reader.Accept("debug_handle")) {
    if (reader.Peek() == 's') {
      reader.Expect("s:{");
      ReadList(reader, token);
    } else {
      reader.Expect(":");
      TakeHandle(reader.Run(IsHandleByte, /*may_end=*/true), reader, token);
    }
  } else {
    reader.Expect("Debug info for handle(s): ");
    if (!IsHandleByte(reader.Peek()) && reader.ok())
      reader.Refuse();  // a list, found by its own head
    TakeHandle(reader.Run(IsHandleByte), reader, token);
    reader.Expect(", was not found.");
  }
  token.state = reader.state();
  token.size_bytes = reader.size_bytes();
  return token;
}

}  // namespace handrail
