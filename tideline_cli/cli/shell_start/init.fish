# tideline in fish, in ~/.config/fish/config.fish:  tideline init fish | source
# A script takes nothing of it; twice is as good as once.
if status is-interactive
    # What completes a command line is read when TAB is pressed for the first time.
    function __tideline_first
        command -q tideline; or return
        complete -e -c tideline
        command tideline completions fish 2>/dev/null | source
        complete -C (commandline -cp)
    end
    complete -e -c tideline
    complete -c tideline -k -f -a '(__tideline_first)'
    #@MANPATH@
    #@KEY@
end
