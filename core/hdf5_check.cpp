#include "core/hdf5_check.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "core/error.hpp"

namespace dcpbench::core {

namespace {

constexpr std::array<unsigned char, 8> kSignature = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
// The longest superblock: version 1 with 8-byte offsets, up to the end of its end-of-file address.
constexpr std::size_t kSuperblockBytes = 28 + 3 * 8;

class File {
 public:
  // O_NONBLOCK: opening a pipe without a writer would wait for ever.
  explicit File(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status {};
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
      const int reason = errno;
      close();
      throw Error(ErrorKind::io, fmt::format("cannot open {}: {}", path, std::strerror(reason)));
    }
    if (!S_ISREG(status.st_mode)) {
      close();
      throw Error(ErrorKind::io, fmt::format("cannot read {}: not a regular file", path));
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Bytes read at `offset`, fewer at the end of the file.
  std::size_t read_at(std::uint64_t offset, std::span<unsigned char> out) const {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t got = ::pread(descriptor_, out.data() + done, out.size() - done,
                                  static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  void close() const {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int descriptor_;
  std::uint64_t size_ = 0;
};

std::uint64_t little_endian(std::span<const unsigned char> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) value = value << 8 | bytes[i - 1];
  return value;
}

[[noreturn]] void damaged(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::usage,
              fmt::format("{}: damaged HDF5 superblock ({}); write the file again", path, why));
}

[[noreturn]] void truncated(const std::string& path, std::uint64_t size,
                            std::string_view expected) {
  throw Error(ErrorKind::usage,
              fmt::format("{}: truncated HDF5 (eof {}, expected {}); the writer was interrupted or "
                          "the disk was full: write the file again",
                          path, size, expected));
}

}  // namespace

void check_hdf5(const std::string& path) {
  const File file(path);

  std::array<unsigned char, kSuperblockBytes> block{};
  std::size_t got = file.read_at(0, block);
  const auto signed_block = [&] {
    return got >= kSignature.size() &&
           std::equal(kSignature.begin(), kSignature.end(), block.begin());
  };
  if (!signed_block()) {
    std::string first;
    for (std::size_t i = 0; i < std::min<std::size_t>(got, 8); ++i) {
      first += fmt::format("{}{:02x}", i == 0 ? "" : " ", block[i]);
    }
    for (std::uint64_t offset = 512; offset < file.size() && !signed_block(); offset *= 2) {
      got = file.read_at(offset, block);
    }
    if (!signed_block()) {
      throw Error(ErrorKind::usage, fmt::format("{}: not an HDF5 file (first bytes {})", path,
                                                first.empty() ? "none" : first));
    }
  }
  if (got < 16) truncated(path, file.size(), "a superblock");

  const unsigned version = block[8];
  if (version > 3) damaged(path, fmt::format("version {}, known are 0 to 3", version));
  const std::size_t offset_bytes = version < 2 ? block[13] : block[9];
  if (offset_bytes != 2 && offset_bytes != 4 && offset_bytes != 8) {
    damaged(path, fmt::format("{} bytes per offset", offset_bytes));
  }
  // Base address, free-space or extension address, end-of-file address.
  const std::size_t addresses = version < 2 ? (version == 1 ? 28 : 24) : 12;
  const std::size_t eof_at = addresses + 2 * offset_bytes;
  if (got < eof_at + offset_bytes) truncated(path, file.size(), "a superblock");
  const std::uint64_t end = little_endian(std::span(block).subspan(eof_at, offset_bytes));
  if (file.size() < end) truncated(path, file.size(), fmt::format("{}", end));
}

}  // namespace dcpbench::core
