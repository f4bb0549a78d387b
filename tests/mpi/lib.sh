# shellcheck shell=bash
# What the scripts of this folder share, beside what those of the command line do.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../cli/lib.sh
. "$here/../cli/lib.sh"

limit=20 # seconds, for every run
bash "$here/mpirun.sh" -n 1 true || exit $?
export MPIRUN_WORKS=1

# mpirun with these arguments; $err holds what the program said, $log/mpirun what mpirun itself did.
launch()
{
    ran="(mpirun) $*"
    status=0
    timeout "$limit" bash "$here/mpirun.sh" "$@" >"$out" 2>"$scratch/log/all" </dev/null || status=$?
    grep '^eigenmesh: ' "$scratch/log/all" >"$err" || true
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

# launch_refuses STATUS WORDS MPIRUN_ARGUMENT...: the same of all ranks.
launch_refuses()
{
    refused_by launch "$@"
}

refuses_together()
{
    local ranks=$1 wanted=$2 words=$3
    shift 3
    launch_refuses "$wanted" "$words" -n "$ranks" "$EIGENMESH" "$@"
}
