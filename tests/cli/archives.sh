#!/usr/bin/env bash
# Arrays in an .npz as data; the library's tests know every damage (tests/data/test_npz.c).
# shellcheck source=lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
files=$here/../data/files

works convert "$files/stored.npz" stored.csv
says "stored.csv: 3 x 2 from npz"
works convert "$files/deflated.npz" deflated.csv
works convert "$files/several.npz:x" named.csv
cmp stored.csv deflated.csv || fail "stored and deflated differ"
cmp stored.csv named.csv || fail "alone and named differ"

# A file's own name may have colons.
mkdir a:b
cp "$files/several.npz" a:b/c:d.npz
works convert a:b/c:d.npz:x colons.csv
cmp stored.csv colons.csv || fail "another array where the file's name has colons"

# A file a node, each with the array of that name; they are counted.
for node in 0 1 2; do cp "$files/several.npz" "part-$node.npz"; done
works fit part-%d.npz:x -k 1
says "data      9 x 2 over 3 nodes"

works generate -d 5 -N 40 -k 2 --gap 0.5 -o data.npy
works fit data.npy -k 2 -q -o model.npz
refuses 2 "model.npz: is a model, not data; try 'eigenmesh info'" fit model.npz -k 1 -o no.npz
refuses 2 "model.npz: is a model, not data" transform model.npz model.npz -o no.npy
works convert model.npz:components components.csv
says "components.csv: 2 x 5 from npz"

refuses 2 "2 tables in it (x 3x2, z 2x3x4, y 3, note no table); try" fit "$files/several.npz" -k 1 -o no.npz
refuses 2 "no array X in it (x 3x2" fit "$files/several.npz:X" -k 1 -o no.npz
refuses 2 "missing.npz:X: cannot be read (No such file" fit missing.npz:X -k 1 -o no.npz
refuses 2 "data.npy is no HDF5 file and no .npz" fit data.npy:X -k 1 -o no.npz
refuses 2 "CRC error" fit "$files/wrong-crc.npz" -k 1 -o no.npz
