    # KEY: a list of facts; the one that is chosen is put into the line, as one quoted word.
    _tideline_pick() {
        local before=${READLINE_LINE:0:READLINE_POINT} text
        text=$(printf %s "$before" | command tideline pick --quote bash) || return 0
        READLINE_LINE=$before$text${READLINE_LINE:READLINE_POINT}
        READLINE_POINT=$((${#before} + ${#text}))
    }
    if [[ ${BASH_VERSINFO[0]} -ge 4 ]] && { [[ -o emacs ]] || [[ -o vi ]]; }; then
        bind -m emacs-standard -x '"@KEYS@": _tideline_pick'
        bind -m vi-insert -x '"@KEYS@": _tideline_pick'
        bind -m vi-command -x '"@KEYS@": _tideline_pick'
    fi
