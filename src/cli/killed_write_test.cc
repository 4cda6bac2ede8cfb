// A process that is killed while it writes: the old file is there, or the new one, never a part.
//
// Each verb that writes runs in a process of its own under ptrace, which is killed at one of its
// system calls: at the first, then in another run at the second, and so on to the last.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command_line.h"

namespace handrail::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOld = "the old file";

std::string ReadText(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

ExitCode Call(const std::vector<std::string>& arguments) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  return RunCommandLine(arguments, {in, out, err, false});
}

enum class Ended { kKilled, kDone, kFailed };

// Runs the command and kills it when it has entered or left system calls `stops` times.
Ended CallUntil(const std::vector<std::string>& arguments, int stops) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(9);
    ::raise(SIGSTOP);
    ::_exit(Call(arguments) == ExitCode::kDone ? 0 : 8);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    if (stops-- == 0) {
      ::kill(child, SIGKILL);
    } else {
      ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    }
  }
  if (WIFSIGNALED(status)) return Ended::kKilled;
  return WEXITSTATUS(status) == 0 ? Ended::kDone : Ended::kFailed;
}

// Kills `arguments` at every system call; before each run, every file of `outputs` is an old one.
// Returns how often it was killed. `outputs` are to be written in this order.
int KillEverywhere(const std::vector<std::string>& arguments,
                   const std::vector<fs::path>& outputs) {
  EXPECT_EQ(Call(arguments), ExitCode::kDone);
  std::vector<std::string> written;
  for (const fs::path& path : outputs) written.push_back(ReadText(path));

  for (int stops = 0;; ++stops) {
    for (const fs::path& path : outputs) std::ofstream(path, std::ios::binary) << kOld;
    const Ended ended = CallUntil(arguments, stops);
    EXPECT_NE(ended, Ended::kFailed);
    bool is_old = false;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::string text = ReadText(outputs[i]);
      EXPECT_TRUE(text == kOld || text == written[i]) << outputs[i] << " after " << stops;
      EXPECT_FALSE(is_old && text != kOld) << outputs[i] << " was written too early";
      is_old = text == kOld;
    }
    if (ended != Ended::kKilled || ::testing::Test::HasFailure()) {
      EXPECT_FALSE(is_old);
      return stops;
    }
  }
}

class KilledWrite : public ::testing::Test {
 protected:
  KilledWrite() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~KilledWrite() override { fs::remove_all(folder_); }

  const fs::path folder_ = ::testing::TempDir() + "handrail_killed_" + std::to_string(::getpid());
  const std::string model_ = HANDRAIL_SOURCE_DIR "/test/data/lowered.ptl";
};

TEST_F(KilledWrite, Strip) {
  const fs::path out = folder_ / "out.ptl";
  const fs::path map = folder_ / "out.hdm";
  EXPECT_GT(KillEverywhere({"strip", model_, "-o", out, "--debug-map", map}, {map, out}), 20);
}

TEST_F(KilledWrite, Map) {
  const fs::path map = folder_ / "out.hdm";
  EXPECT_GT(KillEverywhere({"map", model_, "-o", map}, {map}), 10);
}

TEST_F(KilledWrite, Merge) {
  const fs::path map = folder_ / "out.hdm";
  const std::string other = HANDRAIL_SOURCE_DIR "/test/data/double.ptl";
  EXPECT_GT(KillEverywhere({"merge", model_, other, "-o", map}, {map}), 10);
}

}  // namespace
}  // namespace handrail::cli
