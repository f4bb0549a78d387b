#!/usr/bin/env bash
# The page of --report in a browser: it renders from the file alone, in light, dark, narrow and on paper; nothing is in the console;
# and what the browser shows are the numbers of the model.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

if ! command -v chromium >/dev/null; then
    echo "skipped: chromium is not installed"
    exit 77
fi

browser() {
    HOME=$scratch chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update \
        --disable-sync --user-data-dir="$(mktemp -d "$scratch/profile.XXXX")" --enable-logging=stderr --virtual-time-budget=5000 \
        "$@" 2>browser.log
    ! grep CONSOLE browser.log || fail "the browser's console has something to say"
}

# Names that would run where they are taken for HTML, and letters of several scripts.
awk 'BEGIN { print "<script>document.title=\"owned\"</script>,\"\"\"><img src=x onerror=document.title=1>\",名前の列,الطول,e,kind"
    split("<b>one</b>,二,ثلاثة,four", kind, ",")
    for (n = 0; n < 400; n++) printf "%.4f,%.4f,%.4f,%.4f,%.4f,%s\n", sin(n), cos(3 * n) + n % 4, sin(n * n), n % 7, cos(n) * sin(2 * n), kind[n % 4 + 1] }' >data.csv
works fit data.csv -k 4 -n 9 -t grid:3x3 -m deepca --report page.html --label kind -o model.npz
works info model.npz --json
cp "$out" model.json

# As it is: with the policy that lets nothing run.
browser --dump-dom "file://$PWD/page.html" >plain.html
grep -q '<title>Principal components of data.csv</title>' plain.html || fail "the title is another one"
! grep -qE '<(img|b|script)[ >]' plain.html || fail "a name has become a tag"

# A copy that tells what was made of it; without the policy, which would not let it.
# shellcheck disable=SC2016 # what looks like variables is JavaScript
sed -e '/Content-Security-Policy/d' -e 's|</body>|<script>addEventListener("load", () => {\
 const pictures = [...document.querySelectorAll("figure svg")], seen = e => e.getBoundingClientRect();\
 const outside = [...document.querySelectorAll("figure svg text")].filter(t => seen(t).right > innerWidth + 1 \|\| seen(t).left < -1);\
 const rows = [...document.querySelectorAll("#components tbody tr")].map(r => [...r.cells].map(c => c.innerText.trim()));\
 document.title = JSON.stringify({pictures: pictures.length, shown: pictures.filter(p => seen(p).width > 200 \&\& seen(p).height > 100).length,\
 overflow: document.documentElement.scrollWidth > innerWidth,\
 cut: [...document.querySelectorAll(".wide")].filter(w => w.scrollWidth > w.clientWidth + 1).length, outside: outside.length, rows: rows,\
 names: [...document.querySelectorAll(".loadings th")].map(t => t.innerText), ground: getComputedStyle(document.body).backgroundColor,\
 ink: getComputedStyle(document.querySelector("main")).color, share: document.querySelector("#share").innerText,\
 legend: [...document.querySelectorAll(".legend bdi")].map(t => t.innerText)}); });</script></body>|' page.html >told.html

check() {
    python3 - "$1" model.json "$2" <<'P' || fail "the browser shows something else ($1, $2)"
import html, json, re, sys
told = json.loads(html.unescape(re.search("<title>(.*?)</title>", open(sys.argv[1], encoding="utf-8").read(), re.S)[1]))
model, how = json.load(open(sys.argv[2])), sys.argv[3]
assert told["pictures"] == told["shown"] == 5, told  # variances, two of scores, network, curve
assert not told["overflow"] and told["outside"] == 0, told
assert how == "telephone" or told["cut"] == 0, told  # where a table may have to be moved
for row, known in zip(told["rows"], model["components"], strict=True):
    assert row[:5] == [str(known["component"]), f"{known['variance']:.6g}", f"{100 * known['ratio']:.2f}%",
                       f"{100 * known['cumulative']:.2f}%", f"{known['residual']:.1e}"], (row, known)
assert told["share"] == f"{100 * model['components'][-1]['cumulative']:.3g}%", told["share"]
assert set(told["names"]) == set(model["feature_names"]), told["names"]
assert told["legend"] == ["kind", "<b>one</b>", "four", "ثلاثة", "二"], told["legend"]
dark = how == "dark"
light = [sum(int(n) for n in re.findall(r"\d+", told[of])[:3]) > 380 for of in ("ground", "ink")]
assert light == [not dark, dark], told
P
}
for width in 1280 500; do
    browser --window-size="$width",900 --dump-dom "file://$PWD/told.html" >seen.html
    check seen.html "$width"
done
browser --window-size=1280,900 --blink-settings=preferredColorScheme=0 --dump-dom "file://$PWD/told.html" >seen.html
check seen.html dark

# On a telephone, which is narrower than a window can be.
printf '<!DOCTYPE html><body><iframe src="told.html" style="width:360px;height:800px"></iframe><script>addEventListener("load", () =>
    setTimeout(() => { document.title = document.querySelector("iframe").contentDocument.title; }, 100));</script></body>' >frame.html
browser --allow-file-access-from-files --dump-dom "file://$PWD/frame.html" >seen.html
sed -i 's|<head>|<head><title></title>|' seen.html
python3 -c 'import re, sys
text = open("seen.html", encoding="utf-8").read()
titles = re.findall("<title>(.*?)</title>", text, re.S)
open("seen.html", "w", encoding="utf-8").write("<title>" + max(titles, key=len) + "</title>")'
check seen.html telephone

