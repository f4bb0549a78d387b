#!/usr/bin/env bash
# The engine leaves starting and ending, and the terminal, to the program; and it keeps to its own names.
# symbols.sh LIBRARY.a
set -euo pipefail

library=$1
calls=$(nm -u "$library")
if grep -E ' (MPI_Init(_thread)?|MPI_Finalize|MPI_Abort|_?exit|abort|f?printf|fputs|puts|perror)$' <<<"$calls"; then
    echo "FAILED: the engine must not call these" >&2
    exit 1
fi
grep -q ' MPI_Isend$' <<<"$calls" || { echo "FAILED: $library is no engine" >&2; exit 1; }
if nm --defined-only -g "$library" | awk 'NF == 3 && $3 !~ /^emi?_/ && $3 !~ /^(__|_GLOBAL_)/' | grep .; then
    echo "FAILED: these names may be a program's own" >&2
    exit 1
fi
