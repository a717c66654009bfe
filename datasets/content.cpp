#include "datasets/content.hpp"

#include <fmt/format.h>

#include <array>

#include "core/error.hpp"
#include "core/hdf5_check.hpp"
#include "datasets/text.hpp"

namespace dcpbench::datasets {

using core::Error;
using core::ErrorKind;
using namespace std::string_view_literals;

namespace {

struct Signature {
  std::string_view bytes;
  std::string_view name;
  std::string_view remedy;
};

constexpr std::string_view kToCsv = "save the lengths as CSV, e.g. with pandas to_csv";
constexpr std::string_view kDecompress = "decompress it first (gzip is read as it is)";
constexpr std::string_view kPickle =
    "Python pickles can run code and are not read; save the lengths as CSV or with numpy.save";
constexpr std::string_view kToUtf8 = "save it as UTF-8, e.g. iconv -t UTF-8";

// Longer signatures first where one begins another.
constexpr std::array kRefused = {
    Signature{"PAR1"sv, "Parquet", kToCsv},
    Signature{"ARROW1"sv, "Arrow", kToCsv},
    Signature{"ORC"sv, "ORC", kToCsv},
    Signature{"Obj\x01"sv, "Avro", kToCsv},
    Signature{"SQLite format 3\0"sv, "SQLite", kToCsv},
    Signature{"PK\x03\x04"sv, "zip (also .npz, .xlsx, .pt)",
              "unpack it and give the file of lengths inside"},
    Signature{"BZh"sv, "bzip2", kDecompress},
    Signature{"\xfd"
              "7zXZ\0"sv,
              "xz", kDecompress},
    Signature{"\x28\xb5\x2f\xfd"sv, "zstd", kDecompress},
    Signature{"\x04\x22\x4d\x18"sv, "LZ4", kDecompress},
    Signature{"7z\xbc\xaf\x27\x1c"sv, "7z", kDecompress},
    Signature{"\x1f\x8b"sv, "gzip inside gzip", "decompress it once"},
    Signature{"\x80\x02"sv, "pickle", kPickle},
    Signature{"\x80\x03"sv, "pickle", kPickle},
    Signature{"\x80\x04"sv, "pickle", kPickle},
    Signature{"\x80\x05"sv, "pickle", kPickle},
    Signature{"\xff\xfe\0\0"sv, "UTF-32", kToUtf8},
    Signature{"\0\0\xfe\xff"sv, "UTF-32", kToUtf8},
    Signature{"\xff\xfe"sv, "UTF-16", kToUtf8},
    Signature{"\xfe\xff"sv, "UTF-16", kToUtf8},
    Signature{"version https://git-lfs"sv, "a Git LFS pointer", "fetch the data with git lfs pull"},
    Signature{"%PDF"sv, "PDF", kToCsv},
};

constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";
constexpr std::string_view kNpy = "\x93NUMPY";

std::string hex(std::string_view bytes) {
  std::string result;
  for (const char c : bytes) {
    result += fmt::format("{}{:02x}", result.empty() ? "" : " ", static_cast<unsigned char>(c));
  }
  return result.empty() ? "none" : result;
}

bool has_hdf5_signature(std::string_view first) {
  for (std::size_t at = 0; at < first.size(); at = at == 0 ? 512 : 2 * at) {
    if (first.substr(at).starts_with(kHdf5)) return true;
  }
  return false;
}

}  // namespace

Content sniff(std::string_view first, const std::string& path) {
  const std::string name = lower(path);
  if (has_hdf5_signature(first)) return Content::hdf5;
  if (name.ends_with(".h5") || name.ends_with(".hdf5")) {
    core::check_hdf5(path);
    return Content::hdf5;
  }
  if (first.starts_with(kNpy)) return Content::npy;
  if (first.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{} holds no lengths (0 bytes)", path));
  }
  for (const Signature& signature : kRefused) {
    if (!first.starts_with(signature.bytes)) continue;
    throw Error(ErrorKind::usage, fmt::format("{}: this is {}, which is not read; {}", path,
                                              signature.name, signature.remedy));
  }
  if (name.ends_with(".npy")) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: not an NPY file (first bytes {})", path, hex(first.substr(0, 8))));
  }
  const std::size_t zero = first.find('\0');
  if (zero != first.npos) {
    const bool utf16 = zero < 2 && first.size() >= 4 && first[zero + 2] == '\0' &&
                       first[1 - zero] != '\0' && first[3 - zero] != '\0';
    throw Error(ErrorKind::usage,
                utf16
                    ? fmt::format("{}: this is UTF-16 without a byte order mark; {}", path, kToUtf8)
                    : fmt::format("{}: binary data (byte offset {} is 0x00), no text of lengths",
                                  path, zero));
  }
  if (first.starts_with(kUtf8ByteOrderMark)) first.remove_prefix(kUtf8ByteOrderMark.size());
  const std::size_t start = first.find_first_not_of(" \t\r\n");
  if (start != first.npos && first[start] == '[') return Content::json_array;
  if (start != first.npos && first[start] == '{') return Content::json_lines;
  return Content::text;
}

}  // namespace dcpbench::datasets
