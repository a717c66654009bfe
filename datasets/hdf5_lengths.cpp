#include <H5Cpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/error.hpp"
#include "core/hdf5_check.hpp"
#include "datasets/readers.hpp"
#include "datasets/row_builder.hpp"
#include "datasets/text.hpp"

namespace dcpbench::datasets {

using core::Error;
using core::ErrorKind;

namespace {

constexpr std::size_t kMaxObjects = 10'000;
constexpr hsize_t kBlock = 65536;  // elements read at once
constexpr hsize_t kMaxChunkBytes = hsize_t{64} << 20;

// A dataset that can be read as a column.
struct Candidate {
  std::string name;
  hsize_t size = 0;
  bool is_signed = true;
};

struct Listing {
  std::vector<Candidate> candidates;
  std::vector<std::string> others;  // `step_seconds (float64)`: why each is no column
  std::size_t objects = 0;
  std::string error;
};

std::string why_not(const H5::DataSet& dataset, Candidate& candidate) {
  const H5::DataSpace space = dataset.getSpace();
  if (dataset.getTypeClass() != H5T_INTEGER) {
    return dataset.getTypeClass() == H5T_FLOAT ? "floating point" : "no integers";
  }
  if (!space.isSimple() || space.getSimpleExtentNdims() != 1) {
    return fmt::format("{}-D", space.getSimpleExtentNdims());
  }
  const H5::IntType type(dataset);
  if (type.getSize() > 8) return fmt::format("integers of {} bytes", type.getSize());
  const H5::DSetCreatPropList properties = dataset.getCreatePlist();
  // Such datasets read other files than the one that was given.
  if (properties.getExternalCount() > 0) return "in an external file";
  if (properties.getLayout() != H5D_CONTIGUOUS && properties.getLayout() != H5D_CHUNKED &&
      properties.getLayout() != H5D_COMPACT) {
    return "a virtual dataset";
  }
  if (properties.getLayout() == H5D_CHUNKED) {
    hsize_t chunk = 0;
    properties.getChunk(1, &chunk);
    if (chunk > kMaxChunkBytes / type.getSize()) return fmt::format("chunks of {} elements", chunk);
  }
  space.getSimpleExtentDims(&candidate.size);
  candidate.is_signed = type.getSign() != H5T_SGN_NONE;
  return "";
}

// Called for every object of the file through its hard links; never throws into the C library.
// `Info` is H5O_info_t of HDF5 1.10, H5O_info1_t since.
template <class Info>
herr_t visit(hid_t group, const char* name, const Info* info, void* data) {
  auto& listing = *static_cast<Listing*>(data);
  if (++listing.objects > kMaxObjects) {
    listing.error = fmt::format("more than {} objects", kMaxObjects);
    return 1;
  }
  if (info->type != H5O_TYPE_DATASET) return 0;
  try {
    const hid_t id = H5Dopen2(group, name, H5P_DEFAULT);
    if (id < 0) throw H5::DataSetIException("H5Dopen2", "cannot be opened");
    H5::DataSet dataset(id);
    H5Dclose(id);  // `dataset` counts its own reference
    Candidate candidate;
    candidate.name = name;
    const std::string reason = why_not(dataset, candidate);
    if (reason.empty()) {
      listing.candidates.push_back(std::move(candidate));
    } else {
      listing.others.push_back(fmt::format("{} ({})", printable(name), reason));
    }
    return 0;
  } catch (const H5::Exception& exception) {
    listing.error = fmt::format("dataset {}: {}", printable(name), exception.getDetailMsg());
  } catch (const std::exception& exception) {
    listing.error = exception.what();
  }
  return 1;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) append(result, text);
  return result;
}

Listing list(const H5::H5File& file, const std::string& path) {
  Listing listing;
  const herr_t status =
      H5Ovisit2(file.getId(), H5_INDEX_NAME, H5_ITER_INC, visit, &listing, H5O_INFO_BASIC);
  if (!listing.error.empty() || status < 0) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: damaged HDF5 ({})", path,
                            listing.error.empty() ? "its objects can't be listed" : listing.error));
  }
  if (listing.candidates.empty()) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: no one-dimensional integer dataset; datasets: {}; write the lengths "
                    "as 1-D int64",
                    path, listing.others.empty() ? "none" : joined(listing.others)));
  }
  return listing;
}

