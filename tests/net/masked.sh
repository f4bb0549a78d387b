#!/usr/bin/env bash
# Studies with masks, as they are typed: the model is that without them, bit for bit the same at all sites; each site's own policy is
# kept before anything leaves that it is about; and logs show what was asked.
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$1"
masks=yes
options=(--threads 1)

begin() { # M line...: a new study
    rm -rf state.* err.* model.*
    study_of "$@"
}

end_others() {
    local n
    for n in "$@"; do kill -KILL "${pid[$n]}" 2>/dev/null || true; done
    for n in "$@"; do wait "${pid[$n]}" 2>/dev/null || true; done
}

log_of() { echo state."$1"/*/*/log; }

# sums N: the kinds of its masked sums, in their order.
sums() { sed -n 's/.*"what":"sum".*"kind":"\([a-z]*\)".*/\1/p' state."$1"/*/*/log | tr '\n' ' '; }

says() { grep -qF -- "$2" "$1" || fail "$1 does not say: $2"; }

# near A B VECTORS: the same mean and variances, to 1e-12; components to this.
near() {
    /usr/bin/python3 - "$@" <<'P' || fail "masks change the answer"
import sys
import numpy as np
a, b = np.load(sys.argv[1]), np.load(sys.argv[2])
def off(name): return np.max(np.abs(a[name] - b[name])) / (np.max(np.abs(b[name])) or 1)
print("     mean %.1e, variances %.1e, components %.1e" % tuple(map(off, ("mean", "explained_variance", "components"))))
assert a["n_samples"] == b["n_samples"]
assert off("mean") < 1e-12 and np.allclose(a["explained_variance"], b["explained_variance"], rtol=1e-12, atol=0)
assert np.allclose(a["scale"], b["scale"], rtol=1e-12, atol=0) and off("components") < float(sys.argv[3])
P
}

# ---- the same answer ------------------------------------------------------------------------------------------------------------

# both M VECTORS line...: with masks and without.
both() {
    local vectors=$2 sites=$1
    shift 2
    begin "$sites" "$@"
    all_start "$sites"
    all_end_well "$sites"
    [[ " $* " == *scale* || " $* " == *center* ]] || model_is_right
    logs_agree
    cp model.0.npz masked.npz
    for ((n = 0; n < sites; n++)); do
        grep -qE '^columns of C answered: [1-9][0-9]* of 20( .* were asked for.)?$' "out.$n" || fail "site $n does not say what it answered"
        grep -q '"what":"begin".*"masks":"yes"' "$(log_of "$n")" || fail "site $n does not log that there are masks"
    done
    sed -i 's/^masks = yes/masks = no/' heart.study
    rm -rf state.*
    all_start "$sites"
    all_end_well "$sites"
    grep -q '"what":"begin".*"masks":"no"' "$(log_of 0)" || fail "that there are no masks is not logged"
    near masked.npz model.0.npz "$vectors"
    echo "ok: $sites sites, $*"
}

both 3 1e-9 "components = 3" "tolerance = 1e-11"
both 5 1e-9 "components = 4" "method = krylov" "tolerance = 1e-11" "scale = std"
both 4 1e-11 "components = 3" "method = covariance"
both 3 1e-9 "components = 0.9" "tolerance = 1e-11"
both 3 1e-9 "components = 2" "tolerance = 1e-11" "center = no"

# Columns in another order.
begin 3 "components = 3" "tolerance = 1e-11"
python3 - <<'P'
rows = [line.strip().split(",") for line in open("data.2.csv")]
with open("data.2.csv", "w") as out:
    for row in rows: print(",".join(row[::-1]), file=out)
P
all_start 3
all_end_well 3
model_is_right
logs_agree
echo "ok: columns in another order"

# Done is done; --again is a new run, and the columns count on.
answered=$(od -An -tu8 state.1/*/*/answered | tr -d ' ')
all_start 3 --again --json
all_end_well 3
python3 - "$answered" <<'P' || fail "columns are not counted over runs"
import json, sys
end = json.load(open("out.1"))
assert end["masks"] is True and end["columns"] == 20, end
assert end["columns_answered"] == 2 * int(sys.argv[1]), (end["columns_answered"], sys.argv[1])
P
logs_agree
echo "ok: columns are counted over runs"

# A rehearsal sends nothing, and no rows are noted.
begin 3 "components = 3"
all_start 3 --dry-run
for n in 0 1 2; do ends "$n" 0; done
grep -lE '"what":"(block|sum)"' state.*/*/*/log && fail "something left in a rehearsal"
[[ -z $(find . -name own-rows) ]] || fail "a rehearsal noted the rows"
echo "ok: rehearsal"

# ---- policies ---------------------------------------------------------------------------------------------------------------------

