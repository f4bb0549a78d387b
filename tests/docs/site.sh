#!/usr/bin/env bash
# Make the site and see that it is whole (check_site.py); and that one which is not is noticed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
readonly here project scratch

for need in python3 cmark-gfm mandoc; do
    command -v "$need" >/dev/null || { echo "skipped: there is no $need"; exit 77; }
done

# noticed WHAT WORDS: what was done to the copy of the site is told in these words.
noticed() {
    if python3 "$here/check_site.py" "$scratch/copy" "$project" >"$scratch/log"; then
        echo "nobody noticed $1" >&2
        exit 1
    fi
    grep -qF -- "$2" "$scratch/log" || { cat "$scratch/log"; exit 1; }
    cp "$scratch/site/speed.html" "$scratch/site/accuracy.html" "$scratch/copy"
}

"$project/scripts/docs" "$scratch/site"
python3 "$here/check_site.py" "$scratch/site" "$project"

cp -r "$scratch/site" "$scratch/copy"
rm "$scratch/copy/speed.html"
noticed "a page that is missing" "speed.html is not there"
sed -i 's/id="verdicts"/id="other"/' "$scratch/copy/accuracy.html"
noticed "an anchor that is missing" "accuracy.html: #verdicts has no such anchor"
sed -i 's|<main|<img src="https://example.org/a.png"><main|' "$scratch/copy/accuracy.html"
noticed "a picture from outside" "accuracy.html: loads https://example.org/a.png"
cp "$scratch/site/speed.html" "$scratch/copy/orphan.html"
noticed "a page that nothing leads to" "orphan.html: nothing leads there"
