# fish completion for tideline: save it as ~/.config/fish/completions/tideline.fish. Generated;
# `tideline completions fish` prints it.

function __tideline_takes_value -d 'Succeed when flag $argv[2] of command $argv[1] has a value'
    contains -- $argv[2] '@GLOBAL_VALUED@'
    and return 0
    switch $argv[1]
        # @VALUED@
        case '*'
            return 1
    end
end

function __tideline_waits -d 'Succeed when the next word is the value of $argv[2]'
    switch $argv[2]
        case '--*=*'
            return 1
        case '--*'
            __tideline_takes_value $argv
            return
    end
    set -l letters (string split '' -- (string sub -s 2 -- $argv[2]))
    while set -q letters[1]
        if __tideline_takes_value "$argv[1]" -$letters[1]
            not set -q letters[2]
            return
        end
        set -e letters[1]
    end
    return 1
end

function __tideline_at -d 'Succeed in command $argv[1] (empty: before it), at word $argv[2] of it'
    set -l tokens (commandline -opc)
    set -e tokens[1]
    set -l command ''
    set -l place 0
    set -l waiting 0
    set -l ended 0
    for token in $tokens
        if test $waiting -eq 1
            set waiting 0
        else if test $ended -eq 1
            set place (math $place + 1)
        else if test "$token" = --
            set ended 1
        else if string match -q -- '-*' $token; and test "$token" != -
            __tideline_waits "$command" $token
            and set waiting 1
        else if test -z "$command"
            set command $token
        else
            set place (math $place + 1)
        end
    end
    test "$command" = "$argv[1]"
    and test -z "$argv[2]" -o "$argv[2]" = "$place"
end

function __tideline_values -d 'Print the values of kind $argv[1] that the memory has'
    set -l tokens (commandline -opc)
    set -e tokens[1]
    set -l start (commandline -ct | string replace -r -- '^--[^=]*=' '')
    string match -qr -- '^-[^-]' "$start"
    and set start ''
    command tideline __complete "$argv[1]:$start" $tokens 2>/dev/null </dev/null
end

complete -c tideline -f
# @LINES@
