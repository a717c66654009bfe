#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error.hpp"
#include "report/write.hpp"

namespace dcpbench::report {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public testing::Test {
 protected:
  AtomicFile() {
    std::string name = (fs::temp_directory_path() / "dcpbench_report_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~AtomicFile() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }
  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  static std::string failure(const std::string& path, std::string_view text) {
    try {
      write_file_atomically(path, text);
    } catch (const core::Error& error) {
      EXPECT_EQ(error.kind(), core::ErrorKind::io);
      return error.what();
    }
    return "(written)";
  }

  fs::path folder_;
};

TEST_F(AtomicFile, WritesAndReplacesAndLeavesNothingBehind) {
  write_file_atomically(path("r.json"), "one");
  write_file_atomically(path("r.json"), "two");
  EXPECT_EQ(content(path("r.json")), "two");
  EXPECT_EQ(files(), 1u);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(path("r.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0644u & ~mask);
}

TEST_F(AtomicFile, FullDiskLeavesTheOldFileAndNoTemporary) {
  write_file_atomically(path("r.json"), "old");
  // A limit on file sizes fails a write as a full disk does, after part of it was written.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tiny{4096, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &tiny);
  const std::string message = failure(path("r.json"), std::string(100'000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(message,
            path("r.json") + ": can't write 100000 bytes (stopped after 4096): File too large");
  EXPECT_EQ(content(path("r.json")), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, DevicesAreWrittenNotReplaced) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  EXPECT_EQ(failure("/dev/full", "x"),
            "/dev/full: can't write 1 bytes (stopped after 0): No space left on device");
  EXPECT_EQ(failure("/dev/null", "x"), "(written)");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(AtomicFile, SymbolicLinksStay) {
  write_file_atomically(path("run1.json"), "old");
  fs::create_symlink("run1.json", path("latest.json"));
  write_file_atomically(path("latest.json"), "new");
  EXPECT_TRUE(fs::is_symlink(path("latest.json")));
  EXPECT_EQ(content(path("run1.json")), "new");
}

TEST_F(AtomicFile, FailuresNameThePathAndTheReason) {
  EXPECT_EQ(failure(path("no/r.json"), "x"), path("no/r.json") + ": can't create a file in " +
                                                 path("no") + ": No such file or directory");
  EXPECT_EQ(failure(folder_.string(), "x"), folder_.string() + ": can't write: Is a directory");
  EXPECT_EQ(failure("", "x"), "\"\": can't write: No such file or directory");
  EXPECT_EQ(failure(path(std::string(300, 'n').c_str()), "x").find("(written)"), std::string::npos);
  EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFile, ReadOnlyFolder) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_NE(failure(path("r.json"), "x").find("Permission denied"), std::string::npos);
}

}  // namespace
}  // namespace dcpbench::report
