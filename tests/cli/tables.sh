#!/usr/bin/env bash
# Tables as people have them: every column is used or named, features go by their names, and nothing is decided silently.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
require_numpy

"$python" - <<'END_OF_PYTHON'
import numpy as np

rng = np.random.default_rng(5)
X = rng.normal(size=(150, 5)) @ np.diag([5, 3, 2, 1, 0.5]) + [1, 20, -3, 4, 0]
names = list("abcde")
np.save("X.npy", X)
np.savez("beside.npz", y=np.arange(150), X=X)


def write(name, header, rows, sep=","):
    with open(name, "w") as f:
        if header:
            f.write(sep.join(header) + "\n")
        f.writelines(sep.join(str(cell) for cell in row) + "\n" for row in rows)


T = [[repr(float(v)) for v in row] for row in X]
write("plain.csv", names, T)
write("semicolons.csv", names, T, ";")
write("tabs.txt", names, T, "\t")
write("bars.csv", names, T, "|")
write("blanks.csv", names, T, " ")
write("colons.csv", names, T, ":")
write("ids.csv", ["id", *names, "kind"], [[f"P{n}", *row, "xy"[n % 2]] for n, row in enumerate(T)])
write("index.csv", ["", *names], [[n, *row] for n, row in enumerate(T)])
write("label.csv", [*names, "label"], [[*row, n % 3] for n, row in enumerate(T)])
write("bare.csv", None, T)
for n, dirt in enumerate(["-", ".", "<0.1", "12 %", "$5", "#N/A", "unknown"]):
    write(f"dirt{n}.csv", names, [[dirt if (r, c) == (0, 2) else cell for c, cell in enumerate(row)] for r, row in enumerate(T)])
text = open("plain.csv").read()
open("utf16.csv", "w", encoding="utf-16").write(text)
open("bom.csv", "w", encoding="utf-8-sig").write(text)
open("comments.csv", "w").write('# "made by hand\n\n' + text)
open("savetxt.csv", "w").write("# a,b,c,d,e\n" + text.split("\n", 1)[1])
open("cr.csv", "wb").write(text.encode().replace(b"\n", b"\r"))

# Three shards, the last with its columns the other way round; what they lack, and what they have too much.
write("s1.csv", names, T[:40])
write("s2.csv", ["id", *names], [["P7", *row] for row in T[40:90]])
write("s3.csv", names[::-1], [row[::-1] for row in T[90:]])
write("shard-0.csv", names, T[:40])
write("shard-1.csv", names[::-1], [row[::-1] for row in T[40:90]])
write("shard-2.csv", ["e", "a", "d", "b", "c"], [[row[i] for i in (4, 0, 3, 1, 2)] for row in T[90:]])
write("less.csv", names[:3], [row[:3] for row in T])
write("more.csv", [*names, "f"], [[*row, 1] for row in T])
write("other.csv", list("uvwxy"), T)
np.save("s3.npy", X[90:])

# Holes: in every column, at every node.
H = X.copy()
H[rng.random(X.shape) < 0.1] = np.nan
H[0] = X[0]
np.save("holes.npy", H)
write("holes.csv", names, [["" if np.isnan(v) else repr(float(v)) for v in row] for row in H])
write("h1.csv", names, [["NA" if np.isnan(v) else repr(float(v)) for v in row] for row in H[:60]])
write("h2.csv", names[::-1], [["?" if np.isnan(v) else repr(float(v)) for v in row][::-1] for row in H[60:]])
END_OF_PYTHON

