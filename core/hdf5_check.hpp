// A look at an HDF5 file before the HDF5 library sees it: pure bytes, no library.
#pragma once

#include <string>

namespace dcpbench::core {

// Throws Error(io) when `path` can't be opened or isn't a regular file, and Error(usage)
//   "PATH: not an HDF5 file (first bytes ...)"          without the signature,
//   "PATH: truncated HDF5 (eof A, expected B)"          when the file is shorter than its
//   superblock
//                                                       says (a crash or a full disk),
//   "PATH: damaged HDF5 superblock (...)"               when the superblock makes no sense.
// Superblock versions 0 to 3 (HDF5 File Format Specification 3.0, section II.A); the signature may
// stand behind a user block (offset 0, 512, 1024, 2048, ...).
void check_hdf5(const std::string& path);

}  // namespace dcpbench::core
