// The HDF5 report is made from the JSON report, so the two can't disagree; only the arrays come
// from the timelines. The file is built in memory (HDF5's core driver): a full disk then fails in
// one plain write instead of inside HDF5's close, no lock is taken on network file systems, and the
// result is put in place atomically.
#include <H5Cpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "report/write.hpp"

namespace dcpbench::report {

namespace {

using nlohmann::ordered_json;

// The steps x ranks x parts table of a result, and of all results of a file together.
constexpr std::size_t kMaxCellValues = 1'000'000;
constexpr std::size_t kMaxCellValuesOfFile = 20'000'000;

// HDF5's own check of header against library aborts the process, so ours comes first.
void require_matching_library(const std::string& path) {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  if (major != H5_VERS_MAJOR || minor != H5_VERS_MINOR || release != H5_VERS_RELEASE) {
    throw core::Error(
        core::ErrorKind::io,
        fmt::format("{}: can't write HDF5: built for library {}.{}.{}, but {}.{}.{} is loaded",
                    path, H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE, major, minor, release));
  }
}

// HDF5 prints its error stack to stderr unless told otherwise; a host program's choice is restored.
class SilentErrors {
 public:
  SilentErrors() {
    H5::Exception::getAutoPrint(function_, &data_);
    H5::Exception::dontPrint();
  }
  ~SilentErrors() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  SilentErrors(const SilentErrors&) = delete;
  SilentErrors& operator=(const SilentErrors&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

H5::StrType text_type() {
  H5::StrType type(H5::PredType::C_S1, H5T_VARIABLE);
  type.setCset(H5T_CSET_UTF8);
  return type;
}

// What h5py reads as bool.
H5::EnumType bool_type() {
  H5::EnumType type(H5::PredType::NATIVE_INT8);
  std::int8_t value = 0;
  type.insert("FALSE", &value);
  value = 1;
  type.insert("TRUE", &value);
  return type;
}

// Of two fields that end up with one name ("a.b" beside {"a": {"b"}}) the first stays.
void write_text(H5::H5Object& object, const std::string& name, const std::string& text) {
  if (object.attrExists(name)) return;
  object.createAttribute(name, text_type(), H5::DataSpace(H5S_SCALAR)).write(text_type(), text);
}
template <class T>
void write_number(H5::H5Object& object, const std::string& name, const H5::DataType& type,
                  T number) {
  if (object.attrExists(name)) return;
  object.createAttribute(name, type, H5::DataSpace(H5S_SCALAR)).write(type, &number);
}

void write_texts(H5::Group& group, const std::string& name, const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const hsize_t size = texts.size();
  group.createDataSet(name, text_type(), H5::DataSpace(1, &size))
      .write(pointers.data(), text_type());
}

// Scalars become attributes; nested objects too, with the names that pandas.json_normalize gives
// ("step_seconds.median"). null is no attribute. Lists of texts become data sets.
void write_fields(H5::Group& group, const ordered_json& object, const std::string& prefix = "") {
  for (const auto& [key, value] : object.items()) {
    const std::string name = prefix + (key.empty() ? "_" : key);
    if (value.is_object()) {
      write_fields(group, value, name + ".");
    } else if (value.is_boolean()) {
      write_number(group, name, bool_type(), std::int8_t{value.get<bool>()});
    } else if (value.is_number_float()) {
      write_number(group, name, H5::PredType::NATIVE_DOUBLE, value.get<double>());
    } else if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) {
      write_number(group, name, H5::PredType::NATIVE_UINT64, value.get<std::uint64_t>());
    } else if (value.is_number_integer()) {
      write_number(group, name, H5::PredType::NATIVE_INT64, value.get<std::int64_t>());
    } else if (value.is_string()) {
      write_text(group, name, value.get<std::string>());
    } else if (value.is_array() && !value.empty() && value.front().is_string()) {
      write_texts(group, name, value.get<std::vector<std::string>>());
    }
  }
}

struct Array {
  std::string name;
  std::vector<hsize_t> shape;
  std::string dimensions;  // "steps, parts"
  std::string unit;
};

template <class T>
void write_array(H5::Group& group, const Array& array, const H5::PredType& type,
                 const std::vector<T>& values) {
  const H5::DataSpace space(static_cast<int>(array.shape.size()), array.shape.data());
  H5::DataSet data = group.createDataSet(array.name, type, space);
  if (!values.empty()) data.write(values.data(), type);
  write_text(data, "dimensions", array.dimensions);
  write_text(data, "unit", array.unit);
}

void append_parts(std::vector<double>& values, const core::PartTimes& parts, double divisor) {
  for (const core::Nanoseconds part : parts.value) {
    values.push_back(static_cast<double>(part.value()) / divisor / 1e9);
  }
}

void write_timeline(H5::Group& group, const core::Timeline& timeline, bool keep_cells) {
  if (timeline.steps.empty()) return;  // a report that was read back has none
  std::vector<double> seconds, parts, peaks;
  std::vector<std::int32_t> slowest;
  for (const core::StepTiming& step : timeline.steps) {
    seconds.push_back(static_cast<double>(step.duration.value()) / 1e9);
    append_parts(parts, step.sum_over_ranks, timeline.ranks);
    peaks.push_back(step.peak_memory.value());
    slowest.push_back(step.slowest_rank);
  }
  const auto& f64 = H5::PredType::NATIVE_DOUBLE;
  const hsize_t steps = timeline.steps.size();
  const hsize_t ranks = timeline.rank_totals.size();
  write_array(group, {"step_seconds", {steps}, "steps", "seconds"}, f64, seconds);
  write_array(
      group,
      {"step_parts_seconds", {steps, core::kParts}, "steps, parts (mean over ranks)", "seconds"},
      f64, parts);
  write_array(group, {"step_peak_memory_bytes", {steps}, "steps", "bytes"}, f64, peaks);
  write_array(group, {"step_slowest_rank", {steps}, "steps", "rank"}, H5::PredType::NATIVE_INT32,
              slowest);
  std::vector<double> totals;
  for (const core::PartTimes& rank : timeline.rank_totals) append_parts(totals, rank, 1);
  write_array(
      group,
      {"rank_parts_seconds", {ranks, core::kParts}, "ranks, parts (sum over steps)", "seconds"},
      f64, totals);
  if (!keep_cells) return;
  std::vector<double> cells;
  cells.reserve(timeline.cells.size() * core::kParts);
  for (const core::PartTimes& cell : timeline.cells) append_parts(cells, cell, 1);
  write_array(group,
              {"cells_seconds",
               {steps, timeline.cells.size() / steps, core::kParts},
               "steps, ranks, parts",
               "seconds"},
              f64, cells);
}

void write_sp_degrees(H5::Group& group, const std::map<std::int32_t, std::int64_t>& degrees) {
  struct Row {
    std::int64_t degree, micro_batches;
  };
  std::vector<Row> rows;
  for (const auto& [degree, count] : degrees) rows.push_back({degree, count});
  H5::CompType type(sizeof(Row));
  type.insertMember("degree", HOFFSET(Row, degree), H5::PredType::NATIVE_INT64);
  type.insertMember("micro_batches", HOFFSET(Row, micro_batches), H5::PredType::NATIVE_INT64);
  const hsize_t size = rows.size();
  H5::DataSet data = group.createDataSet("sp_degrees", type, H5::DataSpace(1, &size));
  if (!rows.empty()) data.write(rows.data(), type);
}

// A link name without '/', short enough for a terminal.
std::string link_name(std::string_view text) {
  std::string name(text.substr(0, 48));
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return !(c < 0x80 && (std::isalnum(c) || c == '-' || c == '.')); },
      '-');
  return name;
}

void write_results(H5::H5File& file, const Report& report, const ordered_json& results) {
  H5::Group parent = file.createGroup("results");
  std::size_t cell_values = 0;
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const Result& result = report.results[i];
    ordered_json fields = results[i];
    fields.erase("sp_degrees");  // a table of its own
    H5::Group group = parent.createGroup(
        fmt::format("{:03}_{}_{}_{}_{}", i, link_name(result.model), link_name(result.dataset),
                    link_name(result.strategy), result.seed));
    write_fields(group, fields);
    write_sp_degrees(group, result.sp_degrees);
    const std::size_t values = result.timeline.cells.size() * core::kParts;
    const bool keep_cells =
        values > 0 && values <= kMaxCellValues && cell_values + values <= kMaxCellValuesOfFile;
    if (keep_cells) cell_values += values;
    write_timeline(group, result.timeline, keep_cells);
  }
}

