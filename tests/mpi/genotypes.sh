#!/usr/bin/env bash
# Genotypes over processes: each reads its own nodes' files, with alleles swapped and variants in another order, or its own people of
# one file; the answer is NumPy's of all people, and the same as that of one process.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

require_numpy
reference=$(cd "$(dirname "$0")/../reference" && pwd)/genotypes.py
"$python" "$reference" make . --people 403 --variants 1001

agrees()
{
    "$python" "$reference" "$@" >"$scratch/log/agrees" 2>&1 || fail "$(cat "$scratch/log/agrees")"
}

works fit a.bed b.bed c.bed -k 5 -o one.npz
for ranks in 2 3; do
    works_together $ranks fit a.bed b.bed c.bed -k 5 -o together.npz
    says "scale     binomial, by allele frequencies over all nodes; 3 variants without variation left out"
    for site in a b c; do works transform together.npz $site.bed -o $site.eigenvec; done
    agrees check pooled.bed 5 a.eigenvec b.eigenvec c.eigenvec --eigenval a.eigenval
    works transform one.npz a.bed -o one.npy
    works transform together.npz a.bed -o together.npy
    cmp -s one.npy together.npy || fail "$ranks processes find other bits than one"
done
works_together 3 fit pooled.bed -n 6 -k 5 -o split.npz
works transform split.npz pooled.bed -o split.eigenvec
agrees check pooled.bed 5 split.eigenvec --eigenval split.eigenval

sed 's/\trs7\t0\t\([0-9]*\)\t./\trs7\t0\t\1\tAAA/' c.bim >other.bim
cp c.bed other.bed
cp c.fam other.fam
refuses_together 3 2 "other.bed: lacks 1 variant of a.bed, or has other chromosomes, positions or alleles: rs7; try" fit a.bed b.bed other.bed -k 2
