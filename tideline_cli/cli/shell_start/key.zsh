    # KEY: a list of facts; the one that is chosen is put into the line, as one quoted word.
    _tideline_pick() {
        emulate -L zsh
        local text
        text=$(print -rn -- "$PREBUFFER$LBUFFER" | command tideline pick --quote zsh) && LBUFFER+=$text
        zle reset-prompt
    }
    if [[ -o zle ]]; then
        zle -N _tideline_pick
        bindkey -M emacs '@KEYS@' _tideline_pick
        bindkey -M viins '@KEYS@' _tideline_pick
        bindkey -M vicmd '@KEYS@' _tideline_pick
    fi
