#!/usr/bin/env bash
# Time runs out on every rank, sooner on one than on another; they end after the same iteration.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

works generate -d 20 -N 600 -k 3 --gap 0.8 -o data.npy
for method in dsa seqdistpm; do
    refuses_together 3 1 "fit: --max-seconds ended $method after" fit data.npy -n 6 -k 3 -m "$method" --tolerance 0 \
        --iterations 100000000 --max-seconds 0.05 --quiet
done
