#!/usr/bin/env bash
# From PLINK files to covariates: one file or three, swapped alleles, missing genotypes; against NumPy, and against plink2 where
# it is installed.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

require_numpy
reference=$(cd "$(dirname "$0")/../reference" && pwd)/genotypes.py

# The reference script agrees, or says why not.
agrees()
{
    "$python" "$reference" "$@" >"$scratch/log/agrees" 2>&1 || fail "$(cat "$scratch/log/agrees")"
}

"$python" "$reference" make .
readonly K=6

# --- one file, and its people as PLINK lists them ------------------------------------------------------------------------

works fit pooled.bed -k $K -o pooled.npz
says "data      603 x 2001 over 1 node"
says "read      pooled.bed: PLINK genotypes"
says "scale     binomial, by allele frequencies over all nodes; 3 variants without variation left out"
says "features  rs1 1 1000 A G, rs2 1 1007 C T, rs3 1 1014 A G"
grep -q "^missing   [0-9]* values filled with the feature's mean over the network" "$out" || fail "missing values are not told"
works transform pooled.npz pooled.bed -o pooled.eigenvec
says "pooled.eigenvec: 603 x 6 scores"
agrees check pooled.bed $K pooled.eigenvec --eigenval pooled.eigenval
[[ $(head -1 pooled.eigenvec) == $'FID\tIID\tPC1\tPC2\tPC3\tPC4\tPC5\tPC6' ]] || fail "the header is not PLINK's"
[[ $(wc -l <pooled.eigenval) -eq $K ]] || fail "there are not $K eigenvalues"

works info pooled.npz --loadings loadings.tsv
says "scale     binomial"
says "loadings  loadings.tsv"
[[ $(wc -l <loadings.tsv) -eq 1999 ]] || fail "there are not 1998 variants that vary"
works info pooled.npz --json
grep -q '"scale": *"binomial"' "$out" || fail "the scale is not in the JSON"

# New people, with calls that are missing, beside plain scores of the same.
works transform pooled.npz new.bed -o new.eigenvec
agrees project pooled.bed $K new.bed new.eigenvec loadings.tsv
works transform pooled.npz new.bed -o new.npy
agreement='
import numpy as np
scores, model = np.load("new.npy"), np.load("pooled.npz")
lines = [line.split("\t")[2:] for line in open("new.eigenvec").read().splitlines()[1:]]
np.testing.assert_allclose(np.array(lines, float) * model["singular_values"], scores, rtol=1e-9, atol=1e-9)'
"$python" -c "$agreement" || fail "scores and .eigenvec disagree"

# What does not fit, of people with calls that are missing: these are where the mean is.
works transform pooled.npz pooled.bed --scores components,t2,q -o unlike.npy
says "T^2       limit "
works convert pooled.bed pooled.npy
anomalies='
import numpy as np
X, found, m = np.load("pooled.npy"), np.load("unlike.npy"), np.load("pooled.npz")
Y = np.where(np.isnan(X), 0, (X - m["mean"]) / m["scale"])
W, var = m["components"], m["explained_variance"]
assert np.isnan(X).any() and np.abs(W[:, (np.nanstd(X, axis=0) == 0)]).max(initial=0) == 0
Z = Y @ W.T
np.testing.assert_allclose(found[:, :-2], Z, rtol=1e-9, atol=1e-9)
np.testing.assert_allclose(found[:, -2], (Z**2 / var).sum(1), rtol=1e-9)
np.testing.assert_allclose(found[:, -1], ((Y - Z @ W)**2).sum(1), rtol=1e-9)'
"$python" -c "$anomalies" || fail "NumPy finds other T^2 and Q"
refuses 2 "eigenvec" transform pooled.npz new.bed --scores t2 -o new-t2.eigenvec

# --- three sites: swapped alleles, another order, any network, any split ---------------------------------------------------

for how in "-t complete" "-t path --method krylov --precision double" "--method deepca -t cycle --tolerance 1e-8" \
    "--method covariance"; do
    # shellcheck disable=SC2086 # several words
    works fit a.bed b.bed c.bed -k $K $how -o three.npz
    says "read      a.bed and 2 more: PLINK genotypes"
    for site in a b c; do works transform three.npz $site.bed -o $site.eigenvec; done
    agrees check pooled.bed $K a.eigenvec b.eigenvec c.eigenvec --eigenval c.eigenval
done
for how in "-n 5 --split shuffle" "-n 4 --split sizes:1,2,397,203 -t star" "-n 7 -t cycle --method deepca --tolerance 1e-8"; do
    # shellcheck disable=SC2086 # several words
    works fit pooled.bed -k $K $how -o split.npz
    works transform split.npz pooled.bed -o split.eigenvec
    agrees check pooled.bed $K split.eigenvec --eigenval split.eigenval
done

# The number of threads changes no bit.
for threads in 1 2 3; do
    works fit a.bed b.bed c.bed -k 3 --threads $threads -o threads$threads.npz
    works transform threads$threads.npz a.bed -o threads$threads.npy
