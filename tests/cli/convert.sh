#!/usr/bin/env bash
# eigenmesh convert: between formats, and back to the same numbers.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

printf '1,2.5,-3\n4,5e-3,6\n' >numbers.csv
works convert numbers.csv numbers.npy
says "numbers.npy: 2 x 3 from csv"
works convert numbers.npy back.csv
cmp -s <(tr -d '\r' <back.csv | awk -F, '{ print $1 + 0, $2 + 0, $3 + 0 }') \
    <(awk -F, '{ print $1 + 0, $2 + 0, $3 + 0 }' numbers.csv) || fail "through .npy and back"

# Around through every format.
previous=numbers.npy
hdf5=()
if has hdf5; then hdf5=(e.h5:/table f.h5); fi
for next in a.tsv b.npy.gz c.csv.gz d.idx "${hdf5[@]}" g.csv h.idx.gz i.tsv.gz j.npy; do
    works convert "$previous" "$next" --quiet
    previous=$next
done
cmp -s numbers.npy j.npy || fail "the numbers changed on the way"
works convert numbers.npy raw:f32:numbers.raw
[[ $(wc -c <numbers.raw) -eq 24 ]] || fail "6 numbers of 4 bytes"
works convert raw:f32:3:numbers.raw from_raw.npy --dtype f64
works convert numbers.csv small.npy --dtype f32
works convert small.npy same.npy
cmp -s small.npy same.npy || fail "the type is not the input's"

printf 'id,x,y\n1,2,3\n4,5,6\n' >named.csv
works convert named.csv columns.csv --columns x,y
works convert named.csv positions.csv --columns 1-2 --header yes
cmp -s columns.csv positions.csv || fail "columns by name and by position differ"
grep -q '^2,3' columns.csv || fail "the columns are not x and y"

# Onto itself: what is read is not written.
cp numbers.npy self.npy
refuses 2 "OUTPUT: 'self.npy' is the file of INPUT too" convert self.npy self.npy --dtype f32
cmp -s numbers.npy self.npy || fail "a file converted onto itself changed"

refuses 2 "OUTPUT is missing" convert numbers.csv
refuses 2 "one argument too many" convert numbers.csv a.npy b.npy
refuses 2 "--dtype: 'f128' is no type of numbers" convert numbers.csv x.npy --dtype f128
refuses 2 "--header: 'maybe' is not yes, no or auto" convert numbers.csv x.npy --header maybe
refuses 2 "x.docx" convert numbers.csv x.docx
refuses 2 "nope" convert named.csv x.npy --columns nope
refuses 2 "7" convert named.csv x.npy --columns 0-7
refuses 2 "nowhere/x.npy" convert numbers.csv nowhere/x.npy
refuses 1 "/dev/full" convert numbers.csv raw:f64:/dev/full