# And on paper.
browser --no-pdf-header-footer --print-to-pdf=page.pdf "file://$PWD/page.html"
[[ $(head -c 5 page.pdf) == "%PDF-" && $(stat -c %s page.pdf) -gt 20000 ]] || fail "the page does not print"

# Large numbers, long names: no text of a picture lies on another or leaves it, no table has to be moved, and the command breaks at blanks
# and is copied as it is, in a window and on telephones.
python3 - <<'P'
import random
random.seed(1)
def table(name, columns, rows):
    with open(name, "w") as out:
        print(",".join(columns), file=out)
        for row in rows: print(",".join(str(cell) for cell in row), file=out)
sizes = [1e9, 3e8, 1e8]
table("large.csv", "abc", ([random.gauss(0, s) for s in sizes] for n in range(300)))
table("huge.csv", "abc", ([random.gauss(0, s) * 1e141 for s in sizes] for n in range(300)))
table("far.csv", "abcd", ([1e6 + random.gauss(0, 1)] + [random.gauss(0, s / 1e8) for s in sizes] for n in range(300)))
table("names.csv", [f"feature_{n}_" * 25 for n in range(9)] + ["where"],
      ([random.gauss(0, 9 - k) for k in range(9)] + [f"university-clinic-{n % 9}"] for n in range(300)))
P
works fit large.csv -k 3 --report large.html --report-scores
works fit huge.csv -k 3 --report huge.html --report-scores
works fit far.csv -k 4 --no-center --report far.html --report-scores
works fit names.csv -k 8 --report names.html --label where
works fit names.csv -k 1 --report strips.html --label where
# shellcheck disable=SC2016 # what looks like variables is JavaScript
wrong='<script>addEventListener("load", () => { const wrong = [];
 for (const picture of document.querySelectorAll("figure svg")) { const texts = [...picture.querySelectorAll("text")], frame = picture.getBoundingClientRect();
  texts.forEach((text, n) => { const one = text.getBoundingClientRect();
   if (one.left < frame.left - 1 \|\| one.right > frame.right + 1) wrong.push(text.textContent + " leaves");
   texts.slice(n + 1).forEach(t => { const other = t.getBoundingClientRect(), slack = 3;
    if (one.left + slack < other.right \&\& other.left + slack < one.right \&\& one.top + slack < other.bottom \&\& other.top + slack < one.bottom)
     wrong.push(text.textContent + " on " + t.textContent); }); }); }
 for (const table of document.querySelectorAll(".wide")) if (table.scrollWidth > table.clientWidth) wrong.push("a table of " + table.scrollWidth + " in " + table.clientWidth);
 const command = document.querySelector("#command"), lines = document.createRange(), words = [...command.querySelectorAll("span")];
 for (const word of words) { lines.selectNodeContents(word);
  if (word.textContent.length < 24 \&\& lines.getClientRects().length > 1) wrong.push(word.textContent + " is broken"); }
 lines.selectNodeContents(command); getSelection().addRange(lines);
 if (words.length < 7 \|\| getSelection().toString() !== command.textContent) wrong.push(getSelection() + " is copied");
 if (document.documentElement.scrollWidth > innerWidth) wrong.push("page"); document.title = wrong.join("; ") \|\| "all is well"; });</script></body>'
for page in large huge far names strips; do
    sed -e '/Content-Security-Policy/d' -e "s|</body>|${wrong//$'\n'/\\$'\n'}|" "$page.html" >"$page.told.html"
    for width in 1280 390 320; do
        printf '<!DOCTYPE html><title></title><body><iframe src="%s.told.html" style="width:%dpx;height:800px;border:0"></iframe><script>addEventListener("load", () =>
            setTimeout(() => { document.title = document.querySelector("iframe").contentDocument.title; }, 100));</script></body>' $page $width >frame.html
        browser --allow-file-access-from-files --window-size=1400,900 --dump-dom "file://$PWD/frame.html" >seen.html
        grep -q '<title>all is well</title>' seen.html || fail "$page at $width: $(grep -o '<title>.*</title>' seen.html)"
    done
done

# Squares are on paper as they are on the screen: their colour is there.
if command -v pdftoppm >/dev/null; then
    works fit names.csv -k 2 --report squares.html --label where
    browser --no-pdf-header-footer --print-to-pdf=squares.pdf "file://$PWD/squares.html"
    pdftoppm -r 60 squares.pdf sheet
    python3 - sheet*.ppm <<'P' || fail "classes of squares are not on paper"
import sys
def near(pixel, wanted): return all(abs(a - b) < 60 for a, b in zip(pixel, wanted))
found = 0
for name in sys.argv[1:]:
    pixels = open(name, "rb").read().split(b"\n", 3)[3]
    found += sum(near(pixels[n:n + 3], (0xcc, 0x79, 0xa7)) for n in range(0, len(pixels), 3))  # the fourth class
assert found > 30, found
P
fi

# The pages of a model alone, and of one component.
works info model.npz --report alone.html
works fit data.csv -k 1 --report one.html --label kind
for page in alone one; do
    browser --dump-dom "file://$PWD/$page.html" >seen.html
    grep -q '<h2>What the words mean</h2>' seen.html || fail "$page.html does not come to its end"
done
