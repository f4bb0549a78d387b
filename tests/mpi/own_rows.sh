#!/usr/bin/env bash
# Each rank reads only its own rows, and nobody holds them all.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
require_python

# A program for mpirun that gives each rank a directory of its own to run in, rank-0, rank-1, ...
cat >apart <<'END'
#!/usr/bin/env bash
cd "rank-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" && exec "$EIGENMESH" "$@"
END
chmod +x apart
export EIGENMESH
mkdir rank-0 rank-1 rank-2

# Of the files of a pattern, or of several INPUTs, each rank has those of its own nodes alone.
works generate -d 6 -N 300 -k 2 --gap 0.6 -o data.npy
works convert data.npy data.csv
for node in 0 1 2 3 4 5; do
    sed -n "$((node * 50 + 1)),$((node * 50 + 50))p" data.csv >"shard-$node.csv"
    cp "shard-$node.csv" "rank-$((node / 2))/"
done
works fit shard-{0,1,2,3,4,5}.csv -k 2 -m krylov --json --header no
grep variance "$out" >wanted
for inputs in 'shard-%d.csv' "$(echo shard-{0,1,2,3,4,5}.csv)"; do
    # shellcheck disable=SC2086 # the inputs are words
    launch -n 3 ./apart fit $inputs -n 6 -k 2 -m krylov --json --header no
    [[ $status -eq 0 ]] || fail "status is not 0"
    grep variance "$out" | cmp - wanted || fail "other numbers from files apart"
done

# The page of the first rank shows its own rows, and says so.
launch -n 3 ./apart fit shard-%d.csv -n 6 -k 2 --header no --report page.html --report-scores
[[ $status -eq 0 ]] || fail "status is not 0"
sed 's/<[^>]*>//g' rank-0/page.html | grep -F "These are 100 rows. They are those of this process; others are elsewhere." >"$scratch/log/page" ||
    fail "the page does not say whose rows these are"
# Of one file for all nodes, which every rank has, it shows all rows.
launch -n 3 "$EIGENMESH" fit data.npy -n 6 -k 2 --report shared.html --report-scores
[[ $status -eq 0 ]] || fail "status is not 0"
sed 's/<[^>]*>//g' shared.html >"$scratch/log/page"
grep -qF "These are 300 rows." "$scratch/log/page" || fail "the page does not show all rows"
! grep -F "others are elsewhere" "$scratch/log/page" || fail "the page says that rows are elsewhere"

# Of one file, each rank has only its own rows as they are; to read any other would show.
formats=(npy)
if has hdf5; then formats+=(h5); fi
for format in "${formats[@]}"; do
    for rank in 0 1 2; do
        awk -F, -v first=$((rank * 100 + 1)) -v last=$((rank * 100 + 100)) \
            'NR < first || NR > last { print "1e9,-2e9,3e9,-4e9,5e9,6e9"; next } { print }' data.csv >masked.csv
        works convert masked.csv "rank-$rank/all.$format" --header no
    done
    launch -n 3 ./apart fit "all.$format" -n 6 -k 2 -m krylov --json
    [[ $status -eq 0 ]] || fail "status is not 0"
    grep variance "$out" | cmp - wanted || fail "rows of other ranks were read from all.$format"
done

# A large file is never whole in the memory of a rank.
rows=1000000
works generate -d 50 -N 1000 -k 3 --gap 0.5 -o "raw:f64:some"
npy_with_header "{'descr': '<f8', 'fortran_order': False, 'shape': ($rows, 50), }" <some >large.npy
truncate -s $(($(stat -c %s large.npy) + 8 * 50 * (rows - 1000))) large.npy
cat >measure <<'END'
#!/usr/bin/env python3
import os, resource, subprocess, sys
status = subprocess.run([os.environ["EIGENMESH"], *sys.argv[1:]]).returncode
rank = os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ["PMI_RANK"]
with open("memory-" + rank, "w") as out:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=out)
sys.exit(status)
END
chmod +x measure
launch -n 4 ./measure fit large.npy -k 3 -m krylov --quiet
[[ $status -eq 0 ]] || fail "status is not 0"
for rank in 0 1 2 3; do
    [[ $(<memory-$rank) -lt 250000 ]] || fail "rank $rank held $(<memory-$rank) kB of a file of 400 MB"
done
echo "kB at most: $(cat memory-?)"

# Text, and what is compressed, has to be read from its beginning: by one rank for itself, not by all.
works convert data.npy data.npy.gz
refuses_together 2 2 "would be read whole by each of 2 processes" fit data.csv -k 2 -o model.npz
refuses_together 2 2 "would be read whole by each of 2 processes" fit data.npy.gz -k 2 -o model.npz
