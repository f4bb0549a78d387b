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

# Tens of thousands of features take seconds, and memory for a few rows, not for all of them.
works generate -d 20000 -N 100 -k 10 --gap 0.5 -o wide.npy
works generate -d 20000 -N 100 -k 10 --gap 0.5 -o again.npy
cmp -s wide.npy again.npy || fail "the same seed gave two data sets"
rm wide.npy again.npy
if [[ $(ldd "$EIGENMESH") != *libasan* ]]; then
    (
        ulimit -v 600000
        works generate -d 20000 -N 5000 -k 10 --gap 0.5 -o raw:f32:/dev/null # 0.8 GB
        refuses 1 "generate: out of memory, 2.02 GB wanted; try fewer features" generate -d 2000000 -N 1 --gap 0.5 -o x.npy
        head -c 40000 /dev/urandom >noise
        refuses 1 "covariance: out of memory, 3.2 GB wanted; try --method krylov" fit raw:u8:20000:noise -k 1 -n 2 -m covariance
    )
fi

# Ctrl-C: one line, and nothing left.
before=$(ls -A)
ran="generate (SIGINT after 1 s)"
status=0
timeout --foreground --preserve-status -s INT 1 \
    "$EIGENMESH" generate -d 20000 -N 60000 -k 10 --gap 0.5 -o raw:f32:big >"$out" 2>"$err" </dev/null || status=$?
[[ $status -eq 1 ]] || fail "an interrupted run is not status 1"
complains "interrupted"
[[ $(ls -A) == "$before" ]] || fail "something was left"

# On a terminal it shows how far it is.
if command -v script >/dev/null; then
    ran="generate, on a terminal"
    script -qec "'$EIGENMESH' generate -d 20000 -N 400 -k 10 --gap 0.5 -o seen.npy" /dev/null >"$out" </dev/null
    grep -aqE 'row [0-9]+ of 400   [0-9]+ a second' "$out" || fail "no progress line"
    rm seen.npy
fi

refuses 2 "--gap: required" generate -d 8 -N 50 -k 2 -o x.npy
refuses 2 "-o, --output: required" generate -d 8 -N 50 -k 2 --gap 0.5
refuses 2 "--gap: 0 is not in" generate --gap 0 -o x.npy
refuses 2 "--gap: 1.5 is not in" generate --gap 1.5 -o x.npy
refuses 2 "--gap: 'wide' is not a number" generate --gap wide -o x.npy
refuses 2 "--gap: 'nan' is not a number" generate --gap nan -o x.npy
refuses 2 "--components: 8 is not less than the 8 features" generate -d 8 -k 8 --gap 0.5 -o x.npy
refuses 2 "--components: '0' is not a whole number" generate -k 0 --gap 0.5 -o x.npy
refuses 2 "--features: '1' is not a whole number" generate -d 1 --gap 0.5 -o x.npy
refuses 2 "features: 2147483647 of them; try 2 to 1073741823" generate -d 2147483647 --gap 0.5 -o x.npy
refuses 2 "--features: '8.5' is not a whole number" generate -d 8.5 --gap 0.5 -o x.npy
refuses 2 "--samples: '0' is not a whole number" generate -N 0 --gap 0.5 -o x.npy
refuses 2 "--samples: needs a value" generate --gap 0.5 -o x.npy -N
refuses 2 "'x.npy' is one argument too many" generate --gap 0.5 -o x.npy x.npy
refuses 2 "x.docx" generate --gap 0.5 -o x.docx
refuses 2 "nowhere/x.npy" generate --gap 0.5 -o nowhere/x.npy
mkdir folder.npy
refuses 2 "folder.npy: cannot be written" generate --gap 0.5 -o folder.npy
refuses 2 "samples: 9223372036854775807 of 1000000 features" generate -d 1000000 -N 9223372036854775807 -k 5 --gap 0.5 -o x.npy
refuses 1 "x.npy: 1.6e+04 GB to write" generate -N 99999999999 --gap 0.5 -o x.npy
refuses 1 "try fewer --samples" generate -N 99999999999 --gap 0.5 -o "$PWD/x.csv"
refuses 1 "/dev/full" generate --gap 0.5 -o raw:f64:/dev/full
