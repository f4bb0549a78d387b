#!/usr/bin/env bash
# SIGKILL of any site, the root too, at any moment, and a restart: all end with the same model, as if nothing had been, and there
# is nothing to clean up by hand.  EIGENMESH_KILLS says how many; the default is what CI has time for.
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$1"
kills=${EIGENMESH_KILLS:-12}
seed=${EIGENMESH_SEED:-$RANDOM}
echo "seed $seed"
RANDOM=$seed

# It takes its time: many steps, and a checkpoint at each.
study_of 4 "components = 10" "method = krylov" "tolerance = 1e-10"
for n in 0 1 2 3; do "$program" generate -d 400 -N 3000 -k 20 --gap 0.97 --seed "$n" -o "data.$n.npy" >/dev/null; done
options=(--threads 1)
suffix=npy
all_start 4
all_end_well 4
cp model.0.npz undisturbed.npz
echo "ok: undisturbed"

round=0
killed=0
while ((killed < kills)); do
    round=$((round + 1))
    rm -rf state.* model.[0-9].npz err.*
    all_start 4
    for ((n = 0; n < 3 && killed < kills; n++)); do
        sleep "0.$((RANDOM % 6))$((RANDOM % 10))"
        victim=$((RANDOM % 4))
        kill -KILL "${pid[$victim]}" 2>/dev/null || true
        wait "${pid[$victim]}" 2>/dev/null || true
        killed=$((killed + 1))
        start "$victim"
    done
    for n in 0 1 2 3; do ends "$n" 0; done
    for n in 1 2 3; do cmp -s model.0.npz "model.$n.npz" || fail "sites 0 and $n have different models (round $round)"; done
    same_answers undisturbed.npz model.0.npz
    logs_agree
done
echo "ok: $killed kills in $round rounds"
