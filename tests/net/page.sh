#!/usr/bin/env bash
# node --report: a page at a site, of what all found, of its own rows and links, and of no other site's.
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$1"

words() {
    python3 -c 'import html, re, sys
text = re.sub(r"<style>.*?</style>", " ", open(sys.argv[1], encoding="utf-8").read(), flags=re.S)
print(re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", text))).replace("\u202f", " "))' "$1"
}
page_says() { grep -qF -- "$2" <<<"$(words "$1")" || fail "$1 does not say '$2'"; }

masks=yes
study_of 3 "components = 3"
# A column of names at one site, which no other one has.
awk -F, 'NR == 1 { print $0 ",ward" } NR > 1 { print $0 "," (NR % 2 ? "east" : "west") }' data.1.csv >wards.csv
mv wards.csv data.1.csv
# And columns in another order.
python3 - <<'P'
rows = [line.strip().split(",") for line in open("data.2.csv")]
with open("data.2.csv", "w") as out:
    for row in rows: print(",".join(row[::-1]), file=out)
P
start 0 --report page.0.html
start 1 --report page.1.html --label ward
start 2 --report page.2.html --report-scores
all_end_well 3
for n in 0 1 2; do
    grep -qx "report    page.$n.html" out.$n || fail "site $n does not say where the page is"
    page_says page.$n.html "Principal components of heart"
    page_says page.$n.html "Converged."
    page_says page.$n.html "s$n (this site) $((40 + 37 * n))"
    page_says page.$n.html "Every share of a node was hidden in random numbers"
    page_says page.$n.html "Over the links of this site"
    # What the links carry is more than the numbers of the computation, and the page says what the two count.
    page_says page.$n.html "For the computation all nodes together have sent these numbers"
    page_says page.$n.html "this site's part of the numbers above, and beside them the names of columns"
    page_says page.$n.html "node heart.study data.$n.csv"
done
page_says page.0.html "Rows are not on this page"
page_says page.0.html "s1 not told"
page_says page.1.html "This page shows single rows of the data of this site."
page_says page.1.html "These are 77 rows. They are those of this site; others are elsewhere."
page_says page.1.html "east 38"
page_says page.2.html "These are 114 rows."
# Scores are of the study's order of columns: where the rows lie is what transform says, whose columns go by name.
"$program" transform model.2.npz data.2.csv -o scores.csv -q
python3 - <<'P' || fail "the points are not the scores of the rows"
import re
x = [float(line.split(",")[0]) for line in open("scores.csv") if re.match("-?[0-9]", line)]
page = open("page.2.html", encoding="utf-8").read()
points = [float(at) for at in re.findall(r"M([\d.]+) [\d.]+h\.01", page[page.index('id="scores"'):].split("</svg>")[0])]
assert len(points) == len(x) == 114
# Eight layers, each in the order of the rows.
drawn = [value for layer in range(8) for value in x[layer::8]]
scale = (max(points) - min(points)) / (max(x) - min(x))
assert all(abs((p - min(points)) - scale * (v - min(x))) < 0.11 for p, v in zip(points, drawn))
P
echo "ok: three sites, each with its page"

# The commands on the pages, typed at all sites, do it again; and a run that does nothing leaves a page that tells more alone.
command_on() {
    python3 -c 'import html, re, sys
command = re.search(r"<pre id=\"command\"><code>(.*?)</code>", open(sys.argv[1], encoding="utf-8").read(), re.S)[1]
print(html.unescape(re.sub("</?span>", "", command)))' "$1"
}
mkdir bin
ln -s "$(realpath "$program")" bin/eigenmesh
for n in 0 1 2; do
    page_says page.$n.html "All sites each types its own command, with --again"
    command=$(command_on page.$n.html)
    rm page.$n.html
    PATH=$PWD/bin:$PATH bash -c "exec $command" >"out.$n" 2>>"err.$n" &
    pid[$n]=$!
done
all_end_well 3
for n in 0 1 2; do
    page_says page.$n.html "Over the links of this site"
    [[ $(command_on page.$n.html | grep -o -- --again | wc -l) -eq 1 ]] || fail "the command does not ask for it again, once"
done
cp page.1.html kept.html
start 1 --report page.1.html --label ward
ends 1 0
cmp page.1.html kept.html || fail "a run that does nothing replaces the page"
grep -qx "report    page.1.html was there, and stays as it was" out.1 || fail "it is not said that the page stays"
start 1 --report page.1.html --label ward --json
ends 1 0
grep -q '"report": null' out.1 || fail "the page is said to be written"
echo "ok: and once more, by the commands on them"

# A rehearsal has none; a study that was done before has one; what is not to be is refused before anything is sent.
for n in 0 1 2; do rm -f "page.$n.html"; done
start 1 --report again.html --label ward
ends 1 0
page_says again.html "Principal components of heart"
status=0
"$program" node heart.study data.1.csv --label ward 2>err.9 || status=$?
[[ $status -eq 2 ]] || fail "a label without a page is not refused"
grep -q -- "--label: there is no page to draw rows on" err.9 || fail "it is not said why"
status=0
"$program" node heart.study data.1.csv --key key.1 --report key.1 2>err.9 || status=$?
[[ $status -eq 2 && $(head -c 9 key.1) != '<!DOCTYPE' ]] || fail "the key may be written over"
echo "ok: and what is refused"
