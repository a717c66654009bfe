# Sourced by the scripts: the Debian packages they need and how to get the missing ones.
# shellcheck shell=bash

# Building and testing.
readonly kBuildPackages=(
  g++ cmake ninja-build ccache python3
  nlohmann-json3-dev libcli11-dev libfmt-dev libspdlog-dev libexpected-dev
  libhdf5-dev libssl-dev zlib1g-dev libgtest-dev libbenchmark-dev)
# The further checks of .ci/run.
readonly kCheckPackages=(clang clang-tidy clang-format libclang-rt-14-dev)

missing_packages() {
  local package
  for package in "$@"; do
    if [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
      echo "$package"
    fi
  done
}

# ensure_packages PACKAGE...: installs what is missing, as root or through sudo. Where that can't be
# done it says what to install and goes on: the library may be there by other means, and CMake names
# the one that is not.
ensure_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "not a Debian system; these packages (or their equals) are needed: $*" >&2
    return 0
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then return 0; fi

  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "missing packages; install them as root: apt-get install ${missing[*]}" >&2
      return 0
    fi
    as_root=(sudo)
  fi
  echo "installing: ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq >&2 &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 ||
    echo "apt-get could not install: ${missing[*]}" >&2
}
