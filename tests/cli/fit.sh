#!/usr/bin/env bash
# eigenmesh fit and info, as a user types them.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

works generate -d 10 -N 600 -k 3 --gap 0.6 --seed 1 -o data.npy

works fit data.npy -k 3
says "600 x 10 over 1 node"
says "converged"
says "cumulative"

works fit data.npy -k 3 --nodes 6 --truth compute --trace trace.csv -o model.npz
says "er:0.5"
says "metropolis weights"
grep -qE '^auto +(krylov|covariance|deepca): about .* MB in (1 round|[0-9]+ rounds); ' "$out" || fail "what auto took, and why"
says "exact"
grep -qE '^component .* residual +angle +error$' "$out" || fail "no column for the bound on the angle"
for phase in set-up method stopping report total; do grep -qE "^$phase +[0-9]+ " "$out" || fail "nothing sent for $phase"; done
grep -qE '^model +model.npz$' "$out" || fail "where the model went"
grep -qE '^trace +trace.csv$' "$out" || fail "where the trace went"
[[ $(head -1 trace.csv) == "iteration,rounds,messages,bytes,units,seconds,residual,consensus,error" ]] || fail "the trace's heading"
[[ $(sed -n 2p trace.csv) == 0,0,0,0,0,* ]] || fail "row 0 of the trace is before anything was sent"
awk -F, 'NF != 9 { exit 1 }' trace.csv || fail "a row of the trace has not 9 columns"
awk -F, 'NR == 2 && $9 < 1e-3 { exit 1 } END { exit !($9 < 1e-20) }' trace.csv || fail "auto's answer is not exact"

# Digits that were ordered are all there are: the message says which order to change.
for order in "--precision single" "--wire 32 -n 3"; do
    # shellcheck disable=SC2086
    run fit data.npy -k 3 --method krylov --tolerance 1e-11 $order
    [[ $status -ne 0 ]] || fail "$order: it has found digits that it does not have"
    case $order in
    --wire*) complains "try --wire 64" ;;
    *) complains "try --precision double" ;;
    esac
done

works info model.npz
says "600 x 10 over 6 nodes"
says "converged"

# Every method finds the components; those that promise a residual keep their word.
for method in krylov covariance deepca fastpca; do
    works fit data.npy -k 3 -n 6 -m "$method" --truth compute --tolerance 1e-6 --json
    says "\"method\": \"$method\""
    says '"choice": null'
    says '"result": "converged"'
    says '"rank": 3'
    says '"limited": 0'
    grep -qE '"subspace_bounds":\[[0-9.e-]+,[0-9.e-]+,[0-9.e-]+\]' <<<"$(tr -d ' \n' <"$out")" || fail "no bounds on the subspaces"
    [[ $(grep -c '"angle_bound": ' "$out") -eq 3 ]] || fail "not a bound on the angle for each component"
    awk -F': ' '/"worst_residual"/ { exit !($2 + 0 <= 1e-6) }' "$out" || fail "the residual is above the tolerance"
    awk -F': ' '/^  "error"/ { exit !($2 + 0 < 1e-10) }' "$out" || fail "the error is not small"
done
works fit data.npy -k 3 -n 6 -m krylov --oversample 0
works fit data.npy -k 3 -n 6 -m deepca --rayleigh-ritz no

# The others settle where they can; sdot, with one mix an iteration, far from the truth, and says how far.
for method in sdot sadot seqdistpm dsa dpgd; do
    works fit data.npy -k 3 -n 6 -m "$method" --truth compute --json
    grep -qE '"result": "(settled|converged)"' "$out" || fail "$method has neither settled nor converged"
    awk -F': ' '/^  "error"/ { exit !($2 + 0 < 3e-2) }' "$out" || fail "the error of $method is not small"
done
works fit data.npy -k 3 -n 6 -t path -m sdot --consensus-rounds 1 -o settled.npz --json
says '"converged": false'
says '"result": "settled"'
awk -F': ' '/"worst_residual"/ { exit !($2 + 0 > 1e-6) }' "$out" || fail "the residual is within the tolerance"
[[ -s settled.npz ]] || fail "what was reached is not kept"
works fit data.npy -k 3 -n 6 -t path -m sdot --consensus-rounds 1
grep -qE '^result +settled after [0-9]+ iterations, change ' "$out" || fail "that it settled is not told"

# A promise that is not kept is told, and status 1.
run fit data.npy -k 3 -n 6 -t path -m deepca --consensus-rounds 1 --iterations 40 -o short.npz --json
[[ $status -eq 1 ]] || fail "a promise that was not kept is not status 1"
complains "deepca"
says '"converged": false'
[[ -s short.npz ]] || fail "what was reached is not kept"

