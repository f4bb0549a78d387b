#!/usr/bin/env bash
# --checkpoint and --resume: a run killed at any moment and resumed ends like one that was not.
# shellcheck source=checkpoint_lib.sh
. "$(dirname "$0")/checkpoint_lib.sh"

for method in dsa deepca fastpca; do
    for times in 1 2 3; do killed_and_resumed "$times" -k 4 -m "$method"; done
done
killed_and_resumed 3 -k 2 -m krylov --oversample 0 # so few that its basis is restarted

# An interrupted run leaves a checkpoint of the last iteration, however seldom they are.
long=(fit data.npy -k 4 -n 6 -m dsa --tolerance 0 --iterations 100000000 --checkpoint run.ck)
start "${long[@]}" --quiet
sleep 1
kill -TERM "$pid" # a job in the background does not hear Ctrl-C
status=0
wait "$pid" || status=$?
[[ $status -eq 1 ]] || fail "an interrupted run is not status 1"
complains "try --resume to go on"
reached=$(grep -oE 'after [0-9]+' "$err" | grep -oE '[0-9]+')
works fit data.npy -k 4 -n 6 -m dsa --tolerance 0 --iterations $((reached + 100)) --checkpoint run.ck --resume
says "resumed   from iteration $reached"
[[ ! -e run.ck ]] || fail "the checkpoint is still there"

# What is refused, with nothing made, changed or removed.
start "${long[@]}" --checkpoint-every 0
wait_for_checkpoint
kill_within 0
cp run.ck kept.ck
resuming=(--tolerance 0 --iterations 100000000 --checkpoint run.ck --resume)
refuses 2 "run.ck: made with method dsa, this is krylov" fit data.npy -k 4 -n 6 -m krylov "${resuming[@]}"
refuses 2 "run.ck: made with 4 components, and these are 3" fit data.npy -k 3 -n 6 -m dsa "${resuming[@]}"
refuses 2 "run.ck: made with 6 nodes, and these are 5" fit data.npy -k 4 -n 5 -m dsa "${resuming[@]}"
refuses 2 "run.ck: made with another --seed" fit data.npy -k 4 -n 6 -m dsa --seed 5 "${resuming[@]}"
refuses 2 "run.ck: made with another network" fit data.npy -k 4 -n 6 -m dsa -t cycle "${resuming[@]}"

# A run that does not resume overwrites none of it.
again=(fit data.npy -n 6 -m dsa --tolerance 0 --iterations 100000000 --checkpoint run.ck --checkpoint-every 0)
refuses 2 "run.ck: a checkpoint of this very problem; try --resume to go on from iteration $(reached), or remove it first" \
    "${again[@]}" -k 4
refuses 2 "run.ck: made with 4 components, and these are 3; try what it was made with, or another FILE" "${again[@]}" -k 3
refuses 2 "run.ck: made with another --seed" "${again[@]}" -k 4 --seed 5
ln -s run.ck link.ck
refuses 2 "try --resume to go on from iteration $(reached)" "${again[@]/run.ck/link.ck}" -k 4
rm link.ck
cmp -s run.ck kept.ck || fail "the checkpoint was changed"
head -c 1000 kept.ck >run.ck
refuses 2 "run.ck: damaged or cut short, its checksum is wrong; try removing it first" "${again[@]}" -k 4
for other in "" "precious notes" "$(head -c 300 data.npy | base64)"; do
    printf %s "$other" >precious
    for resume in "" --resume; do
        refuses 2 "precious: not a checkpoint, and left as it is" "${again[@]/run.ck/precious}" -k 4 ${resume:+"$resume"}
        [[ $(cat precious) == "$other" ]] || fail "a file that is no checkpoint was changed"
    done
done
rm precious
refuses 2 "run.ck: damaged or cut short" fit data.npy -k 4 -n 6 -m dsa "${resuming[@]}"
rm run.ck
refuses 2 "run.ck: no checkpoint to resume from" fit data.npy -k 4 -n 6 -m dsa "${resuming[@]}"
refuses 2 "checkpoint: for a number of components" fit data.npy -k 0.9 --checkpoint run.ck
refuses 2 "--resume: there is no checkpoint" fit data.npy -k 4 --resume
refuses 2 "--checkpoint-every: there is no checkpoint" fit data.npy -k 4 --checkpoint-every 5
refuses 2 "checkpoint-every" fit data.npy -k 4 --checkpoint run.ck --checkpoint-every -5
refuses 2 "checkpoint-every" fit data.npy -k 4 --checkpoint run.ck --checkpoint-every soon
refuses 2 "nowhere/run.ck: cannot be written" fit data.npy -k 4 --checkpoint nowhere/run.ck
refuses 1 "/dev/full: cannot be written" fit data.npy -k 4 -n 6 -m dsa --checkpoint /dev/full --checkpoint-every 0
rm kept.ck
