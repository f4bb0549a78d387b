#!/usr/bin/env bash
# The source archive builds and tests itself where there is no git, and makes itself again, byte for byte.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
readonly here scratch
export GIT_CEILING_DIRECTORIES=$scratch GIT_DIR=$scratch/none

fail() {
    echo "dist: $*" >&2
    exit 1
}

archive=$(env -u GIT_DIR -u GIT_CEILING_DIRECTORIES "$here/../../scripts/dist" "$scratch")
tar -xzf "$archive" -C "$scratch"
cd "$scratch/$(basename "$archive" .tar.gz)"
version=$(scripts/version)
[[ $(sed -n 's/^Version: //p' PKG-INFO) == "$version" ]] || fail "PKG-INFO has another version than $version"
[[ $(scripts/dist "$scratch/again") == "$scratch/again/$(basename "$archive")" ]] || fail "it does not make itself again"
cmp "$archive" "$scratch/again/$(basename "$archive")" || fail "what it makes of itself is something else"

# A whole build takes minutes.
[[ ${EIGENMESH_LONG:-} ]] || {
    cmake -S . -B build -DEIGENMESH_PYTHON=OFF -DEIGENMESH_BENCH=OFF -DEIGENMESH_MPI=OFF -DEIGENMESH_NET=OFF >"$scratch/log" 2>&1 ||
        { tail -n 30 "$scratch/log"; fail "does not configure"; }
    echo "skipped: the archive's own build and tests, which take minutes; try EIGENMESH_LONG=1"
    exit 0
}
{
    cmake -S . -B build -DEIGENMESH_PYTHON=OFF -DEIGENMESH_BENCH=OFF -DEIGENMESH_MPI=OFF -DEIGENMESH_NET=OFF
    cmake --build build -j "$(nproc)" --target eigenmesh manual test_base_text test_data_csv
} >"$scratch/log" 2>&1 || { tail -n 30 "$scratch/log"; fail "does not build"; }
ctest --test-dir build --output-on-failure -R '^(base.text|data.csv|cli.help|cli.topology|lint.version|lint.messages)$'
[[ $(build/eigenmesh --version) == "eigenmesh $version"$'\n'* ]] || fail "the program says $(build/eigenmesh --version)"
