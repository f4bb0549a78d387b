# shellcheck shell=bash
# What the scripts of this folder share.  Each runs in a directory of its own, which is
# removed at the end; EIGENMESH is the program.
set -euo pipefail

: "${EIGENMESH:?the path of the program}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/here" "$scratch/log"
cd "$scratch/here"
out=$scratch/log/out
err=$scratch/log/err
status=0
ran=

fail()
{
    echo "FAILED: $*" >&2
    echo "  command: eigenmesh $ran" >&2
    echo "  status:  $status" >&2
    sed 's/^/  stdout:  /' "$out" >&2
    sed 's/^/  stderr:  /' "$err" >&2
    exit 1
}

# Run the program, with $program_path as its PATH; leaves $status, and the files $out and $err.
run()
{
    ran="$*"
    status=0
    PATH=${program_path:-$PATH} "$EIGENMESH" "$@" >"$out" 2>"$err" </dev/null || status=$?
}

# The program must do its job without a word on stderr.
works()
{
    run "$@"
    [[ $status -eq 0 ]] || fail "status is not 0"
    [[ ! -s $err ]] || fail "something is on stderr"
}

# The same with its stdout on a pipe, for a command that writes a file to /dev/stdout:
# nothing here may ever take /dev/stdout for a file that can be replaced.
piped()
{
    ran="$* | cat"
    status=0
    "$EIGENMESH" "$@" 2>"$err" </dev/null | cat >"$out" || status=$?
    [[ $status -eq 0 ]] || fail "status is not 0"
    [[ ! -s $err ]] || fail "something is on stderr"
}

says()
{
    grep -qF -- "$1" "$out" || fail "stdout does not say '$1'"
}

# One line on stderr, in the form "eigenmesh: WHAT: WHY; try WHAT", that holds the words.
complains()
{
    [[ $(wc -l <"$err") -eq 1 ]] || fail "stderr is not exactly one line"
    grep -qE '^eigenmesh: .+: .+; try .+' "$err" || fail "stderr is not 'WHAT: WHY; try WHAT'"
    grep -qF -- "$1" "$err" || fail "stderr does not say '$1'"
}

# refused_by RUN STATUS WORDS ARGUMENT...: RUN with the arguments gives such a status, such a line, nothing on stdout and
# no file made, changed in size, or removed.
refused_by()
{
    local by=$1 wanted=$2 words=$3 before after
    shift 3
    before=$(find . -printf '%p %s\n' | sort)
    "$by" "$@"
    [[ $status -eq $wanted ]] || fail "status is not $wanted"
    complains "$words"
    [[ ! -s $out ]] || fail "something is on stdout"
    after=$(find . -printf '%p %s\n' | sort)
    [[ $before == "$after" ]] || fail "files were left: $(diff <(echo "$before") <(echo "$after"))"
}

refuses()
{
    refused_by run "$@"
}

# A .npy whose header is this text, whatever it says, and then what is on stdin.
npy_with_header()
{
    local header=$1 length
    length=${#header}
    printf '\x93NUMPY\x01\x00'
    # shellcheck disable=SC2059 # the two bytes of the length are the format
    printf "$(printf '\\x%02x\\x%02x' $((length % 256)) $((length / 256)))"
    printf '%s' "$header"
    cat
}

# has gnuplot|hdf5: is that optional part here?  Where it is not, it is said that something is left out.
has()
{
    case $1 in
        gnuplot) command -v gnuplot >/dev/null && return ;;
        hdf5) [[ $("$EIGENMESH" --version) =~ HDF5\ [0-9] ]] && return ;;
    esac
    echo "skipped: what needs $1, which is not here"
    return 1
}

# A Python with NumPy, or the test is skipped, visibly.
require_numpy()
{
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import numpy' 2>/dev/null; then return; fi
    done
    echo "SKIPPED: no Python with NumPy" >&2
    exit 77
}
