#!/usr/bin/env bash
# eigenmesh topology: networks whose measures are known by hand.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

works topology cycle -n 10
grep -qE '^edges +10$' "$out" || fail "a cycle of 10 has 10 edges"
grep -qE '^degree +2 to 2' "$out" || fail "every node of a cycle has 2 neighbours"
grep -qE '^diameter +5$' "$out" || fail "a cycle of 10 has diameter 5"
grep -qE '^min w_ii +0.333333$' "$out" || fail "Metropolis on a cycle leaves 1/3"
# beta = 1/3 + 2/3 cos(2 pi / 10)
grep -qE '^beta +0.87267[0-9]$' "$out" || fail "beta of a cycle of 10 is 1/3 + 2/3 cos 36 degrees"
works topology complete -n 7
grep -qE '^edges +21$' "$out" || fail "7 nodes have 21 pairs"
grep -qE '^diameter +1$' "$out" || fail "a complete graph has diameter 1"

# The same seed, the same network; another seed, another.
works topology er:0.4 -n 30 --seed 5 --edges a.txt
works topology er:0.4 -n 30 --seed 5 --edges b.txt
works topology er:0.4 -n 30 --seed 6 --edges c.txt
cmp -s a.txt b.txt || fail "the same seed gave two networks"
cmp -s a.txt c.txt && fail "two seeds gave one network"

# The edges that were written are read back as the same network.
works topology er:0.4 -n 30 --seed 5
cp "$out" first
works topology file:a.txt -n 30
cmp -s "$out" first || fail "file:a.txt is not the network it was written from"

works topology path -n 3 --quiet --edges edges.txt
[[ ! -s $out ]] || fail "--quiet is not quiet"
[[ $(cat edges.txt) == $'0 1\n1 2' ]] || fail "the edges of a path of 3"
piped topology path -n 3 --quiet --edges /dev/stdout
[[ $(cat "$out") == $'0 1\n1 2' ]] || fail "the edges on stdout"

works topology star -n 5 --weights lazy --json
says '"topology": "star"'
says '"weights": "lazy"'
says '"edges": 4'

# Weights from a file: 3 nodes on a path.
printf '0.5,0.5,0\n0.5,0.25,0.25\n0,0.25,0.75\n' >W.csv
works topology path -n 3 --weights file:W.csv
grep -qE '^min w_ii +0.25$' "$out" || fail "the weights of the file are not used"

if has gnuplot; then
    for spec in er:0.5 star grid:3x4 torus:3x4 scalefree:1; do
        works topology "$spec" -n 12 --plot graph.svg
        grep -q '</svg>' graph.svg || fail "graph.svg is not a picture"
    done
    works topology complete -n 1 --plot graph.svg
fi
rm -f graph.svg

refuses 2 "SPEC is missing" topology -n 5
refuses 2 "-n, --nodes: required" topology cycle
refuses 2 "'more' is one argument too many" topology cycle more -n 5
refuses 2 "--nodes: '0' is not a whole number" topology cycle -n 0
refuses 2 "--nodes: '-3' is not a whole number" topology cycle -n -3
refuses 2 "--nodes: 'many' is not a whole number" topology cycle -n many
refuses 2 "--nodes: '99999999999' is not a whole number" topology cycle -n 99999999999
refuses 2 "--seed: '-1' is not a whole number" topology cycle -n 5 --seed -1
refuses 2 "none-such" topology none-such -n 5
refuses 2 "er:2" topology er:2 -n 5
refuses 2 "er:x" topology er:x -n 5
refuses 2 "grid:2x2" topology grid:2x2 -n 5
refuses 2 "fancy" topology cycle -n 5 --weights fancy
refuses 2 "nowhere.txt" topology file:nowhere.txt -n 5
printf '0 1\n2 3\n' >apart.txt
refuses 2 "have no path" topology file:apart.txt -n 4
printf '0 1\n1 9\n' >beyond.txt
refuses 2 "beyond.txt" topology file:beyond.txt -n 4
printf '0 1\n1 two\n' >words.txt
refuses 2 "words.txt" topology file:words.txt -n 4
printf '0.5,0.5,0\n0.5,0.25,0.25\n0,0.25,0.5\n' >sums.csv
refuses 2 "sums to" topology path -n 3 --weights file:sums.csv
refuses 2 "W.csv: is 3 x 3, not 4 x 4" topology path -n 4 --weights file:W.csv
refuses 2 "nowhere/edges" topology path -n 4 --edges nowhere/edges
! has gnuplot || refuses 2 "is the file of --plot too" topology path -n 4 --plot same.svg --edges same.svg
refuses 1 "/dev/full" topology path -n 4 --edges /dev/full
program_path=/nowhere refuses 2 "gnuplot is not installed" topology path -n 4 --plot graph.svg
