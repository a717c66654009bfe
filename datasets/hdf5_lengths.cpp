// The HDF5 library (1.10) can crash on a damaged file, so all calls to it are made in a child
// process: one lists the datasets that can be columns, a second reads the chosen ones.
#include <H5Cpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <stdexcept>

#include "core/error.hpp"
#include "core/hdf5_check.hpp"
#include "datasets/child_process.hpp"
#include "datasets/readers.hpp"
#include "datasets/row_builder.hpp"
#include "datasets/text.hpp"

namespace dcpbench::datasets {

using core::Error;
using core::ErrorKind;

namespace {

constexpr std::size_t kMaxObjects = 10'000;
constexpr hsize_t kBlock = 65536;  // elements sent at once
constexpr hsize_t kMaxChunkBytes = hsize_t{64} << 20;

// Of a dataset, as the child sends it: followed by the name, and by why it is no column.
struct Facts {
  std::uint64_t size = 0;
  std::uint32_t name_bytes = 0;
  bool is_signed = true;
  bool is_column = true;
};

struct Candidate {
  std::string name;
  std::uint64_t size = 0;
  bool is_signed = true;
};

struct Listing {
  std::vector<Candidate> candidates;
  std::vector<std::string> others;  // `step_seconds (floating point)`
};

// ---- in the child ----

// Why the dataset is no column; else empty and `facts` filled.
std::string why_not(const H5::DataSet& dataset, Facts& facts) {
  const H5T_class_t type_class = dataset.getTypeClass();
  if (type_class != H5T_INTEGER) {
    return type_class == H5T_FLOAT ? "floating point" : "no integers";
  }
  const H5::DataSpace space = dataset.getSpace();
  if (!space.isSimple() || space.getSimpleExtentNdims() != 1) {
    return fmt::format("{}-D", space.getSimpleExtentNdims());
  }
  const H5::IntType type(dataset);
  if (type.getSize() > 8) return fmt::format("integers of {} bytes", type.getSize());
  const H5::DSetCreatPropList properties = dataset.getCreatePlist();
  // External and virtual datasets read other files than the one that was given.
  if (properties.getExternalCount() > 0) return "in an external file";
  const H5D_layout_t layout = properties.getLayout();
  if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED && layout != H5D_COMPACT) return "virtual";
  if (layout == H5D_CHUNKED) {
    hsize_t chunk = 0;
    properties.getChunk(1, &chunk);
    if (chunk > kMaxChunkBytes / type.getSize()) return fmt::format("chunks of {} elements", chunk);
  }
  hsize_t size = 0;
  space.getSimpleExtentDims(&size);
  facts.size = size;
  facts.is_signed = type.getSign() != H5T_SGN_NONE;
  return "";
}

struct Visit {
  const ChildProcess::Send& send;
  std::size_t objects = 0;
  std::string error;
};

void send_facts(const Visit& visit, hid_t group, const std::string& name) {
  const hid_t id = H5Dopen2(group, name.c_str(), H5P_DEFAULT);
  if (id < 0) throw std::runtime_error("dataset " + printable(name) + " cannot be opened");
  const H5::DataSet dataset(id);
  H5Dclose(id);  // `dataset` counts its own reference
  Facts facts;
  const std::string reason = why_not(dataset, facts);
  facts.name_bytes = static_cast<std::uint32_t>(name.size());
  facts.is_column = reason.empty();
  std::string message(sizeof facts, '\0');
  std::memcpy(message.data(), &facts, sizeof facts);
  visit.send(message + name + reason);
}

// Called for every object that hard links reach (no external file is opened); nothing may be thrown
// through the C library. `Info` is H5O_info_t of HDF5 1.10, H5O_info1_t since.
template <class Info>
herr_t visit_object(hid_t group, const char* name, const Info* info, void* data) {
  auto& visit = *static_cast<Visit*>(data);
  try {
    if (++visit.objects > kMaxObjects) {
      throw std::runtime_error(fmt::format("more than {} objects", kMaxObjects));
    }
    if (info->type == H5O_TYPE_DATASET) send_facts(visit, group, name);
    return 0;
  } catch (const H5::Exception& exception) {
    visit.error = fmt::format("dataset {}: {}", printable(name), exception.getDetailMsg());
  } catch (const std::exception& exception) {
    visit.error = exception.what();
  }
  return 1;
}

void send_listing(const H5::H5File& file, const ChildProcess::Send& send) {
  Visit visit{send, 0, {}};
  const herr_t status =
      H5Ovisit2(file.getId(), H5_INDEX_NAME, H5_ITER_INC, visit_object, &visit, H5O_INFO_BASIC);
  if (!visit.error.empty()) throw std::runtime_error(visit.error);
  if (status < 0) throw std::runtime_error("its objects can't be listed");
}

// Block by block, in each block column by column.
void send_values(const H5::H5File& file, const std::vector<Candidate>& columns,
                 const ChildProcess::Send& send) {
  std::vector<H5::DataSet> datasets;
  for (const Candidate& column : columns) datasets.push_back(file.openDataSet(column.name));
  std::string bytes;
  for (hsize_t first = 0; first < columns[0].size; first += kBlock) {
    const hsize_t count = std::min<hsize_t>(kBlock, columns[0].size - first);
    const H5::DataSpace memory(1, &count);
    bytes.resize(static_cast<std::size_t>(count) * sizeof(std::int64_t));
    for (std::size_t c = 0; c < columns.size(); ++c) {
      H5::DataSpace space = datasets[c].getSpace();
      space.selectHyperslab(H5S_SELECT_SET, &count, &first);
      datasets[c].read(
          bytes.data(),
          columns[c].is_signed ? H5::PredType::NATIVE_INT64 : H5::PredType::NATIVE_UINT64, memory,
          space);
      send(bytes);
    }
  }
}

// Opens the file in a child and runs `work` on it.
template <class Work>
ChildProcess start(const std::string& path, Work work) {
  return ChildProcess(path + ": damaged HDF5", [path, work](const ChildProcess::Send& send) {
    H5::Exception::dontPrint();
    H5PLset_loading_state(0);  // no filter plugins that a file asks for
    try {
      work(H5::H5File(path, H5F_ACC_RDONLY), send);
    } catch (const H5::Exception& exception) {
      throw std::runtime_error(exception.getFuncName() + ": " + exception.getDetailMsg());
    }
  });
}

// ---- in the parent ----

std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) append(result, printable(text, 200));
  return result.empty() ? "none" : result;
}

