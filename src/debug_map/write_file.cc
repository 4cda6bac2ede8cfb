#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "handrail/debug_map/debug_map_writer.h"

namespace handrail {
namespace {

tl::unexpected<Error> SystemError(const std::filesystem::path& path, const char* doing,
                                  int error_number) {
  return Fail(ErrorCode::kIo,
              fmt::format("{}: cannot {}: {}", path.string(), doing, std::strerror(error_number)));
}

// 0, or the errno of what failed.
int WriteAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return ::fsync(fd) == 0 ? 0 : errno;
}

// The name is in the folder, so that it survives a loss of power only once the folder is written.
Status SyncFolder(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return SystemError(folder, "open", errno);
  // Some file systems cannot sync a folder, and say EINVAL: then there is nothing more to do.
  const int failed = ::fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
  ::close(fd);
  if (failed != 0) return SystemError(folder, "sync", failed);
  return {};
}

}  // namespace

Status WriteFileAtomically(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  // Beside the target, since a rename is atomic within one file system only.
  std::string temporary = path.string() + ".XXXXXX";
  const int fd = ::mkstemp(temporary.data());
  if (fd < 0) return SystemError(path, "create a temporary file beside it", errno);
  int failed = WriteAll(fd, bytes);
  // mkstemp makes files that only the owner may read: give the new file what others would have.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (failed == 0 && ::fchmod(fd, 0666 & ~mask) != 0) failed = errno;
  if (::close(fd) != 0 && failed == 0) failed = errno;
  if (failed == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) failed = errno;
  if (failed != 0) {
    ::unlink(temporary.c_str());
    return SystemError(path, "write", failed);
  }
  return SyncFolder(path);
}

}  // namespace handrail
