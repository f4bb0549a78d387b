#!/usr/bin/env bash
# Everything that can be wrong with what fit is given: a status, one line, nothing left.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

works generate -d 6 -N 40 -k 2 --gap 0.5 -o data.npy
works convert data.npy data.csv
works generate -d 5 -N 40 -k 2 --gap 0.5 -o five.npy

# --- usage
refuses 2 "INPUT is missing" fit -k 2
refuses 2 "-k, --components: required" fit data.npy
refuses 2 "--bogus: no such option of fit" fit data.npy -k 2 --bogus
refuses 2 "--bogus: no such option of fit" fit data.npy -k 2 --bogus=3
refuses 2 "-z: no such option of fit" fit data.npy -k 2 -z
refuses 2 "--s: more than one option of fit begins like this" fit data.npy -k 2 --s 1
refuses 2 "--nodes: needs a value; try --nodes 20" fit data.npy -k 2 --nodes
refuses 2 "--quiet: takes no value" fit data.npy -k 2 --quiet=yes
refuses 2 "--seed: given twice" fit data.npy -k 2 --seed 1 --seed 2
refuses 2 "--components: given twice" fit data.npy -k 2 -k 3
refuses 2 "--output: given twice" fit data.npy -k 2 -o a.npz --output b.npz

# --- the number of components
refuses 2 "components" fit data.npy -k 0 -o model.npz
refuses 2 "components" fit data.npy -k -1 -o model.npz
refuses 2 "components" fit data.npy -k two -o model.npz
refuses 2 "components" fit data.npy -k 2x -o model.npz
refuses 2 "components" fit data.npy -k "" -o model.npz
for fraction in 0.0 1.0 1.5 -0.5 .9.9 nan; do
    refuses 2 "components $fraction: neither a whole number nor a fraction" fit data.npy -k "$fraction" -o model.npz
done
for method in dsa dpgd seqdistpm gha oi; do
    refuses 2 "a fraction of variance is not for method $method" fit data.npy -k 0.5 -m "$method" -o model.npz
done
refuses 2 "a file of K columns fits no K" fit data.npy -k 0.5 --init file:data.npy -o model.npz
refuses 2 "a file of K columns fits no K" fit data.npy -k 0.5 --truth file:data.npy -o model.npz
refuses 2 "components" fit data.npy -k 99999999999 -o model.npz
refuses 2 "7" fit data.npy -k 7 -o model.npz
head -4 data.csv >short.csv
refuses 2 "5" fit short.csv -k 5 -o model.npz

# --- the solver's options
refuses 2 "method" fit data.npy -k 2 -m magic -o model.npz
refuses 2 "step" fit data.npy -k 2 -m dsa --step fast -o model.npz
refuses 2 "step" fit data.npy -k 2 -m dsa --step -1 -o model.npz
refuses 2 "step" fit data.npy -k 2 -m dsa --step nan -o model.npz
refuses 2 "step-decay" fit data.npy -k 2 -m dsa --step-decay slowly -o model.npz
refuses 2 "iterations" fit data.npy -k 2 --iterations -5 -o model.npz
refuses 2 "iterations" fit data.npy -k 2 --iterations 1.5 -o model.npz
refuses 2 "tolerance" fit data.npy -k 2 --tolerance small -o model.npz
refuses 2 "tolerance" fit data.npy -k 2 --tolerance -1 -o model.npz
refuses 2 "scale" fit data.npy -k 2 --scale huge -o model.npz
refuses 2 "seed" fit data.npy -k 2 --seed lucky -o model.npz
refuses 2 "seed" fit data.npy -k 2 --seed -1 -o model.npz
refuses 2 "qr-signs" fit data.npy -k 2 --qr-signs random -o model.npz
refuses 2 "consensus-rounds" fit data.npy -k 2 --consensus-rounds none -o model.npz
refuses 2 "oversample" fit data.npy -k 2 --oversample -1 -o model.npz
refuses 2 "oversample" fit data.npy -k 2 --oversample some -o model.npz
refuses 2 "oversample: not used by method dsa" fit data.npy -k 2 -m dsa --oversample 3 -o model.npz
refuses 2 "rayleigh-ritz" fit data.npy -k 2 -m deepca --rayleigh-ritz maybe -o model.npz
refuses 2 "rayleigh-ritz: not used by method krylov" fit data.npy -k 2 -m krylov --rayleigh-ritz no -o model.npz
refuses 2 "gha" fit data.npy -k 2 -m gha -n 3 -o model.npz
refuses 2 "oi" fit data.npy -k 2 -m oi -n 3 -o model.npz

