#!/usr/bin/env bash
# Checkpoints of nodes that live in several processes: each has its part, and all are of one moment; or the root has all of it.
# shellcheck source=checkpoint_lib.sh
. "$(dirname "$0")/checkpoint_lib.sh"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export ASAN_OPTIONS=detect_leaks=0 # Open MPI's own
longest=0.8
under_mpirun()
{
    writers=$1
    launch=(mpirun -n "$1")
    if [[ $(mpirun --version) == *"Open MPI"* ]]; then launch+=(--oversubscribe); fi
}

# Two processes that know of each other: the program has MPI, and this mpirun is that MPI's.
if command -v mpirun >/dev/null; then under_mpirun 2; fi
if [[ ${launch[0]} == mpirun ]]; then "${launch[@]}" "$EIGENMESH" fit data.npy -k 1 --json >"$out" 2>"$err" </dev/null || true; fi
if ! grep -qE '"nodes": ?2' "$out"; then
    echo "SKIPPED: no MPI, or not this mpirun's" >&2
    exit 77
fi
killed_and_resumed 2 -k 4 -m dsa
under_mpirun 3
killed_and_resumed 2 -k 4 -m deepca
writers=1 # the root's process: what others have is not asked for
killed_and_resumed 2 -k 2 -m krylov --oversample 0
killed_and_resumed 1 -k 2 -m krylov --oversample 0 --average allreduce

# Parts of two generations, as a kill between one process's renaming and the other's leaves them.
under_mpirun 2
part=(fit data.npy -k 4 -n 6 -m deepca --tolerance 1e-300 --checkpoint run.ck --checkpoint-every 0)
for generation in 20 40; do
    ends 1 "${part[@]}" --iterations $((generation + 3))
    mkdir "$generation"
    mv run.ck.0-2 run.ck.3-5 "$generation"
done

# resumes_from ITERATION: what lies there now, without making new ones.
resumes_from()
{
    ends 1 "${part[@]}" --iterations 50 --resume --json
    [[ $(resumed_from) -eq $1 ]] || fail "not resumed from iteration $1"
    [[ $(parts | wc -l) -eq 2 ]] || fail "a second name was left"
    rm run.ck.*
}

part=(fit data.npy -k 4 -n 6 -m deepca --tolerance 1e-300 --checkpoint run.ck)
cp 40/run.ck.0-2 20/run.ck.3-5 .
cp 40/run.ck.3-5 run.ck.3-5.next
resumes_from 40
cp 20/run.ck.* .
cp 40/run.ck.0-2 run.ck.0-2.next
resumes_from 20
cp 40/run.ck.* .
head -c 1000 20/run.ck.0-2 >run.ck.0-2
cp 40/run.ck.0-2 run.ck.0-2.next
resumes_from 40

# A part that is of another iteration, missing or damaged: the run begins anew, says so, and ends as if it were a new one.
begins_anew()
{
    ends 1 "${part[@]}" --iterations 50 --resume -o anew.npz
    says "resumed   no: the part of node 3 is missing, damaged or of another iteration, so the run begins anew"
    same_model whole.npz anew.npz
    rm -f run.ck.*
}
ends 1 fit data.npy -k 4 -n 6 -m deepca --tolerance 1e-300 --iterations 50 -o whole.npz
cp 40/run.ck.0-2 20/run.ck.3-5 .
begins_anew
cp 40/run.ck.0-2 .
begins_anew
cp 40/run.ck.0-2 run.ck.0-2
head -c 1000 40/run.ck.3-5 >run.ck.3-5
begins_anew
cp 40/run.ck.0-2 20/run.ck.3-5 .
ends 1 "${part[@]}" --iterations 50 --resume --json
[[ $(resumed_from) -eq 0 ]] || fail "--json says that it was resumed"
grep -qE '"anew": ?"the part of node 3 is missing' "$out" || fail "--json does not say so"
rm -f run.ck.*

# Not so where the root has none, or what there is belongs to another problem.
cp 40/run.ck.3-5 .
ends 2 "${part[@]}" --iterations 50 --resume
grep -qF "run.ck.0-2: no checkpoint to resume from" "$err" || fail "nothing to resume from"
cmp -s 40/run.ck.3-5 run.ck.3-5 || fail "a part was changed"
cp 40/run.ck.0-2 .
rm run.ck.3-5
ends 2 "${part[@]}" --iterations 50 --resume --seed 9
grep -qF "made with another --seed" "$err" || fail "parts of another problem are given up"
cmp -s 40/run.ck.0-2 run.ck.0-2 || fail "a part was changed"
rm -f run.ck.*

