#!/usr/bin/env bash
# krylov on the real MNIST, where it is at hand: 60,000 x 784 over 20 nodes of an Erdos-Renyi graph.
shared=${EIGENMESH_SHARED:-$(cd "$(dirname "$0")/../../.." && pwd)/shared}
images=$shared/data/mnist/train-images-idx3-ubyte.gz
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
if [[ ! -e $images ]]; then
    echo "skipped: no shared/data/mnist beside the checkout"
    exit 77
fi

# reaches K AVERAGES UNITS: an error of 1e-10 within so many exact averages and units.
reaches()
{
    works fit "$images" -k "$1" -n 20 -t er:0.5 -m krylov --tolerance 1e-8 --truth compute --trace trace.csv
    awk -F, -v most="$2" -v units="$3" 'NR > 1 && $9 <= 1e-10 { found = 1; exit !($1 <= most && $5 <= units) }
        END { if (!found) exit 1 }' trace.csv || fail "1e-10 not within $2 averages and $3 units"
}

reaches 10 10 2.5
reaches 40 9 2.5
works fit "$images" -k 10 -n 20
says "auto      krylov: "
says "converged after"
