#!/usr/bin/env bash
# scripts/setup, on a machine of false tools: what is there, who asks, and what apt-get does are files.
root=$(cd "$(dirname "$0")/../.." && pwd)
EIGENMESH=$root/scripts/setup
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# tool NAME LINES: a command that runs these lines.
tool()
{
    printf '#!/bin/bash\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}

mkdir bin
for real in env bash cat grep sort; do ln -s "$(command -v "$real")" bin; done
for name in cmake gnuplot mpicc mpirun; do tool "$name" 'exit 0'; done
tool cc 'cat >/dev/null'
program_path=$PWD/bin
export PYTHON=$PWD/bin/python SETUP=
# What is missing is listed in the file missing; who asks is in the file user.
tool pkg-config "! grep -qx \"\$2\" '$PWD/missing'"
tool python "[[ \$2 != *sysconfig* ]] || { echo '$PWD'; exit; }
! grep -qx \"\${2#import }\" '$PWD/missing'"
tool id "cat '$PWD/user'"
touch Python.h asked
: >missing
echo 1000 >user

# says_nothing: neither a word nor a question to apt-get.
says_nothing()
{
    [[ ! -s $out && ! -s $err && ! -s asked ]] || fail "it says something, or asks for packages: $(<asked)"
}

warns()
{
    grep -qxF -- "setup: $1" "$err" || fail "stderr does not have the line 'setup: $1'"
}

# ends_with STATUS [TASK...]
ends_with()
{
    local wanted=$1
    shift
    run "$@"
    [[ $status -eq $wanted ]] || fail "status is not $wanted"
}

ends_with 2 nonsense
grep -q '^usage: ' "$err" || fail "no usage"
ends_with 0 build
says_nothing

# Neither root nor packages: what is optional is left out, what is needed is an error.
printf 'hdf5\ncffi\nnumpy\n' >missing
ends_with 0 build
warns "left out: HDF5 files (not found: libhdf5-dev)"
warns "left out: the Python package (not found: python3-numpy python3-cffi)"
warns "these are Debian's names; to have all of it, install what your system calls them"
[[ $(wc -l <"$err") -eq 3 ]] || fail "that is not a line each"
printf 'hdf5\nzlib\n' >missing
ends_with 1 build
warns "needed, and not found: zlib1g-dev"
warns "can be left out: HDF5 files (not found: libhdf5-dev)"

# The same with an apt-get that one may not use.
tool apt-get "echo \"\$*\" >>'$PWD/asked'; exit 100"
ends_with 1 build
warns "to have all of it, as root: apt-get update && apt-get install --no-install-recommends zlib1g-dev libhdf5-dev"
[[ ! -s asked ]] || fail "asks for packages without the right to"

# root, and no network.
echo 0 >user
ends_with 1 build
warns "apt-get could not fetch the lists of packages; is there a network?"
warns "apt-get did not bring zlib1g-dev libhdf5-dev; its own words are above"
warns "needed, and not found: zlib1g-dev"
echo hdf5 >missing
ends_with 0 build
warns "left out: HDF5 files (not found: libhdf5-dev)"

# One package of several that cannot be had does not keep the others away.
: >asked
printf 'hdf5\nzlib\n' >missing
tool apt-get "echo \"\$*\" >>'$PWD/asked'
[[ \$* != *libhdf5-dev* ]] || exit 100
[[ \$* != *zlib1g-dev* ]] || echo hdf5 >'$PWD/missing'"
ends_with 0 build
warns "left out: HDF5 files (not found: libhdf5-dev)"
[[ $(tail -n 1 asked) == "-qq install -y --no-install-recommends zlib1g-dev" ]] || fail "asked for: $(<asked)"

# Everything can be had: a line that says so, and no more.
printf 'hdf5\nzlib\n' >missing
tool apt-get ": >'$PWD/missing'"
works build
[[ $(<"$out") == "setup: installing zlib1g-dev libhdf5-dev" ]] || fail "other words than what is installed"

# Who does not want packages.
: >asked
echo hdf5 >missing
tool apt-get "echo \"\$*\" >>'$PWD/asked'"
SETUP=no ends_with 0 build
warns "left out: HDF5 files (not found: libhdf5-dev)"
[[ ! -s asked ]] || fail "SETUP=no asks for packages"
