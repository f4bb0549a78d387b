#!/usr/bin/env bash
# Data by standard input, by pipes and by process substitution.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

works generate -d 6 -N 300 -k 2 --gap 0.5 -o data.npy
works convert data.npy data.csv
gzip -k data.csv data.npy
works fit data.npy -k 2 --json
grep variance "$out" >wanted

# by STDIN ARGUMENT...: the program with its standard input from a pipe.
by()
{
    local file=$1
    shift
    ran="$* (from a pipe of $file)"
    status=0
    # shellcheck disable=SC2002 # a pipe is the point
    cat "$file" | "$EIGENMESH" "$@" >"$out" 2>"$err" || status=$?
}

fits_alike()
{
    [[ $status -eq 0 ]] || fail "status is not 0"
    [[ ! -s $err ]] || fail "something is on stderr"
    grep variance "$out" | cmp - wanted || fail "other numbers than from the file"
}

# --- every way in
for file in data.npy data.csv data.npy.gz data.csv.gz; do
    by "$file" fit - -k 2 --json
    fits_alike
    by "$file" fit /dev/stdin -k 2 --json
    fits_alike
    run fit <(cat "$file") -k 2 --json
    fits_alike
    mkfifo pipe
    cat "$file" >pipe &
    run fit pipe -k 2 --json
    fits_alike
    wait
    rm pipe
done
if has hdf5; then
    works convert data.npy data.h5
    by data.h5 fit - -k 2 --json
    fits_alike
fi
works convert data.npy raw:f64:data.raw
by data.raw fit raw:f64:6:- -k 2 --json
fits_alike

# --- as one node of several, and for the other commands
head -150 data.csv >first.csv
tail -150 data.csv >second.csv
works fit first.csv second.csv -k 2 --json
grep variance "$out" >wanted
by second.csv fit first.csv - -k 2 --json
fits_alike
run fit <(cat first.csv) <(cat second.csv) -k 2 --json
fits_alike
works fit data.npy -k 2 -q -o model.npz
works transform model.npz data.npy -o scores.npy
by data.csv transform model.npz - -q -o piped.npy
cmp scores.npy piped.npy || fail "other scores from a pipe"
by model.npz transform - data.npy -q -o piped.npy
cmp scores.npy piped.npy || fail "other scores by a model from a pipe"
by data.csv convert - copy.npy
says "copy.npy: 300 x 6 from csv"
cmp data.npy copy.npy || fail "another table from a pipe"
by model.npz fit /dev/stdin:components -k 1 -q
[[ $status -eq 0 ]] || fail "an array of an .npz in a pipe"

# --- a file that is called like it
cp data.csv ./-
works fit ./- -k 2 -q
rm ./-

# --- what does not work is said
given()
{
    by "$given_file" "$@"
}
given_file=data.csv
refused_by given 2 "standard input: given twice" fit - - -k 2 -o no.npz
refused_by given 2 "standard input: given twice" fit - /dev/stdin -k 2 -o no.npz
refused_by given 2 "standard input: given twice" fit raw:f64:2:- - -k 2 -o no.npz
refused_by given 2 "standard input: given twice" transform - - -o no.npy
refused_by given 2 "standard input: given twice" fit - -k 2 --init file:- -o no.npz
mkfifo pipe
refuses 2 "pipe: given twice" fit pipe pipe -k 2 -o no.npz
ln -s pipe alias
refuses 2 "alias: given twice" fit pipe alias -k 2 -o no.npz
rm pipe alias
printf 'a,b\n1,x\n2,3\n' >broken.csv
given_file=broken.csv
refused_by given 2 "standard input" fit - -k 1 --columns a,b -o no.npz
: >nothing
given_file=nothing
refused_by given 2 "standard input: is empty" fit - -k 1 -o no.npz
head -c 1000 data.npy >half
given_file=half
refused_by given 2 "standard input: cut short" fit - -k 1 -o no.npz
refuses 2 "standard input: cannot be read (it is a device" fit - -k 1 -o no.npz # run has it from /dev/null
refuses 2 "/dev/zero: cannot be read (it is a device" fit raw:f64:6:/dev/zero -k 1 -o no.npz

# --- Ctrl-C ends a read that waits, for a writer or for what it writes
mkfifo pipe held
exec 4<>held # nobody writes to it, and it does not end
for input in pipe -; do
    ran="fit $input (interrupted while it waits)"
    status=0
    timeout --foreground --preserve-status -s INT 1 "$EIGENMESH" fit "$input" -k 2 -o no.npz >"$out" 2>"$err" <&4 || status=$?
    [[ $status -eq 1 ]] || fail "an interrupted read is not status 1"
    complains "interrupted: nothing was written"
    [[ ! -e no.npz ]] || fail "something was written"
done
