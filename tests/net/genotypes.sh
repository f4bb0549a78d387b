#!/usr/bin/env bash
# A study of three hospitals: alleles that are swapped at one, variants in another order at the next; every site ends with the same
# model, and its people's covariates are those of all people in one place, by NumPy.
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$1"

python=/usr/bin/python3
"$python" -c 'import numpy' 2>/dev/null || { echo "skipped: no Python with NumPy"; exit 77; }
reference=$(cd "$tests/../reference" && pwd)/genotypes.py

people_of() { # N SITE: the files of a site are data.N.*
    for ending in bed bim fam; do cp "$2.$ending" "data.$1.$ending"; done
}

"$python" "$reference" make . --people 403 --variants 1001
people_of 0 a
people_of 1 b
people_of 2 c
suffix=bed
for masks in no yes; do
    rm -rf state.* err.* model.*
    study_of 3 "components = 5"
    all_start 3
    all_end_well 3
    logs_agree
    grep -q "^scale     binomial, by allele frequencies over all nodes; 3 variants without variation left out" out.1 ||
        fail "the scale is not told"
    for n in 0 1 2; do "$program" transform model.0.npz "data.$n.bed" -o "people.$n.eigenvec" -q; done
    "$python" "$reference" check pooled.bed 5 people.{0,1,2}.eigenvec --eigenval people.2.eigenval ||
        fail "the covariates are not those of all people"
    echo "ok: the covariates of all people, each at its own site, masks = $masks"
done

# Another allele at one site: nobody computes, and all hear who it is.
rm -rf state.* err.*
sed -i 's/\trs7\t0\t\([0-9]*\)\t./\trs7\t0\t\1\tAAA/' data.1.bim
patience=30s
all_start 3
for n in 0 1 2; do ends "$n" 1; done
grep -q "s1 has columns of other names" err.0 || fail "the root does not say who has other variants"
echo "ok: another allele"
