// The bytes of a length file, gunzipped on the way if it is a gzip file, through a window that only
// grows as far as a reader asks: memory doesn't depend on the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace dcpbench::datasets {

// A line, a JSON text or a list of token ids longer than this is refused.
inline constexpr std::size_t kMaxItemBytes = std::size_t{64} << 20;

class Input {
 public:
  // Throws Error(io) when `path` can't be opened, Error(usage) when it isn't a regular file (a pipe
  // may never end). `max_bytes` limits the uncompressed content.
  Input(const std::string& path, std::int64_t max_bytes);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_gzip() const { return gzip_; }

  // Bytes in memory that aren't consumed yet; valid until extend().
  [[nodiscard]] std::string_view window() const { return {buffer_.get() + begin_, end_ - begin_}; }
  // Reads more bytes behind the window; false at the end of the content. Throws Error(usage) beyond
  // max_bytes and for damaged gzip data, Error(io) when reading fails.
  bool extend();
  // Reads until the window holds `bytes` or the content ends.
  std::string_view peek(std::size_t bytes);
  void consume(std::size_t bytes) {
    begin_ += bytes;
    offset_ += static_cast<std::int64_t>(bytes);
  }
  // Of the window's first byte, in the uncompressed content.
  [[nodiscard]] std::int64_t offset() const { return offset_; }

 private:
  std::string path_;
  std::int64_t max_bytes_;
  bool gzip_ = false;
  bool ended_ = false;
  void* stream_ = nullptr;  // gzFile: also reads plain files
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t offset_ = 0;
};

// Lines that end in LF, CRLF or a lone CR, without their end.
class LineReader {
 public:
  explicit LineReader(Input& input) : input_(input) {}
  // False at the end. `line` is valid until the next call. Throws Error(usage) for a line above
  // kMaxItemBytes.
  bool next(std::string_view& line);
  // Of the line last given, from 1.
  [[nodiscard]] std::int64_t number() const { return number_; }
  // Whether the line last given had a line end.
  [[nodiscard]] bool terminated() const { return terminated_; }

 private:
  Input& input_;
  std::int64_t number_ = 0;
  // Offsets in the content, kept so that a file with lone CRs isn't searched anew for every line.
  std::int64_t next_lf_ = -1;
  std::int64_t no_lf_before_ = 0;
  bool skip_lf_ = false;  // the last line ended in CR at the window's end
  bool terminated_ = false;
};

}  // namespace dcpbench::datasets
