#!/usr/bin/env bash
# Make the wheel and use it in a fresh virtual environment, where NumPy has a BLAS of its own: wheel.py says what is looked at.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
readonly here scratch python=${PYTHON:-/usr/bin/python3}

skip() {
    echo "skipped: $*"
    exit 77
}

fail() {
    echo "wheel: $*" >&2
    exit 1
}

command -v patchelf >/dev/null || skip "there is no patchelf; try scripts/setup wheel"
"$python" -c 'import pip, wheel, venv, ensurepip, cffi, numpy' 2>"$scratch/why" || skip "$(tail -n 1 "$scratch/why"); try scripts/setup wheel"

"$here/../../scripts/wheel" "$scratch" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "cannot be made"; }
cat "$scratch/log"
wheel=$(tail -n 1 "$scratch/log")
# NumPy and cffi, which no index is asked for, are those of this machine.
"$python" -m venv --system-site-packages "$scratch/venv"
"$scratch/venv/bin/pip" install --no-index --no-deps --quiet --disable-pip-version-check --ignore-installed "$wheel"

core=$(find "$scratch/venv" -name '_core*.so')
outside=$(ldd "$core" | awk '$3 ~ /^\// { print $3 }' | grep -v '/eigenmesh\.libs/' |
    grep -vE '/(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)\.so\.[0-9]+$' || true)
[[ -z $outside ]] || fail "it takes from this machine: $outside"
cd "$scratch" && venv/bin/python "$here/wheel.py" "$scratch/venv"
