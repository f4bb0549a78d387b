#!/usr/bin/env bash
# A rank that hangs: the others name it when their patience is at an end, and all of them come to theirs.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

limit=100 # seconds, far more than it takes
works generate -d 6 -N 300 -k 2 --gap 0.6 -o data.npy

# ends WORDS: with a status that is not 0, and a line that says so; no rank is left.
ends()
{
    local began=$SECONDS waited=0 pid
    # Open MPI's mpirun may itself hang when a rank ends before it has joined: then its ranks alone count.
    while is_there "$mpirun_pid" && { is_there "${rank_pids[0]}" || is_there "${rank_pids[1]}" ||
        is_there "${rank_pids[2]}" || [[ $((waited += 1)) -lt 50 ]]; }; do
        [[ $((SECONDS - began)) -lt $limit ]] || fail "it did not end within $limit s"
        sleep 0.2
    done
    kill -KILL "$mpirun_pid" 2>/dev/null || true
    wait "$mpirun_pid" || status=$?
    sort_words
    [[ $status -ne 0 ]] || fail "status is 0"
    grep -qE -- "$1" "$err" || fail "stderr does not say '$1'"
    grep -qE '^eigenmesh: .+: .+; try .+' "$err" || fail "stderr is not 'WHAT: WHY; try WHAT'"
    for pid in "${rank_pids[@]}"; do
        for _ in {1..50}; do is_there "$pid" && sleep 0.1; done
        if is_there "$pid"; then fail "process $pid is still there"; fi
    done
    [[ ! -e model.npz ]] || fail "a model of a lost run is left"
}

# In the midst of iterations, over the tree and by sums of MPI's own; whichever rank it is.
for average in tree allreduce; do
    for rank in 2 0; do
        begin fit data.npy -k 2 -n 4 -m dsa --tolerance 0 --iterations 1000000000 -o model.npz --quiet \
            --average "$average" --patience 3s
        sleep 2
        kill -STOP "${rank_pids[rank]}"
        ends "rank [012]: mpi: rank $rank has not answered for [0-9]+ s, "
    done
done

# Before it has joined the others.
HANGS_AT_ONCE=1 begin fit data.npy -k 2 -n 4 -o model.npz --patience=3
ends "not all processes have started within 3 s"

# In a file: nobody will ever read this one.
mkfifo trace.csv
begin fit data.npy -k 2 -n 4 -o model.npz --trace trace.csv --patience 3s
ends "rank [12]: mpi: rank 0 has not answered for [0-9]+ s, "

# Those who are only slow are waited for.
begin fit data.npy -k 2 -n 4 -m dsa --tolerance 0 --iterations 3000 --patience forever -o slow.npz
kill -STOP "${rank_pids[1]}"
sleep 1
kill -CONT "${rank_pids[1]}"
wait "$mpirun_pid" || fail "a slow rank is not waited for"
works info slow.npz

# A time, and somebody to wait for.
for time in soon 0 0s -1 1hour " 3s" inf 3m ""; do
    refuses_together 2 2 "--patience: '$time' is not a time" fit data.npy -k 2 --patience "$time"
done
for time in 30s 10min 1h 24h 90 0.5h forever; do works_together 2 fit data.npy -k 2 --quiet --patience "$time"; done
refuses 2 "--patience: there is nobody to wait for" fit data.npy -k 2 -n 4 --patience 30s
refuses 2 "--patience: there is nobody to wait for" fit data.npy -k 2 -n 4 --patience 30s --engine mpi
