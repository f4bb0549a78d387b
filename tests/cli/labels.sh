#!/usr/bin/env bash
# transform --plot --label: points coloured by a column of a CSV.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

if ! command -v gnuplot >/dev/null; then
    echo "SKIPPED: gnuplot is not installed" >&2
    exit 77
fi

# 90 flowers of three kinds; which one, also as a name for each, and as a number.
awk 'BEGIN {
    split("setosa,versicolor,virginica", kind, ",")
    print "length,width,height,kind,name,age"
    for (i = 0; i < 90; i++)
        printf "%.4f,%.4f,%.4f,%s,flower %d,%.1f\n", 5 + sin(i) + 2 * (i % 3), 3 + cos(7 * i), sin(3 * i),
               i == 5 ? "" : kind[i % 3 + 1], i, i / 4
}' >flowers.csv
works fit flowers.csv --columns 0-2 -k 2 -o model.npz
works fit flowers.csv --columns 0-2 -k 1 -o one.npz

works transform model.npz flowers.csv --columns 0-2 --plot kinds.svg --label kind
for text in kind setosa versicolor virginica "no label"; do
    grep -q ">$text<" kinds.svg || fail "'$text' is not in the legend"
done
[[ $(grep -o ' color=' kinds.svg | wc -l) -ge 90 ]] || fail "points are missing"
[[ $(grep -o "color='rgb([^)]*)'" kinds.svg | sort -u | wc -l) -ge 4 ]] || fail "there are not four colours"

works transform model.npz flowers.csv --columns 0-3 --plot listed.svg --label kind # which is no feature all the same
cmp -s kinds.svg listed.svg || fail "a label that is listed makes another picture"

# By position; the classes of one component are strips; numbers have a scale; texts of many kinds are refused.
works transform model.npz flowers.csv --columns 0-2 --plot position.svg --label 3
grep -q '>setosa<' position.svg || fail "a column by its position has no legend"
works transform one.npz flowers.csv --columns 0-2 --plot strips.png --label kind
works transform model.npz flowers.csv --columns 0-2 --plot ages.svg --label age
grep -q '>age<' ages.svg || fail "the scale has no title"
refuses 2 "'name' has more than 12 different texts" transform model.npz flowers.csv --columns 0-2 -o s.npy --plot x.svg \
    --label name
refuses 2 "colour" transform model.npz flowers.csv --columns 0-2 --plot x.svg --label colour
