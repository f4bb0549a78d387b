#!/usr/bin/env bash
# Studies as they are typed, on one machine: every site ends with the same model, which is that of all rows.
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$1"

whole() { # M line...: a study that ends well
    rm -rf state.* err.* model.*
    study_of "$@"
    all_start "$1"
    all_end_well "$1"
    model_is_right
    logs_agree
}

whole 2 "components = 3"
whole 5 "components = 3" "method = krylov"
whole 3 "components = 0.9"
echo "ok: 2, 3 and 5 sites"

# Who comes back after the end ends at once; --again runs it again.
start 0
ends 0 0
grep -q "^finished  on .* UTC, and nothing was done now; --again, at all sites, runs it again" out.0 ||
    fail "a study that is done is not said to be so"
all_start 3 --again
all_end_well 3
echo "ok: done is done, and --again is not"

# Columns in another order at a site that is not the root; the root's order is the model's.
study_of 3 "components = 3" "method = krylov"
rm -rf state.*
python3 - <<'P'
rows = [line.strip().split(",") for line in open("data.2.csv")]
order = list(range(len(rows[0])))[::-1]
with open("data.2.csv", "w") as out:
    for row in rows: print(",".join(row[c] for c in order), file=out)
P
all_start 3
all_end_well 3
model_is_right
echo "ok: columns in another order"

# A column of another name, or one more: nobody computes, and the root says who it is.
study_of 3 "components = 3"
rm -rf state.* err.*
sed -i '1s/f3/g3/' data.1.csv
patience=30s
all_start 3
for n in 0 1 2; do ends "$n" 1; done
grep -q "s1 has other columns than the root: all wait for this site" err.1 || fail "the site is not told that it is awaited"
grep -q "s1 has columns of other names" err.0 || fail "the root does not say who has other columns"
grep -q "waited for s1 as long as patience lasts: its columns are not the root's" err.0 || fail "the root's end"
grep -q "and the others for s1, this site; try whether its columns are the root's" err.1 ||
    fail "the site that is awaited does not hear of it"
grep -q "waited for s1 as long as patience lasts" err.2 || fail "the third does not know whom all wait for"
patience=120s
echo "ok: other names"

# Sites that only dial out, IPv6, and names.
study_of 4 "components = 3" "method = krylov"
rm -rf state.* err.*
python3 - <<'P'
import re
text = open("heart.study").read()
sites = re.split(r"(?=\n\[site )", text)
sites[1] = sites[1].replace("127.0.0.1", "localhost")  # the root, by its name
sites[2] = sites[2].replace("127.0.0.1", "[::1]")
sites[3] = re.sub(r"address = .*\n", "", sites[3])      # these dial out
sites[4] = re.sub(r"address = .*\n", "", sites[4])
open("heart.study", "w").write("".join(sites))
P
if python3 -c 'import socket; socket.socket(socket.AF_INET6).bind(("::1", 0))' 2>/dev/null; then
    all_start 4
    all_end_well 4
    model_is_right
    echo "ok: names, IPv6, and sites without an address"
else
    echo "skipped: there is no IPv6 here"
fi

# A rehearsal: all are there, and nothing is computed.
study_of 3 "components = 3"
rm -rf state.* err.* model.*
all_start 3 --dry-run
for n in 0 1 2; do ends "$n" 0; done
for n in 0 1 2; do
    grep -q "all sites are here" "out.$n" || fail "the rehearsal of site $n says nothing"
    [[ ! -e model.$n.npz ]] || fail "a rehearsal wrote a model"
done
grep -q '"what":"block"' state.*/*/*/log && fail "a block left in a rehearsal"
echo "ok: rehearsal"

# A method that gossips, along all edges.
study_of 3 "components = 2" "method = deepca" "tolerance = 1e-8"
rm -rf state.*
sed -i 's/^neighbours = s0$/neighbours = s0, s1/;0,/neighbours = s0, s1/s//neighbours = s0/' heart.study
all_start 3
all_end_well 3
model_is_right
echo "ok: gossip"
