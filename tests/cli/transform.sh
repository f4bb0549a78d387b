#!/usr/bin/env bash
# eigenmesh transform: there, and back.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

works generate -d 6 -N 300 -k 2 --gap 0.5 -o data.npy
works fit data.npy -k 6 -o model.npz
works convert data.npy data.csv

works transform model.npz data.npy -o scores.csv
says "scores.csv: 300 x 6 scores"
works transform model.npz scores.csv --inverse -o back.csv --quiet
[[ ! -s $out ]] || fail "--quiet is not quiet"

# The largest difference between the numbers of two CSV files.
difference()
{
    paste -d, "$1" "$2" | awk -F, '{ for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2); if (d < 0) d = -d
                                     if (d > worst) worst = d } } END { print worst + 0 }'
}
awk -v d="$(difference data.csv back.csv)" 'BEGIN { exit !(d < 1e-9) }' || fail "all components do not give the data back"

works transform model.npz data.csv --whiten -o white.csv
awk -F, '{ for (i = 1; i <= NF; i++) { s[i] += $i; q[i] += $i * $i } }
         END { for (i = 1; i <= NF; i++) { v = (q[i] - s[i] * s[i] / NR) / (NR - 1); if (v < 0.999 || v > 1.001) exit 1 } }' \
    white.csv || fail "whitened scores do not have unit variance"
works transform model.npz white.csv --whiten --inverse -o back.csv
awk -v d="$(difference data.csv back.csv)" 'BEGIN { exit !(d < 1e-9) }' || fail "whitening does not invert"
works transform model.npz data.csv -o scores.npy.gz
works convert scores.npy.gz again.csv
awk -v d="$(difference scores.csv again.csv)" 'BEGIN { exit !(d < 1e-12) }' || fail "scores differ by format"

refuses 2 "MODEL.npz is missing" transform -o x.npy
refuses 2 "INPUT is missing" transform model.npz -o x.npy
refuses 2 "neither -o nor --plot says where to" transform model.npz data.npy
refuses 2 "--inverse makes none" transform model.npz data.npy --inverse --plot x.svg
refuses 2 "--label: there is nothing to colour" transform model.npz data.csv -o x.npy --label a
refuses 2 "one argument too many" transform model.npz data.npy more.npy -o x.npy
refuses 2 "has 3 columns, but model.npz has 6 features" transform model.npz data.npy --columns 0-2 -o x.npy
refuses 2 "nowhere.npz" transform nowhere.npz data.npy -o x.npy
refuses 2 "nowhere.npy" transform model.npz nowhere.npy -o x.npy
refuses 2 "data.npy" transform data.npy data.npy -o x.npy
head -c 400 model.npz >cut.npz
refuses 2 "cut.npz" transform cut.npz data.npy -o x.npy
refuses 2 "nowhere" transform model.npz data.npy -o nowhere/x.npy
refuses 2 "data.npy/x.npy" transform model.npz data.npy -o data.npy/x.npy
refuses 2 "x.docx" transform model.npz data.npy -o x.docx
works fit data.npy -k 2 -o two.npz
refuses 2 "has 6 columns, but two.npz has 2 components" transform two.npz data.npy --inverse -o x.npy
sed '5s/^[^,]*/nan/' data.csv >nan.csv
refuses 2 "nan.csv" transform model.npz nan.csv -o x.npy
