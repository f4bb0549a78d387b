#!/usr/bin/env bash
# What several ranks cannot read together is refused; a file that gets shorter under one of them ends all.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

export OMPI_MCA_odls_base_sigkill_timeout=0 # Open MPI otherwise waits a second after every failure

works generate -d 6 -N 300 -k 2 --gap 0.6 -o data.npy
works convert data.npy data.csv
refuses_together 2 2 "standard input: can be read by one process, and 2 were started" fit - -k 2 -o model.npz
refuses_together 2 2 "standard input: can be read by one process, and 2 were started" fit data.npy /dev/stdin -k 2 -o model.npz
mkfifo pipe
refuses_together 2 2 "pipe: can be read by one process, and 2 were started" fit pipe -k 2 -o model.npz
archive=$here/../data/files/stored.npz
refuses_together 2 2 "would be read whole by each of 2 processes" fit "$archive" -k 1 -o model.npz

# A pipe a node is another matter.
mkfifo node-0.csv node-1.csv
sed -n 1,150p data.csv >node-0.csv &
sed -n 151,300p data.csv >node-1.csv &
works_together 2 fit node-%d.csv -k 2 -q --header no
wait

# Rank 2's file is cut while all compute.
works generate -d 600 -N 100 -k 2 --gap 0.9 -o wide.npy # few rows, which stay where they are
for node in 0 1 2; do cp wide.npy "part-$node.npy"; done
begin fit part-%d.npy -k 2 -m dsa --tolerance 0 --iterations 1000000000 -o model.npz
for _ in {1..500}; do
    if grep -qF /part-2.npy "/proc/${rank_pids[2]}/maps" 2>/dev/null; then break; fi
    sleep 0.02
done
sleep 1
truncate -s 5000 part-2.npy
for _ in {1..200}; do
    if ! is_there "$mpirun_pid"; then break; fi
    sleep 0.1
done
if is_there "$mpirun_pid"; then
    kill "$mpirun_pid"
    fail "the ranks did not end"
fi
wait "$mpirun_pid" || status=$?
sort_words
[[ $status -eq 2 ]] || fail "status is not 2"
complains "rank 2: part-2.npy: got shorter, or its disk failed, while it was read"
[[ ! -e model.npz ]] || fail "a model was written"
