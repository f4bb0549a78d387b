#!/usr/bin/env bash
# One golden curve: run the program on the golden problem and compare its trace, row by row.
# Usage: run.sh NAME, with the program in $EIGENMESH.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
golden=$here/golden
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [[ ! -x /usr/bin/python3 ]]; then
    echo "skipped: no /usr/bin/python3 to compare with"
    exit 77
fi

network=(-n 6 --split "sizes:$(cat "$golden/sizes.txt")" -t "file:$golden/edges.txt" --weights "file:$golden/W.npy")
case $1 in
dsa) options=("${network[@]}" -m dsa --step 0.25) ;;
dsa_sqrt) options=("${network[@]}" -m dsa --step 0.25 --step-decay sqrt) ;;
dsa_power) options=("${network[@]}" -m dsa --step 0.25 --step-decay power:0.2) ;;
dpgd) options=("${network[@]}" -m dpgd --step 0.25) ;;
seqdistpm) options=("${network[@]}" -m seqdistpm --consensus-rounds 5) ;;
sdot) options=("${network[@]}" -m sdot --consensus-rounds 3) ;;
fastpca) options=("${network[@]}" -m fastpca --step 0.1) ;;
gha) options=(-n 1 -m gha --step 0.25) ;;
oi) options=(-n 1 -m oi) ;;
*) echo "run.sh: no golden curve $1" >&2 && exit 2 ;;
esac

"$EIGENMESH" fit "$golden/data.npy" -k 3 "${options[@]}" --init "file:$golden/X0.npy" --truth "file:$golden/Q.npy" \
    --tolerance 0 --iterations 300 --trace "$scratch/trace.csv" --quiet
"$here/compare_trace.py" "$golden/$1.csv" "$scratch/trace.csv" --rtol 1e-10
