#!/usr/bin/env bash
# Ctrl-C: what was reached is written and the status is 1.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

works generate -d 40 -N 4000 -k 5 --gap 0.9 -o data.npy

# interrupt SIGNAL SECONDS ARGUMENT...: run in the foreground and be signalled after so long.
interrupt()
{
    local signal=$1 seconds=$2
    shift 2
    ran="$* (SIG$signal after $seconds s)"
    status=0
    timeout --foreground --preserve-status -s "$signal" "$seconds" "$EIGENMESH" "$@" >"$out" 2>"$err" </dev/null || status=$?
}

for signal in INT TERM; do
    interrupt "$signal" 2 fit data.npy -k 5 -n 10 -m dsa --tolerance 0 --iterations 100000000 -o model.npz
    [[ $status -eq 1 ]] || fail "an interrupted run is not status 1"
    complains "interrupted after"
    [[ -s model.npz ]] || fail "what was reached is not written"
    works info model.npz
    rm model.npz
done

# The trace of an interrupted run is there too, and whole.
interrupt INT 2 fit data.npy -k 5 -n 10 -m dsa --tolerance 0 --iterations 100000000 --trace trace.csv --quiet
[[ $status -eq 1 ]] || fail "an interrupted run is not status 1"
awk -F, 'NF != 9 { exit 1 }' trace.csv || fail "the trace is not whole"
rm trace.csv

# While data is still being read there is nothing to keep: one line, and nothing left.
mkfifo slow.csv
exec 3<>slow.csv
before=$(ls -A)
interrupt INT 1 fit slow.csv -k 2 -o model.npz
exec 3>&-
[[ $status -eq 1 || $status -eq 2 ]] || fail "an interrupted start is not a failure"
complains ""
[[ $(ls -A) == "$before" ]] || fail "something was left"
