#!/usr/bin/env bash
# A study of sparse matrices: the model is that of all rows, whichever way a site has them.
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$1"

# The rows of data.N.csv, of which a third stays, as data.N.mtx; and all of them in all.csv.
make_sparse() {
    python3 - "$1" <<'P'
import random, sys
random.seed(7)
everything = []
for n in range(int(sys.argv[1])):
    lines = open("data.%d.csv" % n).read().split("\n")[1:-1]
    rows = [[cell if random.random() < 0.3 else "0" for cell in line.split(",")] for line in lines]
    entries = ["%d %d %s" % (r + 1, c + 1, cell) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell != "0"]
    with open("data.%d.mtx" % n, "w") as out:
        print("%%MatrixMarket matrix coordinate real general", file=out)
        print(len(rows), len(rows[0]), len(entries), file=out)
        print("\n".join(entries), file=out)
    everything += rows
with open("all.csv", "w") as out:
    print(",".join("f%d" % c for c in range(len(everything[0]))), file=out)
    for row in everything: print(",".join(row), file=out)
P
}

for how in "method = krylov" "method = covariance"; do
    rm -rf state.* err.* model.*
    study_of 3 "components = 3" "$how" "tolerance = 1e-10"
    make_sparse 3
    suffix=mtx
    all_start 3
    all_end_well 3
    model_is_right
done
echo "ok: three sites with sparse rows"

# One of them has them as a dense table without names.
rm -rf state.* err.* model.*
"$program" convert data.1.mtx data.1.npy -q
mv data.1.npy data.1.mtx # which content tells
all_start 3
all_end_well 3
model_is_right
echo "ok: sparse and dense rows"
