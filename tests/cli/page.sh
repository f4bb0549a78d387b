#!/usr/bin/env bash
# --report: a page for people that needs nothing but itself, whose numbers are those of the model, and on which no text of the data
# runs.  What a browser makes of it is in page_browser.sh.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# What the page says, as words: tags are blanks, and entities characters.
words() {
    python3 -c 'import html, re, sys
text = re.sub(r"<style>.*?</style>", " ", open(sys.argv[1], encoding="utf-8").read(), flags=re.S)
print(re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", text))).replace("\u202f", " "))' "$1"
}
page_says() { grep -qF -- "$2" <<<"$(words "$1")" || fail "$1 does not say '$2'"; }
page_lacks() { ! grep -qF -- "$2" "$1" || fail "$1 has '$2'"; }
small() { [[ $(stat -c %s "$1") -lt 2000000 ]] || fail "$1 has $(stat -c %s "$1") bytes"; }

cat >flowers.csv <<'END'
id,length,width,"<img src=x onerror=alert(1)>",名前,الطول,species
patient1,5.1,3.5,1.4,0.2,3,setosa
patient2,4.9,3.0,1.4,0.2,4,setosa
patient3,7.0,3.2,4.7,1.4,1,<b>bold</b>
patient4,6.4,3.2,4.5,1.5,9,<b>bold</b>
patient5,6.3,3.3,6.0,2.5,2,
patient6,5.8,2.7,5.1,1.9,6,虹
END

# ---- what there is to say
works fit flowers.csv -k 3 -n 3 --report page.html --label species -o model.npz
says "report    page.html"
page_says page.html "Principal components of flowers.csv"
page_says page.html "Converged. The components are as accurate as was asked for."
page_says page.html "This page shows single rows of the data."
page_says page.html "id text species the label"
page_lacks page.html patient
page_says page.html "<img src=x onerror=alert(1)>"
page_says page.html "<b>bold</b>"
page_says page.html "no label 1"
page_says page.html "eigenmesh fit flowers.csv --nodes 3"
page_says page.html "Seed 0"
for wrong in '<img' '<b>' '<script' 'http:' 'https:' 'url('; do page_lacks page.html "$wrong"; done
# Nothing is referred to but an icon that is empty.
! grep -oE '(src|href)="[^"]*"' page.html | grep -v '^href="data:,"$' || fail "the page refers to something outside"

# ---- the numbers are those of the model
works info model.npz --json
cp "$out" model.json
python3 - page.html model.json <<'P' || fail "the numbers on the page are not those of the model"
import html, json, re, sys
page, model = open(sys.argv[1], encoding="utf-8").read(), json.load(open(sys.argv[2]))
def cells(table):
    body = re.search(rf'id="{table}".*?<tbody>(.*?)</tbody>', page, re.S)[1]
    return [[html.unescape(re.sub("<[^>]*>", "", cell)).replace("\u202f", "") for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
            for row in re.findall(r"<tr>(.*?)</tr>", body, re.S)]
assert len(cells("components")) == len(model["components"]) == 3
for row, known in zip(cells("components"), model["components"]):
    assert row[0] == str(known["component"])
    assert row[1] == f"{known['variance']:.6g}", (row, known)
    assert row[2] == f"{100 * known['ratio']:.2f}%" and row[3] == f"{100 * known['cumulative']:.2f}%"
    assert row[4] == f"{known['residual']:.1e}"
for row, phase in zip(cells("sent"), ["set-up", "method", "stopping", "report", "total"]):
    assert [int(n) for n in row[1:]] == [model["sent"][phase][n] for n in ("rounds", "messages", "bytes")], row
assert [row[0:2] for row in cells("nodes")] == [["0", "2"], ["1", "2"], ["2", "2"]]
said = dict(re.findall(r'id="(rows|features|node-count|method|iterations|seed|worst)"[^>]*>(?:<[^>]*>)?([^<]*)<', page))
assert said == {"rows": "6", "features": str(model["features"]), "node-count": "3", "method": model["method"],
                "iterations": str(model["iterations"]), "seed": "0", "worst": f"{model['worst_residual']:.1e}"}, said
P

# ---- the command on it makes the same model again
mkdir bin again
ln -s "$(realpath "$EIGENMESH")" bin/eigenmesh
cp flowers.csv again
command_on() {
    python3 -c 'import html, re, sys
command = re.search(r"<pre id=\"command\"><code>(.*?)</code>", open(sys.argv[1], encoding="utf-8").read(), re.S)[1]
print(html.unescape(re.sub("</?span>", "", command)))' "$1"
}
command=$(command_on page.html)
(cd again && PATH=$PWD/../bin:$PATH bash -c "$command" >/dev/null) || fail "'$command' does not work"
python3 - model.npz again/model.npz <<'P' || fail "'$command' makes another model"
import sys, zipfile
one, other = (zipfile.ZipFile(path) for path in sys.argv[1:])
for name in ("components.npy", "explained_variance.npy", "mean.npy"): assert one.read(name) == other.read(name), name
P
mv flowers.csv "it's \$HOME.csv"
works fit "it's \$HOME.csv" -k 2 --report quoted.html
page_says quoted.html "eigenmesh fit 'it'\\''s \$HOME.csv' --report quoted.html"
mv "it's \$HOME.csv" flowers.csv

# ---- whatever a file is called: pasted, the command reads the same file and writes the same page
pasted() {
    local command title
    works fit -q -k 1 --report pasted.html -- "$@"
    command=$(command_on pasted.html)
    title=$(grep '<title>' pasted.html)
    rm pasted.html
    (PATH=$PWD/bin:$PATH bash -c "$command" >/dev/null) || fail "'$command' does not work"
    [[ $(grep '<title>' pasted.html) == "$title" ]] || fail "'$command' makes another page"
}
for name in -dash.csv '--quiet' $'a\tb\nc.csv' $'no \xff\xfe utf-8.csv' $'next\xc2\x85line.csv' $'hard\xc2\xa0blank.csv' $'-\x01\'\\!$x`.csv' \
    $'right\xe2\x80\xaeleft.csv' '~' '#no.csv' '虹 &amp;.csv'; do
    cp flowers.csv "./$name"
    pasted "$name"
    rm "./$name"
done
# However many there are, all of them and the options behind them.
long=$(printf '%050d' 7)
for ((n = 0; n < 400; n++)); do cp flowers.csv "$long$n.csv"; done
pasted "$long"*.csv
[[ $(command_on pasted.html | wc -c) -gt 20000 && $(command_on pasted.html) == *" --report pasted.html --quiet --components 1" ]] ||
    fail "the command is cut short: $(command_on pasted.html | tail -c 100)"
rm "$long"*.csv

# ---- rows are drawn only when somebody asks
works fit flowers.csv -k 2 --report shy.html
page_says shy.html "Rows are not on this page"
page_lacks shy.html 'class="private"'
page_lacks shy.html 'h.01'
page_lacks shy.html setosa
works fit flowers.csv -k 2 --report points.html --report-scores
page_says points.html "These are 6 rows."
page_lacks points.html setosa
refuses 2 "--label: there is no page to draw rows on" fit flowers.csv -k 2 --label species
refuses 2 "--report-scores: there is no page" fit flowers.csv -k 2 --report-scores
refuses 2 "--label kind: not in flowers.csv" fit flowers.csv -k 2 --report new.html --label kind
refuses 2 "page.html' is the file of" fit flowers.csv -k 2 -o page.html --report page.html
refuses 2 "flowers.csv' is the file of" fit flowers.csv -k 2 --report flowers.csv
refuses 2 "/nowhere/page.html" fit flowers.csv -k 2 -o new.npz --report /nowhere/page.html
refuses 2 "--report: the name is empty" fit flowers.csv -k 2 --report ""

# ---- of a model alone; to standard output; in JSON
works info model.npz --report alone.html
says "report    alone.html"
page_says alone.html "Which files these were, and what was left out of them, a model does not keep"
page_says alone.html "Who was linked with whom, a model does not keep"
# By whom, and when, it was found, is not by whom, and when, the page was made.
python3 - model.npz older.npz <<'P'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as of, zipfile.ZipFile(sys.argv[2], "w") as to:
    for name in of.namelist():
        bytes = of.read(name)
        if name == "version.npy": bytes = bytes.replace("0.".encode("utf-32-le"), "7.".encode("utf-32-le"), 1)
        to.writestr(name, bytes)
P
works info older.npz --report older.html
version=$("$EIGENMESH" --version | sed -n '1s/^eigenmesh \([0-9.]*\).*/\1/p')
page_says older.html "Versions model written by eigenmesh 7.${version#*.}; page by eigenmesh $version,"
page_says older.html "Page made 2"
page_says page.html "Versions eigenmesh $version,"
page_says page.html " Made 2"
run info model.npz --report -
[[ $status -eq 0 && $(head -n 1 "$out") == '<!DOCTYPE html>' && $(tail -n 1 "$out") == '</html>' ]] || fail "no page on stdout"
works fit flowers.csv -k 2 --report json.html --json
says '"report": "json.html"'

# ---- how it ended, in words
works generate -d 8 -N 400 -k 3 --gap 0.5 -o data.npy
works fit data.npy -k 3 -n 6 -m dsa --report settled.html
page_says settled.html "Settled. The method has come to rest near the answer"
page_says settled.html "asked for"
run fit data.npy -k 3 -n 6 -m krylov --iterations 1 --report short.html -o short.npz
[[ $status -eq 1 ]] || fail "one iteration is enough"
page_says short.html "Not finished."
run fit data.npy -k 3 -n 6 -m dsa --step 100 --report diverged.html
[[ $status -eq 1 ]] || fail "a step of 100 is no matter"
page_says diverged.html "Failed. The numbers grew without bound. Do not use these components."
# What an estimate is too far off to tell is not the data's fault; of a fit that came near it is.
python3 -c 'import random
random.seed(1)
for n in range(2000): print(",".join(f"{random.gauss(0, 2 ** k):.4f}" for k in (5, 4, 3, 2, 1, 0)))' >apart.csv
run fit apart.csv -k 3 -n 6 -m dsa --iterations 5 --report far.html
says "alike     the estimate is too far off to tell components 3 to 4 apart"
page_says far.html "This estimate is too far off to tell components 3 to 4 apart."
page_lacks far.html "explain nearly the same variance"
printf '1,0,0\n-1,0,0\n0,1,0\n0,-1,0\n0,0,.5\n0,0,-.5\n' >six.csv
works fit six.csv -k 3 --report six.html
page_says six.html "Components 1 to 2 explain nearly the same variance."
# Where rounding forbids what was asked for, no sentence says that it was reached.
works generate -d 6 -N 2000 -k 3 --gap 0.5 -o units.csv
awk 'BEGIN { FS = OFS = ","; CONVFMT = "%.17g" } { $1 *= 1e9; print }' units.csv >large.csv
works fit large.csv -k 3 -m krylov --report rounding.html
page_says rounding.html "Converged. The components are as accurate as numbers in a computer allow; 2 of them are less accurate than was asked for."
page_says rounding.html "2 components are less accurate than was asked for because numbers in a computer have no more digits"
page_lacks rounding.html "as accurate as was asked for"
# The page of a fit does not send anybody to the page of the fit.
for how in "-m deepca --iterations 3" "-m dsa --step 50"; do
    # shellcheck disable=SC2086 # several words
    run fit data.npy -k 3 -n 6 $how --report few.html
    page_says few.html "Fewer than three of these iterations have a number that tells how near they came"
    page_lacks few.html "the page of the fit itself"
done
# A run that was resumed is done again from its beginning, as there is no checkpoint any more.
resumed=(fit data.npy -k 3 -n 6 -m deepca --checkpoint run.ck --checkpoint-every 0)
run "${resumed[@]}" --iterations 6
[[ $status -eq 1 && -e run.ck ]] || fail "there is no checkpoint to resume from"
works "${resumed[@]}" --resume --report resumed.html -o resumed.npz
says "resumed   from iteration 5"
cp resumed.npz was.npz
command=$(command_on resumed.html)
[[ $command != *checkpoint* && $command != *resume\ * ]] || fail "a checkpoint is in '$command'"
(PATH=$PWD/bin:$PATH bash -c "$command" >/dev/null) || fail "'$command' does not work"
python3 - was.npz resumed.npz <<'P' || fail "'$command' makes another model"
import sys, zipfile
one, other = (zipfile.ZipFile(path) for path in sys.argv[1:])
assert one.read("components.npy") == other.read("components.npy")
P
# Neither a mean that was left in, nor what rounding hides, is said to be otherwise.
works fit data.npy -k 2 --no-center --report zero.html
page_says zero.html "Centre none: no mean was subtracted, as was asked for"
page_says zero.html "the mean of their squares"
page_lacks zero.html "differs between rows"
printf '1,0\n-1,0\n0,1\n0,-1\n' >level.csv
works fit level.csv -k 2 --report level.html
page_says level.html "Centre the mean of each feature over all rows was subtracted"
awk 'BEGIN { srand(1); for (n = 0; n < 50; n++) print rand() "e100," rand() "," rand() }' >units.csv
run fit units.csv -k 3 --report units.html
page_says units.html "The data has no variance beyond component 1 that could be told from rounding"
works fit data.npy -k 3 -n 4 --masks --report masked.html
page_says masked.html "Masks were simulated too, and hide nothing here."
page_lacks masked.html "hidden in random numbers"

# ---- a network that was played through on one machine is no proof of what left which
page_says page.html "This is a simulation on one machine"
page_says page.html "For the computation all simulated nodes together have sent these numbers"
page_lacks alone.html "simulation on one machine"
page_says alone.html "on as many machines or simulated on one: the model does not tell"
works fit flowers.csv -k 2 --report single.html
page_says single.html "One node, which has all of the data."
page_lacks single.html simulat
# Of moments nobody had the rows.
head -n 200 apart.csv >berlin.csv
tail -n 300 apart.csv >paris.csv
for site in berlin paris; do works moments $site.csv -o $site.moments.npz; done
works fit berlin.moments.npz paris.moments.npz -k 2 --report moments.html
page_says moments.html "This is a simulation on one machine , which had the data of all nodes. In it the data lies at 2 nodes"
page_lacks moments.html "had all rows"
# Nodes are called as their files are.
mkdir north south
head -n 4 flowers.csv >north/part.csv
{ head -n 1 flowers.csv && tail -n 3 flowers.csv; } >south/part.csv
cp south/part.csv other.csv
works fit north/part.csv other.csv -k 2 --report named.html
page_says named.html "part.csv 3 1 other.csv 3 1"
works fit north/part.csv south/part.csv -k 2 --report named.html
page_says named.html "north/part.csv 3 1 south/part.csv 3 1"
# What came by a pipe has to come again.
"$EIGENMESH" fit - -k 2 --report piped.html <flowers.csv >"$out"
[[ $(command_on piped.html) == *"# with the same on standard input" ]] || fail "who pastes the command does not know what to pipe"
# The tolerance is drawn where it is what the curve is to reach.
works fit data.npy -k 3 -n 6 -m krylov --trace krylov.csv --report curve.html
grep -q 'class="goal"' curve.html || fail "the tolerance is not drawn"
works fit data.npy -k 3 -n 6 -m dsa --trace dsa.csv --report curve.html
page_lacks curve.html 'class="goal"'

# ---- shapes
printf 'a,b,c\n1,,3\n4,5,\n7,8,9\n2,1,1\n' >holes.csv
works fit holes.csv -k 1 --missing mean --report holes.html --report-scores
page_says holes.html "2 values filled with the mean of the feature"
page_says holes.html "2 missing values in them count as the mean"
works fit holes.csv -k 1 --missing drop --report holes.html
page_says holes.html "2 ; 2 more left out for missing values"
works fit data.npy -k 8 --report all.html --report-scores
page_says all.html "Together the components hold 100% of what differs between rows"
works generate -d 250 -N 2000 -k 3 --gap 0.5 -o wide.npy
works fit wide.npy -k 200 --report many.html --report-scores
small many.html
works generate -d 4 -N 40000 -k 2 --gap 0.5 -o tall.npy
works fit tall.npy -k 2 -n 1024 -t scalefree:2 --report nodes.html --report-scores
page_says nodes.html "Of 40 000 rows these are 5 000, chosen by chance."
page_says nodes.html "1024 nodes, 2044 links."
small nodes.html
works fit tall.npy -k 2 -n 600 -t complete --report full.html
page_says full.html "So many are not drawn."
small full.html
awk 'BEGIN { srand(1); print "%%MatrixMarket matrix coordinate real general"; print 40, 100000, 4000
    for (n = 0; n < 4000; n++) print n % 40 + 1, n * 25 + 1, 1 + rand() }' >sparse.mtx
works fit sparse.mtx -k 3 --report sparse.html --report-scores
page_says sparse.html "features 100 000"
small sparse.html
# Columns without names are counted as --columns counts them, and features as info --loadings does.
works fit apart.csv -k 1 --columns 3-5 --report bare.html -o bare.npz
page_says bare.html "column 0 (from 0) as asked column 1 (from 0) as asked column 2 (from 0) as asked How much"
page_says bare.html "they are counted from 0, in the order in which their columns were used."
"$EIGENMESH" info bare.npz --loadings bare.tsv >"$out"
python3 - <<'P' || fail "features are counted in another way than in the loadings"
import re
page = open("bare.html", encoding="utf-8").read()
shown = dict(re.findall(r"<bdi>feature (\d+)</bdi>.*?<td>([-+][\d.]+)</td>", page))
known = dict(line.split() for line in open("bare.tsv") if line[0].isdigit())
assert shown == {feature: f"{float(weight):+.3f}" for feature, weight in known.items()}, (shown, known)
P
page_lacks page.html "counted from 0"
# Labels: two dozen of them, numbers, and one letter of each script.
awk 'BEGIN { OFS = ","; print "x,y,z,many,number"; for (n = 0; n < 240; n++) print sin(n), cos(3 * n), n % 7, "class" n % 24, n / 7 }' >labels.csv
works fit labels.csv --columns x,y,z -k 2 --report labels.html --label many
page_says labels.html "9 others 90"
works fit labels.csv --columns x,y,z -k 2 --report labels.html --label number
page_says labels.html "0 to 4.27"
# One number in many forms is no scale, and years have all their digits.
awk 'BEGIN { OFS = ","; print "x,y,z,same,year"
    for (n = 0; n < 240; n++) print sin(n), cos(3 * n), n % 7, "1." substr("00000000000000000000", 1, 1 + n % 20), 2001 + n % 20 }' >numbers.csv
