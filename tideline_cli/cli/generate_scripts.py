"""What stands around the tables in the completion scripts; `@NAME@` is filled in."""

BASH = r"""
# bash completion for tideline: source it, or save it as `tideline` in a folder of bash-completion.
# Works in bash 3.2 and newer. Generated; `tideline completions bash` prints it.

# Set REPLY to what completes the value of flag $2 of command $1; empty when it takes none.
_tideline_value() {
    REPLY=
    case $2 in
        @GLOBAL_VALUES@
    esac
    case $1:$2 in
        @VALUES@
    esac
}

# Set REPLY to what completes word $2 of command $1.
_tideline_argument() {
    REPLY=
    case $1:$2 in
        @ARGUMENTS@
        *) [[ $2 == '*' ]] || _tideline_argument "$1" '*' ;;
    esac
}

# Set REPLY to the flags of command $1, or those that stand without one.
_tideline_flags() {
    REPLY=@VERSION@
    case $1 in
        @FLAGS@
    esac
    REPLY="$REPLY "@GLOBAL_FLAGS@
}

_tideline_summary() {
    case $1 in
        @SUMMARIES@
    esac
}

# Set REPLY to the flag of $2 (a flag, or short ones together) whose value is the next word.
_tideline_waiting() {
    local i flag
    case $2 in
        --*=*) REPLY= ;;
        --*) _tideline_value "$1" "$2"; REPLY=${REPLY:+$2} ;;
        *)
            for ((i = 1; i < ${#2}; i++)); do
                flag=-${2:i:1}
                _tideline_value "$1" "$flag"
                if [[ $REPLY ]]; then
                    REPLY=
                    ((i == ${#2} - 1)) && REPLY=$flag
                    return
                fi
            done ;;
    esac
}

# Offer those of the words "${@:2}" that begin with $1.
_tideline_offer() {
    local word
    for word in "${@:2}"; do
        [[ $word == "$1"* ]] && COMPREPLY+=("$word")
    done
}

# Offer what `kind` says for the beginning of a value.
_tideline_complete() {
    local kind=$1 start=$2 path
    case $kind in
        'one of '*) _tideline_offer "$start" ${kind#one of } ;;
        file | folder)
            if [[ $kind == file ]] && compopt -o default 2>/dev/null; then return; fi
            compopt -o filenames 2>/dev/null
            for path in "$start"*; do
                [[ -d $path || ( $kind == file && -e $path ) ]] && COMPREPLY+=("$path")
            done ;;
    esac
}

_tideline() {
    local IFS=$' \t\n' REPLY line=${COMP_LINE:0:${COMP_POINT:-${#COMP_LINE}}}
    local words=() word gap raw i last=0 command= place=0 waiting= ended= current shown=()
    COMPREPLY=()
    # bash cuts words at = and : too; those that touch one another in the line are one word.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        raw=${COMP_WORDS[i]}
        gap=${line%%[![:space:]]*}
        line=${line#"$gap"}
        ((i == COMP_CWORD)) && raw=$line
        line=${line#"$raw"}
        if ((i == 0)) || [[ $gap ]]; then
            words[last++]=$raw
        else
            words[last - 1]=${words[last - 1]}$raw
        fi
    done
    for ((i = 1; i < last - 1; i++)); do
        word=${words[i]}
        if [[ $waiting ]]; then
            waiting=
        elif [[ $ended ]]; then
            ((place++))
        elif [[ $word == -- ]]; then
            ended=$command
        elif [[ $word == -?* ]]; then
            _tideline_waiting "$command" "$word"
            waiting=$REPLY
        elif [[ $command ]]; then
            ((place++))
        else
            command=$word
        fi
    done
    current=${words[last - 1]}
    _tideline_at "$current"
    # bash puts a match in the place of the last piece that it cut.
    [[ $raw == [=:] ]] && raw=
    gap=${current%"$raw"}
    [[ $gap ]] && COMPREPLY=("${COMPREPLY[@]#"$gap"}")
    return 0
}

# Offer what may stand in the place of $1, with the position that _tideline has found.
_tideline_at() {
    local current=${1#[\"\']}
    if [[ $waiting ]]; then
        _tideline_value "$command" "$waiting"
        _tideline_complete "$REPLY" "$current"
    elif [[ -z $ended && $current == --*=* ]]; then
        _tideline_value "$command" "${current%%=*}"
        _tideline_complete "$REPLY" "${current#*=}"
        COMPREPLY=("${COMPREPLY[@]/#/${current%%=*}=}")
        [[ ${COMPREPLY[0]} == "${current%%=*}=" ]] && COMPREPLY=()
    elif [[ -z $ended && $current == -* ]]; then
        _tideline_flags "$command"
        _tideline_offer "$current" $REPLY
    elif [[ $command ]]; then
        _tideline_argument "$command" "$place"
        _tideline_complete "$REPLY" "$current"
    else
        _tideline_offer "$current" @COMMANDS@
        # 63 is `?`: bash lists the matches and inserts none.
        if [[ $COMP_TYPE == 63 ]] && ((${#COMPREPLY[@]} > 1)); then
            for word in "${COMPREPLY[@]}"; do
                _tideline_summary "$word"
                printf -v word '%-12s %s' "$word" "$REPLY"
                shown+=("$word")
            done
            COMPREPLY=("${shown[@]}")
        fi
    fi
}

complete -F _tideline tideline
"""

