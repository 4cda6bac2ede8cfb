// Standard input and output in big blocks: a trace is a kilobyte, and there are hundreds of
// thousands.
#pragma once

#include <cstddef>
#include <streambuf>
#include <vector>

namespace handrail::cli {

inline constexpr size_t kStreamBlockBytes = size_t{1} << 18;

// Reads a file descriptor that it does not own. One refill is one read(), so that the lines of a
// slow writer are seen as they come.
class InputBlocks : public std::streambuf {
 public:
  explicit InputBlocks(int descriptor);

 protected:
  int_type underflow() override;

 private:
  int descriptor_;
  std::vector<char> block_;
};

// Writes a file descriptor that it does not own, block by block and when flushed.
class OutputBlocks : public std::streambuf {
 public:
  explicit OutputBlocks(int descriptor);

  // Why writing failed: an errno, 0 if it did not. EPIPE: the reader went away, which is no error.
  int error() const { return error_; }

 protected:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;

 private:
  bool WriteAll(const char* text, size_t count);
  bool Flush();

  int descriptor_;
  int error_ = 0;
  std::vector<char> block_;
};

}  // namespace handrail::cli
