#!/usr/bin/env bash
# A site is killed, or its disk is full, at each place where it does something to a file or has sent something: when it is started
# again, all end with the same model, which is that of an undisturbed run, and there is nothing to clean up by hand.  The places are
# those of a whole run, as fault.c sees them.  EIGENMESH_LONG=1: all of them; else as many as CI has time for, by EIGENMESH_SEED.
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$1"
load_faults
seed=${EIGENMESH_SEED:-$RANDOM}
echo "seed $seed"
sites=4 lanes=4
[[ ! ${EIGENMESH_LONG:-} ]] || lanes=8
roles=(0 1 3) # the root, one in the middle, one at the end

# ---- a lane: one study after the other, beside those of other lanes --------------------------------------------------------------

# start N [variable...]: in a folder of its own, with variables of fault.c.
start() {
    local n=$1
    shift
    mkdir -p "site.$n"
    env LD_PRELOAD="$work/fault.so" FAULT_UNDER="$PWD/site.$n" "$@" \
        "$program" node heart.study "data.$n.csv" -o "$PWD/site.$n/model.npz" --key "key.$n" --state "$PWD/site.$n/state" \
        --patience 60s --threads 1 >"out.$n" 2>>"err.$n" &
    pid[$n]=$!
}

# next_end: the site of a process that has ended, and its status.
next_end() {
    while :; do
        for site in "${!pid[@]}"; do
            kill -0 "${pid[$site]}" && continue
            status=0
            wait "${pid[$site]}" || status=$?
            unset "pid[$site]"
            return
        done
        sleep 0.05
    done
} 2>/dev/null # where bash says who was killed

enter_lane() {
    mkdir "lane.$1"
    cd "lane.$1"
    mkdir models
    pid=()
    trap '((${#pid[@]} == 0)) || kill -KILL "${pid[@]}" 2>/dev/null || true' EXIT
    trap 'exit 1' TERM
    study_of "$sites" "components = 2" "method = krylov"
    rows_of "$sites" 5
}

# What a site keeps of a study that is done; a process that was killed between the two names of a new file leaves the first, beside
# the model.
is_tidy() {
    local n left kept="ended finished log model.npz model.npz "
    [[ $masks == no ]] || kept="answered ${kept}own-rows "
    for ((n = 0; n < sites; n++)); do
        left=$(cd "site.$n" && find . -type f ! -path './.eigenmesh-*' ! -name lock | sed 's|.*/||' | sort | tr '\n' ' ')
        [[ $left == "$kept"?(told ) ]] || fail "$point: site $n keeps $left"
    done
}

# check_end WHAT: that of the victim, and what it says.
check_end() {
    case $1 in
    full | short)
        [[ $status == 1 ]] || fail "$point: the site ended with $status"
        grep -q "$PWD/site.$victim/.*No space left on device" "err.$victim" || fail "$point: its words do not name the file"
        ;;
    *) [[ $status == 137 ]] || fail "$point: the site ended with $status" ;;
    esac
}

# study_with VICTIM CALL NAME NUMBER WHAT
study_with() {
    victim=$1 point="site $1 $2 $3 $4 $5"
    local n ends=0 fell=0
    rm -rf site.* err.*
    for ((n = 0; n < sites; n++)); do
        if ((n == victim)); then start "$n" FAULT_AT="$2 $3 $4 $5"; else start "$n"; fi
    done
    while ((${#pid[@]} > 0)); do
        next_end
        ((status != 0)) || continue
        ((++ends <= 2 * sites)) || fail "$point: sites end again and again"
        if ((site == victim && !fell)); then
            check_end "$5"
            fell=1
            echo "$1 $2 $3 $4 $5" >>reached
        elif ((victim != 0 || status != 1)); then # the root's decision is everyone's
            fail "$point: site $site ended with $status"
        fi
        start "$site"
    done
    for ((n = 1; n < sites; n++)); do
        cmp -s site.0/model.npz "site.$n/model.npz" || fail "$point: sites 0 and $n have different models"
    done
    is_tidy
    cp site.0/model.npz "models/$((++count)).npz"
}

# lane NUMBER: every so many of the points.
lane() {
    local number=$1 at=0
    count=0
    enter_lane "$number"
    study_with 0 none none 1 before # undisturbed
    while read -r -u 3 victim call name number_of what; do
        (((at++) % lanes != number)) || study_with "$victim" "$call" "$name" "$number_of" "$what"
    done 3<../points
    same_answers models/*.npz
}

# ---- the points -----------------------------------------------------------------------------------------------------------------

trace() {
    enter_lane trace
    for ((n = 0; n < sites; n++)); do start "$n" FAULT_TRACE="$work/trace.$n"; done
    while ((${#pid[@]} > 0)); do
        next_end
        ((status == 0)) || fail "site $site ended with $status"
    done
}

# Killed before every call, in the middle of every write, after every send; a full disk at every call that can find it so, but for
# those whose failure changes nothing: a folder that is not synced or is there already, the mark that all was said.  Who is killed
# before it has noted that its parent knows, where that one has gone, waits for it for a minute: not in CI.
choose_points() {
    python3 - "$seed" "${EIGENMESH_LONG:-}" "${roles[@]}" <<'P'
import collections, random, sys
seed, long, roles = sys.argv[1], sys.argv[2], sys.argv[3:]
kills, often, full, slow = [], [], [], []
for role in roles:
    seen, told = collections.Counter(), False
    for line in open("trace." + role):
        call, name = line.split()
        seen[line] += 1
        point = (role, call, name, seen[line])
        what = ["after"] if call == "send" else ["before", "torn"] if call == "write" else ["before"]
        told = told or (role != "0" and name == "told.next")
        (slow if told else often if name in ("log", "socket") else kills).extend(point + (w,) for w in what)
        folder = call == "fsync" and (name == "s" + role or name == "site." + role)
        folder = folder or (call == "mkdir" and name == "site." + role)  # which is there
        if call not in ("send", "unlink") and not folder and not name.startswith("ended"):
            full.extend(point + (w,) for w in (["full", "short"] if call == "write" else ["full"]))
random.seed(seed)
chosen = kills + often + full + slow
if not long: chosen = random.sample(kills, 16) + random.sample(often, 6) + random.sample(full, 10)
random.shuffle(chosen)
for point in chosen: print(*point)
P
}

# Those whose number no chance decides; one that cannot note who was told is told so again.
all_were_reached() {
    cat lane.*/reached | sort >reached
    grep -vE ' (log|socket) | told.*(full|short)$' points | sort | comm -23 - reached >missed
    [[ ! -s missed ]] || fail "never reached: $(cat missed)"
}

trap 'kill "${pid[@]}" 2>/dev/null || true; wait; end_all' EXIT # lanes end what is theirs
(trace)
choose_points >points
for ((n = 0; n < lanes; n++)); do
    lane "$n" &
    pid[$n]=$!
done
for ((n = 0; n < lanes; n++)); do ends "$n" 0; done
all_were_reached
echo "ok: $(wc -l <points) points, $(wc -l <reached) reached"
