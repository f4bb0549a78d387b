#!/usr/bin/env bash
# The first study of docs/studies.md, by the commands that stand there: docs.sh EIGENMESH
#
# Before a block of the page a comment says what it is: "docs.sh runs:" commands, as they stand; "docs.sh starts: SITE" those of a
# terminal; "docs.sh sees:" (of what ran last) or "docs.sh sees: SITE" lines that must be seen, in this order, whatever the numbers.
page=$(cd "$(dirname "$0")/../.." && pwd)/docs/studies.md
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$(realpath "$1")"
mkdir bin steps
ln -s "$program" bin/eigenmesh
PATH=$work/bin:$PATH
port=$(free_ports 1)

# One file a block, named by its place and what it is, as 03-starts-paris; the page's port may be taken here.
awk '/^<!-- docs\.sh / {
         split($0, word, /[ :]+/); kind = word[3]; site = word[4] == "-->" ? "" : "-" word[4]
         file = sprintf("steps/%02d-%s%s", ++count, kind, site); inside = 0; next
     }
     file && /^    / { inside = 1; print substr($0, 5) > file; next }
     file && /^$/ { if (inside) print "" > file; next }
     file { close(file); file = "" }' "$page"
[[ $(find steps -name '*-runs*' | wc -l) -ge 4 && $(find steps -name '*-starts*' | wc -l) -eq 3 ]] ||
    fail "the commands were not found on the page"
sed -i "s/\b7473\b/$port/g" steps/*

# Keys, fingerprints and numbers are other ones each time; blanks follow from them.
plainly() {
    sed -E 's/em1[a-z0-9]{58}/ID/g; s/([0-9a-f]{4} ){9}[0-9a-f]{4}/FINGERPRINT/g; s/[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?/0/g;
        s/ (us|ms|s) / TIME /g; s/ +/ /g; s/ $//' "$1"
}

# sees OUTPUT LINES: all of them but "..." and empty ones, in their order.
sees() {
    local line at=0 found
    plainly "$1" >plain.out
    while IFS= read -r line; do
        [[ -n $line && $line != ... ]] || continue
        found=$(awk -v from="$at" -v wanted="$line" 'NR > from && $0 == wanted { print NR; exit }' plain.out)
        [[ -n $found ]] || { cat "$1" >&2; fail "the page says that one sees: $line"; }
        at=$found
    done < <(plainly "$2")
    [[ $at -gt 0 ]] || fail "there is nothing to be seen in $2"
}

# Where the outputs are, which are shown if one does not.
all_ended() {
    local site
    cd "$work"
    for site in "${!pid[@]}"; do ends "$site" 0; done
    pid=()
    cd "$(cat "$work/where")"
}

for step in "$work"/steps/*; do
    name=$(basename "$step")
    site=${name##*-}
    case $name in
    *-starts-*)
        bash -eu "$step" >"$work/err.$site" 2>&1 </dev/null &
        pid[$site]=$!
        ;;
    *-sees-*)
        all_ended
        sees "$work/err.$site" "$step"
        ;;
    *-sees) sees "$work/out" "$step" ;;
    *-runs)
        bash -eu -c 'source "$1"; pwd >"$2"' - "$step" "$work/where" >"$work/out" 2>&1 </dev/null ||
            { cat "$work/out" >&2; fail "$(cat "$step")"; }
        cd "$(cat "$work/where")"
        ;;
    esac
done
echo "ok: $(find "$work/steps" -type f | wc -l) blocks of docs/studies.md"
