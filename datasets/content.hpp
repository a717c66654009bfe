// What a file holds, by its first bytes.
#pragma once

#include <string>
#include <string_view>

namespace dcpbench::datasets {

enum class Content { text, json_array, json_lines, npy, hdf5 };

// `first`: the first kSniffBytes of the (uncompressed) content, less if it is shorter. Throws
// Error(usage) for a format that isn't read, with what to do: Parquet, pickle, zip, bzip2, xz,
// zstd, UTF-16, ... ; and for a file named .h5, .hdf5 or .npy that is none, as its writer did not
// do what the name promises.
inline constexpr std::size_t kSniffBytes = 4096;
Content sniff(std::string_view first, const std::string& path);

inline constexpr std::string_view kUtf8ByteOrderMark = "\xef\xbb\xbf";

}  // namespace dcpbench::datasets
