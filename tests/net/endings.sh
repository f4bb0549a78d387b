#!/usr/bin/env bash
# What a node says when it ends: to people, and to whoever watches it, in one line of JSON, however it ends.
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$1"

# one_line FILE EXPRESSION: one line, of JSON, of which this holds in Python.
one_line() {
    [[ $(wc -l <"$1") == 1 ]] || { cat "$1" >&2; fail "$1 is not one line"; }
    python3 - "$1" "$2" <<'P' || { cat "$1" >&2; fail "not so in $1: $2"; }
import json, sys
j = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else 1)
P
}

says() { grep -qE -- "$2" "$1" || { cat "$1" >&2; fail "$1 does not say: $2"; }; }

# ---- well ------------------------------------------------------------------------------------------------------------

# Site 2 has no -o, and comes late; site 1 waits for it behind the root.
study_of 3 "components = 3" "method = krylov"
start 0 --json
start 1
sleep 4
"$program" node heart.study data.2.csv --key key.2 --state state.2 --patience 120s >out.2 2>err.2 &
pid[2]=$!
for n in 0 1 2; do ends "$n" 0; done
one_line out.0 "j['status'] == 'done' and j['reason'] == 'done' and j['error'] is None and j['awaited'] is None"
one_line out.0 "j['site'] == 's0' and j['sites'] == 3 and j['runs'] == 1 and j['file'] == 'model.0.npz' and j['converged']"
one_line out.0 "[l['neighbour'] for l in j['links']] == ['s1', 's2'] and all(l['cuts'] == 0 for l in j['links'])"
one_line out.0 "all(l['was_up'] and l['bytes_sent'] > 0 for l in j['links'])"
one_line out.0 "{w['site']: w['seconds'] for w in j['waited']}['s2'] > 2"
says out.1 '^data +231 x 20 over all sites$'
says out.1 '^method +krylov$'
says out.1 '^site +sent +received +cuts +down +waited$'
says out.1 '^s0( +[0-9.]+ [kM]?B){2} +0 +0 s +[0-9.]+ s$'
says out.1 '^s2( +-){4} +[1-9][0-9.]* s$'
kept=$(echo state.2/*/s2/model.npz)
says out.2 "^model +$kept; the same command with -o FILE copies it$"
cmp -s model.1.npz "$kept" || fail "the model that the state keeps is another one"
one_line out.0 "[i['file'] for i in j['inputs']] == ['data.0.csv']"
says out.1 '^read +data.1.csv: commas, a header$'
echo "ok: the table, one line of JSON, and a site without -o"

# Later it is written from there; also where the study goes by another name, which is not in the fingerprint.
sed 's/^name = heart/name = lung/' heart.study >lung.study
"$program" node lung.study data.2.csv --key key.2 --state state.2 -o late.npz >out.2 2>err.2 || fail "it is not done"
says out.2 '^finished  on 20[0-9-]+ [0-9:]+ UTC, and nothing was done now; --again, at all sites, runs it again$'
says out.2 '^model +late.npz$'
cmp -s model.1.npz late.npz || fail "the model that is written later is another one"
start 0 --json
ends 0 0
one_line out.0 "j['reason'] == 'done-before' and j['finished'].startswith('20') and j['runs'] == 0 and j['links'] == []"
rm "$kept"
"$program" node heart.study data.2.csv --key key.2 --state state.2 >out.2 2>err.2 || fail "it is not done without the model"
says out.2 '^model +no longer in the state folder'
echo "ok: done before"

# ---- rehearsals ------------------------------------------------------------------------------------------------------

# Also of a study that is finished, which it stays; no link is said to be broken.
rm -f model.*
all_start 3 --dry-run --json
for n in 0 1 2; do
    ends "$n" 0
    one_line "out.$n" "j['status'] == 'done' and j['reason'] == 'rehearsed' and j['file'] is None or j['finished']"
    ! grep -q "is down: TLS" "err.$n" || fail "site $n calls the end of a rehearsal a broken link"
    [[ ! -e model.$n.npz ]] || fail "a rehearsal wrote a model"
done
start 1 --json
ends 1 0
one_line out.1 "j['reason'] == 'done-before'"
[[ -s model.1.npz ]] || fail "the model is not copied"

# Where the root alone rehearses, the others say so, and wait for it.
rm -rf state.* err.* model.*
patience=6s
start 0 --dry-run
start 1 --json
start 2
ends 0 0
for n in 1 2; do
    ends "$n" 1
    says "err.$n" "the root rehearses: all sites are here, with the same columns; waiting for the run"
    says "err.$n" "waited for s0 as long as patience lasts"
done
one_line out.1 "j['status'] == 'failed' and j['reason'] == 'patience' and j['awaited'] == 's0'"
echo "ok: rehearsals"

# ---- not well --------------------------------------------------------------------------------------------------------

patience=3s
rm -rf state.* err.*
start 1 --json
ends 1 1
one_line out.1 "j['reason'] == 'patience' and j['awaited'] == 's0' and 'waited for s0' in j['error'] and j['finished'] is None"
one_line out.1 "[(l['neighbour'], l['was_up']) for l in j['links']] == [('s0', False)]"
start 1
ends 1 1
says out.1 '^s0 +0 B +0 B +0 +never up +[0-9.]+ s$'

# It never came to links: usage, input, and a port that is taken.
json_of() { # STATUS EXPRESSION ARGUMENT...
    local wanted=$1 expression=$2 status=0
    shift 2
    "$program" node "$@" --state state.9 --patience 3s --json >out.9 2>err.9 || status=$?
    [[ $status == "$wanted" ]] || fail "status $status, not $wanted"
    one_line out.9 "j['status'] == 'failed' and $expression"
}
json_of 2 "j['reason'] == 'usage' and '--listen: ' in j['error'] and j['site'] == 's1'" heart.study data.1.csv --key key.1 --listen none
json_of 2 "j['reason'] == 'usage' and 'fingerprint' in j['error']" heart.study data.1.csv --key key.1 --accept 0000
json_of 2 "j['reason'] == 'input' and j['site'] is None" heart.study nothing.csv --key key.1
json_of 2 "j['reason'] == 'input'" heart.study data.1.csv --key key.none
"$program" key new -o key.9 >id.9
json_of 2 "j['reason'] == 'usage' and '--key with another file' in j['error']" heart.study data.1.csv --key key.9
chmod 644 key.1
json_of 2 "j['reason'] == 'input' and 'chmod 600 key.1' in j['error']" heart.study data.1.csv --key key.1
chmod 600 key.1
chmod 755 state.9/*/s1
json_of 2 "j['reason'] == 'input' and 'chmod 700' in j['error']" heart.study data.1.csv --key key.1
chmod 700 state.9/*/s1
python3 -c 'import socket, sys, time
s = socket.socket(); s.bind(("127.0.0.1", int(sys.argv[1]))); s.listen(); print("", flush=True); time.sleep(60)' $((base + 1)) >taken &
taken=$!
until [[ -s taken ]]; do sleep 0.1; done
json_of 1 "j['reason'] == 'network' and 'is taken by another program' in j['error']" heart.study data.1.csv --key key.1
kill "$taken"

# By a pipe the data is there once, and cannot be put into the root's order.
patience=6s
rm -rf state.* err.*
start 0
start 2
python3 -c 'import sys
for line in sys.stdin: print(",".join(reversed(line.strip().split(","))))' <data.1.csv >turned.csv
status=0
"$program" node heart.study - --key key.1 --state state.1 --patience 60s --json <turned.csv >out.1 2>err.1 || status=$?
[[ $status == 2 ]] || fail "status $status, not 2"
one_line out.1 "j['reason'] == 'input' and 'can be read only once' in j['error']"
for n in 0 2; do ends "$n" 1; done

# Interrupted; the others are told so, and go on waiting.
patience=120s
rm -rf state.* err.*
start 0 --json
start 1
until grep -qs "link with s1 is up" err.0; do sleep 0.1; done
kill -TERM "${pid[0]}"
ends 0 1
one_line out.0 "j['reason'] == 'interrupted' and j['awaited'] is None"
until grep -qs "s0 left: was interrupted" err.1; do sleep 0.1; done
! grep -q "is down: left" err.1 || fail "a goodbye is called a broken link"

# Where one site alone is told to do it again, the others' word is that it is done.
start 0
start 2
for n in 0 1 2; do ends "$n" 0; done
rm -f err.*
start 1 --again --json
while kill -0 "${pid[1]}" 2>/dev/null; do
    rm -f state.0/*/s0/ended # somebody may ask: it listens for some seconds
    start 0
    ends 0 0
done
ends 1 1
one_line out.1 "j['status'] == 'failed' and '--again, at all sites' in j['error']"
[[ -s $(echo state.1/*/s1/model.npz) ]] || fail "a run that did not come about has cost the model"

# A run that does not converge is kept by all, and is no success.
rm -rf state.* err.* model.*
study_of 2 "components = 3" "method = krylov" "iterations = 1" "tolerance = 1e-12" "oversample = 0"
all_start 2 --json
for n in 0 1; do
    ends "$n" 1
    one_line "out.$n" "j['reason'] == 'not-converged' and not j['converged'] and j['file'] == 'model.$n.npz'"
    says "err.$n" "node: krylov has not converged after 1 iteration "
done
cmp -s model.0.npz model.1.npz || fail "they kept different models"
start 0
ends 0 0
echo "ok: failures"
