    # KEY: a list of facts; the one that is chosen is put into the line, as one quoted word.
    function __tideline_pick
        set -l text (commandline -c | command tideline pick --quote fish | string collect)
        test -n "$text"; and commandline -i -- $text
        commandline -f repaint
    end
    bind @KEYS@ __tideline_pick
    bind -M insert @KEYS@ __tideline_pick
