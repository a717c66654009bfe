#include "datasets/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/error.hpp"

namespace dcpbench::datasets {

using core::Error;
using core::ErrorKind;

namespace {

constexpr std::size_t kFirstCapacity = std::size_t{1} << 18;

gzFile as_gz(void* stream) { return static_cast<gzFile>(stream); }

// Opens for reading; O_NONBLOCK, as opening a pipe without a writer would wait for ever.
int open_regular(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
    const int reason = errno;
    if (descriptor >= 0) ::close(descriptor);
    throw Error(ErrorKind::io, fmt::format("cannot open {}: {}", path, std::strerror(reason)));
  }
  if (S_ISREG(status.st_mode)) return descriptor;
  ::close(descriptor);
  const bool directory = S_ISDIR(status.st_mode);
  throw Error(ErrorKind::usage,
              directory
                  ? fmt::format("{} is a directory; give a file of lengths", path)
                  : fmt::format("{} is a pipe or device, which may never end; write the lengths "
                                "to a file and give that",
                                path));
}

}  // namespace

Input::Input(const std::string& path, std::int64_t max_bytes) : path_(path), max_bytes_(max_bytes) {
  const int descriptor = open_regular(path);
  std::array<unsigned char, 2> magic{};
  gzip_ = ::pread(descriptor, magic.data(), magic.size(), 0) == 2 && magic[0] == 0x1f &&
          magic[1] == 0x8b;
  stream_ = gzdopen(descriptor, "rb");
  if (stream_ == nullptr) {
    ::close(descriptor);
    throw Error(ErrorKind::io, fmt::format("cannot read {}: out of memory", path));
  }
  gzbuffer(as_gz(stream_), 1u << 18);
}

Input::~Input() { gzclose(as_gz(stream_)); }

bool Input::extend() {
  if (ended_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == capacity_) {
    const std::size_t capacity = std::max(kFirstCapacity, 2 * capacity_);
    std::unique_ptr<char[]> larger(new char[capacity]);
    std::copy_n(buffer_.get(), end_, larger.get());
    buffer_ = std::move(larger);
    capacity_ = capacity;
  }
  const int got =
      gzread(as_gz(stream_), buffer_.get() + end_, static_cast<unsigned>(capacity_ - end_));
  int status = Z_OK;
  const char* reason = gzerror(as_gz(stream_), &status);
  if (status == Z_BUF_ERROR) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: the gzip data ends early; the file was cut short", path_));
  }
  if (got < 0 || (status != Z_OK && status != Z_STREAM_END)) {
    if (gzip_ && status != Z_ERRNO) {
      throw Error(ErrorKind::usage, fmt::format("{}: damaged gzip data ({})", path_, reason));
    }
    throw Error(ErrorKind::io, fmt::format("cannot read {}: {}", path_,
                                           status == Z_ERRNO ? std::strerror(errno) : reason));
  }
  ended_ = got == 0;
  end_ += static_cast<std::size_t>(got);
  if (offset_ + static_cast<std::int64_t>(end_) > max_bytes_) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: more than {} bytes{}, the most that is read; sample the file first", path_,
                    max_bytes_, gzip_ ? " when decompressed" : ""));
  }
  return !ended_;
}

std::string_view Input::peek(std::size_t bytes) {
  while (window().size() < bytes && extend()) {
  }
  return window().substr(0, bytes);
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    std::string_view window = input_.window();
    if (skip_lf_ && !window.empty()) {
      if (window.front() == '\n') input_.consume(1);
      skip_lf_ = false;
      continue;
    }
    const std::int64_t start = input_.offset();
    if (next_lf_ < start) {
      const std::size_t from =
          static_cast<std::size_t>(std::max(no_lf_before_ - start, std::int64_t{0}));
      const std::size_t at = window.find('\n', from);
      next_lf_ = at == window.npos ? -1 : start + static_cast<std::int64_t>(at);
      no_lf_before_ = start + static_cast<std::int64_t>(std::min(at, window.size()));
    }
    const std::size_t limit =
        next_lf_ < 0 ? window.size() : static_cast<std::size_t>(next_lf_ - start);
    const std::size_t end = std::min(window.substr(0, limit).find('\r', searched), limit);
    if (end < window.size()) {
      line = window.substr(0, end);
      if (window[end] == '\r') {
        // The LF of a CRLF may not have been read yet.
        skip_lf_ = end + 1 == window.size();
        input_.consume(end + (end + 1 < window.size() && window[end + 1] == '\n' ? 2 : 1));
      } else {
        input_.consume(end + 1);
      }
      ++number_;
      terminated_ = true;
      return true;
    }
    searched = window.size();
    if (searched > kMaxItemBytes) {
      throw Error(
          ErrorKind::usage,
          fmt::format("{}: line {} is longer than {} bytes; is this a text file of lengths?",
                      input_.path(), number_ + 1, kMaxItemBytes));
    }
    if (!input_.extend()) {
      line = input_.window();
      if (line.empty()) return false;
      input_.consume(line.size());
      ++number_;
      terminated_ = false;
      return true;
    }
  }
}

}  // namespace dcpbench::datasets