# same MODEL [WORDS]: the components, variances and mean that NumPy finds, in these rows.
same()
{
    "$python" - "$@" <<'END_OF_PYTHON' || fail "$1 is not what NumPy finds"
import sys
import numpy as np

model, how, center = np.load(sys.argv[1]), (sys.argv[2:] + ["X"])[0], "plain" not in sys.argv
X = np.load("X.npy" if how == "X" else "holes.npy")
if how == "drop":
    X = X[~np.isnan(X).any(axis=1)]
if how in ("mean", "std"):
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
if how == "std":
    X = X / X.std(axis=0, ddof=1)
mean = X.mean(axis=0) if center else 0 * X[0]
_, s, V = np.linalg.svd(X - mean, full_matrices=False)
k = len(model["components"])
assert int(model["n_samples"]) == len(X)
assert np.allclose(model["explained_variance"], (s**2 / (len(X) - 1))[:k], rtol=1e-10)
assert np.all(np.abs(np.sum(model["components"] * V[:k], axis=1)) > 1 - 1e-9)
if how != "std":
    assert np.allclose(model["mean"], mean, rtol=1e-12, atol=1e-12)
END_OF_PYTHON
}

# ---- separators, encodings, comments ------------------------------------------------------------------------------

while read -r file words; do
    works fit "$file" -k 3 -o model.npz
    says "features  a, b, c, d, e"
    says "read      $file: $words"
    same model.npz
done <<'END'
plain.csv commas, a header
semicolons.csv semicolons, a header
tabs.txt tabs, a header
bars.csv vertical bars, a header
blanks.csv blanks, a header
utf16.csv commas, a header, UTF-16
bom.csv commas, a header
comments.csv commas, a header, 1 comment line skipped
savetxt.csv commas, a header
cr.csv commas, a header
END
works fit bare.csv -k 3 -o model.npz
says "read      bare.csv: commas, no header"
same model.npz
works fit colons.csv -k 3 --delimiter : -o model.npz
same model.npz
works fit tabs.txt -k 3 --delimiter tab -o model.npz
works fit beside.npz -k 3 -o model.npz
says "read      beside.npz: array X, the only table of 2 arrays"
same model.npz
refuses 2 "--delimiter: 'x' cannot separate numbers" fit plain.csv -k 2 --delimiter x
refuses 2 "no column of numbers in it" fit colons.csv -k 2
refuses 2 "a delimiter is of a CSV alone" fit X.npy -k 2 --delimiter ';'

# ---- columns -------------------------------------------------------------------------------------------------------

works fit ids.csv -k 3 -o model.npz
says "left out  id (text, such as 'P0'), kind (text, such as 'x')"
same model.npz
works fit index.csv -k 3 -n 4 -o model.npz
says "left out  column 0 (from 0) (an index, 0 to 149)"
same model.npz
works fit label.csv -k 3
says "150 x 6"
works fit label.csv -k 3 --columns -label -o model.npz
says "left out  label (as asked)"
same model.npz
works fit label.csv -k 3 --columns 0-4 -o model.npz
same model.npz
works fit label.csv -k 3 --columns 0-5,-5 -o model.npz
same model.npz
works fit ids.csv -k 3 --json
"$python" - "$out" <<'END_OF_PYTHON' || fail "the JSON does not say it"
import json
import sys

report = json.load(open(sys.argv[1]))
assert report["feature_names"] == list("abcde")
(file,) = report["inputs"]
assert file["file"] == "ids.csv" and file["remarks"] == "commas, a header"
assert file["left_out"] == [
    {"column": 0, "name": "id", "why": "text, such as 'P0'"},
    {"column": 6, "name": "kind", "why": "text, such as 'x'"},
]
END_OF_PYTHON
n=0
# shellcheck disable=SC2016 # a price, not a variable
for dirt in - . '<0.1' '12 %' '$5' '#N/A' unknown; do
    refuses 2 "dirt$n.csv: line 2, column 3 (c): '$dirt' is no number, where line 3 has one" fit dirt$n.csv -k 2 -o model2.npz
    works fit dirt$n.csv -k 2 --columns -c
    n=$((n + 1))
done
refuses 2 "--columns nothing: no such column in plain.csv" fit plain.csv -k 2 --columns nothing
refuses 2 "--columns -nothing: no such column in plain.csv" fit plain.csv -k 2 --columns -nothing

# ---- features by name ----------------------------------------------------------------------------------------------