# Data of rank 2: the others have no variance, which is no failure.
awk 'BEGIN { for (n = 0; n < 40; n++) { a = n % 7 - 3; b = n % 5; print a "," b "," a + b "," a - b } }' >flat.csv
works fit flat.csv -k 4
says "rank      2: components from 3 on have no variance"
works fit flat.csv -k 3 -n 3 --json
says '"rank": 2'
grep -qF '"component":3,"variance":0,' <<<"$(tr -d ' \n' <"$out")" || fail "the third component's variance is not 0"
works fit flat.csv -k 3
says "rank      2: component 3 has no variance"

# Components whose variances are the same: +-e_i, each as often, so that C is a multiple of I.
for i in 1 2 3 4; do
    awk -v i=$i 'BEGIN { for (s = -1; s <= 1; s += 2) { for (n = 1; n <= 4; n++) printf "%s%d", (n > 1 ? "," : ""), (n == i ? s : 0); print "" } }'
done >sphere.csv
works fit sphere.csv -k 2 -o sphere.npz
alike="alike     the variances of components 1 to 3 are too close to tell the single vectors apart"
says "$alike; the last is not among those found: try -k 3"
works info sphere.npz
says "$alike; the last is not among those found: try -k 3"
works fit sphere.csv -k 4
says "alike     the variances of components 1 to 4 are too close to tell the single vectors apart"
works fit sphere.csv -k 4 --json
grep -qF '"clusters":[1,1,1,1],' <<<"$(tr -d ' \n' <"$out")" || fail "four alike are not one cluster"
says '"open_cluster": false'
works fit data.npy -k 3 --json
grep -qF '"clusters":[1,2,3],' <<<"$(tr -d ' \n' <"$out")" || fail "three that differ are not three clusters"
says '"open_cluster": false'

# Everything random follows from the seed, whatever the number of threads.
works fit data.npy -k 3 -n 6 --seed 7 --threads 1 -m dsa --iterations 50 --trace one.csv --quiet
works fit data.npy -k 3 -n 6 --seed 7 --threads 2 -m dsa --iterations 50 --trace two.csv --quiet
[[ ! -s $out ]] || fail "--quiet is not quiet"
cmp -s <(cut -d, -f1-5,7-9 one.csv) <(cut -d, -f1-5,7-9 two.csv) || fail "two runs of one seed differ"
[[ $(wc -l <one.csv) -eq 52 ]] || fail "50 iterations are not 51 rows"
[[ $(tail -1 one.csv) == *, ]] || fail "an error that does not apply is not an empty column"

# One file a node is the same data as one file over the nodes.
works convert data.npy all.csv
head -200 all.csv >a.csv
sed -n 201,400p all.csv >b.csv
tail -200 all.csv >c.csv
works fit a.csv b.csv c.csv -k 3 -m dsa --iterations 100 --json
grep -A3 '"component": 1,' "$out" | grep '"variance"' | cut -c1-30 >apart
says '"nodes": 3'
says '"topology": "complete"'
works fit data.npy -n 3 -k 3 -m dsa --iterations 100 --json
grep -A3 '"component": 1,' "$out" | grep '"variance"' | cut -c1-30 >together
cmp -s apart together || fail "one file a node gives another variance"

works fit -k 2 --columns 0-3 -- data.npy
says "600 x 4"
works fit data.npy -k 2 -n 4 --split sizes:100,200,100,200 -t cycle
works fit data.npy -k 2 -n 4 --split shuffle -t star --weights maxdegree
works fit data.npy -k 1 --iterations 0
works fit data.npy -k 1 --no-center --scale spectral
works fit data.npy -k 1 -n 5 --engine local --init random --truth none

# A start and a truth from files: d x K.
works fit data.npy -k 1 -m oi --iterations 500 --tolerance 1e-10
printf '1\n0\n0\n0\n0\n0\n0\n0\n0\n0\n' >x0.csv
works fit data.npy -k 1 -m oi --init file:x0.csv --truth file:x0.csv --iterations 0 --trace start.csv
[[ $(sed -n 2p start.csv | cut -d, -f9) == 0 ]] || fail "the start is the truth, and yet its error is not 0"

# Scaling leaves a constant feature alone, and says so.
awk -F, -v OFS=, '{ $4 = 7; print }' all.csv >constant.csv
run fit constant.csv -k 2 --scale std
[[ $status -eq 0 ]] || fail "a constant feature is fine"
complains "1 constant feature"
works fit constant.csv -k 2 --scale std --quiet
works fit constant.csv -k 2

# Not converging is a result that is kept, told in one line, and status 1; unless the
# number of iterations was asked for.
run fit data.npy -k 3 -n 6 -m dsa --step 50 -o diverged.npz --trace diverged.csv
[[ $status -eq 1 ]] || fail "diverging is not status 1"
complains "diverged"
complains "step"
[[ -s diverged.npz && -s diverged.csv ]] || fail "the last good estimate is not kept"
works info diverged.npz
works fit data.npy -k 3 -n 6 -m dsa --iterations 5
says "5 iterations"
run fit data.npy -k 3 -n 6 -m dsa --step-decay sqrt --tolerance 1e-300 -o unfinished.npz
[[ $status -eq 1 ]] || fail "not converging is not status 1"
complains "has not converged"
[[ -s unfinished.npz ]] || fail "what was reached is not kept"

