# tideline in zsh, in ~/.zshrc behind compinit:  eval "$(tideline init zsh)"
# A script takes nothing of it, nor does a restricted shell; twice is as good as once.
if [[ -o interactive && ! -o restricted ]]; then
    # What completes a command line is read when TAB is pressed for the first time.
    _tideline_first() {
        local script
        script=$(command tideline completions zsh 2>/dev/null) || return 1
        eval "$script"
        _tideline "$@"
    }
    if (( $+functions[compdef] )); then
        compdef _tideline_first tideline
    fi
    #@MANPATH@
    #@KEY@
fi
