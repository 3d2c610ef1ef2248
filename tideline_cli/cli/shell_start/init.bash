# tideline in bash, in ~/.bashrc:  eval "$(tideline init bash)"
# A script takes nothing of it, nor does a restricted shell; twice is as good as once.
case $- in
*r*) ;;
*i*)
    # What completes a command line is read when TAB is pressed for the first time.
    _tideline_first() {
        local script
        script=$(command tideline completions bash 2>/dev/null) || return 0
        eval "$script"
        return 124 # bash asks again
    }
    complete -F _tideline_first tideline
    #@MANPATH@
    #@KEY@
    ;;
esac
