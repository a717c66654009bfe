#include "datasets/length_file.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "datasets/content.hpp"
#include "datasets/input.hpp"
#include "datasets/readers.hpp"

namespace dcpbench::datasets {

Dataset read_lengths(const std::string& path, const ReadOptions& options) {
  if (path == "-") {
    throw core::Error(
        core::ErrorKind::usage,
        "lengths are not read from standard input; write them to a file and give that");
  }
  Input input(path, options.max_bytes);
  switch (sniff(input.peek(kSniffBytes), path)) {
    case Content::npy:
      return read_npy(input, options);
    case Content::json_array:
      return read_json_array(input, options);
    case Content::json_lines:
      return read_json_lines(input, options);
    case Content::hdf5:
      if (input.is_gzip()) {
        throw core::Error(
            core::ErrorKind::usage,
            fmt::format("{}: HDF5 inside gzip is not read; decompress it first", path));
      }
      return read_hdf5(path, options);
    case Content::text:
      break;
  }
  return read_delimited(input, options);
}

}  // namespace dcpbench::datasets
