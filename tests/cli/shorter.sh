#!/usr/bin/env bash
# A file that somebody cuts while it is read: one line, nothing written, no signal.  One replaced by rename does no harm.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

complaint="got shorter, or its disk failed, while it was read"

# start ARGUMENT...: in the background; sets $pid.
start()
{
    ran="$* (its file is cut meanwhile)"
    : >"$out"
    "$EIGENMESH" "$@" >"$out" 2>"$err" </dev/null &
    pid=$!
}

# ends STATUS WORDS
ends()
{
    status=0
    wait "$pid" || status=$?
    [[ $status -eq $1 ]] || fail "status is not $1"
    complains "$2"
    [[ ! -s $out ]] || fail "something is on stdout"
}

is_mapped()
{
    grep -qF "/$1" "/proc/$pid/maps" 2>/dev/null
}

wait_for_map()
{
    for _ in {1..500}; do
        if is_mapped "$1"; then return; fi
        sleep 0.02
    done
    fail "$1 is not mapped"
}

# --- fit: rows where they lie (float64), converted ones, and those of an .npz
works generate -d 600 -N 400 -k 2 --gap 0.9 -o whole.npy
works convert whole.npy whole32.npy --dtype f32
cases=(whole.npy whole32.npy)
if [[ -n $(type -p zip) ]]; then
    cp whole.npy X.npy
    zip -q -0 whole.npz X.npy
    cases+=(whole.npz)
fi
for file in "${cases[@]}"; do
    for size in 0 5000 -8; do
        cp "$file" "cut-$file"
        start fit "cut-$file" -k 2 -n 2 -m dsa --tolerance 0 --iterations 1000000000 -o no.npz
        wait_for_map "cut-$file"
        sleep 0.1
        truncate -s "$size" "cut-$file"
        ends 2 "cut-$file: $complaint"
        [[ ! -e no.npz ]] || fail "a model was written"
    done
done

# --- a file saved anew under the same name, as numpy.save does
cp whole.npy again.npy
start fit again.npy -k 2 -n 2 -m dsa --tolerance 0 --iterations 1000000000 -o no.npz
wait_for_map again.npy
head -c 20000 whole.npy >again.npy
ends 2 "again.npy: $complaint"

# --- transform: stopped by a reader that does not read, while the file is cut
works fit whole.npy -k 100 -q -o model.npz
works generate -d 600 -N 4000 -k 2 --gap 0.9 -o rows.npy
mkfifo slow
start transform model.npz rows.npy -o raw:f64:slow
exec 3<slow
head -c 8 <&3 >/dev/null
truncate -s 100000 rows.npy
cat <&3 >/dev/null
exec 3<&-
ends 2 "rows.npy: $complaint"

# --- text: when it is being read is a matter of luck, so several tries; a signal is never right
works generate -d 100 -N 20000 -k 2 --gap 0.9 -o long.npy
works convert long.npy long.csv
hits=0
for _ in {1..8}; do
    cp long.csv cut.csv
    start convert cut.csv copy.npy -q
    wait_for_map cut.csv
    truncate -s 100000 cut.csv
    status=0
    wait "$pid" || status=$?
    if [[ $status -eq 2 ]]; then
        complains "cut.csv: $complaint"
        hits=$((hits + 1))
    else
        [[ $status -eq 0 ]] || fail "status is neither 0 nor 2"
    fi
done
[[ $hits -gt 0 ]] || fail "the text was never cut while it was read"

# --- replaced by rename: the old file goes on being read
cp whole.npy kept.npy
works fit whole.npy -k 2 -n 2 -m dsa --tolerance 0 --iterations 3000 --json
grep variance "$out" >wanted
start fit kept.npy -k 2 -n 2 -m dsa --tolerance 0 --iterations 3000 --json
wait_for_map kept.npy
head -c 20000 whole.npy >other.npy
mv other.npy kept.npy
status=0
wait "$pid" || status=$?
[[ $status -eq 0 && ! -s $err ]] || fail "a file replaced by rename is not read on"
grep variance "$out" | cmp - wanted || fail "other numbers from a file replaced by rename"