// A child whose memory was overwritten can send anything.
[[noreturn]] void garbled(const std::string& path) {
  throw Error(ErrorKind::usage, path + ": damaged HDF5 (its library sent nonsense)");
}

Listing list(const std::string& path) {
  ChildProcess child = start(path, send_listing);
  Listing listing;
  while (const std::optional<std::string> message = child.next()) {
    Facts facts;
    if (message->size() >= sizeof facts) std::memcpy(&facts, message->data(), sizeof facts);
    if (message->size() < sizeof facts + facts.name_bytes) garbled(path);
    const std::string name = message->substr(sizeof facts, facts.name_bytes);
    const std::string reason = message->substr(sizeof facts + facts.name_bytes);
    if (facts.is_column) {
      listing.candidates.push_back({name, facts.size, facts.is_signed});
    } else {
      listing.others.push_back(fmt::format("{} ({})", name, reason));
    }
  }
  if (listing.candidates.empty()) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: no one-dimensional integer dataset; datasets: {}; write the lengths "
                    "as 1-D int64",
                    path, joined(listing.others)));
  }
  return listing;
}

Selection select(const Listing& listing, const std::string& path, const ColumnTable& table,
                 const ReadOptions& options) {
  if (!options.column && listing.candidates.size() == 1) return Selection{};
  for (const std::string& other : listing.others) {
    if (!options.column || !other.starts_with(*options.column + " (")) continue;
    throw Error(ErrorKind::usage,
                fmt::format("{}: --column {}; lengths are a 1-D dataset of integers: {}", path,
                            printable(other, 200), joined(table.names)));
  }
  return select_columns(path, table, options.column);
}

// The columns that a row needs, equally long.
std::vector<Candidate> chosen_columns(const Listing& listing, const std::vector<std::size_t>& used,
                                      const std::string& path, const ReadOptions& options) {
  std::vector<Candidate> columns;
  for (const std::size_t column : used) columns.push_back(listing.candidates[column]);
  const std::uint64_t size = columns[0].size;
  for (const Candidate& column : columns) {
    if (column.size == size) continue;
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: datasets {} and {} have {} and {} elements; columns are equally long",
                    path, printable(columns[0].name), printable(column.name), size, column.size));
  }
  if (size > static_cast<std::uint64_t>(core::kMaxSequences) && !options.limit) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: {} elements, at most {} are supported; take the first "
                            "with --limit N, or sample the file",
                            path, size, core::kMaxSequences));
  }
  if (size > static_cast<std::uint64_t>(options.max_bytes) / sizeof(std::int64_t)) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: {} elements are more than {} bytes, the most that is "
                            "read; sample the file first",
                            path, size, options.max_bytes));
  }
  return columns;
}

std::string_view decimal(const std::string& block, std::size_t i, bool is_signed,
                         std::array<char, 24>& text) {
  std::int64_t value = 0;
  std::memcpy(&value, block.data() + i * sizeof value, sizeof value);
  char* end = text.data() + text.size();
  end = is_signed ? std::to_chars(text.data(), end, value).ptr
                  : std::to_chars(text.data(), end, static_cast<std::uint64_t>(value)).ptr;
  return {text.data(), static_cast<std::size_t>(end - text.data())};
}

}  // namespace

Dataset read_hdf5(const std::string& path, const ReadOptions& options) {
  core::check_hdf5(path);
  const Listing listing = list(path);
  ColumnTable table;
  table.noun = "datasets";
  table.names_hold_slashes = true;
  for (const Candidate& candidate : listing.candidates) table.names.push_back(candidate.name);
  const Selection selection = select(listing, path, table, options);
  std::vector<std::size_t> used = selection.columns;
  for (const auto column : {selection.weight, selection.loss, selection.check}) {
    if (column) used.push_back(*column);
  }
  const std::vector<Candidate> columns = chosen_columns(listing, used, path, options);

  std::vector<std::string_view> fields(table.names.size());
  RowBuilder rows(path, "element", options, std::move(table), selection);
  ChildProcess child =
      start(path, [&columns](const H5::H5File& file, const ChildProcess::Send& send) {
        send_values(file, columns, send);
      });
  std::vector<std::string> blocks(columns.size());
  std::vector<std::array<char, 24>> texts(columns.size());
  std::int64_t element = 0;
  while (std::optional<std::string> first = child.next()) {
    blocks[0] = std::move(*first);
    for (std::size_t c = 1; c < columns.size(); ++c)
      blocks[c] = child.next().value_or(std::string());
    const std::size_t count = blocks[0].size() / sizeof(std::int64_t);
    for (const std::string& block : blocks) {
      if (block.size() != blocks[0].size()) garbled(path);
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        fields[used[c]] = decimal(blocks[c], i, columns[c].is_signed, texts[c]);
      }
      rows.add(++element, fields);
    }
  }
  return rows.finish("HDF5", {});
}

}  // namespace dcpbench::datasets