Selection select(const Listing& listing, const std::string& path, const ColumnTable& table,
                 const ReadOptions& options) {
  if (!options.column && listing.candidates.size() == 1) return Selection{};
  if (options.column) {
    for (const std::string& other : listing.others) {
      if (!other.starts_with(*options.column + " (")) continue;
      throw Error(ErrorKind::usage,
                  fmt::format("{}: --column {}; lengths are a 1-D dataset of integers: {}", path,
                              other, joined(table.names)));
    }
  }
  return select_columns(path, table, options.column);
}

// One column, read block by block.
class Column {
 public:
  Column(const H5::H5File& file, const Candidate& candidate)
      : dataset_(file.openDataSet(candidate.name)), is_signed_(candidate.is_signed) {}

  void read(hsize_t first, hsize_t count) {
    values_.resize(static_cast<std::size_t>(count));
    H5::DataSpace space = dataset_.getSpace();
    space.selectHyperslab(H5S_SELECT_SET, &count, &first);
    const H5::DataSpace memory(1, &count);
    dataset_.read(values_.data(),
                  is_signed_ ? H5::PredType::NATIVE_INT64 : H5::PredType::NATIVE_UINT64, memory,
                  space);
  }
  // The text of value `i` of the block.
  std::string_view text(std::size_t i) {
    char* end = buffer_.data() + buffer_.size();
    // Signed and unsigned of one size may stand for each other.
    end = is_signed_
              ? std::to_chars(buffer_.data(), end, values_[i]).ptr
              : std::to_chars(buffer_.data(), end, static_cast<std::uint64_t>(values_[i])).ptr;
    return {buffer_.data(), static_cast<std::size_t>(end - buffer_.data())};
  }

 private:
  H5::DataSet dataset_;
  bool is_signed_;
  std::vector<std::int64_t> values_;
  std::array<char, 24> buffer_{};
};

Dataset read_columns(const H5::H5File& file, const std::string& path, const ReadOptions& options) {
  const Listing listing = list(file, path);
  ColumnTable table;
  table.noun = "datasets";
  table.names_hold_slashes = true;
  for (const Candidate& candidate : listing.candidates) table.names.push_back(candidate.name);
  const Selection selection = select(listing, path, table, options);

  std::vector<std::size_t> used = selection.columns;
  for (const auto column : {selection.weight, selection.loss, selection.check}) {
    if (column) used.push_back(*column);
  }
  const hsize_t size = listing.candidates[used[0]].size;
  for (const std::size_t column : used) {
    const Candidate& candidate = listing.candidates[column];
    if (candidate.size == size) continue;
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: datasets {} and {} have {} and {} elements; they must be as long as each "
                    "other",
                    path, printable(table.names[used[0]]), printable(candidate.name), size,
                    candidate.size));
  }
  if (size > static_cast<hsize_t>(core::kMaxSequences) && !options.limit) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: {} elements, at most {} are supported; take the first "
                            "with --limit N, or sample the file",
                            path, size, core::kMaxSequences));
  }
  if (size > static_cast<hsize_t>(options.max_bytes / 8)) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: {} elements are more than {} bytes, the most that is "
                            "read; sample the file first",
                            path, size, options.max_bytes));
  }
  std::vector<Column> columns;
  for (const std::size_t column : used) columns.emplace_back(file, listing.candidates[column]);
  std::vector<std::string_view> fields(table.names.size());
  RowBuilder rows(path, "element", options, std::move(table), selection);
  for (hsize_t first = 0; first < size; first += kBlock) {
    const hsize_t count = std::min(kBlock, size - first);
    for (Column& column : columns) column.read(first, count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < columns.size(); ++c) fields[used[c]] = columns[c].text(i);
      rows.add(static_cast<std::int64_t>(first) + static_cast<std::int64_t>(i) + 1, fields);
    }
  }
  return rows.finish("HDF5", {});
}

}  // namespace

Dataset read_hdf5(const std::string& path, const ReadOptions& options) {
  core::check_hdf5(path);
  // The library prints its own error stack otherwise, and loads filter plugins that a file names.
  H5::Exception::dontPrint();
  H5PLset_loading_state(0);
  try {
    const H5::H5File file(path, H5F_ACC_RDONLY);
    return read_columns(file, path, options);
  } catch (const H5::Exception& exception) {
    throw Error(ErrorKind::usage, fmt::format("{}: damaged HDF5 ({}: {})", path,
                                              exception.getFuncName(), exception.getDetailMsg()));
  }
}

}  // namespace dcpbench::datasets
