#compdef tideline
# zsh completion for tideline: save it as `_tideline` in a folder of $fpath, or source it after
# compinit. Generated; `tideline completions zsh` prints it.

# Offer the values of kind $1 that the memory has, each with what it is.
_tideline_values() {
    local row value
    local -a offers more
    for row in ${(f)"$(command tideline __complete "$1:${(Q)PREFIX}" "${(@Q)typed}" \
        2>/dev/null </dev/null)"}; do
        value=${row%%$'\t'*}
        offers+=("${${value//\\/\\\\}//:/\\:}:${row#*$'\t'}")
    done
    # A single match may end as it was typed, as ids do: it takes the place of that.
    (( $#offers == 1 )) && more=(-U)
    _describe -V -t values "$1" offers $more
}

_tideline() {
    local curcontext=$curcontext state line ret=1
    local -a typed=("${(@)words[2,CURRENT-1]}")
    local -A opt_args
    local -a commands globals
    commands=(
        # @COMMANDS@
    )
    globals=(
        # @GLOBALS@
    )
    _arguments -C -s $globals \
        '@VERSION@' \
        '1:command:->command' \
        '*::argument:->argument' \
        && ret=0
    case $state in
        command)
            _describe -t commands 'command' commands && ret=0
            ;;
        argument)
            curcontext=${curcontext%:*:*}:tideline-$line[1]:
            case $line[1] in
                # @CASES@
            esac
            ;;
    esac
    return ret
}

if [[ $funcstack[1] != _tideline ]] && (( $+functions[compdef] )); then
    compdef _tideline tideline
fi
[[ $funcstack[1] != _tideline ]] || _tideline "$@"