done
cmp threads1.npy threads2.npy || fail "two threads find other bits"
cmp threads1.npy threads3.npy || fail "three threads find other bits"

# --- as plink2 has it --------------------------------------------------------------------------------------------------------

if command -v plink2 >/dev/null; then
    plink2 --bfile pooled --pca $K meanimpute --threads 2 --out plink >"$scratch/log/plink" 2>&1 ||
        fail "plink2 failed: $(cat "$scratch/log/plink")"
    sed -i 's/^#IID/#FID\tIID/' plink.eigenvec
    agrees check pooled.bed $K plink.eigenvec --eigenval plink.eigenval # the reference is PLINK's
    agrees check pooled.bed $K a.eigenvec b.eigenvec c.eigenvec --like plink.eigenvec
    agrees check pooled.bed $K pooled.eigenvec --like plink.eigenvec
    # And it takes ours as covariates.
    awk 'NR > 1 { print $1, $2, NR % 17 }' pooled.eigenvec >pheno.txt
    plink2 --bfile pooled --pheno pheno.txt --covar pooled.eigenvec --glm hide-covar --out glm >"$scratch/log/plink" 2>&1 ||
        fail "plink2 does not take the covariates: $(cat "$scratch/log/plink")"
else
    echo "skipped: the comparison with plink2, which is not installed"
fi

# --- other ways to scale, other data, other files ----------------------------------------------------------------------------

refuses 2 "column 'rs30 1 1203 A C' has no value at all" fit pooled.bed -k 2 --scale std
run fit pooled.bed -k 2 --scale std --columns -29 -o std.npz
complains "--scale std: 2 constant features were left unscaled"
! grep -q "^scale" "$out" || fail "std is told of as binomial"
works fit pooled.bed -k 2 --no-center --columns -29 -o plain.npz
refuses 2 "takes the mean off" fit pooled.bed -k 2 --no-center --scale binomial
works convert pooled.bed copies.npy
works fit copies.npy -k 2 --missing mean --scale binomial -o copies.npz
same='
import numpy as np
a, b = np.load("copies.npz"), np.load("pooled.npz")
np.testing.assert_allclose(a["explained_variance"], b["explained_variance"][:2], rtol=1e-6)
np.testing.assert_allclose(a["mean"], b["mean"], rtol=1e-14)'
"$python" -c "$same" || fail "the same numbers in a .npy are another model"
printf '1,2\n-3,4\n5,1\n' >numbers.csv
refuses 2 "outside 0 to 2" fit numbers.csv -k 1 --scale binomial
refuses 2 "try --missing mean" fit pooled.bed -k 2 --missing drop
works fit numbers.csv -k 1 -o numbers.npz
refuses 2 "whose names numbers.csv has not" transform numbers.npz numbers.csv -o x.eigenvec
for flag in --inverse --whiten "--plot x.svg --label FID"; do
    # shellcheck disable=SC2086 # several words
    refuses 2 "not with PLINK's x.eigenvec" transform pooled.npz pooled.bed -o x.eigenvec $flag
done
works info numbers.npz --loadings numbers.tsv
[[ $(head -1 numbers.tsv) == $'feature\tPC1' ]] || fail "loadings of other data have another header"

# Variants that are not the first file's, by position or by alleles, are named.
sed 's/\trs7\t0\t\([0-9]*\)\t./\trs7\t0\t\1\tAAA/; s/\trs9\t0\t/\trs9\t0\t1/' b.bim >other.bim
cp b.bed other.bed
cp b.fam other.fam
refuses 2 "other.bed: lacks 2 variants of a.bed, or has other chromosomes, positions or alleles: rs7, rs9; try" fit a.bed other.bed -k 2
rm other.fam
refuses 2 "there is no other.fam beside it" fit other.bed -k 2

# What belongs to the input is not overwritten.
for ending in bim fam; do
    refuses 2 "--output: 'pooled.$ending' is the file of INPUT too" fit pooled.bed -k 2 -o pooled.$ending
    refuses 2 "--trace: 'pooled.$ending' is the file of INPUT too" fit pooled.bed -k 2 -o x.npz --trace pooled.$ending
done

cp pooled.npz w.eigenval
refuses 2 "--output: 'w.eigenval' is the file of MODEL.npz too" transform w.eigenval pooled.bed -o w.eigenvec
ln -s pooled.bim q.eigenval
refuses 2 "is the file of INPUT 'pooled.bim' too" transform pooled.npz pooled.bed -o q.eigenvec

# Identifiers name columns; a model's are its own; without a mean nothing stands for what is missing.
works fit pooled.bed -k 2 --columns rs1,rs5,rs9 -o three.npz
refuses 2 "--columns: the variants are those of three.npz" transform three.npz pooled.bed -o x.npy --columns 0-2
refuses 2 "plain.npz has no mean to fill with" transform plain.npz pooled.bed -o x.eigenvec