# --- the command's own options
refuses 2 "--nodes: '0' is not a whole number" fit data.npy -k 2 -n 0 -o model.npz
refuses 2 "--nodes: 'few' is not a whole number" fit data.npy -k 2 -n few -o model.npz
refuses 2 "--nodes: 5, but 2 INPUTs are one node each" fit data.npy data.npy -k 2 -n 5 -o model.npz
refuses 2 "--split: 2 INPUTs are one node each" fit data.npy data.npy -k 2 --split shuffle -o model.npz
refuses 2 "--threads: '0' is not a whole number" fit data.npy -k 2 --threads 0 -o model.npz
refuses 2 "warp" fit data.npy -k 2 --engine warp -o model.npz
refuses 2 "--init: 'ones' is not random, file:X0.npy or a model's .npz" fit data.npy -k 2 --init ones -o model.npz
refuses 2 "--truth: 'yes' is not none, compute or file:Q.npy" fit data.npy -k 2 --truth yes -o model.npz
refuses 2 "data.npy: is 40 x 6, not 6 x 2 (features x components)" fit data.npy -k 2 --init file:data.npy -o model.npz
refuses 2 "data.npy: is 40 x 6, not 6 x 2 (features x components)" fit data.npy -k 2 --truth file:data.npy -o model.npz
refuses 2 "nowhere.npy" fit data.npy -k 2 --init file:nowhere.npy -o model.npz
refuses 2 "--header: 'perhaps' is not yes, no or auto" fit data.csv -k 2 --header perhaps -o model.npz
refuses 2 "evenly" fit data.npy -k 2 -n 4 --split evenly -o model.npz
refuses 2 "sizes" fit data.npy -k 2 -n 2 --split sizes:1,2 -o model.npz
refuses 2 "node 1 would hold no row" fit data.npy -k 2 -n 2 --split sizes:40,0 -o model.npz

# --- the network
refuses 2 "ring" fit data.npy -k 2 -n 5 -t ring -o model.npz
refuses 2 "er:-1" fit data.npy -k 2 -n 5 -t er:-1 -o model.npz
printf '0 1\n2 3\n' >apart.txt
refuses 2 "have no path" fit data.npy -k 2 -n 4 -t file:apart.txt -o model.npz
printf '0.9,0.2\n0.2,0.9\n' >W.csv
refuses 2 "sums to" fit data.npy -k 2 -n 2 --weights file:W.csv -o model.npz
refuses 2 "heavy" fit data.npy -k 2 -n 2 --weights heavy -o model.npz
refuses 2 "would hold no row (40 rows, 41 nodes)" fit data.npy -k 2 -n 41 -o model.npz

# --- the data
refuses 2 "nowhere.npy" fit nowhere.npy -k 2 -o model.npz
refuses 2 "." fit . -k 2 -o model.npz
refuses 2 "data.npy/inside" fit data.npy/inside -k 2 -o model.npz
refuses 2 "five.npy" fit data.npy five.npy -k 2 -o model.npz
refuses 2 "columns" fit data.npy -k 2 --columns 0-99 -o model.npz
: >empty.csv
refuses 2 "empty.csv" fit empty.csv -k 1 -o model.npz
: >empty.npy
refuses 2 "empty.npy" fit empty.npy -k 1 -o model.npz
printf 'a,b,c\n' >header_only.csv
refuses 2 "header_only.csv" fit header_only.csv -k 1 -o model.npz
printf '1,2,3\n4,5\n7,8,9\n' >ragged.csv
refuses 2 "ragged.csv" fit ragged.csv -k 1 -o model.npz
printf '1,2,3\n4,,6\n7,8,9\n' >missing.csv
refuses 2 "missing.csv" fit missing.csv -k 1 -o model.npz
for value in nan inf -inf 1e999; do
    printf '1,2,3\n4,%s,6\n7,8,1\n' "$value" >nonfinite.csv
    refuses 2 "nonfinite.csv" fit nonfinite.csv -k 1 -o model.npz
