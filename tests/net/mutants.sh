#!/usr/bin/env bash
# The rules of the protocol, each broken in turn: the random schedules of test_schedules.c must notice every time, or test_leaving.c.
set -euo pipefail
program=$(realpath "$1")
project=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
library=$(dirname "$program")/libeigenmesh.a
cc=${CC:-cc}
command -v "$cc" >/dev/null || { echo "skipped: there is no $cc"; exit 77; }
grep -qaE '__(asan|tsan|ubsan)_' "$library" && { echo "skipped: for a build without sanitizers"; exit 77; }
survivors=0

copy_sources() {
    rm -rf src
    mkdir -p src/net
    cp "$project"/src/net/*.[ch] src/net/
}

build() { # TEST: with that copy
    local test=("$project/tests/net/test_$1.c" "$project/tests/support/check.c")
    [[ $1 != schedules ]] || test+=("$project/tests/net/schedules/world.c")
    "$cc" -std=c17 -O1 -w -D_POSIX_C_SOURCE=200809L -DEMI_FRAME_MOST=16 -Isrc -I"$project/include" -I"$project/src" \
        -I"$project/tests" -I"$project" "${test[@]}" src/net/{awaited,frame,leaving,link,meeting,node,pace}.c "$library" -o mutant -lcmocka -lm
}

survives() { # SCHEDULES: or as many as it takes
    (CMOCKA_TEST_ABORT=1 EIGENMESH_SCHEDULES=$1 timeout 100 ./mutant || exit 1) >/dev/null 2>&1
}

# mutant WHAT FILE OLD NEW [TEST]: with OLD replaced by NEW, once, in a file of src/net.
mutant() {
    copy_sources
    OLD=$3 NEW=$4 python3 - "src/net/$2" <<'P'
import os, sys
path, old, new = sys.argv[1], os.environ["OLD"], os.environ["NEW"]
text = open(path).read()
if text.count(old) != 1: sys.exit("%s: %r is there %d times, not once" % (path, old, text.count(old)))
open(path, "w").write(text.replace(old, new))
P
    build "${5:-schedules}"
    if survives 1000; then
        echo "NOT CAUGHT: $1"
        survivors=$((survivors + 1))
    else
        echo "caught: $1"
    fi
}

copy_sources
for test in schedules leaving; do
    build "$test"
    survives 100 || { echo "FAILED: test_$test.c fails without a mutant"; exit 1; }
done
mutant "R4: blocks flow whatever run the other is in" node.c \
    'memcmp(l->peer_run, node->run, EMI_RUN_BYTES) == 0' '1'
mutant "R4: what was said of a run before it was entered is forgotten" meeting.c \
    'if (emi_node_flows(node, l)) (void)emi_node_settle(node, l, emi_link_peer_has(l, l->peer_received), now, &why);' \
    'memset(l->peer_run, 0, EMI_RUN_BYTES);'
mutant "R5: frames of another run are taken" node.c \
    'memcmp(frame->run, node->run, sizeof frame->run) == 0' '1'
mutant "R5: acknowledged, and not stored" link.c \
    'memcpy(l->inbox + l->got, bytes, length);' 'if (l->got) memcpy(l->inbox + l->got, bytes, length);'
mutant "R5: counts of an earlier run go on" link.c \
    'l->received = l->told = 0;' 'l->told = 0;'
mutant "R5: after a cut all goes on from the next frame, not from what arrived" link.c \
    'l->next = received;' ''
mutant "R6: what was acknowledged before a cut is not said again" node.c \
    'emi_link_acknowledge_again(l, node->run)' 'EMI_FINE'
mutant "R6: the window is not kept" link.c \
    'l->next >= l->acked + EMI_WINDOW' '0'
mutant "R2: entries are not said again on a new connection" node.c \
    'if (node->here[site]) emi_say_entry(node, l, site);' ';'
mutant "R2: START is not said again on a new connection" node.c \
    'if (emi_is_child(node, l->peer) && emi_node_in_run(node) && !emi_node_flows(node, l))' 'if (0)'
mutant "R2: an entry from the wrong child is taken" meeting.c \
    ' || !emi_is_below(node, entry.site, peer)' '' leaving
mutant "R3: a site that came back makes no new START" meeting.c \
    '|| !differs_from_start(node)' '|| node->start'
mutant "R3: a START is entered for another life" meeting.c \
    ' || !holds_own(node, frame->payload)' ''
mutant "R3: a run is entered twice" meeting.c \
    'if (was_entered(node, run)) return 0;' '' leaving
mutant "R7: a root that is done begins again" meeting.c \
    'node->config.site != 0 || node->finished ||' 'node->config.site != 0 ||'
mutant "R7: who is done is not told that it is known" leaving.c \
    'emi_say_leave(node, l, EMI_LEAVE_KNOWN);' ';'
mutant "R7: who may be gone for good is not on the disk" leaving.c \
    'return node->config.note_told ? node->config.note_told(node->config.context, node->told) : 0;' 'return 0;'
mutant "R7: who has finished does not tell those who come back" node.c \
    '        emi_say_leave(node, l, EMI_LEAVE_FINISHED);
        return;' '        return;'
((survivors == 0)) || { echo "FAILED: $survivors mutants live"; exit 1; }
