# Run as a script: writes OUTPUT, a C++ source with every file of FILES (separated by commas) as a
# raw string.
set(entries "")
string(REPLACE "," ";" files "${FILES}")
foreach(file IN LISTS files)
  get_filename_component(folder "${file}" DIRECTORY)
  get_filename_component(name "${file}" NAME)
  string(REGEX REPLACE "\\.json$" "" name "${name}")
  get_filename_component(folder "${folder}" NAME)
  file(READ "${file}" text)
  if(text MATCHES "\\)config\"")
    message(FATAL_ERROR "${file} contains the delimiter of a raw string")
  endif()
  string(APPEND entries "    {\"${folder}\", \"${name}\", R\"config(${text})config\"},\n")
endforeach()
file(WRITE "${OUTPUT}.tmp" "// Generated from configs/ by cmake/embed_configs.cmake.
#include \"core/builtin_configs.hpp\"

namespace dcpbench::core {

namespace {
constexpr BuiltinConfig kConfigs[] = {
${entries}};
}  // namespace

std::span<const BuiltinConfig> builtin_configs() { return kConfigs; }

}  // namespace dcpbench::core
")
file(RENAME "${OUTPUT}.tmp" "${OUTPUT}")
