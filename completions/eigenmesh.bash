# Completion of eigenmesh's command line for bash: source this file, or install it where
# bash-completion looks (share/bash-completion/completions/eigenmesh).

_eigenmesh_commands="fit compare reproduce transform moments merge info generate topology convert key study node audit help"

# The second word of a command that has two; nothing for others.
_eigenmesh_second()
{
    case $1 in
    key) echo "new show" ;;
    study | audit) echo "check" ;;
    esac
}

# What there is to say of a command's options: of one word or two.
_eigenmesh_table()
{
    # shellcheck disable=SC2086 # each word is one
    eigenmesh help $1 --table 2>/dev/null
}

_eigenmesh_options()
{
    _eigenmesh_table "$1" | cut -d '|' -f 1
}

# What the program itself says it has: its methods, its engines.
_eigenmesh_built_in()
{
    eigenmesh --version 2>/dev/null | sed -n "s/^$1 *//p" | tr -d ,
}

# The values of an option, of a command; "FILES" for the name of a file, "NUMBER" where there is nothing to offer.
_eigenmesh_values()
{
    local flag letter metavar words rest
    case $1 in
    --method | -m) _eigenmesh_built_in methods ;;
    --topology | -t)
        echo "er: cycle star path complete grid: torus: regular: smallworld: scalefree: file:"
        ;;
    --weights) echo "metropolis maxdegree lazy file:" ;;
    --split) echo "contiguous shuffle sizes:" ;;
    --init) echo "random file:" ;;
    --scores) echo "components t2 q t2,q components,t2,q" ;;
    --truth) echo "none compute file:" ;;
    --engine) _eigenmesh_built_in engines ;;
    --average) echo "tree allreduce" ;;
    --patience) echo "10min 1h 24h forever" ;;
    --every | --check) echo "1min 10min 1h" ;;
    --header) echo "yes no auto" ;;
    --missing) echo "error drop mean" ;;
    --delimiter) echo "tab space" ;;
    --dtype) echo "f64 f32 f16 i8 i16 i32 i64 u8 u16 u32 u64 bool" ;;
    --methods) ;;
    *)
        while IFS='|' read -r flag letter metavar words rest; do
            [[ -n $metavar && ($flag == "$1" || $letter == "$1") ]] || continue
            case $metavar in
            FILE | DIR | *.*) echo "FILES" ;;
            *) echo "${words:-NUMBER}" ;;
            esac
        done < <(_eigenmesh_table "$2")
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
    if [[ $command == help && ${#words[@]} -eq 3 ]]; then
        _eigenmesh_words "${_eigenmesh_commands% help}" "$current"
        return
    fi
    if [[ $command == help ]]; then
        _eigenmesh_words "$(_eigenmesh_second "${words[2]}")" "$current"
        return
    fi
    values=$(_eigenmesh_second "$command")
    if [[ -n $values && ${#words[@]} -eq 3 ]]; then
        _eigenmesh_words "$values --help" "$current"
        return
    fi
    if [[ -n $values ]]; then command+=" ${words[2]}"; fi
    values=$(_eigenmesh_values "$previous" "$command")
    if [[ $command == topology && ${#words[@]} -eq 3 ]]; then values=$(_eigenmesh_values --topology); fi
    if [[ $current == -* ]]; then
        _eigenmesh_words "$(_eigenmesh_options "$command")" "$current"
    elif [[ $values == NUMBER ]]; then
        return
    elif [[ $command == reproduce && -z $values ]]; then
        _eigenmesh_words "fig1a fig1b fig2 fig3 fig4 fig5 all" "$current"
    elif [[ $current == file:* ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "${current#file:}")
    elif [[ $previous == --init ]]; then # these, or a model
        _eigenmesh_words "$values" "$current"
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.npz' -- "$current")
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
