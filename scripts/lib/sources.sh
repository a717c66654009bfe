# Sourced by the checks.
# shellcheck shell=bash

# list_sources ROOT [FOLDER...]: our C++ and CUDA files below the folders (default: all), tracked or
# new, relative to ROOT and sorted.
list_sources() {
  local root=$1
  shift
  git -C "$root" ls-files --cached --others --exclude-standard -- "$@" |
    grep -E '\.(cpp|hpp|cu|cuh)$' | LC_ALL=C sort -u |
    while read -r file; do if [[ -f $root/$file ]]; then echo "$file"; fi; done
}
