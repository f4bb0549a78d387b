#!/usr/bin/env bash
# Sparse matrices as a user types them, beside the same numbers as a dense table.
# shellcheck source=lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
files=$here/../data/files

# 60 rows of 8 columns, a fifth of them filled, as CSV and as Matrix Market, also with cells as columns, as 10x has them.
awk 'BEGIN { for (r = 1; r <= 60; r++) { line = ""
    for (c = 1; c <= 8; c++) { v = (r * r * 7 + c * 13 * r) % 31; v = v > 6 || r % 9 == 4 ? 0 : v * (10 - c) / 4
        line = line (c > 1 ? "," : "") v }
    print line } }' >dense.csv
awk -F, '{ for (c = 1; c <= NF; c++) if ($c != 0) print NR, c, $c }' dense.csv >entries
{
    echo "%%MatrixMarket matrix coordinate real general"
    echo "% made by a test"
    echo "60 8 $(wc -l <entries)"
    cat entries
} >cells.mtx
{
    echo "%%MatrixMarket matrix coordinate real general"
    echo "8 60 $(wc -l <entries)"
    awk '{ print $2, $1, $3 }' entries
} | gzip >genes.mtx.gz

works convert dense.csv wanted.csv
works convert cells.mtx cells.csv
says "cells.csv: 60 x 8 from mtx"
cmp wanted.csv cells.csv || fail "other numbers came out of Matrix Market"
works convert genes.mtx.gz genes.csv --transpose
cmp wanted.csv genes.csv || fail "other numbers came out of what is transposed"
works convert genes.mtx.gz across.csv
says "across.csv: 8 x 60 from mtx"

# close A B: the same numbers to nine digits.
close()
{
    paste -d, "$1" "$2" | awk -F, '{ for (n = 1; n <= NF / 2; n++) { d = $n - $(n + NF / 2)
        if (d > 1e-9 || d < -1e-9) exit 1 } }' || fail "$1 and $2 differ"
}

# The same scores, whatever the nodes, the split and the scale.
for how in "" "--scale std" "-n 4 -t cycle" "-n 3 --split shuffle --method covariance" "--no-center"; do
    # shellcheck disable=SC2086 # options
    works fit dense.csv -k 3 --tolerance 1e-12 $how -q -o dense.npz
    # shellcheck disable=SC2086
    works fit genes.mtx.gz --transpose -k 3 --tolerance 1e-12 $how -q -o sparse.npz
    works transform dense.npz dense.csv -o dense-scores.csv -q
    works transform sparse.npz cells.mtx -o sparse-scores.csv -q
    close dense-scores.csv sparse-scores.csv
done

# A file a node, of both kinds; some of the columns; rows with a value that is missing.
works fit dense.csv cells.mtx -k 2
says "data      120 x 8 over 2 nodes"
works fit cells.mtx --columns 0-3 -k 2 -q -o four.npz
works info four.npz
says "60 x 4"
sed '4s/[^ ]*$/nan/' cells.mtx >holes.mtx
refuses 2 "is not a number (NaN)" fit holes.mtx -k 1 -o no.npz
works fit holes.mtx -k 1 --missing drop
says "dropped   1 row"
works fit holes.mtx -k 1 --missing mean
says "missing   1 value"

# SciPy's archives.
works fit "$files/sparse-csr.npz" -k 2
says "a sparse matrix (csr)"
works convert "$files/sparse-csc.npz" csc.csv
works convert "$files/sparse-csr.npz" csr.csv
cmp csr.csv csc.csv || fail "columns and rows differ"

# AnnData: X alone is meant, its genes have names, and another file's are matched by them.
if has hdf5; then
    works fit "$files/cells-csr.h5ad" -k 2 -o cells.npz
    says "data      5 x 4 over 1 node"
    works transform cells.npz "$files/cells-csc.h5ad" -o scores.csv -q
    works fit "$files/cells-csr.h5ad" "$files/cells-csc.h5ad:/layers/counts" -k 2
    works fit "$files/cells-csr.h5ad" --columns ACTB,TP53 -k 1 -q -o two.npz
    works info two.npz
    says "5 x 2"
    refuses 2 "which are no feature of two.npz; try --columns with the names that both have" transform two.npz "$files/cells-csr.h5ad" -o x.csv
    works transform two.npz "$files/cells-csr.h5ad" -o two.csv --columns ACTB,TP53
    refuses 2 "no such column" fit "$files/cells-csr.h5ad" --columns BRCA1 -k 1 -o no.npz
fi
works compare cells.mtx -k 2 -n 3 --methods krylov,deepca

refuses 2 "only a sparse matrix is transposed, and this is csv" fit dense.csv -k 1 --transpose -o no.npz
refuses 2 "a sparse matrix of format 'bsr'" fit "$files/sparse-bsr.npz" -k 1 -o no.npz
head -n 20 cells.mtx >cut.mtx
refuses 2 "cut short, its header promises" fit cut.mtx -k 1 -o no.npz
printf '%%%%MatrixMarket matrix array real general\n1 1\n1\n' >array.mtx
refuses 2 "says that the matrix is dense" fit array.mtx -k 1 -o no.npz
