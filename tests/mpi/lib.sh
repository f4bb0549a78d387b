# shellcheck shell=bash
# What the scripts of this folder share, beside what those of the command line do.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../cli/lib.sh
. "$here/../cli/lib.sh"

limit=120 # seconds, for every run: far more than any takes
bash "$here/mpirun.sh" -n 1 true || exit $?
export MPIRUN_WORKS=1

# Any Python, or the test is skipped, visibly.
require_python()
{
    if command -v python3 >/dev/null; then return; fi
    echo "skipped: no python3"
    exit 77
}

# What rank 0 says of another rank that has failed: who it is and what kind of failure, and nothing of that rank's own words.
heard='^eigenmesh: rank [0-9]+: has failed \([a-z ]+\); try what its own message says$'

# Of all that was said: $err, the program's own words, but for what rank 0 only heard, which is in $log/heard.
sort_words()
{
    grep '^eigenmesh: ' "$scratch/log/all" | grep -vE "$heard" >"$err" || true
    grep -E "$heard" "$scratch/log/all" >"$scratch/log/heard" || true
}

# mpirun with these arguments; then sort_words, and $log/mpirun is what mpirun itself said.
launch()
{
    ran="(mpirun) $*"
    status=0
    timeout "$limit" bash "$here/mpirun.sh" "$@" >"$out" 2>"$scratch/log/all" </dev/null || status=$?
    sort_words
    grep -v '^eigenmesh: ' "$scratch/log/all" >"$scratch/log/mpirun" || true
    [[ $status -ne 124 ]] || fail "it did not end within $limit s"
}

# together RANKS ARGUMENT...: the program on so many ranks.
together()
{
    local ranks=$1
    shift
    launch -n "$ranks" "$EIGENMESH" "$@"
}

works_together()
{
    together "$@"
    [[ $status -eq 0 ]] || fail "status is not 0"
    [[ ! -s $scratch/log/all ]] || fail "something is on stderr"
}

# launch_refuses STATUS WORDS MPIRUN_ARGUMENT...: the same of all ranks.  Another rank than the first says so itself, and the
# first one that it did.
launch_refuses()
{
    local who=""
    refused_by launch "$@"
    if [[ $(<"$err") =~ ^eigenmesh:\ (rank\ [1-9][0-9]*:\ ) ]]; then who=${BASH_REMATCH[1]}; fi
    [[ $(wc -l <"$scratch/log/heard") -eq ${who:+1}+0 ]] || fail "rank 0 says: $(<"$scratch/log/heard")"
    grep -q "^eigenmesh: $who" "$scratch/log/heard" || [[ -z $who ]] || fail "rank 0 names another rank"
}

refuses_together()
{
    local ranks=$1 wanted=$2 words=$3
    shift 3
    launch_refuses "$wanted" "$words" -n "$ranks" "$EIGENMESH" "$@"
}

# ---- runs that something happens to ------------------------------------------------------------------------------

# Each rank leaves its process's number in pid-RANK; the one named by HANGS_AT_ONCE hangs before it does anything.  Other
# tests may run the same command at the same time: nothing is looked for by name.
export EIGENMESH
cat >ranked <<'END_OF_FILE'
#!/usr/bin/env bash
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
echo $$ >"pid-$rank"
if [[ $rank == "${HANGS_AT_ONCE:-}" ]]; then kill -STOP $$; fi
exec "$EIGENMESH" "$@"
END_OF_FILE
chmod +x ranked

is_there()
{
    [[ $(ps -o stat= -p "$1") == [^Z]* ]]
}

# begin ARGUMENT...: on three ranks, in the background; sets $mpirun_pid and the $rank_pids.
# shellcheck disable=SC2034 # used by those who include this
begin()
{
    ran="(mpirun -n 3) $*"
    status=0
    rm -f pid-?
    : >"$out"
    bash "$here/mpirun.sh" -n 3 ./ranked "$@" >"$out" 2>"$scratch/log/all" </dev/null &
    mpirun_pid=$!
    for _ in {1..300}; do
        if [[ -s pid-0 && -s pid-1 && -s pid-2 ]]; then
            rank_pids=("$(<pid-0)" "$(<pid-1)" "$(<pid-2)")
            return
        fi
        sleep 0.1
    done
    fail "three ranks are not running"
}