# Before it dials: the number of sites, and what is refused without masks.
begin 3 "components = 3"
start 1 --minimum-sites 4
ends 1 2
says err.1 "is between 3 sites, and this site takes part where there are 4 or more (--minimum-sites)"
[[ -z $(find . -path './state.1/*') ]] || fail "a site that is too few sites began"
sed 's/^masks = yes/masks = no/' heart.study >plain.study
for option in minimum-rows maximum-columns; do
    "$program" node plain.study data.1.csv --key key.1 --state "$PWD/state.1" --$option 5 >out.1 2>err.1 &&
        fail "--$option is taken without masks"
    says err.1 "has no masks, and without them --$option cannot be kept"
done
all_start 3 --minimum-sites 3 --minimum-rows 231 --maximum-columns 1000 # 40 + 77 + 114 rows
all_end_well 3
echo "ok: minimum-sites, and policies that are content"

# Too few rows: no sum but that of the rows has left.
begin 3 "components = 3"
start 0
start 1
start 2 --minimum-rows 232
ends 2 2
says err.2 "all sites together have 231 rows, and this site takes part where there are 232 or more (--minimum-rows)"
for ((n = 0; n < 50; n++)); do ! grep -qF "s2 left" err.0 || break; sleep 0.1; done
says err.0 "s2 left: does not go along with what is asked"
end_others 0 1
[[ $(sums 2) == "count " ]] || fail "before its rows were counted site 2 has sent: $(sums 2)"
rm -rf state.* err.*
all_start 3 --minimum-rows 232 # at the root: it is over for all
ends 0 2
[[ $(sums 0) == "count " ]] || fail "before the rows were counted the root has sent: $(sums 0)"
end_others 1 2
echo "ok: minimum-rows"

# Too many columns: what is answered is counted before it leaves, over all runs.
begin 3 "components = 3" "tolerance = 1e-11"
start 0
start 1
start 2 --maximum-columns 12
ends 2 2
says err.2 "and this site answers 12 at most; try asking the root why, or --maximum-columns with a larger number"
counted=$(od -An -tu8 state.2/*/*/answered | tr -d ' ')
asked=$(sums 2 | tr ' ' '\n' | grep -c block)
((counted <= 12 && counted > 0)) || fail "it has counted $counted columns"
((asked * 5 == counted)) || fail "it has answered $asked questions of 5 columns, and counted $counted"
start 2 --maximum-columns 12
ends 2 2
[[ $(od -An -tu8 state.2/*/*/answered | tr -d ' ') -le 12 ]] || fail "a restart forgets what was answered"
start 2
for n in 0 1 2; do ends "$n" 0; done
for n in 1 2; do cmp -s model.0.npz "model.$n.npz" || fail "sites 0 and $n have different models"; done
model_is_right
logs_agree
printf 'x' >"$(echo state.2/*/*/answered)"
all_start 3 --again
ends 2 2
says err.2 "answered: is not what this program writes"
end_others 0 1
echo "ok: maximum-columns"

# Other rows: refused before anybody hears of it, unless it is wanted.
begin 3 "components = 3"
all_start 3
all_end_well 3
lines=$(wc -l <"$(log_of 1)")
cp data.1.csv before.csv
tail -n 1 before.csv >>data.1.csv
for again in --again --dry-run; do
    start 1 $again
    ends 1 2
    says err.1 "the data have changed since this study began, and from the numbers and means of two runs all sites can compute the difference"
    says err.1 "or, if that may be known, --data-changed"
done
[[ $(wc -l <"$(log_of 1)") == "$lines" ]] || fail "a site with other rows did more than refuse"
start 0 --again
start 1 --again --data-changed
start 2 --again
all_end_well 3
cp before.csv data.1.csv
start 1 --again # these are other rows by now
ends 1 2
echo "ok: other rows"

# ---- what logs show ---------------------------------------------------------------------------------------------------------------

# Views are the same at all sites, sum by sum; one that is not is found.
views() { sed -n 's/.*"what":"sum","number":\([0-9]*\),"kind":"\([a-z]*\)","view":"\([0-9a-f]*\)".*/\1 \2 \3/p' "$1"; }
for n in 1 2; do cmp -s <(views "$(log_of 0)") <(views "$(log_of $n)") || fail "sites 0 and $n log other views"; done
[[ $(views "$(log_of 0)" | cut -d ' ' -f 3 | sort | uniq -d | wc -l) -ge 0 && -n $(views "$(log_of 0)") ]] || fail "no sum is logged"
cp "$(log_of 2)" changed.log
python3 - <<'P'
import re
lines = open("changed.log").read().splitlines(True)
at = max(n for n, line in enumerate(lines) if '"what":"sum"' in line)
lines[at] = re.sub('"view":"[0-9a-f]{8}', '"view":"00000000', lines[at])
open("changed.log", "w").write("".join(lines))
P
"$program" audit check "$(log_of 0)" "$(log_of 1)" changed.log >audit.out 2>&1 && fail "another view is not found"
says audit.out "is another one than in line"
echo "ok: views in the logs"
