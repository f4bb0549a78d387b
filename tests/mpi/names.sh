#!/usr/bin/env bash
# Features go by their names between processes too: each reads its own files by the names of the first process's.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

works generate -d 6 -N 300 -k 2 --gap 0.6 -o data.npy
works convert data.npy data.csv
for node in 0 1 2 3; do sed -n "$((node * 75 + 1)),$((node * 75 + 75))p" data.csv >"rows-$node.csv"; done

# with NODE NAMES FILE: that node's rows, the columns in this order.
with()
{
    local order=${2//[^a-f]/}
    echo "$2" | sed 's/./&,/g; s/,$//' >"$3"
    awk -F, -v order="$order" '{ line = ""
        for (n = 1; n <= length(order); n++) line = line (n > 1 ? "," : "") $(index("abcdef", substr(order, n, 1)))
        print line }' "rows-$1.csv" >>"$3"
}
with 0 abcdef mixed-0.csv
with 1 fedcba mixed-1.csv
with 2 bdface mixed-2.csv
with 3 abcdef plain.csv
awk -F, -v OFS=, '{ print (NR == 1 ? "id" : "P" NR), $0 }' plain.csv >mixed-3.csv
for node in 0 1 2 3; do with $node abcdef "good-$node.csv"; done

works fit good-%d.csv -k 2 --json -q
grep -A3 variance "$out" >wanted
for ranks in 2 3 4; do
    works_together $ranks fit mixed-%d.csv -n 4 -k 2 -o model.npz
    says "features  a, b, c, d, e, f"
    says "read      mixed-0.csv and 2 more: commas, a header"
    says "read      mixed-3.csv: commas, a header"
    says "left out  id (text, such as 'P2')"
    works_together $ranks fit mixed-%d.csv -n 4 -k 2 --json
    grep -A3 variance "$out" | cmp -s - wanted || fail "not the same variances as with files that are in order"
done

# What one of them lacks, or has too much, is named, and where.
cp mixed-0.csv less-0.csv
cp mixed-1.csv less-1.csv
with 2 abcde less-2.csv
cp mixed-3.csv less-3.csv
refuses_together 4 2 "rank 2: less-2.csv: has no column f, as less-0.csv has" fit less-%d.csv -k 2 -o none.npz
refuses_together 2 2 "rank 1: less-2.csv: has no column f, as less-0.csv has" fit less-%d.csv -n 4 -k 2 -o none.npz
sed '1d' less-0.csv >less-2.csv
refuses_together 4 2 "rank 2: less-2.csv: has no names of columns, where less-0.csv has a, b, c and 3 more" fit less-%d.csv -k 2

# Missing values are filled with the mean over all ranks, and rows dropped on any of them are counted.
for node in 0 1 2 3; do
    awk -F, -v OFS=, -v node=$node 'NR > 1 && NR % 7 == node { $(node + 2) = "NA" } { print }' "mixed-$node.csv" >"holes-$node.csv"
done
for how in mean drop; do
    works fit holes-%d.csv -k 2 --missing $how --json
    grep -A3 variance "$out" >wanted
    grep rows_dropped "$out" >>wanted
    for ranks in 2 4; do
        works_together $ranks fit holes-%d.csv -n 4 -k 2 --missing $how --json
        { grep -A3 variance "$out" && grep rows_dropped "$out"; } | cmp -s - wanted || fail "other numbers on $ranks ranks"
    done
done
