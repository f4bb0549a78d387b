#!/usr/bin/env bash
# Sites of a study that follows are killed, at any moment and at each thing that is done to a file, and come back: no row is lost, or
# counted twice.  EIGENMESH_POINTS says how many of these things; the default is what CI has time for.
# shellcheck source=tests/net/follow_lib.sh
source "$(dirname "$0")/follow_lib.sh" "$1"
seed=${EIGENMESH_SEED:-$RANDOM}
echo "seed $seed"
RANDOM=$seed

# send SITE: all its lines, from where its last process was, as its state says.
send() {
    local taken
    taken=$(sed -n 's/^bytes //p' state."$1"/*/*/taken 2>/dev/null) || true
    tail -c +$((${taken:-0} + 1)) "data.$1.csv" | while read -r line; do
        printf '%s\n' "$line"
        sleep 0.02
    done
}

begin() {
    case $1 in
    0) follow 0 in.0 --follow --every 0.1s ;;
    1) follow 1 - --follow < <(exec 2>/dev/null; send 1) ;;
    2) follow 2 in.2 --follow ;;
    esac
}

study_that_follows "components = 3" "tolerance = 1e-12"
for n in 0 1 2; do begin "$n"; done
for ((k = 0; k <= 16; k++)); do
    for n in 0 2; do
        file=$(printf 'batch.%d.%02d.csv' "$n" "$k")
        [[ ! -f $file ]] || put "$n" "$file"
    done
    sleep "0.$((RANDOM % 5))$((RANDOM % 10))"
    ((k % 2)) || continue
    victim=$((RANDOM % 3))
    kill -KILL "${pid[$victim]}" 2>/dev/null || true
    wait "${pid[$victim]}" 2>/dev/null || true
    begin "$victim"
done
touch in.0/end in.2/end
all_end_well 3
model_is model.0.npz all.csv
logs_agree
echo "ok: 8 kills, and no row lost or counted twice"

# has_taken: site 1 has, within 10 s or until it ends, all three files.
has_taken() {
    local n
    for ((n = 0; n < 100; n++)); do
        [[ $(cat state.1/*/*/taken 2>/dev/null | grep -c ^file) != 3 ]] || return 0
        kill -0 "${pid[1]}" 2>/dev/null || return 0
        sleep 0.1
    done
    fail "it never took all files"
}

# points NUMBER: of a lane, which kills at each of its points one that waits for the others; what is on its disk is always right.
points() {
    local call name number what status round=0
    trap - EXIT
    mkdir -p "lane.$1/in.1"
    cd "lane.$1"
    cp ../key.1 ../batch.1.*.csv .
    sed '/^\[site s1\]/,/^neigh/{/^address/d}' ../follow.study >follow.study # it dials, and needs no port
    while read -r -u 3 call name number what; do
        rm -rf state.1 in.1/*
        put 1 batch.1.0[012].csv
        LD_PRELOAD=$work/fault.so FAULT_UNDER=$PWD/state.1 FAULT_AT="$call $name $number $what" follow 1 in.1 --follow
        has_taken
        status=0
        kill -KILL "${pid[1]}" 2>/dev/null || true
        wait "${pid[1]}" 2>/dev/null || status=$?
        [[ $status == 137 ]] || fail "$call $name $number $what: it ended with $status"
        follow 1 in.1 --follow
        has_taken
        kill -TERM "${pid[1]}"
        wait "${pid[1]}" || true
        cp state.1/*/*/rows-*.npz "$((round++)).npz" || fail "$call $name $number $what: not one file of moments"
    done 3<"../points.$1"
    /usr/bin/python3 - [0-9]*.npz <<'P' || fail "rows were lost, or counted twice"
import sys
import numpy as np
X = np.vstack([np.loadtxt("batch.1.0%d.csv" % k, delimiter=",", skiprows=1) for k in range(3)])
for path in sys.argv[1:]:
    m = np.load(path)
    assert m["n_samples"] == len(X) and np.allclose(m["mean"], X.mean(0), rtol=1e-13, atol=1e-13), path
P
}

if ! grep -qaE '__(asan|tsan)_' "$program"; then
    load_faults
    study_that_follows "components = 3"
    put 1 batch.1.0[012].csv
    LD_PRELOAD=$work/fault.so FAULT_UNDER=$PWD/state.1 FAULT_TRACE=$work/trace follow 1 in.1 --follow
    has_taken
    kill -KILL "${pid[1]}"
    wait "${pid[1]}" 2>/dev/null || true
    awk '$2 ~ /^(taken|taken.next|rows-.*|hidden|nameless)$/ {
        n = ++seen[$0]; print $1, $2, n, "before"; if ($1 == "write") print $1, $2, n, "torn" }' trace |
        shuf --random-source=<(yes "$seed") | head -n "${EIGENMESH_POINTS:-24}" >all.points
    [[ $(wc -l <all.points) -ge 12 ]] || fail "only these points: $(cat all.points)"
    split -n r/8 -a 1 -d all.points points.
    for n in 0 1 2 3 4 5 6 7; do
        (points "$n") &
        lane[n]=$!
    done
    for n in 0 1 2 3 4 5 6 7; do wait "${lane[n]}" || fail "lane $n"; done
    echo "ok: kills at $(wc -l <all.points) points"
fi
