#include "core/configs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "core/builtin_configs.hpp"
#include "core/did_you_mean.hpp"
#include "core/error.hpp"

namespace dcpbench::core {

namespace {

// A configuration file is kilobytes; a measured profile of a few thousand points still fits.
constexpr std::size_t kMaxConfigBytes = 4u << 20;

std::vector<std::string> names_in(std::string_view folder) {
  std::vector<std::string> names;
  for (const BuiltinConfig& config : builtin_configs()) {
    if (config.folder == folder) names.emplace_back(config.name);
  }
  return names;
}

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".json");
}

struct ConfigText {
  std::string text;
  std::string origin;
};

ConfigText find_config(std::string_view folder, std::string_view what, std::string_view name) {
  for (const BuiltinConfig& config : builtin_configs()) {
    if (config.folder == folder && config.name == name) {
      return {std::string(config.text), fmt::format("configs/{}/{}.json", folder, name)};
    }
  }
  if (is_path(name)) {
    return {read_text_file(std::string(name), kMaxConfigBytes), std::string(name)};
  }
  const std::vector<std::string> names = names_in(folder);
  std::string list;
  for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
  throw Error(
      ErrorKind::usage,
      fmt::format("unknown {} \"{}\"{}; built in: {}; a file needs a '/' or the ending .json", what,
                  name, did_you_mean(name, names), list));
}

ConfigText find_local_cluster() {
  const std::string path = local_cluster_path();
  if (path.empty()) {
    throw Error(ErrorKind::io, "cluster \"local\": neither XDG_CONFIG_HOME nor HOME is set");
  }
  try {
    return {read_text_file(path, kMaxConfigBytes), path};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io) throw;
    throw Error(ErrorKind::io,
                fmt::format("cluster \"local\" is this machine as measured: {}; run `dcpbench "
                            "calibrate` first",
                            error.what()));
  }
}

// What a path is that is no regular file.
std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "directory";
  if (S_ISFIFO(mode)) return "pipe";
  if (S_ISSOCK(mode)) return "socket";
  return "device";
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

std::vector<std::string> builtin_cluster_names() { return names_in("clusters"); }
std::vector<std::string> builtin_model_names() { return names_in("models"); }

std::string local_cluster_path() {
  const char* config_home = std::getenv("XDG_CONFIG_HOME");
  if (config_home != nullptr && config_home[0] == '/') {
    return std::string(config_home) + "/dcpbench/local.json";
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && home[0] != '\0' ? std::string(home) + "/.config/dcpbench/local.json"
                                            : std::string();
}

Cluster load_cluster(std::string_view name_or_path) {
  const ConfigText config = name_or_path == "local"
                                ? find_local_cluster()
                                : find_config("clusters", "cluster", name_or_path);
  return cluster_from_json(config.text, config.origin);
}

Model load_model(std::string_view name_or_path) {
  const ConfigText config = find_config("models", "model", name_or_path);
  return model_from_json(config.text, config.origin);
}

void check_regular_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    throw Error(ErrorKind::io,
                fmt::format("cannot open {}: {}", path, std::generic_category().message(errno)));
  }
  if (S_ISREG(status.st_mode)) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("{} is a {}, not a regular file{}", path, kind_of(status.st_mode),
                  S_ISDIR(status.st_mode) ? "" : "; write its content to a file and give that"));
}

std::string read_text_file(const std::string& path, std::size_t max_bytes) {
  const auto refuse = [&path](std::string_view verb, int code) {
    throw Error(ErrorKind::io,
                fmt::format("cannot {} {}: {}", verb, path, std::generic_category().message(code)));
  };
  check_regular_file(path);
  // O_NONBLOCK: should a pipe have taken the file's place since, opening it does not wait.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) refuse("open", errno);
  const std::unique_ptr<std::FILE, CloseFile> file(::fdopen(descriptor, "rb"));
  if (file == nullptr) {
    const int code = errno;
    ::close(descriptor);
    refuse("open", code);
  }
  std::string text;
  constexpr std::size_t kChunk = 1 << 16;
  while (text.size() <= max_bytes) {
    const std::size_t old_size = text.size();
    text.resize(old_size + kChunk);
    errno = 0;
    const std::size_t count = std::fread(text.data() + old_size, 1, kChunk, file.get());
    text.resize(old_size + count);
    if (std::ferror(file.get()) != 0) refuse("read", errno);
    if (count < kChunk && std::feof(file.get()) != 0) break;
  }
  if (text.size() > max_bytes) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: the file is larger than the {} bytes that are read", path, max_bytes));
  }
  return text;
}

}  // namespace dcpbench::core
