#!/usr/bin/env bash
# eigenmesh generate: data with a known spectrum.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

works generate -d 8 -N 50 -k 2 --gap 0.5 -o a.npy
says "a.npy: 50 x 8 samples"
works generate -d 8 -N 50 -k 2 --gap 0.5 --seed 0 -o b.npy --quiet
[[ ! -s $out ]] || fail "--quiet is not quiet"
works generate -d 8 -N 50 -k 2 --gap 0.5 --seed 1 -o c.npy
cmp -s a.npy b.npy || fail "the same seed gave two data sets"
cmp -s a.npy c.npy && fail "two seeds gave one data set"
works generate --gap 1 -o defaults.csv
[[ $(wc -l <defaults.csv) -eq 10000 ]] || fail "10000 rows by default"
works generate -d 5 -N 20 -k 1 --gap 0.5 -o one.tsv
if has hdf5; then works generate -d 5 -N 20 -k 4 --gap 0.5 -o four.h5:/y; fi

# Many samples show the spectrum: 1, 0.8, then 0.4.
works generate -d 3 -N 200000 -k 2 --gap 0.5 -o many.npy
works fit many.npy -k 3
awk '$1 == 1 { a = $2 } $1 == 2 { b = $2 } $1 == 3 { c = $2 }
     END { exit !(a > 0.98 && a < 1.02 && b > 0.78 && b < 0.82 && c > 0.39 && c < 0.41) }' "$out" ||
    fail "the variances are not 1, 0.8, 0.4"

refuses 2 "--gap: required" generate -d 8 -N 50 -k 2 -o x.npy
refuses 2 "-o, --output: required" generate -d 8 -N 50 -k 2 --gap 0.5
refuses 2 "--gap: 0 is not in" generate --gap 0 -o x.npy
refuses 2 "--gap: 1.5 is not in" generate --gap 1.5 -o x.npy
refuses 2 "--gap: 'wide' is not a number" generate --gap wide -o x.npy
refuses 2 "--gap: 'nan' is not a number" generate --gap nan -o x.npy
refuses 2 "--components: 8 is not less than the 8 features" generate -d 8 -k 8 --gap 0.5 -o x.npy
refuses 2 "--components: '0' is not a whole number" generate -k 0 --gap 0.5 -o x.npy
refuses 2 "--features: '1' is not a whole number" generate -d 1 --gap 0.5 -o x.npy
refuses 2 "--features: '8.5' is not a whole number" generate -d 8.5 --gap 0.5 -o x.npy
refuses 2 "--samples: '0' is not a whole number" generate -N 0 --gap 0.5 -o x.npy
refuses 2 "--samples: needs a value" generate --gap 0.5 -o x.npy -N
refuses 2 "'x.npy' is one argument too many" generate --gap 0.5 -o x.npy x.npy
refuses 2 "x.docx" generate --gap 0.5 -o x.docx
refuses 2 "nowhere/x.npy" generate --gap 0.5 -o nowhere/x.npy
mkdir folder.npy
refuses 2 "folder.npy: cannot be written" generate --gap 0.5 -o folder.npy
refuses 1 "memory" generate -d 1000000 -N 9223372036854775807 -k 5 --gap 0.5 -o x.npy
refuses 1 "/dev/full" generate --gap 0.5 -o raw:f64:/dev/full
