#include "cli/file_stream.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <istream>
#include <ostream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace handrail::cli {
namespace {

struct Pipe {
  Pipe() { EXPECT_EQ(::pipe(ends.data()), 0); }
  ~Pipe() {
    CloseReader();
    CloseWriter();
  }
  void CloseReader() { Close(ends[0]); }
  void CloseWriter() { Close(ends[1]); }
  static void Close(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  std::array<int, 2> ends = {-1, -1};
};

// Texts around the size of a block, written in pieces of every kind.
TEST(FileStream, WhatIsWrittenIsRead) {
  for (const size_t size : {size_t{0}, size_t{1}, kStreamBlockBytes - 1, kStreamBlockBytes,
                            kStreamBlockBytes + 1, 3 * kStreamBlockBytes + 7}) {
    std::string text;
    for (size_t i = 0; i < size; ++i) text += static_cast<char>('a' + i % 26);
    Pipe pipe;
    std::thread writer([&] {
      OutputBlocks blocks(pipe.ends[1]);
      std::ostream out(&blocks);
      const size_t half = text.size() / 2;
      out.write(text.data(), static_cast<std::streamsize>(half));
      for (size_t i = half; i < text.size() && i < half + 10; ++i) out.put(text[i]);
      if (half + 10 < text.size()) {
        out.write(text.data() + half + 10, static_cast<std::streamsize>(text.size() - half - 10));
      }
      out.flush();
      EXPECT_EQ(blocks.error(), 0);
      pipe.CloseWriter();
    });
    InputBlocks blocks(pipe.ends[0]);
    std::istream in(&blocks);
    const std::string read{std::istreambuf_iterator<char>(in), {}};
    writer.join();
    EXPECT_EQ(read, text) << size;
  }
}

TEST(FileStream, AReaderThatWentAwayIsRemembered) {
  std::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  pipe.CloseReader();
  OutputBlocks blocks(pipe.ends[1]);
  std::ostream out(&blocks);
  out << "text" << std::flush;
  EXPECT_FALSE(out);
  EXPECT_EQ(blocks.error(), EPIPE);
}

TEST(FileStream, AFullDeviceIsRemembered) {
  int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  OutputBlocks blocks(full);
  std::ostream out(&blocks);
  const std::string text(kStreamBlockBytes * 2, 'a');
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  EXPECT_FALSE(out);
  EXPECT_EQ(blocks.error(), ENOSPC);
  Pipe::Close(full);
}

}  // namespace
}  // namespace handrail::cli
