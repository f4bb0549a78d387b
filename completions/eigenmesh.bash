# Completion of eigenmesh's command line for bash: source this file, or install it where
# bash-completion looks (share/bash-completion/completions/eigenmesh).

_eigenmesh_commands="fit compare reproduce transform info generate topology convert help"

# The options of a command.
_eigenmesh_options()
{
    local common="--quiet --help" reading="--header --columns --delimiter --missing"
    case $1 in
    fit)
        echo "$common $reading --json --components --method --nodes --topology --weights --split --step" \
            "--step-decay --consensus-rounds --qr-signs --rayleigh-ritz --oversample --iterations --tolerance --no-center" \
            "--scale --init --seed --engine --average --threads --truth --trace --plot --output --checkpoint" \
            "--checkpoint-every --resume --patience --dry-run"
        ;;
    compare)
        echo "$common $reading --json --components --methods --nodes --topology --weights --split --iterations" \
            "--tolerance --no-center --scale --init --seed --engine --threads --truth --output --plot"
        ;;
    reproduce) echo "$common --json --data --output --trials --quick --iterations --seed --threads" ;;
    transform) echo "$common $reading --output --plot --label --inverse --whiten" ;;
    info) echo "$common --json --plot" ;;
    generate) echo "$common --features --samples --components --gap --seed --output" ;;
    topology) echo "$common --json --nodes --weights --seed --plot --edges" ;;
    convert) echo "$common $reading --dtype" ;;
    *) echo "--help --version" ;;
    esac
}

# What the program itself says it has: its methods, its engines.
_eigenmesh_built_in()
{
    eigenmesh --version 2>/dev/null | sed -n "s/^$1 *//p" | tr -d ,
}

# The values of an option; "FILES" for the name of a file, "NUMBER" where there is nothing to offer.
_eigenmesh_values()
{
    case $1 in
    --method | -m) _eigenmesh_built_in methods ;;
    --topology | -t)
        echo "er: cycle star path complete grid: torus: regular: smallworld: scalefree: file:"
        ;;
    --weights) echo "metropolis maxdegree lazy file:" ;;
    --split) echo "contiguous shuffle sizes:" ;;
    --scale) echo "none std spectral" ;;
    --step) echo "auto" ;;
    --step-decay) echo "constant sqrt power:" ;;
    --rayleigh-ritz) echo "yes no" ;;
    --qr-signs) echo "positive free" ;;
    --init) echo "random file:" ;;
    --truth) echo "none compute file:" ;;
    --engine) _eigenmesh_built_in engines ;;
    --average) echo "tree allreduce" ;;
    --patience) echo "10min 1h 24h forever" ;;
    --header) echo "yes no auto" ;;
    --missing) echo "error drop mean" ;;
    --delimiter) echo "tab space" ;;
    --dtype) echo "f64 f32 f16 i8 i16 i32 i64 u8 u16 u32 u64 bool" ;;
    --output | -o | --trace | --plot | --edges | --data | --checkpoint) echo "FILES" ;;
    --components | -k | --nodes | -n | --consensus-rounds | --oversample | --iterations | --tolerance | --seed | \
        --threads | --checkpoint-every | --trials | --features | -d | --samples | -N | --gap | --columns | --label)
        echo "NUMBER"
        ;;
    esac
}

_eigenmesh_words()
{
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
    # "er:" is to be continued: no space after it.
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]]; then compopt -o nospace; fi
}

_eigenmesh()
{
    # Read the words ourselves: bash splits them at the colon of er:0.5.
    local line=${COMP_LINE:0:COMP_POINT} words current previous command values prefix
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    current=${words[-1]}
    previous=${words[-2]:-}
    command=${words[1]:-}
    COMPREPLY=()

    if [[ ${#words[@]} -le 2 ]]; then
        _eigenmesh_words "$_eigenmesh_commands --help --version" "$current"
        return
    fi
    if [[ $command == help ]]; then
        _eigenmesh_words "${_eigenmesh_commands% help}" "$current"
        return
    fi
    values=$(_eigenmesh_values "$previous")
    if [[ $command == topology && ${#words[@]} -eq 3 ]]; then values=$(_eigenmesh_values --topology); fi
    if [[ $current == -* ]]; then
        _eigenmesh_words "$(_eigenmesh_options "$command")" "$current"
    elif [[ $values == NUMBER ]]; then
        return
    elif [[ $command == reproduce && -z $values ]]; then
        _eigenmesh_words "fig1a fig1b fig2 fig3 fig4 fig5 all" "$current"
    elif [[ $current == file:* ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "${current#file:}")
    elif [[ -n $values && $values != FILES ]]; then
        _eigenmesh_words "$values" "$current"
        # Of "grid:4" bash replaces only what follows the last colon.
        prefix=${current%"${current##*:}"}
        COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
    elif [[ $previous == --methods ]]; then
        # The last of a list; bash replaces the whole list.
        prefix=${current%"${current##*,}"}
        _eigenmesh_words "$(_eigenmesh_built_in methods)" "${current##*,}"
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        compopt -o filenames
    fi
}

complete -F _eigenmesh eigenmesh
