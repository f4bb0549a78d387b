#!/usr/bin/env bash
# typed.py PAGE, where there is a Python.
set -euo pipefail
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
exec python3 "$(dirname "$0")/typed.py" "$@"
