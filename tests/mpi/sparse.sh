#!/usr/bin/env bash
# Sparse matrices over ranks: a file a node, and the numbers of one process.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# matrix FIRST: 50 rows of 6 columns from row FIRST on, of which a third is filled.
matrix()
{
    awk -v first="$1" 'BEGIN { for (r = first; r < first + 50; r++) for (c = 1; c <= 6; c++) {
        v = (r * r * 7 + c * 13 * r) % 31; if (v <= 10) entry[++n] = (r - first + 1) " " c " " v * (9 - c) / 4 + 0.1 }
        print "%%MatrixMarket matrix coordinate real general"; print 50, 6, n
        for (k = 1; k <= n; k++) print entry[k] }'
}
for node in 0 1 2 3 4 5; do matrix $((node * 50)) >"shard-$node.mtx"; done

for how in "-m krylov" "-m covariance --scale std" "-m deepca"; do
    # shellcheck disable=SC2086 # options
    works fit shard-%d.mtx -k 2 $how --json
    grep variance "$out" >wanted
    for ranks in 2 3; do
        # shellcheck disable=SC2086
        works_together $ranks fit shard-%d.mtx -n 6 -k 2 $how --json
        grep variance "$out" | cmp - wanted || fail "other numbers on $ranks ranks"
    done
done

# One file, which each would have to read whole, is refused; and so is one that is wrong at one rank.
refuses_together 2 2 "would be read whole by each of 2 processes" fit shard-0.mtx -n 4 -k 2
sed -i '$d' shard-5.mtx
refuses_together 3 2 "shard-5.mtx: cut short" fit shard-%d.mtx -n 6 -k 2 -m krylov
