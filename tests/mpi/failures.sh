#!/usr/bin/env bash
# What fails on one rank ends them all, soon, with one line that names it, and leaves no file.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

export OMPI_MCA_odls_base_sigkill_timeout=0 # Open MPI otherwise waits a second after every failure

works generate -d 6 -N 300 -k 2 --gap 0.6 -o data.npy
works convert data.npy data.csv
for node in 0 1 2 3; do
    sed -n "$((node * 75 + 1)),$((node * 75 + 75))p" data.csv >"good-$node.csv"
    for kind in few wide; do cp "good-$node.csv" "$kind-$node.csv"; done
    works convert "good-$node.csv" "nan-$node.npy" --header no
done
rm few-3.csv
sed 's/$/,1/' good-2.csv >wide-2.csv
sed 's/$/,1/' good-3.csv >wide-3.csv
printf '\0\0\0\0\0\0\xf8\x7f' | dd of=nan-1.npy bs=8 seek=$((16 + 7 * 6)) conv=notrunc status=none # row 7
model=(-k 2 -o model.npz --trace trace.csv --header no)

# Data.
refuses_together 4 2 "rank 3: few-3.csv: " fit few-%d.csv "${model[@]}"
refuses_together 2 2 "rank 1: few-3.csv: " fit few-%d.csv -n 4 "${model[@]}"
refuses_together 2 2 "rank 1: wide-2.csv: 7 columns, but there are 6 on rank 0" fit wide-%d.csv -n 4 "${model[@]}"
refuses_together 3 2 "rank 2: " fit wide-%d.csv -n 4 "${model[@]}"
refuses_together 4 2 "rank 1: nan-1.npy: row 7" fit nan-%d.npy "${model[@]}"
refuses_together 4 2 "rank 1: nan-1.npy: row 7" fit nan-%d.npy "${model[@]}" --average allreduce
refuses_together 2 2 "rank 0: nan-1.npy: row 7" fit nan-%d.npy -n 4 "${model[@]}"
refuses_together 2 2 "components: 9 of them" fit good-%d.csv -k 9 -o model.npz --header no

# What one rank's data holds, no other hears of: neither a cell nor a file's name.
for node in 0 1 2 3; do cp "good-$node.csv" "cell-$node.csv"; done
sed -i '5s/^[^,]*/SECRET-cell/' cell-1.csv
refuses_together 4 2 "rank 1: cell-1.csv: " fit cell-%d.csv "${model[@]}"
grep -qF "'SECRET-cell'" "$err" || fail "the rank itself does not say which cell"
grep -qF "rank 1: has failed (the data is not usable)" "$scratch/log/heard" || fail "rank 0 does not say what kind of failure"

# each_to_its_own RANKS ARGUMENT...: the program, with the words of each rank in a file of its own, words-RANK.
cat >own_words <<'END_OF_FILE'
#!/usr/bin/env bash
exec "$EIGENMESH" "$@" 2>"$WORDS/words-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
END_OF_FILE
chmod +x own_words
mkdir "$scratch/words"
export EIGENMESH WORDS=$scratch/words
for cells in cell-%d.csv nan-%d.npy; do
    launch -n 4 ./own_words fit "$cells" "${model[@]}"
    [[ $status -eq 2 ]] || fail "status is not 2"
    grep -q "^eigenmesh: rank 1: ${cells/\%d/1}: .*; try " "$WORDS/words-1" || fail "rank 1 does not speak"
    [[ $(wc -l <"$WORDS/words-1") -eq 1 ]] || fail "rank 1 speaks more than once"
    [[ $(wc -l <"$WORDS/words-0") -eq 1 ]] || fail "rank 0 does not speak once"
    grep -qE "$heard" "$WORDS/words-0" || fail "rank 0 has other words: $(<"$WORDS/words-0")"
    [[ ! -s $WORDS/words-2 && ! -s $WORDS/words-3 ]] || fail "ranks speak that know nothing"
done

# Usage.
refuses_together 3 2 "3 ranks for 2 nodes" fit data.npy -n 2 "${model[@]}"
refuses_together 2 2 "--engine: local runs in one process, and 2 were started" fit data.npy --engine local "${model[@]}"
refuses_together 2 2 "--method" fit data.npy -m magic "${model[@]}"
refuses_together 2 2 "no such command" fits data.npy "${model[@]}"
refuses_together 2 2 "rank 0: nowhere/model.npz" fit data.npy -k 2 -o nowhere/model.npz
refuses_together 2 2 "none.txt: cannot be opened" fit data.npy "${model[@]}" -n 4 -t file:none.txt
head -c $((4097 * 40)) /dev/urandom >noise
refuses_together 2 2 "truth compute: 4097 features" fit raw:u8:4097:noise -k 2 --truth compute -m krylov -o model.npz
for command in "info model.npz" "compare data.npy -k 2" "convert data.npy new.csv"; do
    # shellcheck disable=SC2086 # the command is words
    refuses_together 2 2 "${command%% *}: runs in one process, and 2 were started" $command
