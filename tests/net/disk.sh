#!/usr/bin/env bash
# What can befall a disk between two lives of a process: the state folder is lost, or set back to an earlier step, or another
# site's, or another study's; and the folder for the model is not there.  The study goes on, or words say why not.
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$1"
load_faults

options=(--threads 1)
suffix=npy
study() {
    rm -rf state.* err.* model.* key.*
    study_of 4 "components = 4" "method = krylov" "tolerance = 1e-10"
    for n in 0 1 2 3; do "$program" generate -d 60 -N 300 -k 20 --gap 0.97 --seed "$n" -o "data.$n.npy" >/dev/null; done
}

# The root is killed before its N-th checkpoint from now on has its name: the others wait.
halt_at() {
    fault[0]="rename checkpoint.0-0 $1 before"
    start 0
    ends 0 137
    fault=()
}
halted() {
    rm -rf state.* err.* model.*
    for n in 1 2 3; do start "$n"; done
    halt_at "$1"
}

killed() {
    kill -KILL "${pid[$1]}" 2>/dev/null || true
    wait "${pid[$1]}" 2>/dev/null || true
}

# The root and the victim, which were both killed, come back.
taken_up() {
    start 0
    (($1 == 0)) || start "$1"
    all_end_well 4
    same_answers undisturbed.npz model.0.npz
}

study
all_start 4
all_end_well 4
cp model.0.npz undisturbed.npz

for victim in 0 1 3; do
    halted 3
    killed "$victim"
    rm -r "state.$victim"
    taken_up "$victim"
done
echo "ok: lost, at the root, in the middle, at the end"

for victim in 0 1 3; do
    halted 2
    killed "$victim"
    cp -a "state.$victim" earlier
    ((victim == 0)) || start "$victim"
    halt_at 3
    killed "$victim"
    rm -r "state.$victim"
    mv earlier "state.$victim"
    taken_up "$victim"
done
echo "ok: set back to an earlier step"

# In its place another site's: its log says whose it is; the rest is of no use to it, and does no harm.
halted 2
killed 2
cp -a state.1/*/s1/. state.2/*/s2/
start 2
ends 2 2
grep -q "is the log of another site, s1" err.2 || fail "another site's folder is not refused"
rm state.2/*/s2/log
taken_up 2
echo "ok: another site's"

# Another study's, with the root's checkpoint in it.
halted 3
for n in 1 2 3; do killed "$n"; done
mv state.0 other
study
sed -i 's/^components = 4$/components = 3/' heart.study
all_start 4
all_end_well 4
cp model.0.npz undisturbed.npz
halted 2
cp -a other/*/s0/. state.0/*/s0/
start 0
ends 0 2
grep -q "is the log of s0 in another study" err.0 || fail "another study's folder is not refused"
rm state.0/*/s0/log
taken_up 0
echo "ok: another study's"

# Lost when all is done: nobody can tell it so.
rm -r state.3
start 3 --patience 3s
ends 3 1
grep -q "waited for s1" err.3 || fail "it does not say for whom it waited"
echo "ok: lost at the end"

# The model's folder: not there from the beginning, which is said at once; or gone when the model comes.
rm -rf state.* err.* model.*
"$program" node heart.study data.1.npy -o nowhere/model.npz --key key.1 --state state.1 2>err.1 && fail "there is no such folder"
grep -q "nowhere/model.npz: cannot be written" err.1 || fail "the place for the model is not named"
[[ ! -e state.1 ]] || fail "there is a state without a place for the model"
mkdir gone
ln -s gone/model.npz model.1.npz
start 1
until grep -q '"what":"begin"' state.1/*/s1/log 2>/dev/null; do sleep 0.05; done
rm -r gone
for n in 0 2 3; do start "$n"; done
ends 1 1
grep -q "gone/model.npz: cannot be written (No such file or directory)" err.1 || fail "the place for the model is not named"
mkdir gone
start 1
all_end_well 4
echo "ok: the model's folder is gone"
