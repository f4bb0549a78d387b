#!/usr/bin/env bash
# Model files: those of earlier versions are read, those of later ones and damaged ones are refused in words.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

old=$(dirname "$0")
old=$(cd "$OLDPWD" && cd "$old/../fit/files/format-1" && pwd)

# The largest difference between the numbers of two CSV files is a matter of rounding.
same_numbers()
{
    paste -d, "$1" "$2" | awk -F, '{ for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2); if (d * d > 1e-24) bad = 1 } }
        END { exit bad || NR != 12 }' || fail "$1 and $2 differ"
}

for model in plain std rank python; do
    works info "$old/$model.npz"
    says "data      12 x 4 over"
    says "result    converged"
    works transform "$old/$model.npz" "$old/$model-rows.csv" -o scores.csv --quiet
    same_numbers scores.csv "$old/$model-scores.csv"
    works transform "$old/$model.npz" "$old/$model-scores.csv" --inverse -o rows.csv --quiet
done
works info "$old/rank.npz"
says "rank      3: component 4 has no variance"
works info "$old/../names.npz"

# What NumPy makes of a model.
require_numpy
works fit "$old/plain-rows.csv" -k 2 -o model.npz
# changed NAME EXPRESSION: model.npz with one entry more, or another.
changed()
{
    "$python" -c "
import sys
import numpy as np
with np.load('model.npz') as model:
    entries = dict(model)
entries['$1'] = $2
np.savez('changed.npz', **entries)
"
}
"$python" -c "
import numpy as np
model = np.load('model.npz')
assert model['format_version'] == 2 and model['format_version'].dtype == np.int64
assert 'feature_names' not in model
"
changed format_version 'np.int64(2)'
works info changed.npz
changed format_version 'np.int64(3)'
newer="changed.npz: written by a newer eigenmesh (format 3, this one reads up to 2); try a newer version"
refuses 2 "$newer" info changed.npz
refuses 2 "$newer" transform changed.npz "$old/plain-rows.csv" -o x.csv
changed format_version 'np.int64(0)'
refuses 2 "format_version is no version" info changed.npz
changed format_version "'two'"
refuses 2 "format_version has another type or shape" info changed.npz
changed later_entry 'np.arange(3)' # what is not known is not looked at
works info changed.npz

names="np.array(['a', 'b', 'c', 'd'])"
changed feature_names "$names"
works info changed.npz
for wrong in "${names%\]*}, 'e'])" "np.array(['a', 'b'])" "np.array([['a', 'b', 'c', 'd']])" "np.array('abcd')" \
    "np.arange(4)" "np.array([b'a', b'b', b'c', b'd'])" "np.array(['n' * 1025] * 4)" "$names.astype('>U1')"; do
    changed feature_names "$wrong"
    run info changed.npz
    [[ $status -eq 2 ]] || fail "$wrong: status is not 2"
    complains "changed.npz"
done
for code in 0xd800 0xdfff 0x110000 0xffffffff; do
    changed feature_names "np.array([97, 98, $code, 100], '<u4').view('<U1')"
    refuses 2 "no model, feature_names holds what is no text" info changed.npz
done
changed feature_names "np.array([97, 0, 98] * 4, '<u4').view('<U3')" # a zero within a name
refuses 2 "no model, feature_names holds what is no text" info changed.npz
