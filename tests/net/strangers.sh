#!/usr/bin/env bash
# Strangers at the door of a study: refused, told once, and members do not notice.  Also two starts of one site.
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$1"
here=$OLDPWD/$(dirname "$0")
[[ $0 != /* ]] || here=$(dirname "$0")
command -v openssl >/dev/null || { echo "skipped: there is no openssl"; exit 77; }
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=4 # memory is measured, and a sanitizer keeps what is freed

await() { # FILE TEXT: until it is in it
    local tries=0
    until grep -qs -- "$2" "$1"; do
        ((++tries < 300)) || fail "'$2' is not in $1"
        sleep 0.1
    done
}
listens() { # until site 0 does
    local tries=0
    until (exec 3<>"/dev/tcp/127.0.0.1/$base") 2>/dev/null; do
        ((++tries < 300)) || fail "site 0 does not listen"
        sleep 0.1
    done
}
strangers() { python3 "$here/strangers.py" "$@"; }
lines() { cat "err.$1" state."$1"/*/*/log 2>/dev/null | wc -l; }
descriptors() { find "/proc/${pid[$1]}/fd" -mindepth 1 2>/dev/null | wc -l; }
memory() { awk '/VmHWM/ {print int($2 / 1024)}' "/proc/${pid[$1]}/status"; } # MB, the most there was
cpu() { awk -v hz="$(getconf CLK_TCK)" '{print int(1000 * ($14 + $15) / hz)}' "/proc/${pid[$1]}/stat"; } # ms

# pem N: key.N as openssl reads it, and a certificate.
pem() {
    python3 - "key.$1" >"key.$1.der" <<'P'
import sys
seed = bytes.fromhex(open(sys.argv[1]).read().split("\n")[1])
sys.stdout.buffer.write(bytes.fromhex("302e020100300506032b657004220420") + seed)
P
    openssl pkey -inform DER -in "key.$1.der" -out "key.$1.pem" 2>/dev/null
    openssl req -x509 -new -key "key.$1.pem" -subj /CN=x -days 1 -out "key.$1.crt" 2>/dev/null
}

# client FROM KEY option...: openssl's client from 127.0.0.FROM to site 0, for a second.
client() {
    local from=$1 key=$2
    shift 2
    sleep 1 | timeout 10 openssl s_client -connect "127.0.0.1:$base" -bind "127.0.0.$from:0" -cert "key.$key.crt" -key "key.$key.pem" \
        "$@" >"client.$from" 2>&1 || true
}
refused() { await "err.0" "127.0.0.$1 was refused: .*$2"; }

study_of 3 "components = 2" "method = dsa" "iterations = 6000" "tolerance = 0"
"$program" key new -o key.9 >/dev/null
for n in 1 2 9; do pem "$n"; done

# ---- while two sites wait for the third ---------------------------------------------------------------------------------------
start 0
start 1
await err.0 "link with s1 is up"
sleep 1
before_lines=$(lines 0) before_descriptors=$(descriptors 0) before_memory=$(memory 0) before_cpu=$(cpu 0)

client 11 9 -alpn eigenmesh/1
refused 11 "key is none that is expected"
client 12 2 -alpn eigenmesh/2
refused 12 "speaks eigenmesh/1, the other side eigenmesh/2"
client 13 2
refused 13 "does not say what it speaks"
client 14 2 -alpn eigenmesh/1 -tls1_2
refused 14 "TLS"
sleep 1 | timeout 10 openssl s_client -connect "127.0.0.1:$base" -bind 127.0.0.15:0 -alpn eigenmesh/1 >client.15 2>&1 || true
refused 15 "shows no Ed25519 key"
strangers noise "$base" 40 127.0.0.16
refused 16 "TLS: "
took=$(strangers slow "$base" 127.0.0.17 15)
((took >= 9 && took <= 12)) || fail "a byte a second was listened to for $took s"
refused 17 "took too long"
kept=$(lines 0)
((kept - before_lines <= 2 * 7)) || fail "$((kept - before_lines)) lines of seven strangers"
echo "ok: other keys, other protocols, noise, a slow handshake"

closed=$(strangers half-open "$base" 1000 1 6)
((closed >= 1000 - 8)) || fail "$((1000 - closed)) half-open connections of one address are held"
closed=$(strangers half-open "$base" 1000 500 6)
((closed >= 1000 - 64)) || fail "$((1000 - closed)) half-open connections are held"
((before_descriptors == 0 || $(descriptors 0) <= before_descriptors + 64)) || fail "$(descriptors 0) descriptors"
sleep 11
grown=$(($(lines 0) - kept)) more_memory=$(($(memory 0) - before_memory)) spent=$(($(cpu 0) - before_cpu))
((grown <= 2 * 34)) || fail "$grown lines of 2000 half-open connections"
[[ $(descriptors 0) == "$before_descriptors" ]] || fail "$(descriptors 0) descriptors, where there were $before_descriptors"
((more_memory < 48)) || fail "$more_memory MB more"
kill -0 "${pid[0]}" "${pid[1]}" || fail "a site has gone"
echo "ok: 2000 half-open connections: $grown lines, $more_memory MB, no descriptor, $spent ms of CPU in all"

start 2
all_end_well 3
logs_agree
cp model.0.npz quiet.npz
echo "ok: the study ends as if nobody had come"

# ---- while a run goes on ---------------------------------------------------------------------------------------------------------
now() { date +%s%N; }
run_takes() { # ms, of a run with nobody at the door, or with COMMAND...
    local began
    rm -rf state.* err.* model.*
    all_start 3
    await err.0 "all sites are here"
    began=$(now)
    "$@" &
    for n in 0 1 2; do ends "$n" 0; done
    took=$((($(now) - began) / 1000000))
    kill %% 2>/dev/null || true
    wait
}
crowd() {
    while true; do
        strangers half-open "$base" 100 50 0.1
        strangers noise "$base" 20 127.0.0.18
        strangers half-open "$base" 100 1 0.1
    done >/dev/null 2>&1
}
run_takes true
usual=$took
run_takes crowd
same_model() {
    /usr/bin/python3 - <<'P'
import numpy as np
a, b = np.load("quiet.npz"), np.load("model.0.npz")
for name in a.files:
    assert name.startswith("seconds") or a[name].tobytes() == b[name].tobytes(), name
P
}
same_model || fail "another answer where strangers came"
logs_agree
((took < 4 * usual + 4000)) || fail "the run takes $took ms where strangers come, and $usual ms else"
echo "ok: a run with a crowd at the door: $took ms, $usual ms without"

# ---- another study; a site that was struck off -----------------------------------------------------------------------------------
rm -rf state.* err.* model.*
patience=6s
start 0
listens
sed 's/^iterations = .*/iterations = 6001/' heart.study >other.study
"$program" node other.study data.1.csv -o model.1.npz --key key.1 --state state.1 --patience 6s >out.1 2>err.1 &
pid[1]=$!
await err.0 "s1 has another study, from this line on: 'option iterations 6001' there, 'option iterations 6000' here"
await err.1 "s0 has another study, from this line on: 'option iterations 6000' there, 'option iterations 6001' here"
ends 0 1
ends 1 1
(($(grep -c "another study" err.0) <= 2)) || fail "another study is told $(grep -c "another study" err.0) times"
echo "ok: another study"

rm -rf state.* err.*
start 0
listens
client 21 2 -alpn eigenmesh/1 -sess_out session
grep -q "Verification\|Verify return code" client.21 || fail "a member's key is not let in by openssl's client"
ends 0 1
cp heart.study good.study
sed -i "s/$("$program" key show key.2)/$("$program" key show key.9)/" heart.study
rm -rf err.0
start 0
listens
args=()
[[ ! -s session ]] || args=(-sess_in session)
client 22 2 -alpn eigenmesh/1 "${args[@]}"
refused 22 "key is none that is expected"
ends 0 1
cp good.study heart.study
echo "ok: struck off"

# ---- descriptors are out -----------------------------------------------------------------------------------------------------------
few() { # LIMIT: with so few, and a crowd, the site neither spins nor ends
    local before
    rm -rf state.* err.*
    (ulimit -n "$1" && exec "$program" node heart.study data.0.csv -o model.0.npz --key key.0 --state state.0 --patience 60s) \
        >out.0 2>err.0 &
    pid[0]=$!
    listens
    before=$(cpu 0)
    strangers half-open "$base" 200 100 4 >/dev/null
    spent=$(($(cpu 0) - before))
    kill -0 "${pid[0]}" || fail "with $1 descriptors the site ends"
    ((spent < 1500)) || fail "with $1 descriptors the site spins: $spent ms of CPU in 4 s"
    echo "ok: $1 descriptors: $spent ms of CPU in 4 s, $(descriptors 0) in use"
}
few 16
kill -KILL "${pid[0]}"
wait "${pid[0]}" 2>/dev/null || true
few 64

# It goes on with few, too.
patience=60s
start 1
start 2
all_end_well 3
same_model || fail "another answer with few descriptors"
echo "ok: a run with 64 descriptors"

# ---- two starts of one site ------------------------------------------------------------------------------------------------------------
rm -rf state.* err.* model.*
start 0
start 1
await err.0 "link with s1 is up"
first=${pid[1]}
start 1
ends 1 2
grep -q "s1 takes part in this study already, on this machine" err.1 || fail "a second start is not refused in words"
"$program" node heart.study data.1.csv -o other.npz --key key.1 --state state.other --patience 4s --listen $((base + 3)) \
    >out.other 2>err.other &
pid[other]=$!
await err.0 "s1 was refused: is here already"
ends other 1
grep -q "try whether this site was started twice" err.other || fail "a second start is not told that it is one"
pid[1]=$first
start 2
all_end_well 3
same_model || fail "another answer where a site was started twice"
rm -rf state.other
logs_agree
echo "ok: two starts"
