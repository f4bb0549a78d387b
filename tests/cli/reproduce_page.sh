#!/usr/bin/env bash
# The page that reproduce writes, in a browser: it loads from the file alone, every picture shows, nothing goes wrong.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

if ! command -v gnuplot >/dev/null || ! command -v chromium >/dev/null; then
    echo "skipped: gnuplot or chromium is not installed"
    exit 77
fi

works reproduce fig1a fig2 --trials 2 --iterations 40 -o made

# Nothing on the page may come from elsewhere, but for links to what lies beside it.
! grep -oE '(src|href)="[^"#][^"]*"' made/index.html | grep -vE '="(data:,"|data:image/svg\+xml;base64,|[a-z0-9.-]+\.(csv|svg)")' ||
    fail "the page refers to something outside"
while read -r file; do
    [[ -s made/$file ]] || fail "the page links to $file, which is not there"
done < <(grep -oE 'href="[a-z0-9.-]+\.(csv|svg)"' made/index.html | sed 's/.*"\(.*\)"/\1/')

# A copy that tells what the browser made of it: pictures, those that loaded and have a size, and the claims' rows.
# Its own folder, so that it cannot be helped by the files beside the original.
mkdir alone
# shellcheck disable=SC2016 # what looks like variables is JavaScript
sed 's|</body>|<script>addEventListener("load", () => { const p = [...document.images]; document.title =\
 `pictures ${p.length} shown ${p.filter(i => i.complete \&\& i.naturalWidth > 100 \&\& i.getBoundingClientRect().width > 100\
 \&\& i.alt.length > 20).length} claims ${document.querySelectorAll("article.claim").length}\
 overflow ${document.documentElement.scrollWidth > innerWidth}`; });</script></body>|' made/index.html >alone/index.html

# browse WIDTH: the page's DOM after it has loaded; what went wrong is in browser.log.
browse()
{
    chromium --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" --window-size="$1",900 \
        --enable-logging=stderr --virtual-time-budget=10000 --dump-dom "file://$PWD/alone/index.html" \
        2>browser.log
}

pictures=$(compgen -G 'made/*.svg' | wc -l)
for width in 1280 500; do
    title=$(browse "$width" | tr -s '\n ' '  ' | sed -n 's|.*<title>\([^<]*\)</title>.*|\1|p')
    [[ $title == "pictures $pictures shown $pictures claims "*" overflow false" ]] ||
        fail "at $width pixels the browser sees: '$title'"
    ! grep CONSOLE browser.log || fail "the browser's console has something to say"
done

# And on paper.
chromium --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" --print-to-pdf=page.pdf \
    "file://$PWD/made/index.html" 2>/dev/null
[[ $(head -c 5 page.pdf) == "%PDF-" && $(stat -c %s page.pdf) -gt 20000 ]] || fail "the page does not print"
