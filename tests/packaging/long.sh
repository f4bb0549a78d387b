#!/usr/bin/env bash
# Run a script that takes more time than there is between two changes: long.sh SCRIPT, where EIGENMESH_LONG=1.
set -euo pipefail
[[ ${EIGENMESH_LONG:-} ]] || {
    echo "skipped: $1 takes many minutes, or a network; try EIGENMESH_LONG=1"
    exit 77
}
exec "$(dirname "$0")/../../$1"
