# bash completion for tideline: source it, or save it as `tideline` in a folder of bash-completion.
# Works in bash 3.2 and newer. Generated; `tideline completions bash` prints it.

# Set REPLY to what completes the value of flag $2 of command $1; empty when it takes none.
_tideline_value() {
    REPLY=
    case $2 in
        # @GLOBAL_VALUES@
    esac
    case $1:$2 in
        # @VALUES@
    esac
}

# Set REPLY to what completes word $2 of command $1.
_tideline_argument() {
    REPLY=
    case $1:$2 in
        # @ARGUMENTS@
        *) [[ $2 == '*' ]] || _tideline_argument "$1" '*' ;;
    esac
}

# Set REPLY to the flags of command $1, or those that stand without one.
_tideline_flags() {
    REPLY='@VERSION@'
    case $1 in
        # @FLAGS@
    esac
    REPLY="$REPLY "'@GLOBAL_FLAGS@'
}

_tideline_summary() {
    case $1 in
        # @SUMMARIES@
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

# Offer the values of kind $1 that the memory has for the beginning $2. Whatever a value holds is
# quoted, since it would be read as a command; inside of quotes only plain ones are offered.
_tideline_ask() {
    local value about plain row shown=()
    while IFS=$'\t' read -r value about; do
        printf -v plain '%q' "$value"
        [[ $raw == [\"\']* && $plain != "$value" ]] && continue
        COMPREPLY+=("$plain")
        printf -v row '%-12s %s' "$value" "$about"
        shown+=("${row:0:${COLUMNS:-80}-1}")
    done < <(command tideline __complete "$1:$2" "${words[@]:1:last-2}" 2>/dev/null </dev/null)
    compopt -o nosort 2>/dev/null
    # 63 is `?`: bash lists the matches and inserts none.
    [[ $COMP_TYPE == 63 ]] && ((${#shown[@]} > 1)) && COMPREPLY=("${shown[@]}")
}

# Offer what `kind` says for the beginning of a value.
_tideline_complete() {
    local kind=$1 start=$2 path
    # shellcheck disable=SC2086  # the words after `one of` are to be split
    case $kind in
        'one of '*) _tideline_offer "$start" ${kind#one of } ;;
        'ask '*) _tideline_ask "${kind#ask }" "$start" ;;
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
    # shellcheck disable=SC1007  # `name=` beside other names is an empty value
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
        # shellcheck disable=SC2086  # flags are to be split
        _tideline_offer "$current" $REPLY
    elif [[ $command ]]; then
        _tideline_argument "$command" "$place"
        _tideline_complete "$REPLY" "$current"
    else
        _tideline_offer "$current" '@COMMANDS@'
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
