#!/usr/bin/env bash
# Standard output that is full or closed, and the absence of a progress line in a pipe.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

works generate -d 8 -N 100 -k 2 --gap 0.5 -o data.npy
works fit data.npy -k 2 -o model.npz

# full STDOUT: a disk that is full must not look like success.
for arguments in "--help" "--version" "fit --help" "info model.npz" "info model.npz --json" "fit data.npy -k 2" \
    "topology cycle -n 5" "convert data.npy x.npy"; do
    ran="$arguments >/dev/full"
    status=0
    # shellcheck disable=SC2086 # the words are to be split
    "$EIGENMESH" $arguments >/dev/full 2>"$err" || status=$?
    : >"$out"
    [[ $status -eq 1 ]] || fail "a full standard output is not status 1"
    complains "standard output: cannot be written"
done

# closed: the reader has what it wanted, so there is nothing to say.
for arguments in "--help" "info model.npz" "topology er:0.5 -n 2000 --edges /dev/stdout" \
    "convert data.npy raw:f64:/dev/stdout" "convert data.npy -" "transform model.npz data.npy -o -" "fit data.npy -k 2 -o -"; do
    ran="$arguments | (closed)"
    # shellcheck disable=SC2086
    status=$(
        set +o pipefail
        { sleep 0.1; code=0; "$EIGENMESH" $arguments 2>"$err" || code=$?; echo "$code" >"$scratch/log/code"; } | :
        cat "$scratch/log/code"
    )
    [[ $status -eq 1 ]] || fail "a closed pipe is not status 1"
    [[ ! -s $err ]] || fail "a closed pipe is not quiet"
done

# No progress in a pipe, however long it takes.
run fit data.npy -k 2 -n 8 -m dsa --iterations 3000 --tolerance 0
[[ ! -s $err ]] || fail "progress in a pipe"

# On a terminal there is: script(1) makes one, where the system has any to give.
if ! script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    echo "skipped: no pseudo-terminal here, so that progress on a terminal is not looked at"
else
    ran="fit ... on a terminal"
    script -qec "'$EIGENMESH' fit data.npy -k 2 -n 50 -t cycle -m dsa --iterations 40000 --tolerance 0" /dev/null \
        >"$out" 2>"$err" </dev/null || fail "fit on a terminal"
    grep -q 'iteration [0-9]* of 40000' "$out" || fail "no progress on a terminal"
    script -qec "'$EIGENMESH' fit data.npy -k 2 -n 50 -t cycle -m dsa --iterations 40000 --tolerance 0 --quiet" /dev/null \
        >"$out" 2>"$err" </dev/null || fail "fit on a terminal"
    [[ ! -s $out ]] || fail "--quiet is not quiet on a terminal"
fi

# A model on stdout, for a pipe.
piped fit data.npy -k 2 --quiet -o /dev/stdout
[[ $(head -c 2 "$out") == PK ]] || fail "the model on stdout is no .npz"
