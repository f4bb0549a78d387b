#!/usr/bin/env bash
# Links that are bad in every way a network has: cut without a word, reset, slow, cut again and again.  Each site is in a network
# namespace of its own, with a cable to a bridge; pulling the cable out of the bridge drops what is sent, and nobody is told.
# Whatever happens, the run goes on and its model is that of an undisturbed one, byte for byte.
# EIGENMESH_LONG=1: cuts of a minute, blocks of 16 MB.
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$1"

sites=3
bridge=emb$$
skip() {
    echo "skipped: $*"
    exit 77
}
((EUID == 0)) || skip "namespaces are for root"
for tool in ip tc ss; do command -v "$tool" >/dev/null || skip "there is no $tool"; done
ip link add "$bridge" type bridge 2>/dev/null || skip "there are no bridges here"

remove_network() {
    local n
    end_all
    for ((n = 0; n < sites; n++)); do ip netns del "em$$-$n" 2>/dev/null || true; done
    ip link del "$bridge" 2>/dev/null || true
}
trap remove_network EXIT

ip link set "$bridge" up
for ((n = 0; n < sites; n++)); do
    ip netns add "em$$-$n" 2>/dev/null || skip "there are no network namespaces here"
    ip link add "em$$.$n" type veth peer name eth0 netns "em$$-$n" || skip "there are no veth pairs here"
    ip link set "em$$.$n" master "$bridge" up
    ip -n "em$$-$n" address add "10.9.8.$((n + 1))/24" dev eth0
    ip -n "em$$-$n" link set eth0 up
    ip -n "em$$-$n" link set lo up
done

start() {
    local n=$1
    shift
    ip netns exec "em$$-$n" "$program" node heart.study "data.$n.npy" -o "model.$n.npz" --key "key.$n" --state "state.$n" \
        --patience 300s "$@" >"out.$n" 2>>"err.$n" &
    pid[$n]=$!
}

# What a network does.
unplug() { ip link set "em$$.$1" nomaster; }
plug() { ip link set "em$$.$1" master "$bridge"; }
reset() { ip netns exec "em$$-$1" ss -K dst "10.9.8.$(($2 + 1))" >/dev/null 2>&1 || true; }
slow() { tc -n "em$$-$1" qdisc replace dev eth0 root tbf rate 4mbit burst 32kb latency 200ms; }
fast() { tc -n "em$$-$1" qdisc del dev eth0 root; }

lines() { cat state."$1"/*/*/log 2>/dev/null | wc -l; }
now() { date +%s.%N; }
since() { python3 -c 'import sys; print("%.1f" % (float(sys.argv[2]) - float(sys.argv[1])))' "$1" "$(now)"; }
lives() { kill -0 "${pid[$1]}" 2>/dev/null; }

# await_more N WHAT: until site N's log has more lines than it has, and how long that took.
await_more() {
    local before since_when tries=0
    before=$(lines "$1") since_when=$(now)
    while (($(lines "$1") <= before)); do
        lives "$1" || fail "$2: the run is over"
        ((++tries < 1200)) || fail "$2: the run does not go on"
        sleep 0.1
    done
    took=$(since "$since_when")
}

# study_in_namespaces D line...: rows of D columns.
study_in_namespaces() {
    local d=$1
    shift
    rm -f key.*
    study_of "$sites" "$@"
    python3 - "$base" <<'P'
import re, sys
base, text = int(sys.argv[1]), open("heart.study").read()
text = re.sub(r"127\.0\.0\.1:(\d+)", lambda m: "10.9.8.%d:7473" % (int(m[1]) - base + 1), text)
open("heart.study", "w").write(text)
P
    /usr/bin/python3 - "$sites" "$d" <<'P'
import numpy as np, sys
sites, d = int(sys.argv[1]), int(sys.argv[2])
draw = np.random.default_rng(5)
mix = draw.standard_normal((6, d)) * (3 * 0.5 ** np.arange(6))[:, None]
for n in range(sites):
    rows = 40 + 17 * n
    np.save("data.%d.npy" % n, draw.standard_normal((rows, 6)) @ mix + 0.01 * draw.standard_normal((rows, d)))
P
    undisturbed
}

undisturbed() {
    local began
    forget
    began=$(now)
    all_start "$sites"
    all_end_well "$sites"
    usual=$(since "$began")
    cp model.0.npz undisturbed.npz
}
forget() { rm -rf state.* err.* model.*; }


# Is it among the first few seconds of blocks?
await_blocks() {
    local tries=0
    until grep -q '"what":"block"' state.1/*/*/log 2>/dev/null; do
        ((++tries < 300)) || fail "no block is sent"
        sleep 0.1
    done
}

# Numbers of the model, to the last bit; how long it took may differ.
same_answer() {
    all_end_well "$sites"
    /usr/bin/python3 - <<'P' || fail "$1: another answer than that of an undisturbed run"
import numpy as np
a, b = np.load("undisturbed.npz"), np.load("model.0.npz")
assert a.files == b.files
for name in a.files:
    assert name.startswith("seconds") or a[name].tobytes() == b[name].tobytes(), name
P
    logs_agree
}

long=${EIGENMESH_LONG:-}
cuts=(8)
[[ ! $long ]] || cuts=(8 30 60)

# ---- slow: a block takes seconds --------------------------------------------------------------------------------------------
study_in_namespaces 500 "components = 0.9" "method = covariance"
forget
slow 1
began=$(now)
all_start "$sites"
same_answer "slow"
echo "ok: 4 Mbit/s: $(since "$began") s, $usual s where it is fast"

# ---- cut without a word, in the middle ---------------------------------------------------------------------------------------
study_in_namespaces 20000 "components = 2" "method = deepca" "iterations = 6" "tolerance = 0"
for seconds in "${cuts[@]}"; do
    forget
    all_start "$sites"
    await_blocks
    sleep 1
    unplug 1
    sleep "$seconds"
    plug 1
    await_more 1 "a cut of $seconds s"
    same_answer "a cut of $seconds s"
    echo "ok: a cut of $seconds s: the run goes on $took s after it"
done

# ---- reset, again and again ----------------------------------------------------------------------------------------------------
resets=0
forget
all_start "$sites"
await_blocks
while lives 0 && ((resets < 8)); do
    reset $((1 + resets % 2)) 0
    resets=$((resets + 1))
    sleep 0.5
done
((resets == 8)) || fail "the run was over after $resets resets: it is too short"
same_answer "resets"
grep -q "link with s1 is down" err.0 || fail "no reset was one"
echo "ok: $resets resets"

# ---- large blocks, and a link that lives for a moment -----------------------------------------------------------------------------
columns=700 lives_for=2
[[ ! $long ]] || columns=2048 lives_for=10
fast 1
study_in_namespaces "$columns" "components = 0.9" "method = covariance"
forget
slow 1
began=$(now) resets=0
all_start "$sites"
while lives 0; do
    sleep "$lives_for"
    unplug 1
    reset 1 0
    sleep 0.5
    plug 1
    resets=$((resets + 1))
    ((resets < 100)) || fail "blocks do not get through a link that lives for $lives_for s"
done
same_answer "a link that lives for $lives_for s"
largest=$(grep -ho '"bytes":[0-9]*' state.1/*/*/log | cut -d: -f2 | sort -n | tail -n 1)
((resets > 2)) || fail "only $resets cuts: blocks are too small"
echo "ok: blocks of $largest bytes over a link that lives for $lives_for s: $resets cuts, $(since "$began") s"