works fit numbers.csv --columns x,y,z -k 2 --report labels.html --label same
page_says labels.html "5 others 60"
works fit numbers.csv --columns x,y,z -k 2 --report labels.html --label year
page_says labels.html "2001 to 2003"
# A label that nobody has is told as one that some lack.
awk 'BEGIN { print "x,y,z,ward"; for (n = 0; n < 24; n++) printf "%f,%f,%d,NA\n", sin(n), cos(3 * n), n % 7 }' >nobody.csv
works fit nobody.csv -k 2 --report labels.html --label ward
page_says labels.html "ward no label 24"
grep -q '<path class="none" d="M' labels.html || fail "points without a label look as if they had one"
page_lacks labels.html 'class="c1'
# Components without variance are not drawn: there rows lie where rounding puts them.
awk 'BEGIN { for (n = 0; n < 60; n++) printf "%.17g,%.17g,%.17g\n", sin(n), 2 * sin(n), 4 * sin(n) }' >line.csv
works fit line.csv -k 3 --report line.html --report-scores
page_says line.html "Components 2 to 3 are not drawn: they have no variance that could be told from rounding."
[[ $(grep -o 'aria-label="60 rows as points, [^"]*"' line.html) == 'aria-label="60 rows as points, along component 1"' ]] ||
    fail "rounding is drawn"
awk 'BEGIN { for (n = 0; n < 60; n++) printf "%.17g,%.17g,%.17g\n", sin(n), cos(3 * n), 2 * sin(n) }' >plane.csv
works fit plane.csv -k 3 --report plane.html --report-scores
page_says plane.html "Component 3 is not drawn: it has no variance"
grep -q 'aria-label="60 rows as points, along components 1 and 2"' plane.html || fail "what has variance is not drawn"
page_lacks labels.html "not drawn"
# Of one component the other direction means nothing.
works fit labels.csv --columns x,y,z -k 1 --report one.html --report-scores
grep -q 'aria-label="240 rows as points, along component 1"' one.html || fail "one component is called two"
python3 - <<'P' || fail "what means nothing has numbers"
page = open("one.html", encoding="utf-8").read()
assert '<text class="end"' not in page[page.index('id="scores"'):].split("</svg>")[0]
P
