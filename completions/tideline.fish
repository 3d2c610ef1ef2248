# fish completion for tideline: save it as ~/.config/fish/completions/tideline.fish. Generated;
# `tideline completions fish` prints it.

function __tideline_takes_value -d 'Succeed when flag $argv[2] of command $argv[1] has a value'
    contains -- $argv[2] --db --origin --now --color
    and return 0
    switch $argv[1]
        case remember
            contains -- $argv[2] --source --supersedes --source-turn --derived-from --role --status --progress --dedup --segment -s --slot --importance --tier --confidence --valid-from --valid-to --tag -t --kind --title --meta --scope --session --turn --speaker --agent
        case recall
            contains -- $argv[2] --limit -n --mode --fusion --decay --profile --min-sim --min-score --why-not --mmr --graph --as-of --segment -s --tag -t --kind --status --progress --since --until --session --speaker --role --agent --document --scope --fmt --format
        case context
            contains -- $argv[2] --max-chars --max-tokens --limit -n --mode --fusion --decay --profile --format --document --scope
        case dream
            contains -- $argv[2] --stage --confirm-count --merge-at --relate-at --evict-below --evict-after --max-loss
        case consolidate
            contains -- $argv[2] --interval --min-facts --max-facts --max-loss --llm --model --base-url --key-file --timeout
        case status
            contains -- $argv[2] --by --scope
        case show
            contains -- $argv[2] --decay
        case list
            contains -- $argv[2] --lifecycle --as-of --sort --decay --limit -n --offset --slot --source --heat --batch --segment -s --tag -t --kind --status --progress --since --until --session --speaker --role --agent --document --scope --fmt --format
        case pick
            contains -- $argv[2] --limit -n --print --quote --slot --source --heat --batch --segment -s --tag -t --kind --status --progress --since --until --session --speaker --role --agent --document --scope
        case fading
            contains -- $argv[2] --within --limit -n --fmt --format
        case slots
            contains -- $argv[2] --scope --session --speaker --role --agent --fmt --format
        case tags
            contains -- $argv[2] --scope --session --speaker --role --agent --fmt --format
        case forget
            contains -- $argv[2] --query --superseded-by --slot --source --heat --batch --segment -s --tag -t --kind --status --progress --since --until --session --speaker --role --agent --document --scope
        case restore
            contains -- $argv[2] --from
        case edit
            contains -- $argv[2] --role --status --progress --from --segment -s --slot --importance --tier --confidence --valid-from --valid-to --tag -t --kind --title --meta --scope --session --turn --speaker --agent
        case link
            contains -- $argv[2] --kind --reason --strength
        case graph
            contains -- $argv[2] --hops --fan-out --limit -n --format --slot --source --heat --batch --segment -s --tag -t --kind --status --progress --since --until --session --speaker --role --agent --document --scope
        case feedback
            contains -- $argv[2] --delta
        case contradictions
            contains -- $argv[2] --limit -n --min-score --segment -s --newest --fmt --format
        case history
            contains -- $argv[2] --limit -n --session --speaker --role --agent --fmt --format
        case timeline
            contains -- $argv[2] --slot --limit -n --fmt --format
        case undo
            contains -- $argv[2] --limit
        case retention
            contains -- $argv[2] --days
        case import
            contains -- $argv[2] --format --from --table --max-rows --map --agent
        case export
            contains -- $argv[2] --output -o --split --lifecycle --slot --source --heat --batch --segment -s --tag -t --kind --status --progress --since --until --session --speaker --role --agent --document --scope --fmt --format
        case ingest
            contains -- $argv[2] --glob -g --name --format --encoding --chunk-size --overlap --scope --agent
        case library
            contains -- $argv[2] --scope --fmt --format
        case gc
            contains -- $argv[2] --max-loss
        case extract
            contains -- $argv[2] --session --scope --failure --min-new --since --limit --llm --model --base-url --key-file --timeout
        case relink
            contains -- $argv[2] --llm --model --base-url --key-file --timeout
        case embed
            contains -- $argv[2] --embedder
        case reembed
            contains -- $argv[2] --limit -n
        case eval
            contains -- $argv[2] --k -k --profiles --profile --embedder --format --count --output -o --llm --model --base-url --key-file --timeout --scope
        case sync
            contains -- $argv[2] --name --key --limit -k
        case schedule
            contains -- $argv[2] --at
        case serve
            contains -- $argv[2] --port
        case mcp
            contains -- $argv[2] --agent --format
        case hook
            contains -- $argv[2] --pause --scope
        case init
            contains -- $argv[2] --key
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
complete -c tideline -l db -r -F -d 'Memory file, or address of a server [env: TIDELINE_DB]'
complete -c tideline -l origin -x -d 'Whose memory: owner, or channel:CHANNEL/CONVERSATION/SESSION[@ACCOUNT] [env: TIDELINE_ORIGIN]'
complete -c tideline -l now -x -d 'Pretend it is TIME: ISO 8601, UTC without a zone; epoch milliseconds; or words such as yesterday or 7d, of a day its beginning [env: TIDELINE_NOW]'
complete -c tideline -l json -d 'Print one JSON object'
complete -c tideline -l quiet -s q -d 'Print no notes on stderr, nor the report of an upkeep that went well'
complete -c tideline -l verbose -s v -d 'Print more notes on stderr'
complete -c tideline -l debug -d 'Show tracebacks'
complete -c tideline -l color -x -a 'auto always never' -d 'When to use color'
complete -c tideline -l no-input -d 'Never ask a question'
complete -c tideline -l no-pager -d 'Print long results on a terminal without PAGER'
complete -c tideline -l help -s h -d 'Show a short help'
complete -c tideline -n "__tideline_at ''" -l version -s V -d 'Print the version'
complete -c tideline -n "__tideline_at ''" -a remember -d 'Write a fact down.'
complete -c tideline -n "__tideline_at ''" -a recall -d 'Find the facts that answer a query.'
complete -c tideline -n "__tideline_at ''" -a context -d 'Print a budgeted block of facts for a prompt.'
complete -c tideline -n "__tideline_at ''" -a dream -d 'Let the memory tend itself: confirm, merge, link, evict.'
complete -c tideline -n "__tideline_at ''" -a consolidate -d 'Have a model name contradicted and duplicated facts, and archive them.'
complete -c tideline -n "__tideline_at ''" -a status -d 'Show what is remembered, and whether all is well.'
complete -c tideline -n "__tideline_at ''" -a show -d 'Show one fact: all of it, its links, its strength now.'
complete -c tideline -n "__tideline_at ''" -a list -d 'List facts, newest first.'
complete -c tideline -n "__tideline_at ''" -a pick -d 'Choose a fact from a list.'
complete -c tideline -n "__tideline_at ''" -a fading -d 'Show which facts fade soon, and what keeps them.'
complete -c tideline -n "__tideline_at ''" -a slots -d 'List the slots, each with its value of now.'
complete -c tideline -n "__tideline_at ''" -a tags -d 'List the tags, and how many facts have each.'
complete -c tideline -n "__tideline_at ''" -a pin -d 'Let facts never fade.'
complete -c tideline -n "__tideline_at ''" -a unpin -d 'Let pinned facts fade again.'
complete -c tideline -n "__tideline_at ''" -a forget -d 'Take facts out of recall.'
complete -c tideline -n "__tideline_at ''" -a restore -d 'Bring archived facts back, or a whole backup.'
complete -c tideline -n "__tideline_at ''" -a edit -d 'Say a fact anew, or change its labels.'
complete -c tideline -n "__tideline_at ''" -a link -d 'Say how one fact is related to another.'
complete -c tideline -n "__tideline_at ''" -a graph -d 'Show facts and the links among them.'
complete -c tideline -n "__tideline_at ''" -a feedback -d 'Say whether a fact was of use.'
complete -c tideline -n "__tideline_at ''" -a purge -d 'Remove facts for good, from every file.'
complete -c tideline -n "__tideline_at ''" -a contradictions -d 'Show pairs of facts that may contradict each other.'
complete -c tideline -n "__tideline_at ''" -a history -d 'Show who changed what, and when.'
complete -c tideline -n "__tideline_at ''" -a timeline -d 'Show one fact or one slot through time.'
complete -c tideline -n "__tideline_at ''" -a undo -d 'Take back what one command did.'
complete -c tideline -n "__tideline_at ''" -a redo -d 'Bring back what the last undo took.'
complete -c tideline -n "__tideline_at ''" -a retention -d 'Remove, for good, what is older than N days.'
complete -c tideline -n "__tideline_at ''" -a import -d 'Take in facts from JSON lines, CSV, TSV or SQLite.'
complete -c tideline -n "__tideline_at ''" -a export -d 'Write facts out as JSON lines, CSV, SQLite or Markdown.'
complete -c tideline -n "__tideline_at ''" -a ingest -d 'Take in documents: text, Markdown, HTML, PDF.'
complete -c tideline -n "__tideline_at ''" -a library -d 'Show the documents that were taken in.'
complete -c tideline -n "__tideline_at ''" -a gc -d 'Archive what has faded: the decay sweep.'
complete -c tideline -n "__tideline_at ''" -a extract -d 'Distil facts from a conversation.'
complete -c tideline -n "__tideline_at ''" -a relink -d 'Let a model join facts that bear on one another.'
complete -c tideline -n "__tideline_at ''" -a embed -d 'Print the vector of a text.'
complete -c tideline -n "__tideline_at ''" -a embedder -d 'Choose how likeness of texts is found.'
complete -c tideline -n "__tideline_at ''" -a reembed -d 'Make the vectors that facts lack.'
complete -c tideline -n "__tideline_at ''" -a doctor -d 'Check that the store is whole, and mend it.'
complete -c tideline -n "__tideline_at ''" -a eval -d 'Measure how good the answers are, on your own questions.'
complete -c tideline -n "__tideline_at ''" -a backup -d 'Copy the store into a file, while others use it.'
complete -c tideline -n "__tideline_at ''" -a sync -d 'Join the memories of your machines, by a place for files.'
complete -c tideline -n "__tideline_at ''" -a member -d 'Say which roles of a server see which origins.'
complete -c tideline -n "__tideline_at ''" -a schedule -d 'Let the memory tend itself every night.'
complete -c tideline -n "__tideline_at ''" -a config -d 'Show and change settings.'
complete -c tideline -n "__tideline_at ''" -a serve -d 'Serve pages and an API, on this machine alone.'
complete -c tideline -n "__tideline_at ''" -a mcp -d 'Serve the memory to an agent, by MCP.'
complete -c tideline -n "__tideline_at ''" -a hook -d 'Answer the hooks of agents, or pause them.'
complete -c tideline -n "__tideline_at ''" -a setup -d 'Let agents use the memory, and undo that.'
complete -c tideline -n "__tideline_at ''" -a init -d 'Print what a shell reads when it starts: TAB, a key, the manual.'
complete -c tideline -n "__tideline_at ''" -a completions -d 'Print the completion script of a shell.'
complete -c tideline -n "__tideline_at ''" -a man -d 'Show a manual page.'
complete -c tideline -n "__tideline_at remember" -l source -x -a 'owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction' -d 'Who said it [default: owner_message, in a channel channel_message]'
complete -c tideline -n "__tideline_at remember" -l supersedes -k -x -a '(__tideline_values active)' -d 'A fact that this one replaces, besides its slot\'s'
complete -c tideline -n "__tideline_at remember" -l source-turn -x -d 'Where it was said'
complete -c tideline -n "__tideline_at remember" -l derived-from -k -x -a '(__tideline_values id)' -d 'A fact it was derived from'
complete -c tideline -n "__tideline_at remember" -l pin -d 'Never let it fade'
complete -c tideline -n "__tideline_at remember" -l confine -d 'Store what the source may not author as knowledge'
complete -c tideline -n "__tideline_at remember" -l role -x -a 'user assistant system tool' -d 'Who spoke; what an assistant or a tool says weighs less'
complete -c tideline -n "__tideline_at remember" -l status -l progress -x -a 'active blocked done' -d 'How far the work is, of a task or the like: `progress` in JSON [default: active, of the kinds of work]'
complete -c tideline -n "__tideline_at remember" -l dedup -x -a 'exact semantic smart' -d 'What a fact is compared by: exact, its words; semantic, also its meaning, to name what is near; smart, to replace another value of a subject. Both take a learned embedder [default: the setting dedup, else exact]'
complete -c tideline -n "__tideline_at remember" -l batch -d 'Read JSON lines; print one result a line, for a bad line an error; all others are stored together, as one batch'
complete -c tideline -n "__tideline_at remember" -l segment -s s -x -a 'identity correction relationship preference project knowledge context' -d 'What it is about [default: knowledge]'
complete -c tideline -n "__tideline_at remember" -l slot -k -x -a '(__tideline_values slot)' -d 'The one value it is of, such as deploy_day: ends the old one'
complete -c tideline -n "__tideline_at remember" -l importance -x -d 'How much it matters; outside 0..1 is clamped'
complete -c tideline -n "__tideline_at remember" -l tier -x -a 'short long permanent' -d 'How long it is kept'
complete -c tideline -n "__tideline_at remember" -l confidence -x -d 'How sure it is; weighs in recall'
complete -c tideline -n "__tideline_at remember" -l valid-from -x -d 'When it begins to hold'
complete -c tideline -n "__tideline_at remember" -l valid-to -x -d 'Until when it holds; of a day, to its end'
complete -c tideline -n "__tideline_at remember" -l tag -s t -k -x -a '(__tideline_values tag)' -d 'A label to filter by; commas part several'
complete -c tideline -n "__tideline_at remember" -l kind -x -a 'entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' -d 'A finer word than the segment, and its defaults'
complete -c tideline -n "__tideline_at remember" -l title -x -d 'A short name'
complete -c tideline -n "__tideline_at remember" -l meta -x -d 'Anything else worth keeping'
complete -c tideline -n "__tideline_at remember" -l scope -k -x -a '(__tideline_values scope)' -d 'Of what it is worth knowing, such as work/api; an empty one is of everything [default: the setting scope]'
complete -c tideline -n "__tideline_at remember" -l session -k -x -a '(__tideline_values session)' -d 'The conversation that it was said in'
complete -c tideline -n "__tideline_at remember" -l turn -x -d 'Its place in the conversation'
complete -c tideline -n "__tideline_at remember" -l speaker -k -x -a '(__tideline_values speaker)' -d 'Who said it, by name'
complete -c tideline -n "__tideline_at remember" -l agent -k -x -a '(__tideline_values agent)' -d 'Which program writes; an empty one is none [default: the setting agent]'
complete -c tideline -n "__tideline_at recall" -l limit -s n -x -d 'Hits at most [default: 8; 0 is all]'
complete -c tideline -n "__tideline_at recall" -l mode -x -a 'hybrid keyword semantic points' -d 'Words and likeness, words alone, likeness alone, or points for words, ids and tags [default: hybrid]'
complete -c tideline -n "__tideline_at recall" -l fusion -x -a 'append score rrf additive priority' -d 'How words and likeness are joined: likeness below all words; as a share of the score, with a learned embedder; by ranks; added to points; or by classes and distance [default: score where the embedder is learned, else append]'
complete -c tideline -n "__tideline_at recall" -l decay -x -a 'half-life weibull spaced none' -d 'How facts fade in this answer [default: half-life; with rrf weibull, with priority spaced, with additive and points none]'
complete -c tideline -n "__tideline_at recall" -l profile -x -a 'tideline motherbrain vectormemory rsclaw' -d 'Rank and show as this system does; `tideline config profiles` lists them [default: the setting profile]'
complete -c tideline -n "__tideline_at recall" -l min-sim -x -d 'Least cosine of a fact found by likeness [default: 0.3]'
complete -c tideline -n "__tideline_at recall" -l min-score -x -d 'Only facts with at least this score; --explain shows what scores are made of'
complete -c tideline -n "__tideline_at recall" -l why-not -k -x -a '(__tideline_values id)' -d 'Say why this fact is not among the hits'
complete -c tideline -n "__tideline_at recall" -l mmr -x -d 'Weight of score against repetition; 1 keeps the order [default: 1]'
complete -c tideline -n "__tideline_at recall" -l graph -x -a 'auto on off' -d 'Also facts that are linked with the best hits, marked `via`: on, off, or auto, where the question asks for times or relations or hits are linked [default: off]'
complete -c tideline -n "__tideline_at recall" -l as-of -x -d 'What held at TIME, archived facts included; of a day, its end'
complete -c tideline -n "__tideline_at recall" -l archived -d 'Also facts that have faded or were merged, marked, in order of score; found by their words'
complete -c tideline -n "__tideline_at recall" -l explain -d 'Show what each score is made of'
complete -c tideline -n "__tideline_at recall" -l no-touch -d 'Do not count this as use of the facts'
complete -c tideline -n "__tideline_at recall" -l touch -d 'Count this as use of the facts, whatever the profile says, or with --explain or --now [setting: touch]'
complete -c tideline -n "__tideline_at recall" -l batch -d 'Read queries, one a line, text or JSON with id, query, origin, now; print one JSON result a line, for a bad line an error; counts no use'
complete -c tideline -n "__tideline_at recall" -l segment -s s -x -a 'identity correction relationship preference project knowledge context' -d 'Only facts of this segment'
complete -c tideline -n "__tideline_at recall" -l tag -s t -k -x -a '(__tideline_values tag)' -d 'Only facts with this tag, or with all of several between commas'
complete -c tideline -n "__tideline_at recall" -l kind -x -a 'entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' -d 'Only facts of this kind'
complete -c tideline -n "__tideline_at recall" -l status -l progress -x -a 'active blocked done' -d 'Only work that is so far, such as open tasks; what has ended is not active'
complete -c tideline -n "__tideline_at recall" -l since -x -d 'Only facts made at or after TIME'
complete -c tideline -n "__tideline_at recall" -l until -x -d 'Only facts made at or before TIME; of a day, all of it'
complete -c tideline -n "__tideline_at recall" -l session -k -x -a '(__tideline_values session)' -d 'Only what was said in this session'
complete -c tideline -n "__tideline_at recall" -l speaker -k -x -a '(__tideline_values speaker)' -d 'Only what this speaker said'
complete -c tideline -n "__tideline_at recall" -l role -x -a 'user assistant system tool' -d 'Only what this role said'
complete -c tideline -n "__tideline_at recall" -l agent -k -x -a '(__tideline_values agent)' -d 'Only what this agent wrote'
complete -c tideline -n "__tideline_at recall" -l document -k -x -a '(__tideline_values document)' -d 'Only chunks of this document; `tideline library` lists them'
complete -c tideline -n "__tideline_at recall" -l no-documents -d 'No chunks of documents'
complete -c tideline -n "__tideline_at recall" -l scope -k -x -a '(__tideline_values scope)' -d 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope]'
complete -c tideline -n "__tideline_at recall" -l all-scopes -d 'See the facts of every scope'
complete -c tideline -n "__tideline_at recall" -l jsonl -d 'Print one JSON object a line'
complete -c tideline -n "__tideline_at recall" -l nl -d 'The same as --jsonl'
complete -c tideline -n "__tideline_at recall" -l csv -d 'Print CSV with a header'
complete -c tideline -n "__tideline_at recall" -l tsv -d 'Print cells parted by tabs, with a header'
complete -c tideline -n "__tideline_at recall" -l table -d 'Print a table, in a pipe too'
complete -c tideline -n "__tideline_at recall" -l fmt -x -d 'Print a table in a form of tabulate, such as github, grid, html or simple'
complete -c tideline -n "__tideline_at recall" -l format -x -a 'table lines json jsonl csv tsv markdown' -d 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone'
complete -c tideline -n "__tideline_at context" -l max-chars -x -d 'Characters at most, of all that is printed [default: 1200]'
complete -c tideline -n "__tideline_at context" -l max-tokens -x -d 'The same in tokens, estimated'
complete -c tideline -n "__tideline_at context" -l limit -s n -x -d 'Facts at most [default: 8, with --auto 5; 0 is all that the budget holds]'
complete -c tideline -n "__tideline_at context" -l auto -d 'Heading, notice and fence, for a program: whatever goes wrong, nothing is printed and it ends with 0; --verbose says why'
complete -c tideline -n "__tideline_at context" -l mode -x -a 'hybrid keyword semantic points' -d 'Words and likeness, words alone, likeness alone, or points, as for recall [default: hybrid]'
complete -c tideline -n "__tideline_at context" -l fusion -x -a 'append score rrf additive priority' -d 'How words and likeness are joined, as for recall'
complete -c tideline -n "__tideline_at context" -l decay -x -a 'half-life weibull spaced none' -d 'How facts fade in this answer, as for recall'
complete -c tideline -n "__tideline_at context" -l profile -x -a 'tideline motherbrain vectormemory rsclaw' -d 'Rank and show as this system does; `tideline config profiles` lists them [default: the setting profile]'
complete -c tideline -n "__tideline_at context" -l no-touch -d 'Do not note that these facts were given out'
complete -c tideline -n "__tideline_at context" -l no-constraints -d 'Without the constraints'
complete -c tideline -n "__tideline_at context" -l show-secrets -d 'Print passwords, keys and card numbers, not `[secret]`'
complete -c tideline -n "__tideline_at context" -l format -x -a 'text json xml' -d 'text, json or xml [default: text]; --json goes with json alone'
complete -c tideline -n "__tideline_at context" -l document -k -x -a '(__tideline_values document)' -d 'Only chunks of this document; `tideline library` lists them'
complete -c tideline -n "__tideline_at context" -l no-documents -d 'No chunks of documents'
complete -c tideline -n "__tideline_at context" -l scope -k -x -a '(__tideline_values scope)' -d 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope]'
complete -c tideline -n "__tideline_at context" -l all-scopes -d 'See the facts of every scope'
complete -c tideline -n "__tideline_at dream" -l dry-run -s n -d 'Show what would change, and change nothing'
complete -c tideline -n "__tideline_at dream" -l stage -x -a 'confirm consolidate relate evict gc' -d 'Run this stage only (may be given more than once)'
complete -c tideline -n "__tideline_at dream" -l confirm-count -x -d 'How often a belief must be said or corrected [default: 3]'
complete -c tideline -n "__tideline_at dream" -l merge-at -x -d 'Cosine from which two facts say the same [default: 0.95]'
complete -c tideline -n "__tideline_at dream" -l relate-at -x -d 'Cosine from which two facts are linked; 1 links none [default: 0.80]'
complete -c tideline -n "__tideline_at dream" -l evict-below -x -d 'Strength below which old facts are archived [default: 0.05]'
complete -c tideline -n "__tideline_at dream" -l evict-after -x -d 'How old they must be; what you typed yourself stays, unless the setting evict_after_owner says how old it gets [default: 30d]'
complete -c tideline -n "__tideline_at dream" -l max-loss -x -d 'Share of an origin\'s facts that one run may archive [default: 0.25]'
complete -c tideline -n "__tideline_at dream" -l all-origins -d 'Tend every origin, although --origin names the owner'
complete -c tideline -n "__tideline_at dream" -l pending -d 'First distil the conversations that hooks have noted: see extract --pending'
complete -c tideline -n "__tideline_at dream" -l sync -d 'Sync with the places of before first, and again at the end: see `tideline sync`'
complete -c tideline -n "__tideline_at dream" -l if-due -d 'Only if the last dream is a day old [setting: dream_interval]'
complete -c tideline -n "__tideline_at consolidate" -l dry-run -s n -d 'Show what is sent and what would change; write nothing'
complete -c tideline -n "__tideline_at consolidate" -l force -d 'Do not wait for the interval to pass'
complete -c tideline -n "__tideline_at consolidate" -l interval -x -d 'Time between two runs [default: 30m]'
complete -c tideline -n "__tideline_at consolidate" -l min-facts -x -d 'Leave origins with fewer active facts alone [default: 6]'
complete -c tideline -n "__tideline_at consolidate" -l max-facts -x -d 'Show the model the newest N facts of an origin [default: 500]'
complete -c tideline -n "__tideline_at consolidate" -l max-loss -x -d 'Share of an origin\'s facts that one run may archive [default: 0.25]'
complete -c tideline -n "__tideline_at consolidate" -l all-origins -d 'Take every origin, although --origin names the owner'
complete -c tideline -n "__tideline_at consolidate" -l llm -x -d 'Command to ask: prompt on its stdin, reply on its stdout; `none` asks no model [setting: llm]'
complete -c tideline -n "__tideline_at consolidate" -l model -x -d 'Model to ask at the base URL [setting: model]'
complete -c tideline -n "__tideline_at consolidate" -l base-url -x -d 'OpenAI-compatible endpoint, such as http://localhost:11434/v1 [setting: base_url]'
complete -c tideline -n "__tideline_at consolidate" -l key-file -r -F -d 'File with the API key, mode 0600 [env: TIDELINE_API_KEY; setting: key_file]'
complete -c tideline -n "__tideline_at consolidate" -l timeout -x -d 'Seconds to wait for a reply [default: 60]'
complete -c tideline -n "__tideline_at status" -l all-origins -d 'Add the other origins'
complete -c tideline -n "__tideline_at status" -l by -x -a 'kind agent segment tier heat source scope' -d 'Count the facts by this label: kind and agent only then, which reads all facts; the others always'
complete -c tideline -n "__tideline_at status" -l scope -k -x -a '(__tideline_values scope)' -d 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope]'
complete -c tideline -n "__tideline_at status" -l all-scopes -d 'See the facts of every scope'
complete -c tideline -n "__tideline_at show" -l decay -x -a 'half-life weibull spaced none' -d 'The strength by this forgetting curve, and what makes it; what fades for good is decided by the half-life'
complete -c tideline -n "__tideline_at show" -l all -d 'All links of the fact, not the first 50 of each way alone'
complete -c tideline -n "__tideline_at show" -l raw -d 'Print the text alone, as it is stored, byte for byte'
complete -c tideline -n '__tideline_at show 0' -k -x -a '(__tideline_values id)'
complete -c tideline -n "__tideline_at list" -l lifecycle -x -a 'active archived pruned all' -d 'active, archived, pruned or all [default: active; with --as-of all]'
complete -c tideline -n "__tideline_at list" -l archived -d 'Also facts that have faded or were merged, marked'
complete -c tideline -n "__tideline_at list" -l as-of -x -d 'What held at TIME, archived facts included; of a day, its end'
complete -c tideline -n "__tideline_at list" -l sort -x -a 'new old importance used strength' -d 'new, old, importance, used (last used first) or strength (strongest first) [default: new]'
complete -c tideline -n "__tideline_at list" -l decay -x -a 'half-life weibull spaced none' -d 'By which forgetting curve --sort strength orders; each fact says how strong it is by it'
complete -c tideline -n "__tideline_at list" -l limit -s n -x -d 'At most so many [default: 50; 0 is all]'
complete -c tideline -n "__tideline_at list" -l offset -x -d 'Leave out so many at the beginning [default: 0]'
complete -c tideline -n "__tideline_at list" -l slot -k -x -a '(__tideline_values slot)' -d 'Only values of this slot'
complete -c tideline -n "__tideline_at list" -l source -x -a 'owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction' -d 'Only what this source said'
complete -c tideline -n "__tideline_at list" -l heat -x -a 'core working peripheral' -d 'Only facts of this heat'
complete -c tideline -n "__tideline_at list" -l pinned -d 'Only pinned facts'
complete -c tideline -n "__tideline_at list" -l batch -k -x -a '(__tideline_values batch)' -d 'Only facts that this batch added; `tideline history` has the numbers'
complete -c tideline -n "__tideline_at list" -l segment -s s -x -a 'identity correction relationship preference project knowledge context' -d 'Only facts of this segment'
complete -c tideline -n "__tideline_at list" -l tag -s t -k -x -a '(__tideline_values tag)' -d 'Only facts with this tag, or with all of several between commas'
complete -c tideline -n "__tideline_at list" -l kind -x -a 'entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' -d 'Only facts of this kind'
complete -c tideline -n "__tideline_at list" -l status -l progress -x -a 'active blocked done' -d 'Only work that is so far, such as open tasks; what has ended is not active'
complete -c tideline -n "__tideline_at list" -l since -x -d 'Only facts made at or after TIME'
complete -c tideline -n "__tideline_at list" -l until -x -d 'Only facts made at or before TIME; of a day, all of it'
complete -c tideline -n "__tideline_at list" -l session -k -x -a '(__tideline_values session)' -d 'Only what was said in this session'
complete -c tideline -n "__tideline_at list" -l speaker -k -x -a '(__tideline_values speaker)' -d 'Only what this speaker said'
complete -c tideline -n "__tideline_at list" -l role -x -a 'user assistant system tool' -d 'Only what this role said'
complete -c tideline -n "__tideline_at list" -l agent -k -x -a '(__tideline_values agent)' -d 'Only what this agent wrote'
complete -c tideline -n "__tideline_at list" -l document -k -x -a '(__tideline_values document)' -d 'Only chunks of this document; `tideline library` lists them'
complete -c tideline -n "__tideline_at list" -l no-documents -d 'No chunks of documents'
complete -c tideline -n "__tideline_at list" -l scope -k -x -a '(__tideline_values scope)' -d 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope]'
complete -c tideline -n "__tideline_at list" -l all-scopes -d 'See the facts of every scope'
complete -c tideline -n "__tideline_at list" -l jsonl -d 'Print one JSON object a line'
complete -c tideline -n "__tideline_at list" -l nl -d 'The same as --jsonl'
complete -c tideline -n "__tideline_at list" -l csv -d 'Print CSV with a header'
complete -c tideline -n "__tideline_at list" -l tsv -d 'Print cells parted by tabs, with a header'
complete -c tideline -n "__tideline_at list" -l table -d 'Print a table, in a pipe too'
complete -c tideline -n "__tideline_at list" -l fmt -x -d 'Print a table in a form of tabulate, such as github, grid, html or simple'
complete -c tideline -n "__tideline_at list" -l format -x -a 'table lines json jsonl csv tsv markdown' -d 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone'
complete -c tideline -n "__tideline_at pick" -l limit -s n -x -d 'Facts of one answer at most [default: 100]'
complete -c tideline -n "__tideline_at pick" -l print -x -a 'text id' -d 'What of the fact is printed: its text, or its id [default: text]'
complete -c tideline -n "__tideline_at pick" -l quote -x -a 'bash zsh fish' -d 'Print it as a word of this shell: bash, zsh or fish. Standard input is the line before the cursor'
complete -c tideline -n "__tideline_at pick" -l own -d 'The numbered list, also where fzf is installed'
complete -c tideline -n "__tideline_at pick" -l slot -k -x -a '(__tideline_values slot)' -d 'Only values of this slot'
complete -c tideline -n "__tideline_at pick" -l source -x -a 'owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction' -d 'Only what this source said'
complete -c tideline -n "__tideline_at pick" -l heat -x -a 'core working peripheral' -d 'Only facts of this heat'
complete -c tideline -n "__tideline_at pick" -l pinned -d 'Only pinned facts'
complete -c tideline -n "__tideline_at pick" -l batch -k -x -a '(__tideline_values batch)' -d 'Only facts that this batch added; `tideline history` has the numbers'
complete -c tideline -n "__tideline_at pick" -l segment -s s -x -a 'identity correction relationship preference project knowledge context' -d 'Only facts of this segment'
complete -c tideline -n "__tideline_at pick" -l tag -s t -k -x -a '(__tideline_values tag)' -d 'Only facts with this tag, or with all of several between commas'
complete -c tideline -n "__tideline_at pick" -l kind -x -a 'entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' -d 'Only facts of this kind'
complete -c tideline -n "__tideline_at pick" -l status -l progress -x -a 'active blocked done' -d 'Only work that is so far, such as open tasks; what has ended is not active'
complete -c tideline -n "__tideline_at pick" -l since -x -d 'Only facts made at or after TIME'
complete -c tideline -n "__tideline_at pick" -l until -x -d 'Only facts made at or before TIME; of a day, all of it'
complete -c tideline -n "__tideline_at pick" -l session -k -x -a '(__tideline_values session)' -d 'Only what was said in this session'
complete -c tideline -n "__tideline_at pick" -l speaker -k -x -a '(__tideline_values speaker)' -d 'Only what this speaker said'
complete -c tideline -n "__tideline_at pick" -l role -x -a 'user assistant system tool' -d 'Only what this role said'
complete -c tideline -n "__tideline_at pick" -l agent -k -x -a '(__tideline_values agent)' -d 'Only what this agent wrote'
complete -c tideline -n "__tideline_at pick" -l document -k -x -a '(__tideline_values document)' -d 'Only chunks of this document; `tideline library` lists them'
complete -c tideline -n "__tideline_at pick" -l no-documents -d 'No chunks of documents'
complete -c tideline -n "__tideline_at pick" -l scope -k -x -a '(__tideline_values scope)' -d 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope]'
complete -c tideline -n "__tideline_at pick" -l all-scopes -d 'See the facts of every scope'
complete -c tideline -n "__tideline_at fading" -l within -x -d 'How far to look ahead [default: 14d]'
complete -c tideline -n "__tideline_at fading" -l limit -s n -x -d 'At most so many [default: 50; 0 is all]'
complete -c tideline -n "__tideline_at fading" -l jsonl -d 'Print one JSON object a line'
complete -c tideline -n "__tideline_at fading" -l nl -d 'The same as --jsonl'
complete -c tideline -n "__tideline_at fading" -l csv -d 'Print CSV with a header'
complete -c tideline -n "__tideline_at fading" -l tsv -d 'Print cells parted by tabs, with a header'
complete -c tideline -n "__tideline_at fading" -l table -d 'Print a table, in a pipe too'
complete -c tideline -n "__tideline_at fading" -l fmt -x -d 'Print a table in a form of tabulate, such as github, grid, html or simple'
complete -c tideline -n "__tideline_at fading" -l format -x -a 'table lines json jsonl csv tsv markdown' -d 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone'
complete -c tideline -n "__tideline_at slots" -l scope -k -x -a '(__tideline_values scope)' -d 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope]'
complete -c tideline -n "__tideline_at slots" -l all-scopes -d 'See the facts of every scope'
complete -c tideline -n "__tideline_at slots" -l session -k -x -a '(__tideline_values session)' -d 'Only what was said in this session'
complete -c tideline -n "__tideline_at slots" -l speaker -k -x -a '(__tideline_values speaker)' -d 'Only what this speaker said'
complete -c tideline -n "__tideline_at slots" -l role -x -a 'user assistant system tool' -d 'Only what this role said'
complete -c tideline -n "__tideline_at slots" -l agent -k -x -a '(__tideline_values agent)' -d 'Only what this agent wrote'
complete -c tideline -n "__tideline_at slots" -l jsonl -d 'Print one JSON object a line'
complete -c tideline -n "__tideline_at slots" -l nl -d 'The same as --jsonl'
complete -c tideline -n "__tideline_at slots" -l csv -d 'Print CSV with a header'
complete -c tideline -n "__tideline_at slots" -l tsv -d 'Print cells parted by tabs, with a header'
complete -c tideline -n "__tideline_at slots" -l table -d 'Print a table, in a pipe too'
complete -c tideline -n "__tideline_at slots" -l fmt -x -d 'Print a table in a form of tabulate, such as github, grid, html or simple'
complete -c tideline -n "__tideline_at slots" -l format -x -a 'table lines json jsonl csv tsv markdown' -d 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone'
complete -c tideline -n "__tideline_at tags" -l scope -k -x -a '(__tideline_values scope)' -d 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope]'
complete -c tideline -n "__tideline_at tags" -l all-scopes -d 'See the facts of every scope'
complete -c tideline -n "__tideline_at tags" -l session -k -x -a '(__tideline_values session)' -d 'Only what was said in this session'
complete -c tideline -n "__tideline_at tags" -l speaker -k -x -a '(__tideline_values speaker)' -d 'Only what this speaker said'
complete -c tideline -n "__tideline_at tags" -l role -x -a 'user assistant system tool' -d 'Only what this role said'
complete -c tideline -n "__tideline_at tags" -l agent -k -x -a '(__tideline_values agent)' -d 'Only what this agent wrote'
complete -c tideline -n "__tideline_at tags" -l jsonl -d 'Print one JSON object a line'
complete -c tideline -n "__tideline_at tags" -l nl -d 'The same as --jsonl'
complete -c tideline -n "__tideline_at tags" -l csv -d 'Print CSV with a header'
complete -c tideline -n "__tideline_at tags" -l tsv -d 'Print cells parted by tabs, with a header'
complete -c tideline -n "__tideline_at tags" -l table -d 'Print a table, in a pipe too'
complete -c tideline -n "__tideline_at tags" -l fmt -x -d 'Print a table in a form of tabulate, such as github, grid, html or simple'
complete -c tideline -n "__tideline_at tags" -l format -x -a 'table lines json jsonl csv tsv markdown' -d 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone'
complete -c tideline -n '__tideline_at pin' -k -x -a '(__tideline_values active)'
complete -c tideline -n '__tideline_at unpin' -k -x -a '(__tideline_values active)'
complete -c tideline -n "__tideline_at forget" -l query -x -d 'Forget the fact that begins with this text, or is nearest to it'
complete -c tideline -n "__tideline_at forget" -l superseded-by -k -x -a '(__tideline_values active)' -d 'The fact that stands in their place'
complete -c tideline -n "__tideline_at forget" -l dry-run -s n -d 'Show what would be forgotten; change nothing'
complete -c tideline -n "__tideline_at forget" -l yes -s y -d 'Do not ask'
complete -c tideline -n "__tideline_at forget" -l slot -k -x -a '(__tideline_values slot)' -d 'Only values of this slot'
complete -c tideline -n "__tideline_at forget" -l source -x -a 'owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction' -d 'Only what this source said'
complete -c tideline -n "__tideline_at forget" -l heat -x -a 'core working peripheral' -d 'Only facts of this heat'
complete -c tideline -n "__tideline_at forget" -l pinned -d 'Only pinned facts'
complete -c tideline -n "__tideline_at forget" -l batch -k -x -a '(__tideline_values batch)' -d 'Only facts that this batch added; `tideline history` has the numbers'
complete -c tideline -n "__tideline_at forget" -l segment -s s -x -a 'identity correction relationship preference project knowledge context' -d 'Only facts of this segment'
complete -c tideline -n "__tideline_at forget" -l tag -s t -k -x -a '(__tideline_values tag)' -d 'Only facts with this tag, or with all of several between commas'
complete -c tideline -n "__tideline_at forget" -l kind -x -a 'entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' -d 'Only facts of this kind'
complete -c tideline -n "__tideline_at forget" -l status -l progress -x -a 'active blocked done' -d 'Only work that is so far, such as open tasks; what has ended is not active'
complete -c tideline -n "__tideline_at forget" -l since -x -d 'Only facts made at or after TIME'
complete -c tideline -n "__tideline_at forget" -l until -x -d 'Only facts made at or before TIME; of a day, all of it'
complete -c tideline -n "__tideline_at forget" -l session -k -x -a '(__tideline_values session)' -d 'Only what was said in this session'
complete -c tideline -n "__tideline_at forget" -l speaker -k -x -a '(__tideline_values speaker)' -d 'Only what this speaker said'
complete -c tideline -n "__tideline_at forget" -l role -x -a 'user assistant system tool' -d 'Only what this role said'
complete -c tideline -n "__tideline_at forget" -l agent -k -x -a '(__tideline_values agent)' -d 'Only what this agent wrote'
complete -c tideline -n "__tideline_at forget" -l document -k -x -a '(__tideline_values document)' -d 'Only chunks of this document; `tideline library` lists them'
complete -c tideline -n "__tideline_at forget" -l no-documents -d 'No chunks of documents'
complete -c tideline -n "__tideline_at forget" -l scope -k -x -a '(__tideline_values scope)' -d 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope]'
complete -c tideline -n "__tideline_at forget" -l all-scopes -d 'See the facts of every scope'
complete -c tideline -n '__tideline_at forget' -k -x -a '(__tideline_values active)'
complete -c tideline -n "__tideline_at restore" -l from -r -F -d 'Put a backup back in place of the whole store'
complete -c tideline -n "__tideline_at restore" -l yes -s y -d 'With --from: do not ask'
complete -c tideline -n '__tideline_at restore' -k -x -a '(__tideline_values archived)'
complete -c tideline -n "__tideline_at edit" -l role -x -a 'user assistant system tool none' -d 'Who spoke; `none` takes the role away'
complete -c tideline -n "__tideline_at edit" -l status -l progress -x -a 'active blocked done none' -d 'How far the work is; `none` takes it away'
complete -c tideline -n "__tideline_at edit" -l from -x -d 'Since when the new words hold, `now` for now; the old ones held until then [default: as long as the old ones]'
complete -c tideline -n "__tideline_at edit" -l vouch -d 'Say that these words are yours now, whoever said them'
complete -c tideline -n "__tideline_at edit" -l yes -s y -d 'Do not ask whether to vouch'
complete -c tideline -n "__tideline_at edit" -l segment -s s -x -a 'identity correction relationship preference project knowledge context' -d 'What it is about'
complete -c tideline -n "__tideline_at edit" -l slot -k -x -a '(__tideline_values slot)' -d 'The one value it is of, such as deploy_day: ends the old one'
complete -c tideline -n "__tideline_at edit" -l importance -x -d 'How much it matters; outside 0..1 is clamped'
complete -c tideline -n "__tideline_at edit" -l tier -x -a 'short long permanent' -d 'How long it is kept'
complete -c tideline -n "__tideline_at edit" -l confidence -x -d 'How sure it is; weighs in recall'
complete -c tideline -n "__tideline_at edit" -l valid-from -x -d 'When it begins to hold'
complete -c tideline -n "__tideline_at edit" -l valid-to -x -d 'Until when it holds; of a day, to its end'
complete -c tideline -n "__tideline_at edit" -l tag -s t -k -x -a '(__tideline_values tag)' -d 'A label to filter by; commas part several; replaces those it had'
complete -c tideline -n "__tideline_at edit" -l kind -x -a 'entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' -d 'A finer word than the segment, and its defaults'
complete -c tideline -n "__tideline_at edit" -l title -x -d 'A short name'
complete -c tideline -n "__tideline_at edit" -l meta -x -d 'Anything else worth keeping'
complete -c tideline -n "__tideline_at edit" -l scope -k -x -a '(__tideline_values scope)' -d 'Of what it is worth knowing; an empty one is of everything'
complete -c tideline -n "__tideline_at edit" -l session -k -x -a '(__tideline_values session)' -d 'The conversation that it was said in; an empty one is none'
complete -c tideline -n "__tideline_at edit" -l turn -x -d 'Its place in the conversation'
complete -c tideline -n "__tideline_at edit" -l speaker -k -x -a '(__tideline_values speaker)' -d 'Who said it, by name; an empty one is nobody'
complete -c tideline -n "__tideline_at edit" -l agent -k -x -a '(__tideline_values agent)' -d 'Which program wrote it; an empty one is none'
complete -c tideline -n '__tideline_at edit 0' -k -x -a '(__tideline_values active)'
complete -c tideline -n "__tideline_at link" -l kind -x -a 'corrects derived_from supports contradicts causes caused_by part_of precedes follows enables blocks co_constrains located_at uses works_on contrasts_with relates_to same_topic relates similar' -d 'How they are related [default: relates]'
complete -c tideline -n "__tideline_at link" -l reason -x -d 'Why'
complete -c tideline -n "__tideline_at link" -l strength -x -d 'How closely'
complete -c tideline -n "__tideline_at link" -l remove -d 'Remove the edge of this kind, from either end'
complete -c tideline -n '__tideline_at link 0' -k -x -a '(__tideline_values active)'
complete -c tideline -n '__tideline_at link 1' -k -x -a '(__tideline_values active)'
complete -c tideline -n "__tideline_at graph" -l hops -x -d 'Links away from the fact at most [default: 2]'
complete -c tideline -n "__tideline_at graph" -l fan-out -x -d 'Links followed from one fact at most, the strongest first [default: 10]'
complete -c tideline -n "__tideline_at graph" -l limit -s n -x -d 'Facts at most [default: 40]'
complete -c tideline -n "__tideline_at graph" -l archived -d 'Also facts that are no longer active'
complete -c tideline -n "__tideline_at graph" -l format -x -a 'text dot json svg' -d 'text, dot, json or svg [default: text]; --json goes with json alone'
complete -c tideline -n "__tideline_at graph" -l slot -k -x -a '(__tideline_values slot)' -d 'Only values of this slot'
complete -c tideline -n "__tideline_at graph" -l source -x -a 'owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction' -d 'Only what this source said'
complete -c tideline -n "__tideline_at graph" -l heat -x -a 'core working peripheral' -d 'Only facts of this heat'
complete -c tideline -n "__tideline_at graph" -l pinned -d 'Only pinned facts'
complete -c tideline -n "__tideline_at graph" -l batch -k -x -a '(__tideline_values batch)' -d 'Only facts that this batch added; `tideline history` has the numbers'
complete -c tideline -n "__tideline_at graph" -l segment -s s -x -a 'identity correction relationship preference project knowledge context' -d 'Only facts of this segment'
complete -c tideline -n "__tideline_at graph" -l tag -s t -k -x -a '(__tideline_values tag)' -d 'Only facts with this tag, or with all of several between commas'
complete -c tideline -n "__tideline_at graph" -l kind -x -a 'entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' -d 'Only facts of this kind'
complete -c tideline -n "__tideline_at graph" -l status -l progress -x -a 'active blocked done' -d 'Only work that is so far, such as open tasks; what has ended is not active'
complete -c tideline -n "__tideline_at graph" -l since -x -d 'Only facts made at or after TIME'
complete -c tideline -n "__tideline_at graph" -l until -x -d 'Only facts made at or before TIME; of a day, all of it'
complete -c tideline -n "__tideline_at graph" -l session -k -x -a '(__tideline_values session)' -d 'Only what was said in this session'
complete -c tideline -n "__tideline_at graph" -l speaker -k -x -a '(__tideline_values speaker)' -d 'Only what this speaker said'
complete -c tideline -n "__tideline_at graph" -l role -x -a 'user assistant system tool' -d 'Only what this role said'
complete -c tideline -n "__tideline_at graph" -l agent -k -x -a '(__tideline_values agent)' -d 'Only what this agent wrote'
complete -c tideline -n "__tideline_at graph" -l document -k -x -a '(__tideline_values document)' -d 'Only chunks of this document; `tideline library` lists them'
complete -c tideline -n "__tideline_at graph" -l no-documents -d 'No chunks of documents'
complete -c tideline -n "__tideline_at graph" -l scope -k -x -a '(__tideline_values scope)' -d 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope]'
complete -c tideline -n "__tideline_at graph" -l all-scopes -d 'See the facts of every scope'
complete -c tideline -n '__tideline_at graph 0' -k -x -a '(__tideline_values id)'
complete -c tideline -n "__tideline_at feedback" -l delta -x -d 'By how much, from -0.3 to 0.3, in place of up and down'
complete -c tideline -n '__tideline_at feedback 0' -k -x -a '(__tideline_values active)'
complete -c tideline -n '__tideline_at feedback 1' -x -a 'up down'
complete -c tideline -n "__tideline_at purge" -l yes -s y -d 'Do not ask'
complete -c tideline -n "__tideline_at purge" -l dry-run -s n -d 'List what would go, and leave it'
complete -c tideline -n '__tideline_at purge' -k -x -a '(__tideline_values id)'
complete -c tideline -n "__tideline_at contradictions" -l limit -s n -x -d 'Pairs at most [default: 50; 0 is all]'
complete -c tideline -n "__tideline_at contradictions" -l min-score -x -d 'Only pairs of this score or above [default: 0.12]'
complete -c tideline -n "__tideline_at contradictions" -l segment -s s -x -a 'identity correction relationship preference project knowledge context' -d 'Only this segment'
complete -c tideline -n "__tideline_at contradictions" -l newest -x -d 'Compare so many of the newest facts [default: 20,000]'
complete -c tideline -n "__tideline_at contradictions" -l all -d 'Compare all facts, however many'
complete -c tideline -n "__tideline_at contradictions" -l jsonl -d 'Print one JSON object a line'
complete -c tideline -n "__tideline_at contradictions" -l nl -d 'The same as --jsonl'
complete -c tideline -n "__tideline_at contradictions" -l csv -d 'Print CSV with a header'
complete -c tideline -n "__tideline_at contradictions" -l tsv -d 'Print cells parted by tabs, with a header'
complete -c tideline -n "__tideline_at contradictions" -l table -d 'Print a table, in a pipe too'
complete -c tideline -n "__tideline_at contradictions" -l fmt -x -d 'Print a table in a form of tabulate, such as github, grid, html or simple'
complete -c tideline -n "__tideline_at contradictions" -l format -x -a 'table lines json jsonl csv tsv markdown' -d 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone'
complete -c tideline -n "__tideline_at history" -l limit -s n -x -d 'Commands to go back [default: 20, with ID all; 0 is all]'
complete -c tideline -n "__tideline_at history" -l session -k -x -a '(__tideline_values session)' -d 'Only what was done to facts of this session'
complete -c tideline -n "__tideline_at history" -l speaker -k -x -a '(__tideline_values speaker)' -d 'Only what was done to facts that this speaker said'
complete -c tideline -n "__tideline_at history" -l role -x -a 'user assistant system tool' -d 'Only what was done to facts that this role said'
complete -c tideline -n "__tideline_at history" -l agent -k -x -a '(__tideline_values agent)' -d 'Only what was done to facts that this agent wrote'
complete -c tideline -n "__tideline_at history" -l jsonl -d 'Print one JSON object a line'
complete -c tideline -n "__tideline_at history" -l nl -d 'The same as --jsonl'
complete -c tideline -n "__tideline_at history" -l csv -d 'Print CSV with a header'
complete -c tideline -n "__tideline_at history" -l tsv -d 'Print cells parted by tabs, with a header'
complete -c tideline -n "__tideline_at history" -l table -d 'Print a table, in a pipe too'
complete -c tideline -n "__tideline_at history" -l fmt -x -d 'Print a table in a form of tabulate, such as github, grid, html or simple'
complete -c tideline -n "__tideline_at history" -l format -x -a 'table lines json jsonl csv tsv markdown' -d 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone'
complete -c tideline -n '__tideline_at history 0' -k -x -a '(__tideline_values id)'
complete -c tideline -n "__tideline_at timeline" -l slot -k -x -a '(__tideline_values slot)' -d 'The values of this slot'
complete -c tideline -n "__tideline_at timeline" -l limit -s n -x -d 'Slots at most, where none is named [default: 10; 0 is all]'
complete -c tideline -n "__tideline_at timeline" -l jsonl -d 'Print one JSON object a line'
complete -c tideline -n "__tideline_at timeline" -l nl -d 'The same as --jsonl'
complete -c tideline -n "__tideline_at timeline" -l csv -d 'Print CSV with a header'
complete -c tideline -n "__tideline_at timeline" -l tsv -d 'Print cells parted by tabs, with a header'
complete -c tideline -n "__tideline_at timeline" -l table -d 'Print a table, in a pipe too'
complete -c tideline -n "__tideline_at timeline" -l fmt -x -d 'Print a table in a form of tabulate, such as github, grid, html or simple'
complete -c tideline -n "__tideline_at timeline" -l format -x -a 'table lines json jsonl csv tsv markdown' -d 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone'
complete -c tideline -n '__tideline_at timeline 0' -k -x -a '(__tideline_values id)'
complete -c tideline -n "__tideline_at undo" -l dry-run -s n -d 'Say what would be taken back, and leave it'
complete -c tideline -n "__tideline_at undo" -l list -d 'Show what could be undone, newest first; a BATCH is not named with it'
complete -c tideline -n "__tideline_at undo" -l limit -x -d 'Batches that --list shows [default: 20; 0 is all]'
complete -c tideline -n '__tideline_at undo 0' -k -x -a '(__tideline_values batch)'
complete -c tideline -n "__tideline_at redo" -l dry-run -s n -d 'Say what would be brought back, and leave it'
complete -c tideline -n "__tideline_at retention" -l days -x -d 'The age that a fact may reach'
complete -c tideline -n "__tideline_at retention" -l include-confirmed -d 'Confirmed and pinned facts as well'
complete -c tideline -n "__tideline_at retention" -l all-origins -d 'The facts of all origins, for the owner'
complete -c tideline -n "__tideline_at retention" -l yes -s y -d 'Do not ask'
complete -c tideline -n "__tideline_at retention" -l dry-run -s n -d 'List what would go, and leave it'
complete -c tideline -n "__tideline_at import" -l trust -d 'Keep the sources that the file states; the rest is the owner\'s'
complete -c tideline -n "__tideline_at import" -l merge -d 'Send each row through the rules of remember'
complete -c tideline -n "__tideline_at import" -l strict -d 'Take nothing if any row is bad'
complete -c tideline -n "__tideline_at import" -l format -x -a 'jsonl csv tsv sqlite markdown' -d 'jsonl, csv, tsv, sqlite or markdown [default: by the file\'s name]'
complete -c tideline -n "__tideline_at import" -l from -x -a 'claude-code claude-mem mem0 mcp-memory-service mcp-memory basic-memory brigade rsclaw codex openclaw hermes' -d 'The program that wrote it; docs/importers.md says what is read'
complete -c tideline -n "__tideline_at import" -l table -x -d 'The table of a SQLite file [default: fact]'
complete -c tideline -n "__tideline_at import" -l max-rows -x -d 'Rows at most, bad ones included [default: 1,000,000]'
complete -c tideline -n "__tideline_at import" -l map -x -d 'Take COLUMN as FIELD, such as content, tags or created_at'
complete -c tideline -n "__tideline_at import" -l agent -k -x -a '(__tideline_values agent)' -d 'Which program wrote what no row says that of; an empty one is none [default: the setting agent]'
complete -c tideline -n "__tideline_at import" -l seconds -d 'Times that are numbers count seconds, and not milliseconds'
complete -c tideline -n "__tideline_at import" -l dry-run -s n -d 'Store nothing; show the first rows as they would be stored'
complete -c tideline -n '__tideline_at import 0' -F
complete -c tideline -n "__tideline_at export" -l output -s o -r -F -d 'Where to write [default: standard output]'
complete -c tideline -n "__tideline_at export" -l all-origins -d 'The facts of every origin (the owner\'s right)'
complete -c tideline -n "__tideline_at export" -l split -x -a '(__fish_complete_directories)' -d 'Write a Markdown file for each active fact into the new folder DIR'
complete -c tideline -n "__tideline_at export" -l lifecycle -x -a 'active archived pruned all' -d 'active, archived, pruned or all [default: all; in Markdown active]'
complete -c tideline -n "__tideline_at export" -l slot -k -x -a '(__tideline_values slot)' -d 'Only values of this slot'
complete -c tideline -n "__tideline_at export" -l source -x -a 'owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction' -d 'Only what this source said'
complete -c tideline -n "__tideline_at export" -l heat -x -a 'core working peripheral' -d 'Only facts of this heat'
complete -c tideline -n "__tideline_at export" -l pinned -d 'Only pinned facts'
complete -c tideline -n "__tideline_at export" -l batch -k -x -a '(__tideline_values batch)' -d 'Only facts that this batch added; `tideline history` has the numbers'
complete -c tideline -n "__tideline_at export" -l segment -s s -x -a 'identity correction relationship preference project knowledge context' -d 'Only facts of this segment'
complete -c tideline -n "__tideline_at export" -l tag -s t -k -x -a '(__tideline_values tag)' -d 'Only facts with this tag, or with all of several between commas'
complete -c tideline -n "__tideline_at export" -l kind -x -a 'entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' -d 'Only facts of this kind'
complete -c tideline -n "__tideline_at export" -l status -l progress -x -a 'active blocked done' -d 'Only work that is so far, such as open tasks; what has ended is not active'
complete -c tideline -n "__tideline_at export" -l since -x -d 'Only facts made at or after TIME'
complete -c tideline -n "__tideline_at export" -l until -x -d 'Only facts made at or before TIME; of a day, all of it'
complete -c tideline -n "__tideline_at export" -l session -k -x -a '(__tideline_values session)' -d 'Only what was said in this session'
complete -c tideline -n "__tideline_at export" -l speaker -k -x -a '(__tideline_values speaker)' -d 'Only what this speaker said'
complete -c tideline -n "__tideline_at export" -l role -x -a 'user assistant system tool' -d 'Only what this role said'
complete -c tideline -n "__tideline_at export" -l agent -k -x -a '(__tideline_values agent)' -d 'Only what this agent wrote'
complete -c tideline -n "__tideline_at export" -l document -k -x -a '(__tideline_values document)' -d 'Only chunks of this document; `tideline library` lists them'
complete -c tideline -n "__tideline_at export" -l no-documents -d 'No chunks of documents'
complete -c tideline -n "__tideline_at export" -l scope -k -x -a '(__tideline_values scope)' -d 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope]'
complete -c tideline -n "__tideline_at export" -l all-scopes -d 'See the facts of every scope'
complete -c tideline -n "__tideline_at export" -l jsonl -d 'Print one JSON object a line'
complete -c tideline -n "__tideline_at export" -l nl -d 'The same as --jsonl'
complete -c tideline -n "__tideline_at export" -l csv -d 'Print CSV with a header'
complete -c tideline -n "__tideline_at export" -l tsv -d 'Print cells parted by tabs, with a header'
complete -c tideline -n "__tideline_at export" -l table -d 'Print a table, in a pipe too'
complete -c tideline -n "__tideline_at export" -l fmt -x -d 'Print a table in a form of tabulate, such as github, grid, html or simple'
complete -c tideline -n "__tideline_at export" -l format -x -a 'jsonl csv tsv sqlite markdown vault table' -d 'jsonl, csv, tsv, sqlite, markdown, vault or table [default: jsonl]'
complete -c tideline -n '__tideline_at export' -F
complete -c tideline -n "__tideline_at ingest" -l glob -s g -x -d 'Of folders only files that match, such as \'*.txt\'; \'!*.txt\' leaves out. With a slash it is matched against the path below the folder'
complete -c tideline -n "__tideline_at ingest" -l no-ignore -d 'Of folders also what ignore files name, and what programs lay there for themselves'
complete -c tideline -n "__tideline_at ingest" -l name -k -x -a '(__tideline_values document)' -d 'What the document is called [default: the name of the file]'
complete -c tideline -n "__tideline_at ingest" -l format -x -a 'text markdown rst html pdf' -d 'What the documents are [default: by their names]'
complete -c tideline -n "__tideline_at ingest" -l encoding -x -d 'The encoding of texts that do not say it [default: UTF-8]'
complete -c tideline -n "__tideline_at ingest" -l chunk-size -x -d 'Characters of a chunk at most [default: 600]'
complete -c tideline -n "__tideline_at ingest" -l overlap -x -d 'Characters of a chunk that the next one of its section repeats, at most [default: 100; half of the chunk at most]'
complete -c tideline -n "__tideline_at ingest" -l scope -k -x -a '(__tideline_values scope)' -d 'Of what it is worth knowing, such as work/api; an empty one is of everything [default: the setting scope]'
complete -c tideline -n "__tideline_at ingest" -l agent -k -x -a '(__tideline_values agent)' -d 'Which program takes them in; an empty one is none [default: the setting agent]'
complete -c tideline -n "__tideline_at ingest" -l dry-run -s n -d 'Store nothing; say what would be'
complete -c tideline -n '__tideline_at ingest' -F
complete -c tideline -n "__tideline_at library" -l gone -d 'With rm: the documents whose files are gone'
complete -c tideline -n "__tideline_at library" -l dry-run -s n -d 'With rm: say what would be taken out'
complete -c tideline -n "__tideline_at library" -l scope -k -x -a '(__tideline_values scope)' -d 'List documents of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope]'
complete -c tideline -n "__tideline_at library" -l all-scopes -d 'List the documents of every scope'
complete -c tideline -n "__tideline_at library" -l jsonl -d 'Print one JSON object a line'
complete -c tideline -n "__tideline_at library" -l nl -d 'The same as --jsonl'
complete -c tideline -n "__tideline_at library" -l csv -d 'Print CSV with a header'
complete -c tideline -n "__tideline_at library" -l tsv -d 'Print cells parted by tabs, with a header'
complete -c tideline -n "__tideline_at library" -l table -d 'Print a table, in a pipe too'
complete -c tideline -n "__tideline_at library" -l fmt -x -d 'Print a table in a form of tabulate, such as github, grid, html or simple'
complete -c tideline -n "__tideline_at library" -l format -x -a 'table lines json jsonl csv tsv markdown' -d 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone'
complete -c tideline -n '__tideline_at library 0' -x -a 'list show rm'
complete -c tideline -n '__tideline_at library 1' -k -x -a '(__tideline_values document)'
complete -c tideline -n "__tideline_at gc" -l dry-run -s n -d 'Show what would change, and change nothing'
complete -c tideline -n "__tideline_at gc" -l max-loss -x -d 'Share of an origin\'s facts that one run may take [default: 1]'
complete -c tideline -n "__tideline_at gc" -l all-origins -d 'Sweep every origin, although --origin names the owner'
complete -c tideline -n "__tideline_at extract" -l session -x -d 'Name of the conversation [default: the one in the transcript, else the file\'s name]'
complete -c tideline -n "__tideline_at extract" -l scope -k -x -a '(__tideline_values scope)' -d 'Where the facts matter, such as work/api; an empty one is everywhere [default: the setting scope]'
complete -c tideline -n "__tideline_at extract" -l per-message -d 'Ask about each of the user\'s messages that says something about them, instead of the whole'
complete -c tideline -n "__tideline_at extract" -l lessons -d 'Ask also what follows from each correction'
complete -c tideline -n "__tideline_at extract" -l summary -d 'Also keep one summary of the session, which each run words anew; it takes a model'
complete -c tideline -n "__tideline_at extract" -l failure -r -F -d 'Ask what failed: a file with a task and the record of what was tried'
complete -c tideline -n "__tideline_at extract" -l trust-owner -d 'Store identifiers and lessons from the owner\'s messages as the owner\'s word; not for plain text'
complete -c tideline -n "__tideline_at extract" -l all-now -d 'Take whatever is new, a single message too'
complete -c tideline -n "__tideline_at extract" -l min-new -x -d 'New messages that are worth a request [default: 2]'
complete -c tideline -n "__tideline_at extract" -l since -x -d 'Of an export: only conversations that went on at or after TIME'
complete -c tideline -n "__tideline_at extract" -l limit -x -d 'Of an export: at most N conversations that have something new; the next call goes on behind them [0 is all; a dry run shows 10]'
complete -c tideline -n "__tideline_at extract" -l pending -d 'The conversations that hooks have noted, instead of one; `tideline schedule` does it every night'
complete -c tideline -n "__tideline_at extract" -l dry-run -s n -d 'Print what would be sent and what would be stored without a model; ask and write nothing'
complete -c tideline -n "__tideline_at extract" -l llm -x -d 'Command to ask: prompt on its stdin, reply on its stdout; `none` asks no model [setting: llm]'
complete -c tideline -n "__tideline_at extract" -l model -x -d 'Model to ask at the base URL [setting: model]'
complete -c tideline -n "__tideline_at extract" -l base-url -x -d 'OpenAI-compatible endpoint, such as http://localhost:11434/v1 [setting: base_url]'
complete -c tideline -n "__tideline_at extract" -l key-file -r -F -d 'File with the API key, mode 0600 [env: TIDELINE_API_KEY; setting: key_file]'
complete -c tideline -n "__tideline_at extract" -l timeout -x -d 'Seconds to wait for a reply [default: 60]'
complete -c tideline -n '__tideline_at extract 0' -F
complete -c tideline -n "__tideline_at relink" -l dry-run -s n -d 'Print what would be sent; ask and write nothing'
complete -c tideline -n "__tideline_at relink" -l llm -x -d 'Command to ask: prompt on its stdin, reply on its stdout; `none` asks no model [setting: llm]'
complete -c tideline -n "__tideline_at relink" -l model -x -d 'Model to ask at the base URL [setting: model]'
complete -c tideline -n "__tideline_at relink" -l base-url -x -d 'OpenAI-compatible endpoint, such as http://localhost:11434/v1 [setting: base_url]'
complete -c tideline -n "__tideline_at relink" -l key-file -r -F -d 'File with the API key, mode 0600 [env: TIDELINE_API_KEY; setting: key_file]'
complete -c tideline -n "__tideline_at relink" -l timeout -x -d 'Seconds to wait for a reply [default: 60]'
complete -c tideline -n "__tideline_at embed" -l embedder -x -d 'Which one [default: hrr-256]'
complete -c tideline -n '__tideline_at embedder 0' -x -a 'list use status warmup'
complete -c tideline -n '__tideline_at embedder 1' -k -x -a '(__tideline_values embedder)'
complete -c tideline -n "__tideline_at reembed" -l limit -s n -x -d 'Vectors at most, such as for one night [0 is all]'
complete -c tideline -n "__tideline_at doctor" -l deep -d 'Check every fact, its terms and its vector, too'
complete -c tideline -n "__tideline_at doctor" -l repair -d 'Mend what can be mended'
complete -c tideline -n "__tideline_at doctor" -l secrets -d 'Only look for facts that hold passwords, keys or card numbers'
complete -c tideline -n "__tideline_at doctor" -l yes -s y -d 'Do not ask'
complete -c tideline -n "__tideline_at eval" -l k -s k -x -d 'How many answers count [default: 5]'
complete -c tideline -n "__tideline_at eval" -l profiles -l profile -x -d 'Compare other ways of asking with the one of now: all, or some of keyword, semantic, append, score, motherbrain, vectormemory, rsclaw'
complete -c tideline -n "__tideline_at eval" -l embedder -x -d 'Compare with the vectors of another embedder'
complete -c tideline -n "__tideline_at eval" -l format -x -a 'jsonl locomo longmemeval beir trec own' -d 'The form of FILE: jsonl, locomo, longmemeval, beir, trec or own (corpus.jsonl and queries.jsonl) [default: as it looks]'
complete -c tideline -n "__tideline_at eval" -l misses -d 'Show the questions that are not answered among the first K'
complete -c tideline -n "__tideline_at eval" -l strict -d 'Ask nothing if any question cannot be asked, or names an answer that is not there'
complete -c tideline -n "__tideline_at eval" -l count -x -d 'How many questions are proposed [default: 20]'
complete -c tideline -n "__tideline_at eval" -l output -s o -r -F -d 'Where make and load write questions; make adds to what is there'
complete -c tideline -n "__tideline_at eval" -l llm -x -d 'Command to ask: prompt on its stdin, reply on its stdout; `none` asks no model [setting: llm]'
complete -c tideline -n "__tideline_at eval" -l model -x -d 'Model to ask at the base URL [setting: model]'
complete -c tideline -n "__tideline_at eval" -l base-url -x -d 'OpenAI-compatible endpoint, such as http://localhost:11434/v1 [setting: base_url]'
complete -c tideline -n "__tideline_at eval" -l key-file -r -F -d 'File with the API key, mode 0600 [env: TIDELINE_API_KEY; setting: key_file]'
complete -c tideline -n "__tideline_at eval" -l timeout -x -d 'Seconds to wait for a reply [default: 60]'
complete -c tideline -n "__tideline_at eval" -l scope -k -x -a '(__tideline_values scope)' -d 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope]'
complete -c tideline -n "__tideline_at eval" -l all-scopes -d 'See the facts of every scope'
complete -c tideline -n '__tideline_at eval 0' -x -a 'run make poison load'
complete -c tideline -n "__tideline_at backup" -l force -s f -d 'Replace FILE; the old copy stays until the new is whole'
complete -c tideline -n '__tideline_at backup 0' -F
complete -c tideline -n "__tideline_at sync" -l name -x -d 'Call this machine so, from now on [default: its host name]'
complete -c tideline -n "__tideline_at sync" -l plain -d 'Make a new place without encryption: who can read it reads every fact'
complete -c tideline -n "__tideline_at sync" -l encrypt -d 'Make a new place encrypted, though you alone can read it'
complete -c tideline -n "__tideline_at sync" -l trust -d 'Vouch for what lies in a place that is not encrypted and that others can write'
complete -c tideline -n "__tideline_at sync" -l key -r -F -d 'File of keys [env: TIDELINE_SYNC_KEY]'
complete -c tideline -n "__tideline_at sync" -l limit -s k -x -d 'How many batches `log` shows [default: 20]'
complete -c tideline -n '__tideline_at sync 0' -x -a 'status log key forget'
complete -c tideline -n '__tideline_at sync 1' -x -a 'add'
complete -c tideline -n '__tideline_at member 0' -x -a 'list add remove'
complete -c tideline -n "__tideline_at schedule" -l cron -d 'A line of your crontab'
complete -c tideline -n "__tideline_at schedule" -l systemd -d 'A service and a timer of systemd, for your user'
complete -c tideline -n "__tideline_at schedule" -l launchd -d 'An agent of launchd'
complete -c tideline -n "__tideline_at schedule" -l schtasks -d 'A task of Windows'
complete -c tideline -n "__tideline_at schedule" -l at -x -d 'When, in local time [default: as it is installed, else 03:30]'
complete -c tideline -n "__tideline_at schedule" -l sync -d 'Sync with the places of before, too: see `tideline sync`'
complete -c tideline -n "__tideline_at schedule" -l install -d 'Put it in place'
complete -c tideline -n "__tideline_at schedule" -l remove -d 'Take it out'
complete -c tideline -n '__tideline_at config 0' -x -a 'list get set unset edit path profiles trust untrust'
complete -c tideline -n '__tideline_at config 1' -k -x -a '(__tideline_values setting)'
complete -c tideline -n '__tideline_at config 2' -k -x -a '(__tideline_values setting)'
complete -c tideline -n "__tideline_at serve" -l port -x -d 'The port; 0 takes any that is free [default: 7474]'
complete -c tideline -n "__tideline_at serve" -l open -d 'Open the page in a browser'
complete -c tideline -n "__tideline_at serve" -l show-secrets -d 'Print passwords, keys and card numbers, not `[secret]`'
complete -c tideline -n "__tideline_at mcp" -l write -d 'Also remember and forget'
complete -c tideline -n "__tideline_at mcp" -l forget-any -d 'With --write: forget also what trusted sources said'
complete -c tideline -n "__tideline_at mcp" -l show-secrets -d 'Print passwords, keys and card numbers, not `[secret]`'
complete -c tideline -n "__tideline_at mcp" -l agent -k -x -a '(__tideline_values agent)' -d 'The name that stands on what is remembered [default: the setting agent]'
complete -c tideline -n "__tideline_at mcp" -l format -x -a 'json text' -d 'Results as json, in both halves, or as text alone, for clients that cannot read both [default: json]'
complete -c tideline -n "__tideline_at hook" -l pause -x -d 'Let the origin\'s hooks do nothing for so long, such as 2h or 1d'
complete -c tideline -n "__tideline_at hook" -l resume -d 'End a pause'
complete -c tideline -n "__tideline_at hook" -l show-secrets -d 'Print passwords, keys and card numbers, not `[secret]`'
complete -c tideline -n "__tideline_at hook" -l scope -k -x -a '(__tideline_values scope)' -d 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope]'
complete -c tideline -n "__tideline_at hook" -l all-scopes -d 'See the facts of every scope'
complete -c tideline -n '__tideline_at hook 0' -x -a 'claude-code codex gemini cursor'
complete -c tideline -n '__tideline_at hook 1' -x -a 'start prompt end'
complete -c tideline -n "__tideline_at setup" -l all -d 'All clients that are on this machine'
complete -c tideline -n "__tideline_at setup" -l check -d 'Only look; ends with 1 where something is amiss'
complete -c tideline -n "__tideline_at setup" -l remove -d 'Take it out again'
complete -c tideline -n "__tideline_at setup" -l dry-run -s n -d 'Show what would be written and called; do nothing'
complete -c tideline -n "__tideline_at setup" -l hooks -d 'Only the hooks: recall by itself'
complete -c tideline -n "__tideline_at setup" -l mcp -d 'Only the tools: `tideline mcp`'
complete -c tideline -n "__tideline_at setup" -l project -d 'Only in this project, the working folder'
complete -c tideline -n '__tideline_at setup' -x -a 'claude-code codex gemini cursor'
complete -c tideline -n "__tideline_at init" -l key -x -d 'The key that opens the list, such as ctrl-o, or `ctrl-x m` for one after the other [default: alt-m]'
complete -c tideline -n "__tideline_at init" -l no-key -d 'Bind no key'
complete -c tideline -n '__tideline_at init 0' -x -a 'bash zsh fish'
complete -c tideline -n '__tideline_at completions 0' -x -a 'bash zsh fish powershell'
complete -c tideline -n "__tideline_at man" -l roff -d 'Print the source of the page'
complete -c tideline -n '__tideline_at man 0' -x -a 'remember recall context dream consolidate status show list pick fading slots tags pin unpin forget restore edit link graph feedback purge contradictions history timeline undo redo retention import export ingest library gc extract relink embed embedder reembed doctor eval backup sync member schedule config serve mcp hook setup init completions man'