done
printf '1,2,3\n4,five,6\n7,8,9\n' >text.csv
refuses 2 "text.csv" fit text.csv -k 1 -o model.npz
printf '\x7fELF nothing that is known\n\x00\x01' >unknown.bin
refuses 2 "unknown.bin" fit unknown.bin -k 1 -o model.npz
refuses 2 "raw:" fit raw:f99:3:data.npy -k 1 -o model.npz
refuses 2 "raw:" fit raw:f64:0:data.npy -k 1 -o model.npz
printf '12345' >odd.raw
refuses 2 "odd.raw" fit raw:f64:2:odd.raw -k 1 -o model.npz

# --- data whose squares are no doubles, and constants that are not exact
for size in 1e200 -1e300 1e155; do
    printf '1,2,3\n4,%s,6\n7,8,1\n' "$size" >huge.csv
    refuses 2 "which a double does not hold; try --scale std, or dividing the data by 1e" fit huge.csv -k 1 -o model.npz
    works fit huge.csv -k 2 --scale std --quiet -o model.npz
    works fit huge.csv -k 1 --scale spectral --quiet -o model.npz
    rm model.npz
done
for size in -200 -300 -150; do
    printf '1e%s,2e%s\n-3e%s,1e%s\n2e%s,7e%s\n' $size $size $size $size $size $size >tiny.csv
    refuses 2 "does not hold to all digits; try --scale std, or multiplying the data by 1e" fit tiny.csv -k 1 -o model.npz
    works fit tiny.csv -k 2 --scale std --quiet -o model.npz
    rm model.npz
done
for constant in 3.7 0.1 1e300 1e-300; do
    for _ in {1..50}; do printf '%s,%s\n' "$constant" "$constant"; done >constant.csv
    refuses 2 "no variance, every row is the same" fit constant.csv -k 1 -o model.npz
    refuses 2 "no variance, every row is the same" fit constant.csv -k 1 -n 3 --scale std -o model.npz
done

# --- binary headers that lie
head -c 1000 data.npy >cut.npy
refuses 2 "cut.npy" fit cut.npy -k 1 -o model.npz
head -c 9 data.npy >stump.npy
refuses 2 "stump.npy" fit stump.npy -k 1 -o model.npz
hostile()
{
    npy_with_header "$1" <<<"0123456789abcdef" >hostile.npy
    refuses 2 "hostile.npy" fit hostile.npy -k 1 -o model.npz
}
hostile "{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976, 8), }"
hostile "{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551615, 2), }"
hostile "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999, 2), }"
hostile "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2), }"
hostile "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2), }"
hostile "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 0), }"
hostile "{'descr': '|O', 'fortran_order': False, 'shape': (1, 2), }"
hostile "{'descr': '<c16', 'fortran_order': False, 'shape': (1, 1), }"
hostile "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1, 2), }"
hostile "{'descr': '<f8', 'fortran_order': False}"
hostile "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2"
hostile "__import__('os').system('touch owned')"
hostile "$(printf '%0200d' 0 | tr 0 '{')"
printf '\x93NUMPY\x01\x00\xff\xff{' >long.npy
refuses 2 "long.npy" fit long.npy -k 1 -o model.npz
printf '\x93NUMPY\x09\x00\x10\x00{' >version.npy
refuses 2 "version.npy" fit version.npy -k 1 -o model.npz
# IDX: 3 dimensions whose product overflows; and one that promises more than there is
printf '\x00\x00\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff1234' >overflow.idx
refuses 2 "overflow.idx" fit overflow.idx -k 1 -o model.npz
printf '\x00\x00\x08\x02\x00\x00\x10\x00\x00\x00\x00\x0412345678' >cut.idx
refuses 2 "cut.idx" fit cut.idx -k 1 -o model.npz
printf '\x00\x00\x77\x02\x00\x00\x00\x02\x00\x00\x00\x0212345678' >type.idx
refuses 2 "type.idx" fit type.idx -k 1 -o model.npz
# gz: cut short, damaged, and one whose contents are far larger than they claim to be
gzip -c data.npy >whole.npy.gz
head -c 500 whole.npy.gz >cut.npy.gz
refuses 2 "cut.npy.gz" fit cut.npy.gz -k 1 -o model.npz
{ head -c 200 whole.npy.gz; printf 'damage'; tail -c +207 whole.npy.gz; } >damaged.npy.gz
refuses 2 "damaged.npy.gz" fit damaged.npy.gz -k 1 -o model.npz
{ head -c 128 data.npy; head -c 50000000 /dev/zero; } | gzip -c >bomb.npy.gz
refuses 2 "bomb.npy.gz" fit bomb.npy.gz -k 1 -o model.npz
printf '\x1f\x8b' >stump.gz
refuses 2 "stump.gz" fit stump.gz -k 1 -o model.npz

