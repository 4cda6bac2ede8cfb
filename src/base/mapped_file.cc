#include "handrail/base/mapped_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace handrail {
namespace {

tl::unexpected<Error> SystemError(const std::string& name, const char* doing) {
  return Fail(ErrorCode::kIo, fmt::format("{}: cannot {}: {}", name, doing, std::strerror(errno)));
}

// Closes the descriptor on every way out.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

Result<MappedFile> MappedFile::Open(const std::filesystem::path& path, MapMode mode) {
  MappedFile file;
  file.name_ = path.string();
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return SystemError(file.name_, "open");
  struct stat info = {};
  if (::fstat(fd.get(), &info) != 0) return SystemError(file.name_, "read the size");
  if (!S_ISREG(info.st_mode)) {
    return Fail(ErrorCode::kUnsupported, fmt::format("{}: not a regular file", file.name_));
  }
  const auto size = static_cast<size_t>(info.st_size);
  if (size == 0) return file;
  if (mode == MapMode::kMap) {
    void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (start == MAP_FAILED) return SystemError(file.name_, "map");
    file.bytes_ = {static_cast<const std::byte*>(start), size};
    file.is_mapped_ = true;
    return file;
  }
  file.copy_.resize(size);
  size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(fd.get(), file.copy_.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(file.name_, "read");
    if (got == 0) break;  // it shrank meanwhile: what is there is what we have
    done += static_cast<size_t>(got);
  }
  file.copy_.resize(done);
  file.bytes_ = file.copy_;
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept {
  *this = std::move(other);
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this == &other) return *this;
  Release();
  name_ = std::move(other.name_);
  copy_ = std::move(other.copy_);
  bytes_ = std::exchange(other.bytes_, {});
  is_mapped_ = std::exchange(other.is_mapped_, false);
  return *this;
}

MappedFile::~MappedFile() {
  Release();
}

void MappedFile::Release() {
  if (is_mapped_) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  bytes_ = {};
  is_mapped_ = false;
}

}  // namespace handrail
