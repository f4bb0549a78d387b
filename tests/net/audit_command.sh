#!/usr/bin/env bash
# `eigenmesh audit check`, as a user types it, on the logs that the fuzzer begins with: tests/net/audit_command.sh EIGENMESH
set -euo pipefail
program=$1
corpus=$(cd "$(dirname "$0")/../fuzz/corpus/net_audit" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# In the corpus two logs lie in one file, with a 0 between.
part() {
    tr '\0' '\f' <"$corpus/$1" | awk -v part="$2" 'BEGIN { RS = "\f" } NR == part { printf "%s", $0 }' >"$3"
}

# expect STATUS TEXT ARGUMENT...: what the command says, and how it ends.
expect() {
    local wanted=$1 text=$2 status=0 said
    shift 2
    said=$("$program" audit check "$@" 2>&1) || status=$?
    if [[ $status -ne $wanted || $said != *"$text"* ]]; then
        echo "audit check $*: status $status (wanted $wanted), '$said' (wanted '$text' in it)"
        exit 1
    fi
}

part both 1 berlin.log
part both 2 paris.log
expect 0 "2 logs: nothing found" berlin.log paris.log
expect 0 "1 log: nothing found" paris.log
expect 0 '"findings": []' berlin.log paris.log --json

head -n 5 paris.log >cut.log
expect 0 "nothing found" cut.log
expect 1 "cut.log (paris), line 5: the log ends here without the model" berlin.log cut.log
expect 1 "eigenmesh: audit check: 1 finding in 2 logs" berlin.log cut.log --quiet
sed '4s/"bytes":16/"bytes":17/' paris.log >changed.log
expect 1 "changed.log (paris), line 4: changed" changed.log
expect 1 "block 0 to paris is another one than what arrived, in line 4 of changed.log" berlin.log changed.log
sed 4d paris.log >missing.log
expect 1 "missing.log (paris), line 4: missing" missing.log --json
printf '{"n":8,"ti' | cat paris.log - >torn.log
expect 1 "torn.log (paris), line 8: torn, not changed" torn.log
part other 1 other.log
expect 1 "paris.log (paris): of another study" other.log paris.log

expect 2 "cannot be opened" berlin.log nothing.log
expect 2 "no line of it is one of an audit log" "$corpus/../edges/"*
expect 2 "is no file" .
expect 2 "LOG is missing"
