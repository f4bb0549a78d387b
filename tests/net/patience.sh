#!/usr/bin/env bash
# A site that never comes, or goes away for good: the others end when their patience is out, with status 1 and the name of the site
# that is really awaited, also where it is behind others; and the study can be taken up again.
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$1"

# all_await SITE N...: these end with 1, and say that they waited for it.
all_await() {
    local site=$1 n
    shift
    for n in "$@"; do ends "$n" 1; done
    for n in "$@"; do
        grep -q "waited for $site as long as patience lasts" "err.$n" || fail "site $n does not say that it waited for $site"
    done
}

# The tree is 0 - 1 - 3 and 0 - 2: for site 2, site 3 is three links away.
patience=5s
study_of 4 "components = 2" "method = dsa" "iterations = 4000" "tolerance = 0"
for n in 0 1 2; do start "$n"; done
all_await s3 0 1 2
echo "ok: one never comes"

rm -f err.*
for n in 1 2 3; do start "$n"; done
all_await s0 1 2 3
echo "ok: the root never comes"

# In the middle.
in_the_middle() {
    local tries=0
    until grep -q '"what":"block"' state.3/*/*/log 2>/dev/null; do
        ((++tries < 300)) || fail "no block is sent"
        sleep 0.1
    done
    sleep 0.3
    kill "-$1" "${pid[3]}"
}
rm -f err.*
for n in 0 1 2 3; do start "$n"; done
in_the_middle KILL
all_await s3 0 1 2
echo "ok: one goes away for good"

# It is there, and does nothing; when the others have gone, it wakes up and is alone.
rm -rf err.* state.*
for n in 0 1 2 3; do start "$n"; done
in_the_middle STOP
all_await s3 0 1 2
kill -CONT "${pid[3]}"
all_await s1 3
echo "ok: one falls asleep"

rm -f err.*
patience=120s
all_start 4
all_end_well 4
logs_agree
echo "ok: taken up again"
