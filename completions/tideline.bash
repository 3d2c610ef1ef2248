# bash completion for tideline; source it, or put it into bash-completion's folder
_tideline() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local command= index options= words= choices= prefix=
    if [[ $current == "=" ]]; then current=; fi
    if [[ $previous == "=" ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
    if [[ $current == --*=* ]]; then
        previous=${current%%=*}; prefix=$previous=; current=${current#*=}
    fi
    for ((index = 1; index < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
            --as-of|--color|--confidence|--db|--decay|--derived-from|--embedder|--format|--fusion|--importance|--kind|--lifecycle|--limit|--max-chars|--max-tokens|--meta|--min-sim|--mmr|--mode|--now|--origin|--output|--segment|--since|--slot|--source|--source-turn|--supersedes|--table|--tag|--tier|--title|--until|--valid-from|--valid-to|-n|-o|-s|-t) if [[ ${COMP_WORDS[index+1]} == "=" ]]; then ((index++)); fi; ((index++)) ;;
            -*) ;;
            *) command=${COMP_WORDS[index]}; break ;;
        esac
    done
    case $command:$previous in
        :--color) choices='auto always never' ;;
        remember:--segment) choices='identity correction relationship preference project knowledge context' ;;
        remember:-s) choices='identity correction relationship preference project knowledge context' ;;
        remember:--tier) choices='short long permanent' ;;
        remember:--source) choices='owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction' ;;
        remember:--kind) choices='entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session' ;;
        remember:--color) choices='auto always never' ;;
        recall:--mode) choices='hybrid keyword semantic' ;;
        recall:--fusion) choices='append' ;;
        recall:--decay) choices='half-life none' ;;
        recall:--segment) choices='identity correction relationship preference project knowledge context' ;;
        recall:-s) choices='identity correction relationship preference project knowledge context' ;;
        recall:--kind) choices='entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session' ;;
        recall:--color) choices='auto always never' ;;
        context:--format) choices='text json xml' ;;
        context:--color) choices='auto always never' ;;
        status:--color) choices='auto always never' ;;
        show:--color) choices='auto always never' ;;
        list:--segment) choices='identity correction relationship preference project knowledge context' ;;
        list:-s) choices='identity correction relationship preference project knowledge context' ;;
        list:--kind) choices='entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session' ;;
        list:--lifecycle) choices='active archived pruned all' ;;
        list:--color) choices='auto always never' ;;
        history:--color) choices='auto always never' ;;
        import:--format) choices='jsonl csv tsv sqlite' ;;
        import:--color) choices='auto always never' ;;
        export:--format) choices='jsonl csv sqlite markdown' ;;
        export:--color) choices='auto always never' ;;
        embed:--color) choices='auto always never' ;;
        config:--color) choices='auto always never' ;;
        completions:--color) choices='auto always never' ;;
        man:--color) choices='auto always never' ;;
    esac
    if [[ -n $choices ]]; then
        COMPREPLY=($(compgen -P "$prefix" -W "$choices" -- "$current"))
        return
    fi
    case $previous in
        --db|--output|-o)
            compopt -o filenames 2>/dev/null
            COMPREPLY=($(compgen -f -- "$current"))
            return ;;
        --as-of|--color|--confidence|--db|--decay|--derived-from|--embedder|--format|--fusion|--importance|--kind|--lifecycle|--limit|--max-chars|--max-tokens|--meta|--min-sim|--mmr|--mode|--now|--origin|--output|--segment|--since|--slot|--source|--source-turn|--supersedes|--table|--tag|--tier|--title|--until|--valid-from|--valid-to|-n|-o|-s|-t) return ;;
    esac
    case $command in
        '') options='--help -h --version --db --origin --now --json --quiet -q --verbose -v --debug --color --no-input'; words='remember recall context status show list history import export embed config completions man' ;;
        remember) options='--segment -s --slot --importance --tier --source --supersedes --confidence --valid-from --valid-to --tag -t --kind --title --meta --source-turn --derived-from --pin --confine --batch --db --origin --now --json --quiet -q --verbose -v --debug --color --no-input --help -h'; words='' ;;
        recall) options='--limit -n --mode --fusion --decay --min-sim --mmr --tag -t --segment -s --kind --since --until --as-of --explain --no-touch --batch --db --origin --now --json --quiet -q --verbose -v --debug --color --no-input --help -h'; words='' ;;
        context) options='--max-chars --max-tokens --limit -n --auto --format --db --origin --now --json --quiet -q --verbose -v --debug --color --no-input --help -h'; words='' ;;
        status) options='--all-origins --db --origin --now --json --quiet -q --verbose -v --debug --color --no-input --help -h'; words='' ;;
        show) options='--db --origin --now --json --quiet -q --verbose -v --debug --color --no-input --help -h'; words='' ;;
        list) options='--segment -s --tag -t --kind --lifecycle --since --until --as-of --limit -n --jsonl --db --origin --now --json --quiet -q --verbose -v --debug --color --no-input --help -h'; words='' ;;
        history) options='--limit -n --db --origin --now --json --quiet -q --verbose -v --debug --color --no-input --help -h'; words='' ;;
        import) options='--trust --merge --strict --format --table --db --origin --now --json --quiet -q --verbose -v --debug --color --no-input --help -h'; words='' ;;
        export) options='--format --output -o --all-origins --db --origin --now --json --quiet -q --verbose -v --debug --color --no-input --help -h'; words='' ;;
        embed) options='--embedder --db --origin --now --json --quiet -q --verbose -v --debug --color --no-input --help -h'; words='' ;;
        config) options='--db --origin --now --json --quiet -q --verbose -v --debug --color --no-input --help -h'; words='list get set path' ;;
        completions) options='--db --origin --now --json --quiet -q --verbose -v --debug --color --no-input --help -h'; words='bash zsh fish powershell' ;;
        man) options='--roff --db --origin --now --json --quiet -q --verbose -v --debug --color --no-input --help -h'; words='remember recall context status show list history import export embed config completions man' ;;
    esac
    if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
    elif [[ -n $words ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$current"))
    elif [[ $command == import ]]; then
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$current"))
    fi
}
complete -F _tideline tideline
