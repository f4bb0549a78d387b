#!/usr/bin/env bash
# The site in a browser, as narrow as a telephone and as wide as a screen, light and dark: no page is wider than that, and nothing is in
# the console.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
readonly project scratch

for need in python3 cmark-gfm mandoc chromium; do
    command -v "$need" >/dev/null || { echo "skipped: there is no $need"; exit 77; }
done

"$project/scripts/docs" "$scratch/site"
cd "$scratch"

# seen WIDTH [BROWSER_OPTION...]: all pages one after the other in a frame of that width; their number, those that are wider, and grounds.
seen() {
    local width=$1
    shift
    {
        # shellcheck disable=SC2016 # what looks like variables is JavaScript
        printf '<!DOCTYPE html><title></title><iframe style="width:%dpx;height:800px"></iframe><script>
            const pages = [%s], frame = document.querySelector("iframe"), wide = [], grounds = new Set();
            let at = 0;
            frame.onload = () => {
                const page = frame.contentDocument, root = page.documentElement;
                if (root.scrollWidth > frame.clientWidth + 1) wide.push(pages[at]);
                grounds.add(getComputedStyle(page.body).backgroundColor);
                if (++at < pages.length) frame.src = pages[at];
                else document.title = `${at} pages; wide: ${wide}; ground: ${[...grounds]}`;
            };
            frame.src = pages[0];
        </script>' "$width" "$(find site -name '*.html' -printf '"%p",')"
    } >frame.html
    HOME=$scratch chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update \
        --disable-sync --user-data-dir="$(mktemp -d "$scratch/profile.XXXX")" --enable-logging=stderr --allow-file-access-from-files \
        --window-size=1400,900 --virtual-time-budget=60000 "$@" --dump-dom "file://$scratch/frame.html" 2>browser.log >dom.html
    ! grep CONSOLE browser.log || { echo "the browser's console has something to say"; exit 1; }
    sed -n 's|.*<title>\(.*\)</title>.*|\1|p' dom.html
}

# looks WORDS SEEN: what was seen is this.
looks() {
    [[ $2 == "$1" ]] || { echo "seen: $2"; echo "not:  $1"; exit 1; }
}

count=$(find site -name '*.html' | wc -l)
looks "$count pages; wide: ; ground: rgb(255, 255, 255)" "$(seen 360)"
looks "$count pages; wide: ; ground: rgb(255, 255, 255)" "$(seen 1280)"
looks "$count pages; wide: ; ground: rgb(20, 24, 31)" "$(seen 360 --blink-settings=preferredColorScheme=0)"
echo "ok: $count pages"