works fit s1.csv s2.csv s3.csv -k 3 -o model.npz
says "read      s1.csv and 1 more: commas, a header"
says "left out  id (text, such as 'P7')"
same model.npz
works fit shard-%d.csv -k 3 -o model.npz
same model.npz
works fit s1.csv s2.csv s3.npy -k 3 -o model.npz
says "names     those of s1.csv, by position in s3.npy, which has none"
same model.npz
refuses 2 "less.csv: has no column d, e, as s1.csv has" fit s1.csv less.csv -k 2
refuses 2 "more.csv: has f, which is no feature of s1.csv" fit s1.csv more.csv -k 2
refuses 2 "other.csv: has no column a, b, c and 2 more, as s1.csv has" fit s1.csv other.csv -k 2
refuses 2 "bare.csv: has no names of columns, where s1.csv has" fit s1.csv bare.csv -k 2
refuses 2 "s1.csv: has names of columns, where bare.csv, the first, has none" fit bare.csv s1.csv -k 2
works fit s1.csv more.csv -k 3 --columns e,d,c,b,a
refuses 2 "s1.csv: has names of columns, where s3.npy, the first, has none; try one with names first" fit s3.npy s1.csv s2.csv -k 2
works compare s1.csv s2.csv s3.csv -k 2 --methods krylov

# The model keeps the names: transform reads by them, whatever the order, and says what it left out.
works fit s1.csv s2.csv s3.csv -k 3 -o model.npz
[[ $("$python" -c 'import numpy; print(*numpy.load("model.npz")["feature_names"])') == "a b c d e" ]] || fail "the model's names"
works info model.npz
says "features  a, b, c, d, e"
works info model.npz --json
"$python" -c 'import json, sys; assert json.load(open(sys.argv[1]))["feature_names"] == list("abcde")' "$out" || fail "the JSON of info"
works transform model.npz plain.csv -o wanted.csv
"$python" - <<'END_OF_PYTHON' || fail "the scores are not those of NumPy"
import numpy as np

X, model = np.load("X.npy"), np.load("model.npz")
assert np.allclose(np.loadtxt("wanted.csv", delimiter=","), (X - model["mean"]) @ model["components"].T, atol=1e-12)
END_OF_PYTHON
"$python" -c 'import csv; t = list(csv.reader(open("plain.csv"))); csv.writer(open("swapped.csv", "w")).writerows(["x"] + row[::-1] for row in t)'
works transform model.npz swapped.csv -o scores.csv
says "left out  x (text, such as 'x')"
cmp -s scores.csv wanted.csv || fail "columns in another order give other scores"
works transform model.npz ids.csv -o scores.csv
cmp -s scores.csv wanted.csv || fail "columns of text change the scores"
works transform model.npz X.npy -o scores.csv
says "names     those of model.npz, by position in X.npy, which has none"
refuses 2 "less.csv: has no column d, e, as model.npz has" transform model.npz less.csv -o none.csv
refuses 2 "more.csv: has f, which is no feature of model.npz" transform model.npz more.csv -o none.csv
works transform model.npz more.csv --columns -f -o scores.csv
refuses 2 "--columns nothing: no such column in plain.csv" transform model.npz plain.csv --columns nothing -o none.csv
refuses 2 "plain.csv: column b is a feature of model.npz" transform model.npz plain.csv --columns a -o none.csv
refuses 2 "bare.csv: has no names of columns, where model.npz has" transform model.npz bare.csv -o none.csv
works transform model.npz bare.csv --header no -o scores.csv
cmp -s scores.csv wanted.csv || fail "by position, as told, gives other scores"
works transform model.npz wanted.csv --inverse -o back.csv
[[ $(head -1 back.csv) == a,b,c,d,e ]] || fail "rows that are made again have no names"
works transform model.npz back.csv -o scores.csv
refuses 2 "the value is missing" transform model.npz holes.csv -o none.csv
refuses 2 "is not a number (NaN); try filling it, or --missing drop or mean" transform model.npz holes.npy -o none.csv
works transform model.npz holes.npy --missing mean -o scores.npy
works transform model.npz holes.csv --missing mean -o scores.csv
"$python" - <<'END_OF_PYTHON' || fail "a missing value does not count for nothing"
import numpy as np