# An output that exists is replaced.
echo old >model.npz
works fit data.npy -k 2 -o model.npz
works info model.npz
says "cumulative"
works info model.npz --quiet
[[ ! -s $out ]] || fail "--quiet is not quiet"

if has gnuplot; then
    works fit data.npy -k 2 -n 6 -m dsa --iterations 20 --plot residual.svg
    works fit data.npy -k 2 -n 6 -m dsa --iterations 20 --truth compute --plot error.svg
    works fit data.npy -k 2 -m gha --iterations 20 --plot single.svg
    works fit data.npy -k 2 --iterations 0 --plot nothing.svg
    works info model.npz --plot scree.svg
    works fit data.npy -k 2 --plot exact.svg
    grep -q '>cumulative share<' exact.svg || fail "fit --plot draws no variances"
    ! grep -q '>iterations<' exact.svg || fail "fit --plot draws a way where there was none"
    grep -q '>residual<' residual.svg || fail "fit --plot draws no residual"
    grep -q '>error (' error.svg || fail "fit --plot draws no error"
    for picture in *.svg; do grep -q '</svg>' "$picture" || fail "$picture is not a picture"; done
fi

# --- a file a node, by a pattern: as many as there are in a row, or the first few
for node in 0 1 2; do
    works generate -d 6 -N 40 -k 2 --gap 0.5 --seed "$node" -o "part-00$node.npy"
done
works fit part-%03d.npy -k 2 --trace by_pattern.csv
says "120 x 6 over 3 nodes"
works fit part-000.npy part-001.npy part-002.npy -k 2 --trace by_name.csv
cmp -s <(cut -d, -f1-5,7-9 by_pattern.csv) <(cut -d, -f1-5,7-9 by_name.csv) || fail "a pattern is not its files"
works fit part-%03d.npy -n 2 -k 2
says "80 x 6 over 2 nodes"
refuses 2 "part-003.npy" fit part-%03d.npy -n 4 -k 2
refuses 2 "none-000.npy: is missing" fit none-%03d.npy -k 2
refuses 2 "--split: 3 INPUTs" fit part-%03d.npy --split shuffle -k 2
refuses 2 "--average: allreduce is MPI's" fit part-%03d.npy -k 2 --average allreduce
refuses 2 "--average: 'ring' is not" fit part-%03d.npy -k 2 --average ring
refuses 2 "--engine: 'pigeon' is not built in" fit part-%03d.npy -k 2 --engine pigeon

# --- a plan: what would be done, and nothing is
before=$(ls)
works fit data.npy -k 3 -n 4 --dry-run -o planned.npz --trace planned.csv
says "method    "
says "operator  "
grep -qE '^sends +(about|at most) [0-9]+ messages, [0-9.]+ [MG]B in all, in [0-9]+ rounds; numbers of (32|64) bits$' "$out" || fail "what would be sent"
grep -qE '^memory +[0-9.]+ [MG]B in this process, beside the rows$' "$out" || fail "what would be held"
[[ $(ls) == "$before" ]] || fail "a dry run left files"
works fit data.npy -k 3 -m dsa --iterations 7 -n 4 --dry-run
says "takes     at most 7 iterations"
works fit data.npy -k 3 -n 4 --dry-run --json
says '"method": '
says '"at_most": '
works fit data.npy -k 3 -n 4 --dry-run --quiet
[[ ! -s $out ]] || fail "--quiet is not quiet"
refuses 2 "method gha" fit data.npy -k 3 -n 4 -m gha --dry-run

# --- an end by the clock says so, and keeps what was found
run fit data.npy -k 2 -n 4 -m dsa --tolerance 0 --iterations 100000000 --max-seconds 0.05 -o late.npz
[[ $status -eq 1 && -s late.npz ]] || fail "not status 1, or no model"
complains "--max-seconds ended dsa after"

# --- processes that srun starts and that never meet are refused, unless they are meant to be strangers
lonely=2 words="mpi: not built in"
if [[ $("$EIGENMESH" --version) =~ engines\ +local,\ mpi ]]; then lonely=1 words="do not find each other"; fi
unset OMPI_COMM_WORLD_SIZE PMI_SIZE PMI_RANK PMI_FD PMIX_RANK
export SLURM_STEP_NUM_TASKS=3
refuses "$lonely" "$words" fit data.npy -k 2
works fit data.npy -k 2 --engine local
export SLURM_STEP_NUM_TASKS=1
works fit data.npy -k 2
unset SLURM_STEP_NUM_TASKS
