#!/usr/bin/env bash
# A study that follows: rows come as lines and as files, and every model is that of all rows so far, by NumPy.
# shellcheck source=tests/net/follow_lib.sh
source "$(dirname "$0")/follow_lib.sh" "$1"

# ---- lines, files, and rows that are all there -------------------------------------------------------------------------------------

study_that_follows "components = 3" "tolerance = 1e-12"
mkfifo lines
exec 7<>lines
follow 0 - --follow --every 0.3s <lines
follow 1 in.1 --follow
follow 2 data.2.csv
cat batch.0.00.csv >&7
put 1 batch.1.00.csv
sees 0 ": 128 rows"
sees 1 ": 128 rows"
cp model.0.npz first.npz
model_is first.npz batch.0.00.csv batch.1.00.csv data.2.csv
tail -n +2 batch.0.01.csv >&7
sees 0 ": 135 rows"
grep -q "rows,.*turned by" out.2 || sees 2 "turned by"
cp model.0.npz second.npz
model_is second.npz batch.0.0[01].csv batch.1.00.csv data.2.csv
/usr/bin/python3 -c 'import numpy as np; a, b = (np.load(f)["components"] for f in ("first.npz", "second.npz")); assert ((a * b).sum(1) > 0).all()' ||
    fail "signs do not follow the last model"
echo "ok: a model of all rows so far"

# What is half there, or nothing, is passed over; what is wrong is told, and the rest counts.
cp batch.1.01.csv in.1/.hidden.csv
cp batch.1.01.csv in.1/a.part
cp batch.1.01.csv in.1/b.tmp
{ cat batch.1.01.csv; echo "1,2,3"; } >bad.csv
put 1 bad.csv batch.1.02.csv
printf '%s\n' "$(sed -n 2p batch.0.02.csv)" "x$(sed -n 3p batch.0.02.csv)" "1,2" "$(sed -n 3p batch.0.02.csv)" >&7
sees 0 ": 144 rows"
sees 1 "in.1/bad.csv: line 9 has 3 columns, where the first has 20; try mending it; the file is passed over until it is another"
sees 0 "standard input: line 17, column 1 (f0): 'x"
sees 0 "standard input: line 18 has 2 columns"
head -3 batch.0.02.csv >some.csv
cp model.0.npz third.npz
model_is third.npz batch.0.0[01].csv some.csv batch.1.0[02].csv data.2.csv
put 1 batch.1.01.csv
mv in.1/batch.1.01.csv in.1/bad.csv # mended
sees 1 ": 151 rows"
echo "1,2" >>in.1/batch.1.00.csv
sees 1 "batch.1.00.csv: has changed since its rows were taken, and is not read again"
echo "ok: rows that are none"

# At the end of all that may come, all end.
tail -n +4 batch.0.02.csv | head -c -1 >&7 # without the end of its last line
touch in.1/end
exec 7>&-
all_end_well 3
sed -i '$d' in.1/batch.1.00.csv
model_is model.0.npz batch.0.0[012].csv batch.1.0[012].csv data.2.csv
logs_agree
grep -q "refused 2" state.0/*/*/taken || fail "lines that are no rows are not counted"
grep -q "^models    [3-9].* were made here" out.1 || fail "the report does not count models"
follow 1 in.1 --follow
ends 1 0
sees 1 "finished  on"
echo "ok: the end"

# ---- Ctrl-C, and back ------------------------------------------------------------------------------------------------------------------

study_that_follows "components = 3" "tolerance = 1e-12"
for n in 0 1 2; do put "$n" "batch.$n.00.csv"; done
follow 0 in.0 --follow --json --every 0.2s
follow 1 in.1 --follow --json
follow 2 in.2 --follow --json
sees 0 '"samples": 21'
kill -TERM "${pid[1]}" # as Ctrl-C; a shell's background ignores that
ends 1 1
sees 1 '"reason": "interrupted"'
put 1 batch.1.01.csv
put 2 batch.2.01.csv
follow 1 in.1 --follow --json
sees 1 "7 rows were taken before, of 1 files"
sees 0 '"samples": 35'
for n in 0 1 2; do touch "in.$n/end"; done
all_end_well 3
model_is model.0.npz batch.[012].00.csv batch.[12].01.csv
sees 0 '"runs": 2'
[[ $(grep -c '^{"model": ' out.0) -ge 2 ]] || fail "no line of JSON for each model"
/usr/bin/python3 -c 'import json, sys; [json.loads(line) for line in open("out.0")]' || fail "out.0 is no JSON"
logs_agree
echo "ok: Ctrl-C"

