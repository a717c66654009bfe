// Files for tests: written into a directory of their own, removed at the end.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "datasets/length_file.hpp"

namespace dcpbench::datasets {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "dcpbench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] std::string path(std::string_view name) const { return path_ / name; }
  [[nodiscard]] std::string write(std::string_view name, std::string_view content) const {
    std::ofstream file(path(name), std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

// A file of this content, read.
inline Dataset read_text(std::string_view name, std::string_view content,
                         const ReadOptions& options = {}) {
  const TempDir directory;
  return read_lengths(directory.write(name, content), options);
}

inline std::vector<std::int64_t> tokens_of(const Dataset& dataset) {
  std::vector<std::int64_t> tokens;
  for (const core::Sequence& sequence : dataset.sequences) tokens.push_back(sequence.shape.tokens);
  return tokens;
}

inline std::vector<std::int64_t> loss_of(const Dataset& dataset) {
  std::vector<std::int64_t> tokens;
  for (const core::Sequence& sequence : dataset.sequences) tokens.push_back(sequence.loss_tokens);
  return tokens;
}

// What read_lengths says when it refuses, the kind of the error aside; "" when it reads.
inline std::string refusal_of_file(const std::string& path, const ReadOptions& options = {}) {
  try {
    static_cast<void>(read_lengths(path, options));
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::usage);
    return error.what();
  }
  return "";
}

inline std::string refusal(std::string_view name, std::string_view content,
                           const ReadOptions& options = {}) {
  const TempDir directory;
  return refusal_of_file(directory.write(name, content), options);
}

inline ReadOptions column(std::string_view name) {
  ReadOptions options;
  options.column = name;
  return options;
}

// EXPECT_TRUE(says(text, "a", "b")): the text holds all of them.
template <class... Parts>
testing::AssertionResult says(const std::string& text, Parts... parts) {
  for (const std::string_view part : {std::string_view(parts)...}) {
    if (text.find(part) == text.npos) {
      return testing::AssertionFailure() << "no '" << part << "' in: " << text;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace dcpbench::datasets
