// The shipped clusters and models (configs/*.json, compiled into the program) and a user's own
// files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/cluster.hpp"
#include "core/model.hpp"

namespace dcpbench::core {

std::vector<std::string> builtin_cluster_names();
std::vector<std::string> builtin_model_names();

// `name_or_path`: a built-in name, else a path if it has a '/' or ends in .json. Throws
// Error(usage) for an unknown name ("did you mean"), Error(io) for a file that can't be opened. The
// cluster `local` is this machine as `calibrate` wrote it to local_cluster_path().
Cluster load_cluster(std::string_view name_or_path);
Model load_model(std::string_view name_or_path);

// $XDG_CONFIG_HOME/dcpbench/local.json, else ~/.config/dcpbench/local.json; empty when the
// environment names neither.
std::string local_cluster_path();

// Throws Error(usage) naming what `path` is unless it is a regular file or a link to one: reading a
// pipe or a device may never end. Error(io) if there is nothing or it can't be looked at.
void check_regular_file(const std::string& path);

// The regular file `path` as text, at most `max_bytes` of it (more: Error(usage)). Throws
// Error(io).
std::string read_text_file(const std::string& path, std::size_t max_bytes = 64u << 20);

}  // namespace dcpbench::core