# ---- lines that go on ------------------------------------------------------------------------------------------------------------------

# Alone it waits for the others, and takes in what comes: a header that is sent again, or not, in three processes' time.
study_that_follows "components = 3"
lines_taken() { sed -n 's/^lines //p' state.1/*/*/taken 2>/dev/null || true; }
for part in "8 1,8p" "15 1p;9,15p" "18 16,18p"; do
    sed -n "${part#* }" data.1.csv >some.lines
    follow 1 - --follow <some.lines
    for ((n = 0; n < 100; n++)); do
        [[ $(lines_taken) != "${part% *}" ]] || break
        sleep 0.1
    done
    kill -TERM "${pid[1]}"
    ends 1 1
done
[[ $(lines_taken) == 18 ]] || fail "lines are miscounted"
[[ $(sed -n 's/^bytes //p' state.1/*/*/taken) == $(head -18 data.1.csv | wc -c) ]] || fail "bytes are miscounted"
/usr/bin/python3 -c 'import glob, numpy as np
X = np.loadtxt("data.1.csv", delimiter=",", skiprows=1)[:17]
m = np.load(glob.glob("state.1/*/*/rows-*.npz")[0])
assert m["n_samples"] == 17 and np.allclose(m["mean"], X.mean(0), rtol=1e-13, atol=1e-13)' || fail "rows of lines are miscounted"
echo "ok: lines that go on"

# ---- the certificate -------------------------------------------------------------------------------------------------------------------

study_that_follows "components = 1" "tolerance = 1e-2" "method = krylov"
for n in 0 1 2; do put "$n" "data.$n.csv"; done
follow 0 in.0 --follow --every 1h --check 0.2s
follow 1 in.1 --follow
follow 2 in.2 --follow
rows=$(($(wc -l <all.csv) - 1))
sees 0 ": $rows rows, krylov converged after "
head -2 batch.1.00.csv >one.csv # like all others: the last model holds
put 1 one.csv
for ((n = 0; n < 100; n++)); do
    ! grep -q one.csv state.1/*/*/taken || break
    sleep 0.1
done
sleep 0.7
[[ $(grep -c '^model ' out.0) == 1 ]] || fail "a model was made, though the last one held"
awk -F, 'NR == 1 { print; next } { for (c = 1; c <= NF; c++) printf "%s%s", (c % 2 ? 100 : -50) * NR + $c, c < NF ? "," : "\n" }' \
    batch.1.00.csv >other.csv
put 1 other.csv # as no row before
sees 0 ": $((rows + 8)) rows"
for n in 0 1 2; do touch "in.$n/end"; done
all_end_well 3
grep -qE "; [1-9][0-9]* looks? between found that the last one held" out.0 || fail "no look found that the last one held"
echo "ok: another model when the certificate fails"

# ---- what is refused -------------------------------------------------------------------------------------------------------------------

refused() {
    local words=$1
    shift
    "$program" node "$@" --key key.1 --state "$PWD/state.x" >refused 2>&1 && fail "it was not refused: $*"
    grep -qF -- "$words" refused || fail "other words than '$words': $(cat refused)"
}
sed '/masks/d' follow.study >masked.study
sed '/follow/d' follow.study >still.study
refused "totals before and after tell the new rows" masked.study in.1 --follow
refused "is a study of rows that are there" still.study in.1 --follow
refused "s0, the root, says when there is a model; try --every there" follow.study in.1 --follow --every 1min
refused "data.1.csv: is no folder" follow.study data.1.csv --follow
refused "--missing: rows are added up as they come" follow.study in.1 --follow --missing mean
refused "--directions: is of rows that keep coming" follow.study data.1.csv --directions 5
refused "--report: a page is of one fit" follow.study in.1 --follow --report page.html
refused "--every: '10 minutes' is not a time" follow.study in.1 --follow --every '10 minutes'
refused "standard input: ended before there was a row" follow.study - --follow </dev/null
/usr/bin/python3 -c 'for r in range(2): print(",".join(str(c * (r + 1) % 7) for c in range(5001)))' >wide.csv
refused "5000" follow.study - --follow --header no <wide.csv
echo "ok: refusals"
