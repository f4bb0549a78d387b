#!/usr/bin/env bash
# Where outputs go: standard output by '-', links, and the permissions of what they replace.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

works generate -d 4 -N 30 -k 2 --gap 0.5 -o data.npy
works fit data.npy -k 2 -o model.npz
works convert data.npy data.csv
works transform model.npz data.npy -o scores.csv

# Tables are CSV with all digits, and nothing else is there.
works convert data.npy -
cmp -s "$out" data.csv || fail "a table on standard output is not the CSV of it"
works transform model.npz data.npy -o -
cmp -s "$out" scores.csv || fail "scores on standard output are not the CSV of them"
works generate -d 4 -N 30 -k 2 --gap 0.5 -o -
cmp -s "$out" data.csv || fail "drawn data on standard output"
works convert data.npy raw:f64:data.bin
works convert data.npy raw:f64:-
cmp -s "$out" data.bin || fail "raw numbers on standard output"
[[ ! -e - ]] || fail "a file called -"

# A model, a trace, edges and a picture.
works fit data.npy -k 2 -o -
cp "$out" piped.npz
works info piped.npz
works fit data.npy -k 2 -m dsa -n 3 --iterations 9 --trace -
[[ $(wc -l <"$out") -eq 11 && $(head -n 1 "$out") == iteration,* ]] || fail "not a trace, and nothing but a trace"
works fit data.npy -k 2 -m dsa -n 3 --iterations 9 --trace - -o with.npz
[[ $(wc -l <"$out") -eq 11 ]] || fail "a report in the trace"
works info with.npz
works topology path -n 3 --edges -
[[ $(cat "$out") == $'0 1\n1 2' ]] || fail "the edges on standard output"
if command -v gnuplot >/dev/null; then
    for command in "topology path -n 3" "info model.npz" "fit data.npy -k 2"; do
        # shellcheck disable=SC2086 # the words are to be split
        works $command --plot -
        [[ $(head -c 5 "$out") == "<?xml" && $(tail -n 2 "$out") == *"</svg>"* ]] || fail "not a picture"
    done
fi

# Appended to what is there.
ran="convert data.npy - >>appended"
echo first >appended
"$EIGENMESH" convert data.npy - >>appended 2>"$err" </dev/null || fail "convert"
[[ $(head -n 1 appended) == first && $(wc -l <appended) -eq 31 ]] || fail "what was there is gone"
ran="convert data.npy - >>data.csv"
# shellcheck disable=SC2094 # which is what is refused
"$EIGENMESH" convert data.csv - >>data.csv 2>"$err" </dev/null && fail "a file is appended to itself"
: >"$out"
complains "OUTPUT: '-' is the file of INPUT 'data.csv' too"
[[ $(wc -l <data.csv) -eq 30 ]] || fail "the input was changed"

# What is refused.
refuses 2 "--trace: standard output is that of --output already" fit data.npy -k 2 -o - --trace -
refuses 2 "--edges: standard output is that of --plot already" topology path -n 3 --plot - --edges -
refuses 2 "--json: standard output is that of '-' already" fit data.npy -k 2 -o - --json
refuses 2 "--json: standard output is that of '-' already" topology path -n 3 --edges - --json
refuses 2 "--checkpoint: is read again" fit data.npy -k 2 --checkpoint -
refuses 2 "--output: is a directory here" compare data.npy -k 2 -o -
refuses 2 "--output: is a directory here" reproduce fig1a -o -
ran="fit data.npy -k 2 -o - on a terminal"
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    script -qec "'$EIGENMESH' fit data.npy -k 2 -o -" /dev/null >"$out" 2>"$err" </dev/null && fail "a model on a terminal"
    says "eigenmesh: --output: is binary, and standard output is a terminal; try a file, or a pipe"
    script -qec "'$EIGENMESH' convert data.npy - | cat" /dev/null >"$out" 2>"$err" </dev/null || fail "a table on a terminal"
else
    echo "skipped: no pseudo-terminal here, so that a model on a terminal is not looked at"
fi

ran="fit data.npy -k 2 -o - >/dev/full"
status=0
"$EIGENMESH" fit data.npy -k 2 -o - >/dev/full 2>"$err" </dev/null || status=$?
: >"$out"
[[ $status -eq 1 ]] || fail "a full disk is not status 1"
complains "standard output: cannot be written (No space left on device)"

# What replaces a file has its permissions; what is new follows the umask.
mode_of()
{
    stat -Lc %a "$1"
}
for mode in 600 640 664 755; do
    for name in kept.npz kept.csv; do
        echo old >"$name"
        chmod "$mode" "$name"
    done
    works fit data.npy -k 2 -o kept.npz --quiet
    works convert data.npy kept.csv --quiet
    [[ $(mode_of kept.npz) == "$mode" && $(mode_of kept.csv) == "$mode" ]] || fail "permissions were not kept"
done
for mask in 022 077 002; do
    rm -f new.npz new.csv
    (umask "$mask" && works fit data.npy -k 2 -o new.npz --trace new.csv --quiet)
    wanted=$(printf %o $((0666 & ~mask)))
    [[ $(mode_of new.npz) == "$wanted" && $(mode_of new.csv) == "$wanted" ]] || fail "permissions are not umask's"
done

# Links: the file they lead to is replaced, or made.
mkdir place
ln -s place/live.npz live.npz
echo old >place/live.npz
ln -s place/new.npz dangling.npz
for name in live dangling; do works fit data.npy -k 2 -o "$name.npz" --quiet; done
for name in live new; do works info "place/$name.npz"; done
[[ -L live.npz && -L dangling.npz ]] || fail "a link was replaced"
ln -s round round
refuses 2 "round: cannot be written (Too many levels of symbolic links)" fit data.npy -k 2 -o round
[[ -z $(find . -name '.eigenmesh-*') ]] || fail "something was left behind"