void write_records(H5::H5File& file, const char* name, const ordered_json& records) {
  H5::Group parent = file.createGroup(name);
  for (std::size_t i = 0; i < records.size(); ++i) {
    H5::Group group = parent.createGroup(fmt::format("{:03}", i));
    write_fields(group, records[i]);
  }
}

std::string build_image(const Report& report) {
  const std::string text = to_json(report);
  const ordered_json root = ordered_json::parse(text);

  H5::FileAccPropList access;
  access.setCore(std::size_t{1} << 20, false);
  access.setLibverBounds(H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
  H5::H5File file("report.h5", H5F_ACC_TRUNC, H5::FileCreatPropList::DEFAULT, access);
  {
    H5::Group group = file.openGroup("/");
    ordered_json head = ordered_json::object();
    for (const auto& [key, value] : root.items()) {
      const bool is_list = value.is_array() && (value.empty() || value.front().is_object());
      if (!is_list && key != "recommendation") head[key] = value;
    }
    write_fields(group, head);
    write_texts(group, "part_names", {core::kPartNames.begin(), core::kPartNames.end()});
    group.createDataSet("report_json", text_type(), H5::DataSpace(H5S_SCALAR))
        .write(text, text_type());
  }
  write_results(file, report, root["results"]);
  write_records(file, "recommendations", root["recommendations"]);
  write_records(file, "infeasible", root["infeasible"]);

  file.flush(H5F_SCOPE_GLOBAL);
  const auto size = H5Fget_file_image(file.getId(), nullptr, 0);
  if (size <= 0) throw H5::FileIException("H5Fget_file_image", "no size");
  std::string image(static_cast<std::size_t>(size), '\0');
  if (H5Fget_file_image(file.getId(), image.data(), image.size()) != size) {
    throw H5::FileIException("H5Fget_file_image", "cut short");
  }
  return image;
}

}  // namespace

void write_hdf5(const Report& report, const std::string& path) {
  require_matching_library(path);
  std::string image;
  try {
    const SilentErrors silent;
    image = build_image(report);
  } catch (const H5::Exception& error) {
    throw core::Error(core::ErrorKind::io,
                      fmt::format("{}: can't build the HDF5 report: {}: {}", path,
                                  error.getFuncName(), error.getDetailMsg()));
  }
  write_file_atomically(path, image);
}

}  // namespace dcpbench::report
