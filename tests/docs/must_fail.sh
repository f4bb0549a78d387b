#!/usr/bin/env bash
# A page that is not true is noticed by typed.py, and one that is true is not.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
readonly here scratch

cat >"$scratch/page.md" <<'END'
# A page

```text numbers.txt
1 2.50 3e-10
```

Some words.

    $ mkdir -p below && cd below
    $ cat ../numbers.txt
    1 2.51 7e-12
    $ cat <<WORDS
    one
    two, 3 s
    WORDS
    one
    two, 4 s
    one$ echo "$PWD" | sed 's,.*/,,'
    below
    two$ printf 'a\nb\nc\n'
    ...
    c
    $ eigenmesh fit nowhere.csv -k 1
    eigenmesh: nowhere.csv: cannot be read (No such file or directory); try ...
END

# typed STATUS WORDS [SED]: the page, changed so, ends with these words.
typed() {
    local status=0
    sed "${3:-}" "$scratch/page.md" >"$scratch/changed.md"
    python3 "$here/typed.py" "$scratch/changed.md" >"$scratch/log" 2>&1 || status=$?
    [[ $status -eq $1 && $(tail -n 1 "$scratch/log") == "$2"* ]] || { cat "$scratch/log"; echo "$status, and not: $1, $2"; exit 1; }
}

command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
typed 0 "ok: 6 commands of changed.md, 5 with what they print"
typed 1 "the page says that one sees: 2 2.51 7e-12" 's/^    1 2.51/    2 2.51/'
typed 1 "the page says that one sees: 1 2.52 7e-12" 's/2\.51/2.52/'
typed 1 "the page says that one sees: 1 2.51 seven" 's/7e-12/seven/'
typed 1 "the page says that one sees: two, 4 min and more" 's/two, 4 s/two, 4 min and more/'
typed 1 "the page says that one sees: nothing after: b" '/^    two\$/,/^    c/s/\.\.\./a/; /^    c$/d'
typed 1 "the page says that one sees: above" 's/^    below$/    above/'
typed 1 "its status is 1" 's/mkdir -p below/false/'
typed 1 "its status is 2" '/^    eigenmesh: /d'
typed 1 "nobody types this block in: words" 's/^Some words\.$/    words/'
