// Small NPY, HDF5 and gzip files for tests.
#pragma once

#include <H5Cpp.h>
#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dcpbench::datasets {

// NPY 1.0: magic, header length, dict padded with spaces to a multiple of 64, data.
inline std::string npy(std::string_view descr, std::string_view shape, std::string_view data) {
  std::string dict = "{'descr': " + std::string(descr) +
                     ", 'fortran_order': False, 'shape': " + std::string(shape) + ", }";
  while ((10 + dict.size() + 1) % 64 != 0) dict += ' ';
  dict += '\n';
  std::string file = "\x93NUMPY\x01";
  file += '\0';
  file += static_cast<char>(dict.size() & 0xff);
  file += static_cast<char>(dict.size() >> 8);
  return file + dict + std::string(data);
}

// The values as integers of `bytes` bytes each.
inline std::string packed(const std::vector<std::int64_t>& values, std::size_t bytes,
                          bool big_endian = false) {
  std::string data;
  for (const std::int64_t value : values) {
    for (std::size_t i = 0; i < bytes; ++i) {
      const std::size_t byte = big_endian ? bytes - 1 - i : i;
      data += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * byte));
    }
  }
  return data;
}

inline std::string gzip(std::string_view content) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline void add_integers(H5::H5File& file, const std::string& name,
                         const std::vector<std::int64_t>& values,
                         const H5::DataType& type = H5::PredType::STD_I64LE, hsize_t chunk = 0) {
  const hsize_t size = values.size();
  H5::DSetCreatPropList properties;
  if (chunk > 0) {
    properties.setChunk(1, &chunk);
    properties.setDeflate(6);
  }
  file.createDataSet(name, type, H5::DataSpace(1, &size), properties)
      .write(values.data(), H5::PredType::NATIVE_INT64);
}

}  // namespace dcpbench::datasets
