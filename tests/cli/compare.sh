#!/usr/bin/env bash
# eigenmesh compare: one problem by several methods.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

works generate -d 10 -N 600 -k 3 --gap 0.6 --seed 1 -o data.npy

# row METHOD RESULT: the table has such a row; leaves its cells from the iterations on in $cells.
row()
{
    mapfile -t cells < <(sed -nE "s/^$1 +($2) +//p" "$out" | tr -s ' ' '\n')
    [[ ${#cells[@]} -eq 9 ]] || fail "no row of 11 cells for $1, $2"
}

# complains, where the want of gnuplot may have been told before.
at_last_complains()
{
    if ! has gnuplot; then sed -i 1d "$err"; fi
    complains "$1"
}

# --- the table
works compare data.npy -k 3 -n 6
says "600 x 10 over 6 nodes"
says "er:0.5"
for heading in method result iterations rounds units bytes seconds error "units to 1e-3" "units to 1e-6" "units to 1e-10"; do
    says "$heading"
done
for method in krylov covariance deepca fastpca; do
    row "$method" converged
    for cell in "${cells[@]:0:8}"; do
        [[ $cell =~ ^[0-9] ]] || fail "'$cell' of $method is no number"
    done
done
row dsa settled
[[ ${cells[8]} == - ]] || fail "dsa is not exact, and yet it has reached 1e-10"
[[ $(find . -mindepth 1) == ./data.npy ]] || fail "files without --output"

works compare data.npy -k 3 -n 6 --methods krylov,auto --quiet
[[ ! -s $out ]] || fail "--quiet is not quiet"
works compare data.npy -k 3 -n 6 --methods auto
row auto converged
grep -qE '^auto +(krylov|covariance|deepca): ' "$out" || fail "what auto took"
works compare data.npy -k 3 -n 6 --methods krylov --truth none
row krylov converged
[[ ${cells[*]:5} == "- - - -" ]] || fail "an error without a truth"

# One file a node, and one node, where nothing is sent and gha and oi may take part.
works compare data.npy data.npy -k 2 --methods krylov,dsa -t path
says "1200 x 10 over 2 nodes"
works compare data.npy -k 3
works compare data.npy -k 3 --methods gha,oi,krylov --no-center --scale spectral
row gha "settled|converged"
[[ ${cells[1]} == 0 && ${cells[2]} == 0 ]] || fail "one node has sent something"

# --- the files
expected="compare.csv"
if has gnuplot; then expected="compare.csv rounds.svg seconds.svg units.svg"; fi
files_of() { find "$1" -mindepth 1 -printf '%f\n' | sort | paste -sd' '; }

run compare data.npy -k 3 -n 6 --methods dsa,krylov --iterations 30 -o made
[[ $status -eq 0 ]] || fail "status is not 0"
[[ $(files_of made) == "$expected" ]] || fail "the files are: $(files_of made)"
[[ $(head -1 made/compare.csv) == "method,iteration,rounds,messages,bytes,units,seconds,residual,consensus,error" ]] ||
    fail "the heading of compare.csv"
awk -F, 'NF != 10 { exit 1 }' made/compare.csv || fail "a row has not 10 columns"
[[ $(grep -c '^dsa,' made/compare.csv) -eq 31 ]] || fail "30 iterations are not 31 rows"
[[ $(cut -d, -f1 made/compare.csv | uniq | paste -sd' ') == "method dsa krylov" ]] || fail "the order of the methods"
# The same trace as fit writes, but for the clock.
works fit data.npy -k 3 -n 6 -m dsa --iterations 30 --truth compute --trace fit.csv --quiet
cmp -s <(grep '^dsa,' made/compare.csv | cut -d, -f2-6,8-) <(tail -n +2 fit.csv | cut -d, -f1-5,7-) ||
    fail "compare and fit have different traces"

if has gnuplot; then
    for picture in units rounds seconds; do
        grep -q '<svg' <<<"$(head -3 "made/$picture.svg")" || fail "$picture.svg does not begin as a picture"
        grep -q '</svg>' <<<"$(tail -2 "made/$picture.svg")" || fail "$picture.svg does not end as a picture"
        for method in dsa krylov; do grep -q ">$method<" "made/$picture.svg" || fail "$picture.svg has no legend for $method"; done
        grep -q 'stroke-dasharray' "made/$picture.svg" || fail "$picture.svg has no dashes"
    done
    # Into a directory that is there, whose files are replaced and whose others stay.
    echo old >made/units.svg
    echo mine >made/notes
    works compare data.npy -k 3 -n 6 --methods krylov,covariance,deepca,fastpca,sdot,sadot,dsa,dpgd,seqdistpm \
        --iterations 20 --truth none -o made
    says "made/units.svg"
    grep -q '</svg>' made/units.svg || fail "an old picture is not replaced"
    [[ $(cat made/notes) == mine ]] || fail "another file was touched"
    works compare data.npy -k 3 --methods gha,krylov -o single
    [[ $(files_of single) == "compare.csv seconds.svg" ]] || fail "the files of one node are: $(files_of single)"
    works compare data.npy -k 3 -n 4 --methods krylov --iterations 0 -o nothing
    for picture in nothing/*.svg; do grep -q '</svg>' "$picture" || fail "$picture is not a picture"; done
fi

# Without gnuplot, the CSV and one line.
program_path=/nowhere run compare data.npy -k 3 -n 6 --methods krylov -o plain
[[ $status -eq 0 ]] || fail "status is not 0"
complains "gnuplot is not installed"
[[ $(files_of plain) == compare.csv ]] || fail "the files are: $(files_of plain)"
program_path=/nowhere works compare data.npy -k 3 -n 6 --methods krylov -o plain --quiet

# --- not converging is a row; only where no method did its job, status 1
works compare data.npy -k 3 -n 6 --methods krylov,sdot --tolerance 1e-12
row krylov converged
row sdot "settled|iteration limit"
works convert data.npy data.csv # one column hides the others from whoever only gossips
awk -F, -v OFS=, '{ $1 = 1e9 * $1; print }' data.csv >hidden.csv
run compare hidden.csv -k 3 -n 6 --methods deepca,fastpca -o short
[[ $status -eq 1 ]] || fail "status is not 1 when all failed"
at_last_complains "no method converged"
row fastpca "iteration limit|stopped short|rounding|diverged"
[[ -s short/compare.csv ]] || fail "the traces are not kept"
works compare data.npy -k 3 -n 6 --methods dsa,dpgd --iterations 5
row dsa "iteration limit"

# --- what is wrong is told at once, and leaves nothing, not even the directory
if ! has gnuplot; then # whose want would be told beside it
    mkdir drawing
    printf '#!/bin/sh\n' >drawing/gnuplot
    chmod +x drawing/gnuplot
    program_path=$PWD/drawing:$PATH
fi
refuses 2 "INPUT is missing" compare -k 3
refuses 2 "-k, --components: required" compare data.npy
for K in 0 -1 0.9 two; do
    refuses 2 "--components: '$K' is not a whole number" compare data.npy -k "$K" -o dir
done
refuses 2 "--methods: 'magic' is no method" compare data.npy -k 3 --methods krylov,magic -o dir
refuses 2 "--methods: dsa is named twice" compare data.npy -k 3 --methods dsa,krylov,dsa -o dir
for list in "" "," "krylov," ",krylov" "krylov,,dsa"; do
    refuses 2 "--methods: a name is empty" compare data.npy -k 3 --methods "$list" -o dir
done
refuses 2 "--methods: gha needs all data in one place, and there are 6 nodes" compare data.npy -k 3 -n 6 --methods gha -o dir
refuses 2 "--methods: oi needs all data in one place" compare data.npy data.npy -k 3 --methods krylov,oi -o dir
refuses 2 "--step: no such option of compare" compare data.npy -k 3 --step 0.1
refuses 2 "--methods: given twice" compare data.npy -k 3 --methods dsa --methods krylov
refuses 2 "11" compare data.npy -k 11 -o dir
refuses 2 "tolerance" compare data.npy -k 3 --tolerance small -o dir
refuses 2 "--truth: 'yes' is not none, compute or file:Q.npy" compare data.npy -k 3 --truth yes -o dir
refuses 2 "nowhere.npy" compare nowhere.npy -k 3 -o dir
refuses 2 "ring" compare data.npy -k 3 -n 5 -t ring -o dir
refuses 2 "--output: the name is empty" compare data.npy -k 3 -o ""
refuses 2 "'data.npy' is the file of INPUT too" compare data.npy -k 3 -o data.npy
! has gnuplot || refuses 2 "'n.svg' is the file of --output too" compare data.npy -k 3 -o n.svg --plot n.svg
cp data.npy other.npy
refuses 2 "other.npy: is no directory" compare data.npy -k 3 -o other.npy
refuses 2 "nowhere/dir: cannot be made" compare data.npy -k 3 -o nowhere/dir
mkdir taken taken/compare.csv
refuses 2 "taken/compare.csv: cannot be written" compare data.npy -k 3 -o taken
if has gnuplot; then
    mkdir bin
    printf '#!/bin/sh\nexit 3\n' >bin/gnuplot
    chmod +x bin/gnuplot
    program_path=$PWD/bin refuses 2 "could not draw" compare data.npy -k 3 -n 6 --methods krylov -o dir
fi

# --- Ctrl-C: what was reached is written, the methods that did not run are named, and the status is 1
status=0
timeout --foreground --preserve-status -s INT 2 "$EIGENMESH" compare data.npy -k 3 -n 6 --methods krylov,dsa,dpgd \
    --tolerance 0 --iterations 100000000 -o stopped >"$out" 2>"$err" </dev/null || status=$?
[[ $status -eq 1 ]] || fail "an interrupted comparison is not status 1"
at_last_complains "interrupted in"
awk -F, 'NF != 10 { exit 1 }' stopped/compare.csv || fail "the traces are not whole"
row dpgd "not run"
