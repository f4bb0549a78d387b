# shellcheck shell=bash
# What the tests of checkpoints share: runs that are killed, and resumed.
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for tool in unzip ps; do
    if ! command -v "$tool" >/dev/null; then
        echo "SKIPPED: no $tool" >&2
        exit 77
    fi
done
works generate -d 60 -N 3000 -k 4 --gap 0.95 -o data.npy
launch=(env) # what the program is started by
writers=1 # processes that keep a part of the checkpoint
longest=0.3 # seconds from a checkpoint to the end of a run, at most
RANDOM=${EIGENMESH_TEST_SEED:-1}

# start ARGUMENT...: in the background, as process $pid.
start()
{
    ran="${launch[*]} $*"
    "${launch[@]}" "$EIGENMESH" "$@" >"$out" 2>"$err" </dev/null &
    pid=$!
}

# A process and all that it has started.
family()
{
    local child
    echo "$1"
    for child in $(ps -o pid= --ppid "$1"); do family "$child"; done
}

# kill_within SECONDS: no warning, no cleaning up.
kill_within()
{
    local members
    sleep "$1"
    mapfile -t members < <(family "$pid")
    kill -KILL "${members[@]}" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
    for member in "${members[@]}"; do
        while kill -0 "$member" 2>/dev/null; do sleep 0.01; done
    done
}

# The parts of run.ck that are there, under either name.
parts()
{
    find . -regextype egrep -regex '\./run\.ck(\.[0-9]+-[0-9]+(\.next)?)?'
}

# Every process that writes has one: before that there is nothing to resume from.
is_complete()
{
    [[ $(parts | sed 's/\.next$//' | sort -u | wc -l) -eq $writers ]]
}

wait_for_checkpoint()
{
    until is_complete; do
        kill -0 "$pid" 2>/dev/null || fail "the run has ended by itself"
        sleep 0.01
    done
}

# ends STATUS ARGUMENT...: run to such an end, under $launch.
ends()
{
    local wanted=$1
    shift
    ran="${launch[*]} $*"
    status=0
    "${launch[@]}" "$EIGENMESH" "$@" >"$out" 2>"$err" </dev/null || status=$?
    [[ $status -eq $wanted ]] || fail "status is not $wanted"
}

# All of a model's file but the times, which are its own.
same_model()
{
    for entry in components mean explained_variance residuals iterations rounds messages bytes reason; do
        cmp -s <(unzip -p "$1" "$entry.npy") <(unzip -p "$2" "$entry.npy") || fail "$1 and $2 differ in $entry"
    done
}

same_trace()
{
    cmp -s <(cut -d, -f1-5,7- "$1") <(cut -d, -f1-5,7- "$2") || fail "$1 and $2 differ"
}

delay()
{
    awk -v r="$RANDOM" -v longest="$longest" 'BEGIN { printf "%.3f", r / 32768 * longest }'
}

resumed_from()
{
    grep -oE '"resumed": ?[0-9]+' "$out" | grep -oE '[0-9]+'
}

# The iteration of the newest part: the 11th of the words that each begins with.
reached()
{
    for part in $(parts); do od -An -tu8 -j80 -N8 "$part"; done | sort -n | tail -n 1 | tr -d ' '
}

# killed_and_resumed TIMES OPTION...: kill a run so many times, each time a little further, let it go on for a hundred
# iterations more, and compare it with one that was left alone.
killed_and_resumed()
{
    local times=$1 resume=() limit n
    shift
    local options=(fit data.npy -n 6 --tolerance 0 --seed 7 --threads 2 "$@")
    local part=("${options[@]}" --trace part.csv -o part.npz --checkpoint run.ck --checkpoint-every 0.01)
    for ((n = 0; n < times; n++)); do
        start "${part[@]}" --iterations 100000000 "${resume[@]}"
        wait_for_checkpoint
        kill_within "$(delay)"
        resume=(--resume)
    done
    [[ -z $(find . -name 'run.ck*' -perm /077) ]] || fail "others may read the checkpoint"
    limit=$(($(reached) + 100))
    ends 0 "${part[@]}" --iterations "$limit" --resume --json
    [[ $(resumed_from) -gt 0 ]] || fail "nothing was resumed"
    [[ -z $(parts) ]] || fail "the checkpoint of a run that is done is still there"
    ends 0 "${options[@]}" --iterations "$limit" --trace whole.csv -o whole.npz
    same_model whole.npz part.npz
    same_trace whole.csv part.csv
    rm -f whole.* part.* run.ck.*
}
