#include "cli/file_stream.h"

#include <cerrno>

#include <unistd.h>

namespace handrail::cli {

InputBlocks::InputBlocks(int descriptor) : descriptor_(descriptor), block_(kStreamBlockBytes) {}

InputBlocks::int_type InputBlocks::underflow() {
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, block_.data(), block_.size());
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return traits_type::eof();
  setg(block_.data(), block_.data(), block_.data() + count);
  return traits_type::to_int_type(block_.front());
}

OutputBlocks::OutputBlocks(int descriptor) : descriptor_(descriptor), block_(kStreamBlockBytes) {
  setp(block_.data(), block_.data() + block_.size());
}

bool OutputBlocks::WriteAll(const char* text, size_t count) {
  while (count > 0 && error_ == 0) {
    const ssize_t written = ::write(descriptor_, text, count);
    if (written >= 0) {
      text += written;
      count -= static_cast<size_t>(written);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  return error_ == 0;
}

bool OutputBlocks::Flush() {
  const bool is_written = WriteAll(pbase(), static_cast<size_t>(pptr() - pbase()));
  setp(block_.data(), block_.data() + block_.size());
  return is_written;
}

OutputBlocks::int_type OutputBlocks::overflow(int_type character) {
  if (!Flush()) return traits_type::eof();
  if (!traits_type::eq_int_type(character, traits_type::eof())) {
    *pptr() = traits_type::to_char_type(character);
    pbump(1);
  }
  return traits_type::not_eof(character);
}

std::streamsize OutputBlocks::xsputn(const char* text, std::streamsize count) {
  if (count > epptr() - pptr()) {
    if (!Flush()) return 0;
    if (count >= epptr() - pptr()) return WriteAll(text, static_cast<size_t>(count)) ? count : 0;
  }
  traits_type::copy(pptr(), text, static_cast<size_t>(count));
  pbump(static_cast<int>(count));
  return count;
}

int OutputBlocks::sync() {
  return Flush() ? 0 : -1;
}

}  // namespace handrail::cli
