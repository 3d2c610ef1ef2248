#compdef tideline
# zsh completion for tideline: save it as `_tideline` in a folder of $fpath, or source it after
# compinit. Generated; `tideline completions zsh` prints it.

_tideline() {
    local curcontext=$curcontext state line ret=1
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