done

# Ranks that are told different things.
one_and_other()
{
    local words=$1
    shift
    launch_refuses 2 "$words" -n 1 "$EIGENMESH" fit data.npy -n 4 "${model[@]}" : -n 1 "$EIGENMESH" "$@"
}
one_and_other "rank 1: -k: '3' here, '2' on rank 0" fit data.npy -n 4 -k 3 -o model.npz --trace trace.csv --header no
one_and_other "rank 1: -n: '5' here, '4' on rank 0" fit data.npy -n 5 "${model[@]}"
one_and_other "rank 1: arguments: 'nothing' here, '--header' on rank 0" fit data.npy -n 4 -k 2 -o model.npz --trace trace.csv
one_and_other "rank 1: arguments: '-q' here, 'nothing' on rank 0" fit data.npy -n 4 "${model[@]}" -q
one_and_other "rank 1: arguments: 'info' here, 'fit' on rank 0" info model.npz

# Said once.
for words in "--help" "--version" "fit --help" "help fit"; do
    # shellcheck disable=SC2086 # words
    works $words
    cp "$out" wanted
    # shellcheck disable=SC2086 # words
    works_together 2 $words
    cmp "$out" wanted || fail "'$words' is not printed once"
done
works_together 2 fit data.npy -k 2 -n 4 --quiet
[[ ! -s $out ]] || fail "--quiet prints"
sed 's/^[^,]*/5/' data.csv >constant.csv
works convert constant.csv constant.npy --header no
together 3 fit constant.npy -k 2 --scale std --quiet -n 4
[[ $status -eq 0 && ! -s $err ]] || fail "--quiet warns"
together 3 fit constant.npy -k 2 --scale std -n 4
[[ $status -eq 0 ]] || fail "status is not 0"
complains "1 constant feature was left unscaled"

# A rank without memory.
if [[ $(ldd "$EIGENMESH") != *libasan* ]]; then
    head -c $((8000 * 30)) /dev/urandom >noise
    cat >limited <<'END'
#!/usr/bin/env bash
if [[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} == 1 ]]; then ulimit -v 600000; fi
exec "$EIGENMESH" "$@"
END
    chmod +x limited
    export EIGENMESH
    launch_refuses 1 "rank 1: covariance: out of memory" -n 2 ./limited fit raw:u8:8000:noise -k 2 -m covariance -o model.npz
fi

# ---- signals -----------------------------------------------------------------------------------------------------

unset OMPI_MCA_odls_base_sigkill_timeout
endless=(fit data.npy -k 2 -n 4 -m dsa --tolerance 0 --iterations 1000000000 -o model.npz --quiet)

# after_a_while WORDS: start endless iterations on three ranks, and do this with $mpirun_pid and the $rank_pids.
after_a_while()
{
    local began=$SECONDS
    begin "${endless[@]}"
    ran+=", then: $1"
    sleep 1 # in the midst of iterations
    eval "$1"
    (
        sleep "$limit"
        kill -KILL "$mpirun_pid" "${rank_pids[@]}"
    ) 2>/dev/null &
    local watch=$!
    wait "$mpirun_pid" || status=$?
    kill "$watch" 2>/dev/null || true
    sort_words
    [[ $status -ne 0 ]] || fail "status is 0"
    for pid in "${rank_pids[@]}"; do # mpirun may be gone a moment before the last of them
        while is_there "$pid"; do
            [[ $((SECONDS - began)) -lt $limit ]] || fail "rank $pid is still there"
            sleep 0.1
        done
    done
    [[ $((SECONDS - began)) -lt $limit ]] || fail "it did not end in time"
    [[ $(find . -name '*model.npz*' | wc -l) -eq $(find . -name model.npz | wc -l) ]] || fail "half a file is left"
}

# A rank that is killed: mpirun says which one, and there is no model.
# shellcheck disable=SC2016 # evaluated there
after_a_while 'kill -KILL "${rank_pids[1]}"'
grep -qE 'rank [0-2]|BAD TERMINATION' "$scratch/log/all" || fail "mpirun does not name the rank"
[[ ! -e model.npz ]] || fail "a model of a lost run is left"

# Ctrl-C, and the end of a job's time: what was reached is written, if MPI leaves the time.
# shellcheck disable=SC2016 # evaluated there
for action in 'kill -INT "$mpirun_pid"' 'kill -TERM "$mpirun_pid"' 'kill -INT "${rank_pids[@]}"' \
    'kill -TERM "${rank_pids[2]}"'; do
    after_a_while "$action"
    if [[ -e model.npz ]]; then
        complains "interrupted after"
        works info model.npz
    fi
    rm -f model.npz
done
