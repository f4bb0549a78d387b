#!/usr/bin/env bash
# eigenmesh --device, with libraries that stand in for a GPU's, and without any.
# shellcheck source=../cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
: "${STANDIN:?the folder of the stand-ins}"

works generate -d 30 -N 3000 -k 4 --gap 0.7 -o rows.npy

# ---- without ------------------------------------------------------------------------------------------------------------

# A machine that runs this may have a GPU of its own, which is then not to be seen.
export CUDA_VISIBLE_DEVICES=
unset EIGENMESH_CUDA_PATH
works fit rows.npy -k 4 --json
grep -q '"device": "cpu"' "$out" || fail "so few rows are the CPU's"
works fit rows.npy -k 4 --dry-run
says "device    cpu: "
works fit rows.npy -k 4 --device cpu
says "device    cpu: as asked for"
run fit rows.npy -k 4 --device gpu
[[ $status -ne 0 ]] || fail "there is no GPU"
complains "gpu: "
run fit rows.npy -k 4 --device none
complains "no such device"

# ---- with ---------------------------------------------------------------------------------------------------------------

export EIGENMESH_CUDA_PATH=$STANDIN
works fit rows.npy -k 4 --device gpu --dry-run
says "device    gpu: stand-in, as asked for"
works fit rows.npy -k 4 --device gpu --dry-run --json
grep -q '"device_why": "stand-in, as asked for"' "$out" || fail "the plan does not say why"
works fit rows.npy -k 4 --device cpu -o here.npz
works fit rows.npy -k 4 --device gpu -o there.npz
says "device    gpu: stand-in, as asked for"
works fit rows.npy -k 4 --device gpu -n 5 -t cycle --method deepca
says "device    gpu: stand-in"
works fit rows.npy -k 4 --device gpu --masks -n 3
says "device    gpu: stand-in"
works compare rows.npy -k 4 -n 3 --methods krylov,deepca --device gpu
works transform there.npz rows.npy -o scores.npy

STANDIN_DEVICES=0 run fit rows.npy -k 4 --device gpu
complains "the driver has no device"

# A rank takes the device whose turn it is.
STANDIN_DEVICES=2 OMPI_COMM_WORLD_LOCAL_RANK=3 works fit rows.npy -k 4 --device gpu