model, H = np.load("model.npz"), np.load("holes.npy")
rows = np.where(np.isnan(H), 0, H - model["mean"])
assert np.allclose(np.loadtxt("scores.csv", delimiter=","), rows @ model["components"].T, atol=1e-12)
END_OF_PYTHON
works transform model.npz holes.csv --missing drop -o scores.csv
[[ $(wc -l <scores.csv) -eq $("$python" -c 'import numpy; print(int((~numpy.isnan(numpy.load("holes.npy")).any(axis=1)).sum()))') ]] ||
    fail "not the rows without missing values"
works fit holes.npy -k 2 --missing mean --no-center -o plain.npz
refuses 2 "--missing: plain.npz has no mean to fill with" transform plain.npz holes.csv --missing mean -o none.csv

# Names go along where a format has them.
works convert ids.csv kept.tsv
says "left out  id (text, such as 'P0'), kind (text, such as 'x')"
[[ $(head -1 kept.tsv) == "$(printf 'a\tb\tc\td\te')" ]] || fail "the header is gone"
works convert ids.csv kept.npy
run convert ids.csv -
[[ $status -eq 0 ]] || fail "status is not 0"
complains "ids.csv: left out id (text, such as 'P0'), kind (text, such as 'x'); try --columns to choose"
run convert holes.csv - --missing drop
complains "rows dropped"
run fit ids.csv -k 2 --trace -
complains "ids.csv: left out id"
run transform model.npz ids.csv -o -
complains "ids.csv: left out id"
works convert ids.csv - -q
works convert plain.csv -
refuses 2 "is not a number (NaN); try --missing drop" convert holes.npy none.csv --missing error
works convert holes.npy some.csv
printf '"2001","2002","2003"\n3.5,4.1,5.2\n1,2,4\n' >years.csv
works convert years.csv again.csv
cmp -s years.csv again.csv || fail "a header of numbers is not written as it was"
refuses 2 "--missing: mean is for fit and transform" convert holes.csv none.npy --missing mean

# ---- missing values ------------------------------------------------------------------------------------------------

refuses 2 "the value is missing; try filling it, or --missing drop or mean" fit holes.csv -k 2
refuses 2 "is not a number (NaN); try filling it, or --missing drop or mean" fit holes.npy -k 2
refuses 2 "--missing: 'never' is not error, drop or mean" fit holes.npy -k 2 --missing never
for nodes in 1 4; do
    for file in holes.csv holes.npy; do
        works fit $file -k 3 -n $nodes --missing drop -o model.npz
        says "rows with missing values"
        same model.npz drop
        works fit $file -k 3 -n $nodes --missing mean -o model.npz
        says "filled with the feature's mean over the network"
        same model.npz mean
        works fit $file -k 3 -n $nodes --missing mean --scale std --method krylov -o model.npz
        same model.npz std
        works fit $file -k 3 -n $nodes --missing mean --no-center --method covariance -o model.npz
        same model.npz mean plain
    done
done
works fit h1.csv h2.csv -k 3 --missing mean -o model.npz
same model.npz mean
works fit h1.csv h2.csv -k 3 --missing drop -o model.npz
same model.npz drop
works fit X.npy -k 3 --missing mean -o model.npz
same model.npz
works fit holes.npy -k 3 --missing mean --json
"$python" - "$out" <<'END_OF_PYTHON' || fail "the JSON does not count missing values"
import json
import sys
import numpy as np

assert json.load(open(sys.argv[1]))["missing_values"] == np.isnan(np.load("holes.npy")).sum()
END_OF_PYTHON
printf 'a,b,c\n1,2,\n2,1,\n3,5,\n' >none.csv
works fit none.csv -k 1
says "left out  c (empty)"
refuses 2 "column 'c' has no value at all, at any node" fit none.csv -k 1 --missing mean

# ---- the size of things --------------------------------------------------------------------------------------------

# More nodes than rows are refused before a network of so many is drawn.
for nodes in 151 100000 2000000000; do
    refuses 2 "node 150 would hold no row (150 rows, $nodes nodes)" fit plain.csv -k 2 -n $nodes
done