# Where the state is the root's, parts that lie beside it are nothing, and go with it in the end.
krylov=(fit data.npy -k 2 -n 6 -m krylov --oversample 0 --tolerance 1e-300 --checkpoint run.ck --checkpoint-every 0)
ends 1 "${krylov[@]}" --iterations 23 -o part.npz
[[ $(parts) == ./run.ck.0-2 ]] || fail "not one part: $(parts)"
[[ $(stat -c %a run.ck.0-2) == 600 ]] || fail "others may read the checkpoint"
mkdir root
mv run.ck.0-2 root
ends 1 fit data.npy -k 2 -n 6 -m krylov --oversample 0 --tolerance 1e-300 --iterations 30 -o whole.npz
for beside in /dev/null 20/run.ck.3-5 40/run.ck.3-5; do
    cp root/run.ck.0-2 .
    cp "$beside" run.ck.3-5
    ends 1 "${krylov[@]}" --iterations 30 --resume -o part.npz
    says "resumed   from iteration 22"
    same_model whole.npz part.npz
    rm -f run.ck.*
done
cp root/run.ck.0-2 40/run.ck.3-5 .
cp 40/run.ck.3-5 run.ck.3-5.next
krylov=(fit data.npy -k 2 -n 6 -m krylov --oversample 0 --tolerance 1e-300 --checkpoint run.ck)
ends 2 "${krylov[@]}" --iterations 30
grep -qF "run.ck.0-2: a checkpoint of this very problem; try --resume to go on from iteration 22" "$err" ||
    fail "a checkpoint is overwritten"
rm run.ck.0-2
ends 2 "${krylov[@]}" --iterations 30 --resume
grep -qF "run.ck.0-2: no checkpoint to resume from" "$err" || fail "nothing to resume from"
ends 0 fit data.npy -k 2 -n 6 -m krylov --checkpoint run.ck # nothing of the root's: a new run
[[ -z $(parts) ]] || fail "old parts of other processes are left"

# The root knows all data by its digest, whoever holds it.
works convert data.npy data.csv
awk 'NR > 1500' data.csv >there-1.csv
awk 'NR <= 1500' data.csv >there-0.csv
there=(fit there-%d.csv -k 2 -m krylov --oversample 0 --tolerance 1e-300 --header no --checkpoint run.ck)
ends 1 "${there[@]}" --iterations 23 --checkpoint-every 0
ends 1 "${there[@]}" --iterations 30 --resume --checkpoint-every 3600
says "resumed   from iteration 22"
tac there-1.csv >turned && mv turned there-1.csv
ends 2 "${there[@]}" --iterations 30 --resume
grep -qF "run.ck.0-0: made with other data" "$err" || fail "another rank's data is not compared"
rm run.ck.*

# A run that does not resume overwrites no part.  One that never was complete, under second names that some lack, goes.
unchanged()
{
    for file in "$@"; do cmp -s "$file" "${file##*/}" || fail "${file##*/} was changed"; done
}
cp 40/run.ck.* .
ends 2 "${part[@]}" --iterations 50
grep -qF "try --resume to go on from iteration 40, or remove it first" "$err" || fail "checkpoints are overwritten"
ends 2 "${part[@]}" --iterations 50 --seed 9
grep -qF "made with another --seed" "$err" || fail "checkpoints of another problem are overwritten"
unchanged 40/run.ck.*
rm run.ck.3-5
ends 2 "${part[@]}" --iterations 50
grep -qF "of iteration 40, and other processes have no part; try removing it first" "$err" || fail "a part is overwritten"
rm run.ck.0-2
for name in run.ck.3-5 run.ck.0-2.next; do
    echo precious >"$name"
    ends 2 "${part[@]}" --iterations 50
    grep -qF "$name: not a checkpoint, and left as it is" "$err" || fail "another file is not refused"
    [[ $(cat "$name") == precious ]] || fail "another file is overwritten"
    rm "$name"
done
cp 40/run.ck.0-2 run.ck.0-2.next
ends 1 "${part[@]}" --iterations 50
rm -f run.ck.*

# What is read or written may be no part of the checkpoint.
cp data.npy run.ck.0-2
ends 2 fit run.ck.0-2 -k 4 -n 6 -m deepca --checkpoint run.ck
grep -qF -- "--checkpoint: 'run.ck' is the file of INPUT 'run.ck.0-2' too" "$err" || fail "a part is the input"
cmp -s data.npy run.ck.0-2 || fail "the input was changed"
rm run.ck.0-2
ends 2 fit data.npy -k 4 -n 6 -m deepca --checkpoint run.ck -o run.ck.3-5.next
grep -qF -- "--checkpoint: 'run.ck' is the file of --output 'run.ck.3-5.next' too" "$err" || fail "a part is an output"
ends 2 fit node-%d.npy -k 4 -n 2 -o ./node-1.npy # which may lie where another rank is
grep -qF -- "--output: './node-1.npy' is the file of INPUT 'node-1.npy' too" "$err" || fail "a rank's file is an output"
ends 0 fit data.npy -k 4 -n 6 -m dsa --iterations 9 --trace - # of one rank, and nothing beside it
[[ $(wc -l <"$out") -eq 11 && $(head -n 1 "$out") == iteration,*error ]] || fail "not a trace on standard output"

cp 40/run.ck.* .
under_mpirun 3
ends 2 "${part[@]}" --iterations 50 --resume
grep -qF "no checkpoint to resume from" "$err" || fail "parts for other processes"
