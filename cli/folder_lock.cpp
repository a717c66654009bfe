#include "cli/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/error.hpp"

namespace dcpbench::cli {

namespace {

// Takes a number without sign or leading zero from the front of `text`.
std::optional<pid_t> take_number(std::string_view& text) {
  pid_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const auto digits = static_cast<std::size_t>(rest - text.data());
  if (error != std::errc() || text[0] == '-' || (text[0] == '0' && digits > 1)) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool is_stale(std::string_view name) {
  if (!take(name, ".dcpbench-")) return false;
  const std::optional<pid_t> process = take_number(name);
  if (!process || *process <= 0 || !take(name, "-") || !take_number(name) || name != ".tmp") {
    return false;
  }
  return ::kill(*process, 0) != 0 && errno == ESRCH;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const bool is_held = errno == EWOULDBLOCK;
  ::close(descriptor_);
  descriptor_ = -1;
  if (!is_held) return;
  throw core::Error(
      core::ErrorKind::usage,
      fmt::format("--out {}: another run is writing into this folder; wait for it or name another",
                  folder));
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void remove_stale_files(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> stale;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_stale(entry->path().filename().string()) &&
        fs::is_regular_file(entry->symlink_status())) {
      stale.push_back(entry->path());
    }
  }
  for (const fs::path& path : stale) fs::remove(path, error);
}

}  // namespace dcpbench::cli
