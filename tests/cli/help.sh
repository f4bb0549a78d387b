#!/usr/bin/env bash
# Help, version, the manual and the completion agree with one another.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

root=$(cd "$(dirname "$0")/../.." && pwd)
commands=(fit compare reproduce transform moments merge info generate topology convert)
# Studies between sites are not in every build.
if "$EIGENMESH" help key >/dev/null 2>&1; then
    commands+=("key new" "key show" "study check" "node" "audit check")
else
    echo "skipped: what needs OpenSSL, which is not here"
    refuses 2 "key: this eigenmesh was built without OpenSSL" key new
fi

works --help
for command in "${commands[@]}"; do says "  $command "; done
works help
works --version
says "eigenmesh 0."
says "engines  local"
says "methods  auto, "
grep -qE '^gnuplot  (/.+|not found .+)$' "$out" || fail "gnuplot is neither there nor missing"
program_path=/nowhere run --version
says "gnuplot  not found"

# shellcheck source=../../completions/eigenmesh.bash
. "$root/completions/eigenmesh.bash"
eigenmesh() { "$EIGENMESH" "$@"; } # which the completion asks
manual=$(dirname "$EIGENMESH")/man
for command in "${commands[@]}"; do
    read -ra words <<<"$command"
    works help "${words[@]}"
    cp "$out" "$scratch/log/help"
    works "${words[@]}" --help
    cmp -s "$out" "$scratch/log/help" || fail "'help $command' and '$command --help' differ"
    says "Usage: eigenmesh $command "
    says "Example:"
    says "  eigenmesh $command "
    # --help wins over what is missing, and -h is the same
    works "${words[@]}" -h
    page=$manual/eigenmesh-${words[0]}.1
    offered=" $(_eigenmesh_options "$command" | tr '\n' ' ') "
    count=0
    while read -r option; do
        grep -qE -- "^\.It Fl (. , )?-${option#--}( |$)" "$page" || fail "$option is not in $(basename "$page")"
        [[ $offered == *" $option "* ]] || fail "$option is not completed"
        count=$((count + 1))
    done < <(grep -oE '^  (-.,|   ) --[a-z-]+' "$out" | grep -oE -- '--[a-z-]+')
    [[ $count -ge 2 ]] || fail "the options of $command were not found in its help"
    [[ $(wc -w <<<"$offered") -eq $count ]] || fail "the completion of $command offers options that do not exist"
done
# Methods and topologies by the program's own word: help, manual, README and completion know every one.
# in_file NAME FILE PATTERN
in_file()
{
    grep -qE -- "$3" "$root/$2" || fail "$1 is not in $2"
}
works --version
mapfile -t methods < <(sed -n 's/^methods *auto, //p' "$out" | tr -d ' ' | tr ',' '\n')
[[ ${#methods[@]} -ge 11 ]] || fail "the methods were not found in --version"
works help fit
for method in "${methods[@]}"; do
    says "  $method "
    in_file "$method" README.md "\`(--method )?$method\`"
done
cp "$out" "$scratch/log/help"
run topology none-such -n 5
mapfile -t topologies < <(sed 's/.*try one of //; s/, /\n/g' "$err" | sed 's/:.*//')
[[ ${#topologies[@]} -ge 11 ]] || fail "the topologies were not found in a message"
for topology in "${topologies[@]}"; do
    grep -qE "(^|[ :])${topology}[:,]" "$scratch/log/help" || fail "$topology is not in the help of fit"
    in_file "$topology" docs/man/eigenmesh-fit.1 "^\.Cm(.* | )$topology( |$)"
    [[ " $(_eigenmesh_values --topology) " == *" $topology"[:\ ]* ]] || fail "$topology is not completed"
done
for page in "$manual"/*.1; do
    if command -v mandoc >/dev/null; then
        mandoc -Tlint -W warning "$page" >"$out" 2>&1 || fail "mandoc complains"
    fi
done

# The completion itself: what it offers for a line that ends here.
offers()
{
    COMP_LINE=$1 COMP_POINT=${#1}
    COMPREPLY=()
    _eigenmesh
    [[ " ${COMPREPLY[*]} " == *" $2 "* ]] || fail "'$1' does not offer '$2' but: ${COMPREPLY[*]}"
}
compopt() { :; } # only there while bash completes
touch some.npy
offers "eigenmesh " fit
offers "eigenmesh tr" transform
offers "eigenmesh help to" topology
offers "eigenmesh fit " some.npy
offers "eigenmesh fit some.npy --tol" --tolerance
offers "eigenmesh fit some.npy --method " dsa
offers "eigenmesh fit some.npy -m a" auto
offers "eigenmesh fit some.npy --rayleigh-ritz " yes
offers "eigenmesh fit some.npy --over" --oversample
offers "eigenmesh fit some.npy --step-decay " power:
offers "eigenmesh fit some.npy --checkpoint so" some.npy
offers "eigenmesh transform some.npy some.npy -o so" some.npy
offers "eigenmesh comp" compare
offers "eigenmesh compare some.npy --meth" --methods
offers "eigenmesh compare some.npy --methods kry" krylov
offers "eigenmesh compare some.npy --methods krylov,ds" krylov,dsa
offers "eigenmesh compare some.npy --truth c" compute
offers "eigenmesh repr" reproduce
offers "eigenmesh reproduce fig1a --qui" --quick
offers "eigenmesh reproduce fig1" fig1b
offers "eigenmesh fit some.npy --topology cy" cycle
offers "eigenmesh fit some.npy --weights m" metropolis
offers "eigenmesh fit some.npy --scale s" spectral
offers "eigenmesh fit some.npy --init file:so" some.npy
offers "eigenmesh topology tor" torus:
offers "eigenmesh fit some.npy --engine " local
offers "eigenmesh fit some.npy --average " allreduce
offers "eigenmesh st" study
offers "eigenmesh key " new
offers "eigenmesh key s" show
offers "eigenmesh study " check
offers "eigenmesh help key n" new
if [[ " ${commands[*]} " == *" key new "* ]]; then
    offers "eigenmesh key new --o" --output
    offers "eigenmesh key new -o so" some.npy
    offers "eigenmesh key show so" some.npy
    offers "eigenmesh study check so" some.npy
    offers "eigenmesh study check some.npy --fe" --features
fi

refuses 2 "COMMAND: is missing"
refuses 2 "solve: no such command" solve
refuses 2 "--nonsense: no such option" --nonsense
refuses 2 "solve: no such command" help solve
refuses 2 "help: takes one command" help fit info
refuses 2 "--version: takes no argument" --version now