ZSH = r"""
#compdef tideline
# zsh completion for tideline: save it as `_tideline` in a folder of $fpath, or source it after
# compinit. Generated; `tideline completions zsh` prints it.

_tideline() {
    local curcontext=$curcontext state line ret=1
    local -A opt_args
    local -a commands globals
    commands=(
        @COMMANDS@
    )
    globals=(
        @GLOBALS@
    )
    _arguments -C -s $globals \
        @VERSION@ \
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
                @CASES@
            esac
            ;;
    esac
    return ret
}

if [[ $funcstack[1] != _tideline ]] && (( $+functions[compdef] )); then
    compdef _tideline tideline
fi
[[ $funcstack[1] != _tideline ]] || _tideline "$@"
"""

FISH = r"""
# fish completion for tideline: save it as ~/.config/fish/completions/tideline.fish. Generated;
# `tideline completions fish` prints it.

function __tideline_takes_value -d 'Succeed when flag $argv[2] of command $argv[1] has a value'
    contains -- $argv[2] @GLOBAL_VALUED@
    and return 0
    switch $argv[1]
        @VALUED@
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

complete -c tideline -f
@LINES@
"""

POWERSHELL = r"""
# PowerShell completion for tideline: dot-source it from $PROFILE. Generated;
# `tideline completions powershell` prints it.

Register-ArgumentCompleter -Native -CommandName tideline -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commands = [ordered]@{
        @COMMANDS@
    }
    $globals = @(
        @GLOBALS@
    )
    $version = @VERSION@
    $options = @{
        @OPTIONS@
    }
    $arguments = @{
        @ARGUMENTS@
    }

    function Find-Option([string]$command, [string]$flag) {
        $known = @($globals)
        if ($command -and $options.ContainsKey($command)) { $known += $options[$command] }
        $known | Where-Object { $_.Flags -ccontains $flag } | Select-Object -First 1
    }

    function Find-Waiting([string]$command, [string]$word) {
        if ($word.StartsWith('--')) {
            $option = if ($word.Contains('=')) { $null } else { Find-Option $command $word }
            if ($option -and $option.Kind -ne 'flag') { return $option }
            return $null
        }
        for ($i = 1; $i -lt $word.Length; $i++) {
            $option = Find-Option $command ('-' + $word[$i])
            if ($option -and $option.Kind -ne 'flag') {
                if ($i -eq $word.Length - 1) { return $option }
                return $null
            }
        }
        return $null
    }

    function New-Result([string]$text, [string]$type, [string]$tip) {
        [System.Management.Automation.CompletionResult]::new($text, $text, $type, $tip)
    }

    function Get-Values([string]$kind, [string]$prefix, [string]$start) {
        if ($kind.StartsWith('one of ')) {
            $kind.Substring(7).Split(' ') |
                Where-Object { $_.StartsWith($start) } |
                ForEach-Object { New-Result ($prefix + $_) 'ParameterValue' $_ }
        } elseif (($kind -eq 'file' -or $kind -eq 'folder') -and -not $prefix) {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($start) |
                Where-Object { $kind -eq 'file' -or $_.ResultType -eq 'ProviderContainer' }
        }
    }

    $command = ''
    $place = 0
    $waiting = $null
    $ended = $false
    $before = $commandAst.CommandElements | Select-Object -Skip 1 | Where-Object {
        $_.Extent.EndOffset -lt $cursorPosition -or
        ($_.Extent.EndOffset -eq $cursorPosition -and -not $wordToComplete)
    }
    foreach ($element in $before) {
        $word = $element.Extent.Text.Trim('"', "'")
        if ($waiting) { $waiting = $null }
        elseif ($ended) { $place++ }
        elseif ($word -ceq '--') { $ended = [bool]$command }
        elseif ($word.StartsWith('-') -and $word.Length -gt 1) {
            $waiting = Find-Waiting $command $word
        }
        elseif ($command) { $place++ }
        else { $command = $word }
    }

    if ($waiting) {
        Get-Values $waiting.Kind '' $wordToComplete
    } elseif (-not $ended -and $wordToComplete -clike '--*=*') {
        $flag, $start = $wordToComplete.Split('=', 2)
        $option = Find-Option $command $flag
        if ($option) { Get-Values $option.Kind "$flag=" $start }
    } elseif (-not $ended -and $wordToComplete.StartsWith('-')) {
        $known = @($globals)
        if (-not $command) { $known += $version }
        elseif ($options.ContainsKey($command)) { $known += $options[$command] }
        foreach ($option in $known) {
            foreach ($flag in $option.Flags) {
                if ($flag.StartsWith($wordToComplete)) {
                    New-Result $flag 'ParameterName' $option.Help
                }
            }
        }
    } elseif ($command) {
        foreach ($key in "${command}:$place", "${command}:*") {
            if ($arguments.ContainsKey($key)) { Get-Values $arguments[$key] '' $wordToComplete }
        }
    } else {
        $commands.Keys |
            Where-Object { $_.StartsWith($wordToComplete) } |
            ForEach-Object { New-Result $_ 'ParameterValue' $commands[$_] }
    }
}
"""
