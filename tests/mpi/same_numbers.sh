#!/usr/bin/env bash
# The same numbers as on one machine, to the last bit, however many ranks host the nodes.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
require_python

# What a model holds, but for the time it took, the threads, and what was sent: processes that hold the same numbers still
# have to agree when to stop.  What the method itself sent is in the trace.
contents()
{
    python3 - "$1" <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as model:
    for name in sorted(model.namelist()):
        if not name.startswith(("seconds", "threads", "rounds", "messages", "bytes", "units")):
            print(name, model.read(name).hex())
END
}

# same "RANKS..." ARGUMENT...: fit in one process, and on each number of ranks; model and trace agree but for the time.
same()
{
    local numbers=$1 ranks
    shift
    works fit "$@" --engine local --quiet -o here.npz --trace here.csv
    [[ $(wc -l <here.csv) -gt 1 ]] || fail "the trace is empty"
    contents here.npz >here.txt
    for ranks in $numbers; do
        works_together "$ranks" fit "$@" --engine mpi --quiet -o there.npz --trace there.csv
        cmp <(cut -d, -f1-5,7- here.csv) <(cut -d, -f1-5,7- there.csv) || fail "traces differ on $ranks ranks"
        cmp here.txt <(contents there.npz) || fail "models differ on $ranks ranks"
    done
}

works generate -d 10 -N 331 -k 3 --gap 0.7 -o data.npy
nodes=6
common=(data.npy -k 3 -n "$nodes" --truth compute)

# Every method; the ends without convergence are the same too.
for method in krylov covariance deepca fastpca sdot sadot dsa dpgd seqdistpm; do
    iterations=(--iterations 30 --tolerance 0)
    [[ $method != covariance && $method != krylov ]] || iterations=()
    same "1 2 3 $nodes" "${common[@]}" -t er:0.5 -m "$method" "${iterations[@]}"
done
# A network of one node has all cores for its BLAS, whose last bits depend on their number.
for method in gha oi; do
    same 1 data.npy -k 3 -n 1 -m "$method" --iterations 30 --tolerance 0 --truth compute --threads 1
done

# Every shape of network, and a tree that crosses ranks in every way.
for topology in cycle star path grid:2x3 complete; do
    same 4 "${common[@]}" -t "$topology" -m dsa --iterations 20
done
for topology in star path; do same 3 "${common[@]}" -t "$topology" -m krylov; done

# Shards of all sizes, as one file, as several, and by a pattern.
same 3 "${common[@]}" --split sizes:200,1,2,100,20,8 -m deepca --iterations 20 --tolerance 0
same 3 "${common[@]}" --split shuffle -m krylov
works convert data.npy data.csv
number=0
for rows in 1,60 61,63 64,200 201,331; do
    sed -n "${rows}p" data.csv >rows.csv
    works convert rows.csv "shard-$(printf %03d "$number").npy" --header no
    number=$((number + 1))
done
pattern=shard-%03d.npy
same "1 2 4" "$pattern" -n 4 -k 3 -m krylov --truth compute
same 3 shard-000.npy shard-001.npy shard-002.npy shard-003.npy -k 3 -m dsa --iterations 20
works_together 4 fit "$pattern" -k 3 -m krylov --quiet -o default.npz # as many nodes as ranks
works fit shard-000.npy shard-001.npy shard-002.npy shard-003.npy -k 3 -m krylov --quiet -o here.npz
cmp <(contents here.npz) <(contents default.npz) || fail "R = M is not the default"

# A fraction of the variance, where one rank has fewer rows than there are components.
same "2 3" data.npy -n "$nodes" -k 0.9
same 4 "$pattern" -n 4 -k 0.9

# Scales, a start and a truth from files, weights, no centre, auto, threads.
same 2 "${common[@]}" --scale std -m krylov
same 3 "${common[@]}" --scale spectral -m dsa --iterations 20
# Data whose squares are no doubles, features of unlike sizes, and one that is constant.
python3 - <<'END'
rows = [list(map(float, line.split(","))) for line in open("data.csv") if line[0] in "-0123456789"]
for name, size in (("tiny", 1e-250), ("large", 1e100)):
    with open(name + ".csv", "w") as file:
        for row in rows:
            file.write(",".join(repr(cell * size) for cell in row) + "\n")
with open("mixed.csv", "w") as file:
    for row in rows:
        file.write(",".join(repr(cell * 10.0 ** (60 * (n - 5))) for n, cell in enumerate(row)) + ",3.7\n")
END
for name in tiny large mixed; do works convert "$name.csv" "$name.npy" --header no; done
same "2 $nodes" large.npy -k 3 -n "$nodes" --truth compute -m krylov
same 3 tiny.npy -k 3 -n "$nodes" --scale spectral -m covariance
same "2 $nodes" mixed.npy -k 3 -n "$nodes" --scale std -m krylov
same 2 "${common[@]}" --no-center --weights lazy -m fastpca --iterations 20 --tolerance 0
same 2 "${common[@]}" -m auto
same 2 data.npy -k 3 -n 2 -m krylov --threads 2 --truth compute
sed -n 1,10p data.csv | cut -d, -f1-3 >start.csv
works convert start.csv start.npy --header no
same 3 data.npy -k 3 -n 5 -m dsa --iterations 20 --init file:start.npy --truth file:start.npy

if has hdf5; then
    works convert data.npy data.h5:/rows
    same 3 data.h5:/rows -k 3 -n 5 -m krylov --truth compute
fi

# MPI's own sums agree to rounding, and are said.
works fit "${common[@]}" -m krylov --json
cp "$out" tree.json
works_together 3 fit "${common[@]}" -m krylov --average allreduce --json
python3 - tree.json "$out" <<'END' || fail "allreduce does not agree to rounding"
import json, sys
tree, direct = (json.load(open(name)) for name in sys.argv[1:])
assert direct["average"] == "allreduce" and tree["average"] == "tree"
for a, b in zip(tree["components"], direct["components"]):
    assert abs(a["variance"] - b["variance"]) <= 1e-12 * a["variance"], (a, b)
END
works_together 3 fit "${common[@]}" -m krylov --average allreduce
says "average   allreduce"
works_together 3 fit "${common[@]}" -m krylov
if grep -q allreduce "$out"; then fail "allreduce is said where it was not asked for"; fi
refuses 2 "allreduce is MPI's" fit "${common[@]}" --average allreduce

# Only the first rank prints: the same lines as in one process, beside that on the ranks.
works fit "${common[@]}" -m krylov
lines_here=$(cut -d' ' -f1 "$out")
works_together 3 fit "${common[@]}" -m krylov
lines_there=$(sed '/^ranks /,/^          waiting/d' "$out" | cut -d' ' -f1)
[[ $lines_here == "$lines_there" ]] || fail "the report is not the same: $(diff <(echo "$lines_here") <(echo "$lines_there"))"
