#!/usr/bin/env bash
# eigenmesh fit --init MODEL.npz, and transform --scores t2,q.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

works generate -d 30 -N 3000 -k 4 --gap 0.7 -o all.npy
works convert all.npy all.csv
head -n 2950 all.csv >some.csv

# ---- from the last answer ---------------------------------------------------------------------------------------------

network=(-n 5 -t cycle -m krylov -k 4)
works fit some.csv "${network[@]}" -o last.npz
works fit all.npy "${network[@]}" --json -o cold.npz
cold=$(sed -n 's/^  "iterations": \([0-9]*\),$/\1/p' "$out")
grep -q '"turn": null' "$out" || fail "a fit without a last answer has turned"
works fit all.npy "${network[@]}" --init last.npz -o model.npz
says "last      began from it: "
says "turned by "
works fit all.npy "${network[@]}" --init last.npz --json
warm=$(sed -n 's/^  "iterations": \([0-9]*\),$/\1/p' "$out")
echo "$warm averages instead of $cold"
((warm < cold)) || fail "the last answer saves nothing: $warm averages, $cold without"
grep -q '"held": false' "$out" || fail "it cannot have held"
works fit all.npy "${network[@]}" --init model.npz -o again.npz
says "last      the last answer holds: 1 average"
works info again.npz
says "last      the last answer holds: 1 average"
works fit all.npy "${network[@]}" --init model.npz --masks
says "last      began from it"
works fit all.npy "${network[@]}" --init model.npz --dry-run
works fit all.npy -k 0.5 -n 5 --init model.npz
says "last      "
works compare all.npy -k 2 -n 4 --methods krylov,deepca --init model.npz -q

# Interrupted, and gone on with from a checkpoint: it is the same fit, of the same last answer.
gossip=(fit all.npy -n 5 -t cycle -m deepca -k 4)
answer() { grep -E '"(variance|angle|turn|samples)' "$out"; }
works "${gossip[@]}" --init last.npz --json
answer >through
works "${gossip[@]}" --init last.npz --json --checkpoint run.ck --checkpoint-every 0
answer | cmp - through || fail "checkpoints change the model"
[[ ! -e run.ck ]] || fail "the checkpoint is still there"
long=("${gossip[@]}" --tolerance 0 --iterations 100000000 --checkpoint run.ck)
timeout --foreground -s INT 1 "$EIGENMESH" "${long[@]}" --init last.npz -q >/dev/null 2>&1 || true
[[ -e run.ck ]] || fail "there is no checkpoint to go on from"
refuses 2 "run.ck: made with another option init" "${long[@]}" --resume -o x.npz
refuses 2 "run.ck: made with another option init" "${long[@]}" --resume --init model.npz -o x.npz
works "${gossip[@]}" --tolerance 0 --iterations 1 --checkpoint run.ck --init last.npz --resume
says "turned by "

refuses 2 "--init: 'ones' is not random, file:X0.npy or a model's .npz" fit all.npy -k 2 --init ones
refuses 2 "nowhere.npz" fit all.npy -k 2 --init nowhere.npz
refuses 2 "init: the last model has 30 features, and the data 29" fit all.npy -k 2 --init model.npz --columns 0-28
refuses 2 "the last model has scale none, and this fit std; try --scale none" fit all.npy -k 2 --scale std --init model.npz

# ---- what does not fit ------------------------------------------------------------------------------------------------

works fit all.npy -k 4 -n 5 -m krylov --limits -o limits.npz
works transform limits.npz all.npy --scores t2,q -o scores.csv
says "scores.csv: 3000 x 2 scores"
says "T^2       limit "
says "Q         limit "
says "at confidence 0.99"
[[ $(head -n 1 scores.csv) == t2,q ]] || fail "the columns have no names"
works transform limits.npz all.npy --scores q,components --confidence 0.5 --json -o scores.npy
grep -q '"columns": 5' "$out" || fail "components and q are five columns"
above=$(sed -n 's/^    "above": \([0-9]*\),$/\1/p' "$out")
((above > 1350 && above < 1650)) || fail "$above of 3000 rows above the limit of half of them"
works transform model.npz all.npy --scores t2,q -o scores.npy
says "Q         no limit: the model does not say how the variance it leaves out is spread; try eigenmesh fit --limits"
works transform limits.npz all.npy --plot scores.svg --scores t2 -o scores.npy
works fit all.npy -k 4 --missing mean --limits -o limits.npz
sed '2s/^[^,]*,/,/' all.csv >holes.csv
works transform limits.npz holes.csv --missing mean --scores t2,q -o holes-scores.csv

refuses 2 "is not a list of components, t2 and q" transform limits.npz all.npy --scores t3 -o x.npy
refuses 2 "is not a list of components, t2 and q" transform limits.npz all.npy --scores t2, -o x.npy
refuses 2 "--inverse makes none" transform limits.npz all.npy --scores t2 --inverse -o x.npy
refuses 2 "--confidence: 1 is not between 0 and 1" transform limits.npz all.npy --scores t2 --confidence 1 -o x.npy
refuses 2 "--confidence: there is no limit to tell" transform limits.npz all.npy --confidence 0.9 -o x.npy
refuses 2 "masks show no others; try without it" fit all.npy -k 2 -n 5 --masks --limits
