#!/usr/bin/env bash
# check_includes passes a tree that keeps to the table and names each fault of one that does not.
set -euo pipefail

check=$1/scripts/check_includes
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree"/{core,planner,sim}

echo '#include "core/plan.hpp"' >"$tree/planner/good.cpp"
echo '#include <nlohmann/json.hpp>' >"$tree/sim/heavy.hpp"
echo '#include "sim/heavy.hpp"' >"$tree/sim/heavy.cpp"
"$check" "$tree" || { echo "a clean tree was refused" >&2; exit 1; }

echo '#include "sim/simulator.hpp"' >"$tree/core/upward.hpp"
echo '#include "sim/heavy.hpp"' >"$tree/sim/spreads.hpp"
echo '#include "simulator.hpp"' >"$tree/sim/no_path.cpp"
if output=$("$check" "$tree" 2>&1); then
  echo "three faults passed" >&2
  exit 1
fi
for fault in 'core/upward.hpp:1: core includes sim/simulator.hpp; it may include nothing' \
  'sim/spreads.hpp:1: sim/heavy.hpp brings the heavy nlohmann/json.hpp along' \
  'sim/no_path.cpp:1: "simulator.hpp" is not the path' '3 includes against the table'; do
  grep -qF "$fault" <<<"$output" || { echo "not named: $fault"; echo "$output"; exit 1; } >&2
done
