#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "core/error.hpp"
#include "report/write.hpp"

namespace dcpbench::report {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, std::string_view action, int code) {
  throw core::Error(core::ErrorKind::io,
                    fmt::format("{}: {}: {}", path, action, std::generic_category().message(code)));
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int value() const { return value_; }
  // Some file systems (NFS) report a failed write only here.
  [[nodiscard]] bool close() {
    const int value = value_;
    value_ = -1;
    return ::close(value) == 0 || errno == EINTR;
  }

 private:
  int value_;
};

void write_all(int descriptor, std::string_view content, const std::string& path) {
  const std::size_t total = content.size();
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int code = errno;
      fail(path,
           fmt::format("can't write {} bytes (stopped after {})", total, total - content.size()),
           code);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

// A file beside the target that vanishes unless it is renamed.
class TemporaryFile {
 public:
  TemporaryFile(const fs::path& folder, const std::string& target)
      : descriptor_(create(folder, target)) {}
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void fill(std::string_view content, const std::string& target) {
    write_all(descriptor_.value(), content, target);
    if (::fsync(descriptor_.value()) != 0) fail(target, "can't flush to disk", errno);
    if (!descriptor_.close()) fail(target, "can't close", errno);
  }
  void rename_to(const fs::path& real_target, const std::string& target) {
    if (::rename(path_.c_str(), real_target.c_str()) != 0) fail(target, "can't replace", errno);
    path_.clear();
  }

 private:
  // The name does not depend on the target's, which may already be as long as a name can be.
  int create(const fs::path& folder, const std::string& target) {
    for (int attempt = 0;; ++attempt) {
      path_ = folder / fmt::format(".dcpbench-{}-{}.tmp", ::getpid(), attempt);
      const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
      if (descriptor >= 0) return descriptor;
      if (errno == EINTR || (errno == EEXIST && attempt < 1000)) continue;
      const int code = errno;
      path_.clear();
      fail(target, fmt::format("can't create a file in {}", folder.string()), code);
    }
  }

  fs::path path_;
  Descriptor descriptor_;
};

// Makes the rename itself durable. Folders that can't be opened or synced (some network file
// systems) leave that to the system.
void sync_folder(const fs::path& folder, const std::string& target) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.value() >= 0 && ::fsync(descriptor.value()) != 0 && errno == EIO) {
    fail(target, "written, but its folder can't be flushed to disk", EIO);
  }
}

}  // namespace

void write_file_atomically(const std::string& path, std::string_view content) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (path.empty()) fail("\"\"", "can't write", ENOENT);
  if (exists && S_ISDIR(status.st_mode)) fail(path, "can't write", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    // A device or a pipe: a rename would put a plain file in its place.
    Descriptor descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (descriptor.value() < 0) fail(path, "can't open", errno);
    write_all(descriptor.value(), content, path);
    if (!descriptor.close()) fail(path, "can't close", errno);
    return;
  }
  // Through a symbolic link to the file it names, so that the link stays.
  std::error_code code;
  fs::path target = exists ? fs::canonical(path, code) : fs::path(path);
  if (code) target = path;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  TemporaryFile file(folder, path);
  file.fill(content, path);
  file.rename_to(target, path);
  sync_folder(folder, path);
}

}  // namespace dcpbench::report