# --- files that cannot be read: root may read everything, so only where that holds
if [[ $(id -u) -ne 0 ]]; then
    cp data.npy secret.npy
    chmod 000 secret.npy
    refuses 2 "secret.npy" fit secret.npy -k 2 -o model.npz
    mkdir closed
    chmod 500 closed
    refuses 2 "closed/model.npz" fit data.npy -k 2 -o closed/model.npz
fi

# --- files that cannot be written: found out before anything is computed
mkdir here.svg
options=(--output --trace)
if has gnuplot; then options+=(--plot); fi
for option in "${options[@]}"; do
    refuses 2 "nowhere/file.svg: cannot be written" fit data.npy -k 2 "$option" nowhere/file.svg
    refuses 2 "data.npy/file.svg: cannot be written" fit data.npy -k 2 "$option" data.npy/file.svg
    refuses 2 "here.svg: cannot be written" fit data.npy -k 2 "$option" here.svg
    refuses 2 "$option: the name is empty" fit data.npy -k 2 "$option" ""
done
refuses 2 "is the file of --output too" fit data.npy -k 2 -o same --trace same
refuses 1 "/dev/full" fit data.npy -k 2 --quiet -o /dev/full
refuses 1 "/dev/full" fit data.npy -k 2 -o model.npz --trace /dev/full
ln -s /dev/full full.svg
if has gnuplot; then refuses 1 "/dev/full" fit data.npy -k 2 -o model.npz --plot full.svg; fi
program_path=/nowhere refuses 2 "gnuplot is not installed" fit data.npy -k 2 -o model.npz --plot x.svg
mkdir bin
printf '#!/bin/sh\nexit 3\n' >bin/gnuplot
chmod +x bin/gnuplot
program_path=$PWD/bin refuses 2 "could not draw" fit data.npy -k 2 -o model.npz --plot x.svg

# A picture is whole when it ends like one, however its size falls into blocks.
for size in 16383 16384 16385 16389 32769; do
    printf '#!/bin/sh\nprintf "<svg>%%%ds</svg>\\n"\n' $((size - 12)) >bin/gnuplot
    program_path=$PWD/bin:$PATH works fit data.npy -k 2 --quiet --plot x.svg
    [[ $(stat -c %s x.svg) -eq $size ]] || fail "a picture of $size bytes has another size"
done
printf '#!/bin/sh\nprintf "<svg>%%16400s</sv"\n' >bin/gnuplot
rm x.svg
program_path=$PWD/bin:$PATH refuses 2 "could not draw" fit data.npy -k 2 --quiet --plot x.svg

# --- models that are none
refuses 2 "FILE.npz is missing" info
refuses 2 "nowhere.npz" info nowhere.npz
refuses 2 "data.npy" info data.npy
refuses 2 "data.csv" info data.csv
refuses 2 "one argument too many" info a.npz b.npz
works fit data.npy -k 2 -o good.npz
head -c 900 good.npz >half.npz
refuses 2 "half.npz" info half.npz

# --- a name with anything in it stays one line
refuses 2 "one?two.npy" fit $'one\ntwo.npy' -k 2
