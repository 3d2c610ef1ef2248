# bash completion for tideline: source it, or save it as `tideline` in a folder of bash-completion.
# Works in bash 3.2 and newer. Generated; `tideline completions bash` prints it.

# Set REPLY to what completes the value of flag $2 of command $1; empty when it takes none.
_tideline_value() {
    REPLY=
    case $2 in
        --db) REPLY='file' ;;
        --origin) REPLY='text' ;;
        --now) REPLY='text' ;;
        --color) REPLY='one of auto always never' ;;
    esac
    case $1:$2 in
        remember:--source) REPLY='one of owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction' ;;
        remember:--supersedes) REPLY='ask active' ;;
        remember:--source-turn) REPLY='text' ;;
        remember:--derived-from) REPLY='ask id' ;;
        remember:--role) REPLY='one of user assistant system tool' ;;
        remember:--status|remember:--progress) REPLY='one of active blocked done' ;;
        remember:--dedup) REPLY='one of exact semantic smart' ;;
        remember:--segment|remember:-s) REPLY='one of identity correction relationship preference project knowledge context' ;;
        remember:--slot) REPLY='ask slot' ;;
        remember:--importance) REPLY='text' ;;
        remember:--tier) REPLY='one of short long permanent' ;;
        remember:--confidence) REPLY='text' ;;
        remember:--valid-from) REPLY='text' ;;
        remember:--valid-to) REPLY='text' ;;
        remember:--tag|remember:-t) REPLY='ask tag' ;;
        remember:--kind) REPLY='one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' ;;
        remember:--title) REPLY='text' ;;
        remember:--meta) REPLY='text' ;;
        remember:--scope) REPLY='ask scope' ;;
        remember:--session) REPLY='ask session' ;;
        remember:--turn) REPLY='text' ;;
        remember:--speaker) REPLY='ask speaker' ;;
        remember:--agent) REPLY='ask agent' ;;
        recall:--limit|recall:-n) REPLY='text' ;;
        recall:--mode) REPLY='one of hybrid keyword semantic points' ;;
        recall:--fusion) REPLY='one of append score rrf additive priority' ;;
        recall:--decay) REPLY='one of half-life weibull spaced none' ;;
        recall:--profile) REPLY='one of tideline motherbrain vectormemory rsclaw' ;;
        recall:--min-sim) REPLY='text' ;;
        recall:--min-score) REPLY='text' ;;
        recall:--why-not) REPLY='ask id' ;;
        recall:--mmr) REPLY='text' ;;
        recall:--graph) REPLY='one of auto on off' ;;
        recall:--as-of) REPLY='text' ;;
        recall:--around|recall:-C) REPLY='text' ;;
        recall:--segment|recall:-s) REPLY='one of identity correction relationship preference project knowledge context' ;;
        recall:--tag|recall:-t) REPLY='ask tag' ;;
        recall:--kind) REPLY='one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' ;;
        recall:--status|recall:--progress) REPLY='one of active blocked done' ;;
        recall:--since) REPLY='text' ;;
        recall:--until) REPLY='text' ;;
        recall:--session) REPLY='ask session' ;;
        recall:--speaker) REPLY='ask speaker' ;;
        recall:--role) REPLY='one of user assistant system tool' ;;
        recall:--agent) REPLY='ask agent' ;;
        recall:--document) REPLY='ask document' ;;
        recall:--scope) REPLY='ask scope' ;;
        recall:--fmt) REPLY='text' ;;
        recall:--format) REPLY='one of table lines json jsonl csv tsv markdown' ;;
        context:--max-chars) REPLY='text' ;;
        context:--max-tokens) REPLY='text' ;;
        context:--limit|context:-n) REPLY='text' ;;
        context:--mode) REPLY='one of hybrid keyword semantic points' ;;
        context:--fusion) REPLY='one of append score rrf additive priority' ;;
        context:--decay) REPLY='one of half-life weibull spaced none' ;;
        context:--profile) REPLY='one of tideline motherbrain vectormemory rsclaw' ;;
        context:--format) REPLY='one of text json xml' ;;
        context:--document) REPLY='ask document' ;;
        context:--scope) REPLY='ask scope' ;;
        dream:--stage) REPLY='one of confirm consolidate relate evict gc' ;;
        dream:--confirm-count) REPLY='text' ;;
        dream:--merge-at) REPLY='text' ;;
        dream:--relate-at) REPLY='text' ;;
        dream:--evict-below) REPLY='text' ;;
        dream:--evict-after) REPLY='text' ;;
        dream:--max-loss) REPLY='text' ;;
        consolidate:--interval) REPLY='text' ;;
        consolidate:--min-facts) REPLY='text' ;;
        consolidate:--max-facts) REPLY='text' ;;
        consolidate:--max-loss) REPLY='text' ;;
        consolidate:--llm) REPLY='text' ;;
        consolidate:--model) REPLY='text' ;;
        consolidate:--base-url) REPLY='text' ;;
        consolidate:--key-file) REPLY='file' ;;
        consolidate:--timeout) REPLY='text' ;;
        status:--by) REPLY='one of kind agent segment tier heat source scope' ;;
        status:--scope) REPLY='ask scope' ;;
        show:--decay) REPLY='one of half-life weibull spaced none' ;;
        list:--lifecycle) REPLY='one of active archived pruned all' ;;
        list:--as-of) REPLY='text' ;;
        list:--sort) REPLY='one of new old importance used strength' ;;
        list:--decay) REPLY='one of half-life weibull spaced none' ;;
        list:--limit|list:-n) REPLY='text' ;;
        list:--offset) REPLY='text' ;;
        list:--slot) REPLY='ask slot' ;;
        list:--source) REPLY='one of owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction' ;;
        list:--heat) REPLY='one of core working peripheral' ;;
        list:--batch) REPLY='ask batch' ;;
        list:--segment|list:-s) REPLY='one of identity correction relationship preference project knowledge context' ;;
        list:--tag|list:-t) REPLY='ask tag' ;;
        list:--kind) REPLY='one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' ;;
        list:--status|list:--progress) REPLY='one of active blocked done' ;;
        list:--since) REPLY='text' ;;
        list:--until) REPLY='text' ;;
        list:--session) REPLY='ask session' ;;
        list:--speaker) REPLY='ask speaker' ;;
        list:--role) REPLY='one of user assistant system tool' ;;
        list:--agent) REPLY='ask agent' ;;
        list:--document) REPLY='ask document' ;;
        list:--scope) REPLY='ask scope' ;;
        list:--fmt) REPLY='text' ;;
        list:--format) REPLY='one of table lines json jsonl csv tsv markdown' ;;
        pick:--limit|pick:-n) REPLY='text' ;;
        pick:--print) REPLY='one of text id' ;;
        pick:--quote) REPLY='one of bash zsh fish' ;;
        pick:--slot) REPLY='ask slot' ;;
        pick:--source) REPLY='one of owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction' ;;
        pick:--heat) REPLY='one of core working peripheral' ;;
        pick:--batch) REPLY='ask batch' ;;
        pick:--segment|pick:-s) REPLY='one of identity correction relationship preference project knowledge context' ;;
        pick:--tag|pick:-t) REPLY='ask tag' ;;
        pick:--kind) REPLY='one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' ;;
        pick:--status|pick:--progress) REPLY='one of active blocked done' ;;
        pick:--since) REPLY='text' ;;
        pick:--until) REPLY='text' ;;
        pick:--session) REPLY='ask session' ;;
        pick:--speaker) REPLY='ask speaker' ;;
        pick:--role) REPLY='one of user assistant system tool' ;;
        pick:--agent) REPLY='ask agent' ;;
        pick:--document) REPLY='ask document' ;;
        pick:--scope) REPLY='ask scope' ;;
        fading:--within) REPLY='text' ;;
        fading:--limit|fading:-n) REPLY='text' ;;
        fading:--fmt) REPLY='text' ;;
        fading:--format) REPLY='one of table lines json jsonl csv tsv markdown' ;;
        slots:--scope) REPLY='ask scope' ;;
        slots:--session) REPLY='ask session' ;;
        slots:--speaker) REPLY='ask speaker' ;;
        slots:--role) REPLY='one of user assistant system tool' ;;
        slots:--agent) REPLY='ask agent' ;;
        slots:--fmt) REPLY='text' ;;
        slots:--format) REPLY='one of table lines json jsonl csv tsv markdown' ;;
        tags:--scope) REPLY='ask scope' ;;
        tags:--session) REPLY='ask session' ;;
        tags:--speaker) REPLY='ask speaker' ;;
        tags:--role) REPLY='one of user assistant system tool' ;;
        tags:--agent) REPLY='ask agent' ;;
        tags:--fmt) REPLY='text' ;;
        tags:--format) REPLY='one of table lines json jsonl csv tsv markdown' ;;
        forget:--query) REPLY='text' ;;
        forget:--superseded-by) REPLY='ask active' ;;
        forget:--slot) REPLY='ask slot' ;;
        forget:--source) REPLY='one of owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction' ;;
        forget:--heat) REPLY='one of core working peripheral' ;;
        forget:--batch) REPLY='ask batch' ;;
        forget:--segment|forget:-s) REPLY='one of identity correction relationship preference project knowledge context' ;;
        forget:--tag|forget:-t) REPLY='ask tag' ;;
        forget:--kind) REPLY='one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' ;;
        forget:--status|forget:--progress) REPLY='one of active blocked done' ;;
        forget:--since) REPLY='text' ;;
        forget:--until) REPLY='text' ;;
        forget:--session) REPLY='ask session' ;;
        forget:--speaker) REPLY='ask speaker' ;;
        forget:--role) REPLY='one of user assistant system tool' ;;
        forget:--agent) REPLY='ask agent' ;;
        forget:--document) REPLY='ask document' ;;
        forget:--scope) REPLY='ask scope' ;;
        restore:--from) REPLY='file' ;;
        edit:--role) REPLY='one of user assistant system tool none' ;;
        edit:--status|edit:--progress) REPLY='one of active blocked done none' ;;
        edit:--from) REPLY='text' ;;
        edit:--segment|edit:-s) REPLY='one of identity correction relationship preference project knowledge context' ;;
        edit:--slot) REPLY='ask slot' ;;
        edit:--importance) REPLY='text' ;;
        edit:--tier) REPLY='one of short long permanent' ;;
        edit:--confidence) REPLY='text' ;;
        edit:--valid-from) REPLY='text' ;;
        edit:--valid-to) REPLY='text' ;;
        edit:--tag|edit:-t) REPLY='ask tag' ;;
        edit:--kind) REPLY='one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' ;;
        edit:--title) REPLY='text' ;;
        edit:--meta) REPLY='text' ;;
        edit:--scope) REPLY='ask scope' ;;
        edit:--session) REPLY='ask session' ;;
        edit:--turn) REPLY='text' ;;
        edit:--speaker) REPLY='ask speaker' ;;
        edit:--agent) REPLY='ask agent' ;;
        link:--kind) REPLY='one of corrects derived_from supports contradicts causes caused_by part_of precedes follows enables blocks co_constrains located_at uses works_on contrasts_with relates_to same_topic relates similar' ;;
        link:--reason) REPLY='text' ;;
        link:--strength) REPLY='text' ;;
        graph:--hops) REPLY='text' ;;
        graph:--fan-out) REPLY='text' ;;
        graph:--limit|graph:-n) REPLY='text' ;;
        graph:--format) REPLY='one of text dot json svg' ;;
        graph:--slot) REPLY='ask slot' ;;
        graph:--source) REPLY='one of owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction' ;;
        graph:--heat) REPLY='one of core working peripheral' ;;
        graph:--batch) REPLY='ask batch' ;;
        graph:--segment|graph:-s) REPLY='one of identity correction relationship preference project knowledge context' ;;
        graph:--tag|graph:-t) REPLY='ask tag' ;;
        graph:--kind) REPLY='one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' ;;
        graph:--status|graph:--progress) REPLY='one of active blocked done' ;;
        graph:--since) REPLY='text' ;;
        graph:--until) REPLY='text' ;;
        graph:--session) REPLY='ask session' ;;
        graph:--speaker) REPLY='ask speaker' ;;
        graph:--role) REPLY='one of user assistant system tool' ;;
        graph:--agent) REPLY='ask agent' ;;
        graph:--document) REPLY='ask document' ;;
        graph:--scope) REPLY='ask scope' ;;
        feedback:--delta) REPLY='text' ;;
        contradictions:--limit|contradictions:-n) REPLY='text' ;;
        contradictions:--min-score) REPLY='text' ;;
        contradictions:--segment|contradictions:-s) REPLY='one of identity correction relationship preference project knowledge context' ;;
        contradictions:--newest) REPLY='text' ;;
        contradictions:--fmt) REPLY='text' ;;
        contradictions:--format) REPLY='one of table lines json jsonl csv tsv markdown' ;;
        history:--limit|history:-n) REPLY='text' ;;
        history:--session) REPLY='ask session' ;;
        history:--speaker) REPLY='ask speaker' ;;
        history:--role) REPLY='one of user assistant system tool' ;;
        history:--agent) REPLY='ask agent' ;;
        history:--fmt) REPLY='text' ;;
        history:--format) REPLY='one of table lines json jsonl csv tsv markdown' ;;
        timeline:--slot) REPLY='ask slot' ;;
        timeline:--limit|timeline:-n) REPLY='text' ;;
        timeline:--fmt) REPLY='text' ;;
        timeline:--format) REPLY='one of table lines json jsonl csv tsv markdown' ;;
        undo:--limit) REPLY='text' ;;
        retention:--days) REPLY='text' ;;
        import:--format) REPLY='one of jsonl csv tsv sqlite markdown text sheet vcard ical todo bookmarks history anki' ;;
        import:--from) REPLY='one of claude-code claude-mem mem0 mcp-memory-service mcp-memory basic-memory brigade rsclaw codex openclaw hermes gemini obsidian logseq claude-ai chatgpt auto none' ;;
        import:--table) REPLY='text' ;;
        import:--max-rows) REPLY='text' ;;
        import:--map) REPLY='text' ;;
        import:--as) REPLY='text' ;;
        import:--encoding) REPLY='text' ;;
        import:--agent) REPLY='ask agent' ;;
        export:--output|export:-o) REPLY='file' ;;
        export:--split) REPLY='folder' ;;
        export:--lifecycle) REPLY='one of active archived pruned all' ;;
        export:--slot) REPLY='ask slot' ;;
        export:--source) REPLY='one of owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction' ;;
        export:--heat) REPLY='one of core working peripheral' ;;
        export:--batch) REPLY='ask batch' ;;
        export:--segment|export:-s) REPLY='one of identity correction relationship preference project knowledge context' ;;
        export:--tag|export:-t) REPLY='ask tag' ;;
        export:--kind) REPLY='one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight' ;;
        export:--status|export:--progress) REPLY='one of active blocked done' ;;
        export:--since) REPLY='text' ;;
        export:--until) REPLY='text' ;;
        export:--session) REPLY='ask session' ;;
        export:--speaker) REPLY='ask speaker' ;;
        export:--role) REPLY='one of user assistant system tool' ;;
        export:--agent) REPLY='ask agent' ;;
        export:--document) REPLY='ask document' ;;
        export:--scope) REPLY='ask scope' ;;
        export:--fmt) REPLY='text' ;;
        export:--format) REPLY='one of jsonl csv tsv sqlite markdown vault table' ;;
        ingest:--glob|ingest:-g) REPLY='text' ;;
        ingest:--name) REPLY='ask document' ;;
        ingest:--format) REPLY='one of text markdown rst html pdf docx odt epub' ;;
        ingest:--encoding) REPLY='text' ;;
        ingest:--chunk-size) REPLY='text' ;;
        ingest:--overlap) REPLY='text' ;;
        ingest:--scope) REPLY='ask scope' ;;
        ingest:--agent) REPLY='ask agent' ;;
        library:--scope) REPLY='ask scope' ;;
        library:--fmt) REPLY='text' ;;
        library:--format) REPLY='one of table lines json jsonl csv tsv markdown' ;;
        gc:--max-loss) REPLY='text' ;;
        extract:--session) REPLY='text' ;;
        extract:--scope) REPLY='ask scope' ;;
        extract:--failure) REPLY='file' ;;
        extract:--min-new) REPLY='text' ;;
        extract:--since) REPLY='text' ;;
        extract:--limit) REPLY='text' ;;
        extract:--llm) REPLY='text' ;;
        extract:--model) REPLY='text' ;;
        extract:--base-url) REPLY='text' ;;
        extract:--key-file) REPLY='file' ;;
        extract:--timeout) REPLY='text' ;;
        sessions:--client) REPLY='text' ;;
        sessions:--around|sessions:-C) REPLY='text' ;;
        sessions:--role) REPLY='one of user assistant' ;;
        sessions:--limit) REPLY='text' ;;
        sessions:--scope) REPLY='ask scope' ;;
        sessions:--fmt) REPLY='text' ;;
        sessions:--format) REPLY='one of table lines json jsonl csv tsv markdown' ;;
        relink:--llm) REPLY='text' ;;
        relink:--model) REPLY='text' ;;
        relink:--base-url) REPLY='text' ;;
        relink:--key-file) REPLY='file' ;;
        relink:--timeout) REPLY='text' ;;
        embed:--embedder) REPLY='text' ;;
        reembed:--limit|reembed:-n) REPLY='text' ;;
        eval:--k|eval:-k) REPLY='text' ;;
        eval:--profiles|eval:--profile) REPLY='text' ;;
        eval:--embedder) REPLY='text' ;;
        eval:--format) REPLY='one of jsonl locomo longmemeval beir trec own' ;;
        eval:--count) REPLY='text' ;;
        eval:--output|eval:-o) REPLY='file' ;;
        eval:--llm) REPLY='text' ;;
        eval:--model) REPLY='text' ;;
        eval:--base-url) REPLY='text' ;;
        eval:--key-file) REPLY='file' ;;
        eval:--timeout) REPLY='text' ;;
        eval:--scope) REPLY='ask scope' ;;
        sync:--name) REPLY='text' ;;
        sync:--key) REPLY='file' ;;
        sync:--limit|sync:-k) REPLY='text' ;;
        schedule:--at) REPLY='text' ;;
        serve:--port) REPLY='text' ;;
        mcp:--agent) REPLY='ask agent' ;;
        mcp:--format) REPLY='one of json text' ;;
        mcp:--scope) REPLY='ask scope' ;;
        hook:--pause) REPLY='text' ;;
        hook:--scope) REPLY='ask scope' ;;
        setup:--sessions) REPLY='one of off turns' ;;
        setup:--model) REPLY='one of none claude codex gemini ollama llama.cpp vllm lmstudio' ;;
        init:--key) REPLY='text' ;;
    esac
}

# Set REPLY to what completes word $2 of command $1.
_tideline_argument() {
    REPLY=
    case $1:$2 in
        show:0) REPLY='ask id' ;;
        pin:*) REPLY='ask active' ;;
        unpin:*) REPLY='ask active' ;;
        forget:*) REPLY='ask active' ;;
        restore:*) REPLY='ask archived' ;;
        edit:0) REPLY='ask active' ;;
        link:0) REPLY='ask active' ;;
        link:1) REPLY='ask active' ;;
        graph:0) REPLY='ask id' ;;
        feedback:0) REPLY='ask active' ;;
        feedback:1) REPLY='one of up down' ;;
        purge:*) REPLY='ask id' ;;
        history:0) REPLY='ask id' ;;
        timeline:0) REPLY='ask id' ;;
        undo:0) REPLY='ask batch' ;;
        import:0) REPLY='file' ;;
        export:*) REPLY='file' ;;
        ingest:*) REPLY='file' ;;
        library:0) REPLY='one of list show rm' ;;
        library:1) REPLY='ask document' ;;
        extract:0) REPLY='file' ;;
        sessions:0) REPLY='one of list add show search export forget purge' ;;
        embedder:0) REPLY='one of list use status warmup' ;;
        embedder:1) REPLY='ask embedder' ;;
        eval:0) REPLY='one of run make poison load' ;;
        backup:0) REPLY='file' ;;
        sync:0) REPLY='one of status log key forget' ;;
        sync:1) REPLY='one of add' ;;
        member:0) REPLY='one of list add remove' ;;
        config:0) REPLY='one of list get set unset edit path profiles trust untrust' ;;
        config:1) REPLY='ask setting' ;;
        config:2) REPLY='ask setting' ;;
        hook:0) REPLY='one of claude-code codex gemini cursor' ;;
        hook:1) REPLY='one of start prompt end' ;;
        setup:*) REPLY='one of claude-code codex gemini cursor opencode vscode zed' ;;
        init:0) REPLY='one of bash zsh fish' ;;
        completions:0) REPLY='one of bash zsh fish powershell' ;;
        man:0) REPLY='one of remember recall context dream consolidate status show list pick fading slots tags pin unpin forget restore edit link graph feedback purge contradictions history timeline undo redo retention import export ingest library gc extract sessions relink embed embedder reembed doctor eval backup sync member schedule config serve mcp hook setup init completions man' ;;
        *) [[ $2 == '*' ]] || _tideline_argument "$1" '*' ;;
    esac
}

# Set REPLY to the flags of command $1, or those that stand without one.
_tideline_flags() {
    REPLY='--version -V'
    case $1 in
        remember) REPLY='--source --supersedes --source-turn --derived-from --pin --confine --role --status --progress --dedup --batch --segment -s --slot --importance --tier --confidence --valid-from --valid-to --tag -t --kind --title --meta --scope --session --turn --speaker --agent' ;;
        recall) REPLY='--limit -n --mode --fusion --decay --profile --min-sim --min-score --why-not --mmr --graph --as-of --archived --sessions --around -C --explain --no-touch --touch --batch --segment -s --tag -t --kind --status --progress --since --until --session --speaker --role --agent --document --no-documents --scope --all-scopes --jsonl --nl --csv --tsv --table --fmt --format' ;;
        context) REPLY='--max-chars --max-tokens --limit -n --auto --mode --fusion --decay --profile --no-touch --no-constraints --show-secrets --format --document --no-documents --scope --all-scopes' ;;
        dream) REPLY='--dry-run -n --stage --confirm-count --merge-at --relate-at --evict-below --evict-after --max-loss --all-origins --pending --sync --if-due' ;;
        consolidate) REPLY='--dry-run -n --force --interval --min-facts --max-facts --max-loss --all-origins --llm --model --base-url --key-file --timeout' ;;
        status) REPLY='--all-origins --by --scope --all-scopes' ;;
        show) REPLY='--decay --all --raw' ;;
        list) REPLY='--lifecycle --archived --as-of --sort --decay --limit -n --offset --slot --source --heat --pinned --batch --segment -s --tag -t --kind --status --progress --since --until --session --speaker --role --agent --document --no-documents --scope --all-scopes --jsonl --nl --csv --tsv --table --fmt --format' ;;
        pick) REPLY='--limit -n --print --quote --own --slot --source --heat --pinned --batch --segment -s --tag -t --kind --status --progress --since --until --session --speaker --role --agent --document --no-documents --scope --all-scopes' ;;
        fading) REPLY='--within --limit -n --jsonl --nl --csv --tsv --table --fmt --format' ;;
        slots) REPLY='--scope --all-scopes --session --speaker --role --agent --jsonl --nl --csv --tsv --table --fmt --format' ;;
        tags) REPLY='--scope --all-scopes --session --speaker --role --agent --jsonl --nl --csv --tsv --table --fmt --format' ;;
        pin) REPLY='' ;;
        unpin) REPLY='' ;;
        forget) REPLY='--query --superseded-by --dry-run -n --yes -y --slot --source --heat --pinned --batch --segment -s --tag -t --kind --status --progress --since --until --session --speaker --role --agent --document --no-documents --scope --all-scopes' ;;
        restore) REPLY='--from --yes -y' ;;
        edit) REPLY='--role --status --progress --from --vouch --yes -y --segment -s --slot --importance --tier --confidence --valid-from --valid-to --tag -t --kind --title --meta --scope --session --turn --speaker --agent' ;;
        link) REPLY='--kind --reason --strength --remove' ;;
        graph) REPLY='--hops --fan-out --limit -n --archived --format --slot --source --heat --pinned --batch --segment -s --tag -t --kind --status --progress --since --until --session --speaker --role --agent --document --no-documents --scope --all-scopes' ;;
        feedback) REPLY='--delta' ;;
        purge) REPLY='--yes -y --dry-run -n --turns' ;;
        contradictions) REPLY='--limit -n --min-score --segment -s --newest --all --jsonl --nl --csv --tsv --table --fmt --format' ;;
        history) REPLY='--limit -n --session --speaker --role --agent --jsonl --nl --csv --tsv --table --fmt --format' ;;
        timeline) REPLY='--slot --limit -n --jsonl --nl --csv --tsv --table --fmt --format' ;;
        undo) REPLY='--dry-run -n --list --limit' ;;
        redo) REPLY='--dry-run -n' ;;
        retention) REPLY='--days --include-confirmed --all-origins --yes -y --dry-run -n' ;;
        import) REPLY='--trust --merge --strict --format --from --table --max-rows --map --as --no-ignore --encoding --agent --seconds --gone --dry-run -n' ;;
        export) REPLY='--output -o --all-origins --split --lifecycle --slot --source --heat --pinned --batch --segment -s --tag -t --kind --status --progress --since --until --session --speaker --role --agent --document --no-documents --scope --all-scopes --jsonl --nl --csv --tsv --table --fmt --format' ;;
        ingest) REPLY='--glob -g --no-ignore --name --format --encoding --chunk-size --overlap --scope --agent --dry-run -n' ;;
        library) REPLY='--gone --dry-run -n --scope --all-scopes --jsonl --nl --csv --tsv --table --fmt --format' ;;
        gc) REPLY='--dry-run -n --max-loss --all-origins' ;;
        extract) REPLY='--session --scope --per-message --lessons --summary --failure --trust-owner --all-now --min-new --since --limit --pending --settled --check --dry-run -n --llm --model --base-url --key-file --timeout' ;;
        sessions) REPLY='--client --around -C --role --limit --yes -y --scope --all-scopes --jsonl --nl --csv --tsv --table --fmt --format' ;;
        relink) REPLY='--dry-run -n --llm --model --base-url --key-file --timeout' ;;
        embed) REPLY='--embedder' ;;
        embedder) REPLY='' ;;
        reembed) REPLY='--limit -n' ;;
        doctor) REPLY='--deep --repair --secrets --yes -y' ;;
        eval) REPLY='--k -k --profiles --profile --embedder --format --misses --strict --count --output -o --llm --model --base-url --key-file --timeout --scope --all-scopes' ;;
        backup) REPLY='--force -f' ;;
        sync) REPLY='--name --plain --encrypt --trust --key --limit -k' ;;
        member) REPLY='' ;;
        schedule) REPLY='--cron --systemd --launchd --schtasks --at --sync --install --remove' ;;
        config) REPLY='' ;;
        serve) REPLY='--port --open --show-secrets' ;;
        mcp) REPLY='--write --forget-any --show-secrets --agent --format --scope --all-scopes' ;;
        hook) REPLY='--pause --resume --show-secrets --scope --all-scopes' ;;
        setup) REPLY='--all --check --remove --dry-run -n --hooks --mcp --project --sessions --model --schedule --soon --yes -y' ;;
        init) REPLY='--key --no-key' ;;
        completions) REPLY='' ;;
        man) REPLY='--roff' ;;
    esac
    REPLY="$REPLY "'--db --origin --now --json --quiet -q --verbose -v --debug --color --no-input --no-pager --help -h'
}

_tideline_summary() {
    case $1 in
        remember) REPLY='Write a fact down.' ;;
        recall) REPLY='Find the facts that answer a query.' ;;
        context) REPLY='Print a budgeted block of facts for a prompt.' ;;
        dream) REPLY='Let the memory tend itself: confirm, merge, link, evict.' ;;
        consolidate) REPLY='Have a model name contradicted and duplicated facts, and archive them.' ;;
        status) REPLY='Show what is remembered, and whether all is well.' ;;
        show) REPLY='Show one fact: all of it, its links, its strength now.' ;;
        list) REPLY='List facts, newest first.' ;;
        pick) REPLY='Choose a fact from a list.' ;;
        fading) REPLY='Show which facts fade soon, and what keeps them.' ;;
        slots) REPLY='List the slots, each with its value of now.' ;;
        tags) REPLY='List the tags, and how many facts have each.' ;;
        pin) REPLY='Let facts never fade.' ;;
        unpin) REPLY='Let pinned facts fade again.' ;;
        forget) REPLY='Take facts out of recall.' ;;
        restore) REPLY='Bring archived facts back, or a whole backup.' ;;
        edit) REPLY='Say a fact anew, or change its labels.' ;;
        link) REPLY='Say how one fact is related to another.' ;;
        graph) REPLY='Show facts and the links among them.' ;;
        feedback) REPLY='Say whether a fact was of use.' ;;
        purge) REPLY='Remove facts for good, from every file.' ;;
        contradictions) REPLY='Show pairs of facts that may contradict each other.' ;;
        history) REPLY='Show who changed what, and when.' ;;
        timeline) REPLY='Show one fact or one slot through time.' ;;
        undo) REPLY='Take back what one command did.' ;;
        redo) REPLY='Bring back what the last undo took.' ;;
        retention) REPLY='Remove, for good, what is older than N days.' ;;
        import) REPLY='Take in facts from JSON lines, CSV, TSV or SQLite.' ;;
        export) REPLY='Write facts out as JSON lines, CSV, SQLite or Markdown.' ;;
        ingest) REPLY='Take in documents: text, Markdown, HTML, PDF.' ;;
        library) REPLY='Show the documents that were taken in.' ;;
        gc) REPLY='Archive what has faded: the decay sweep.' ;;
        extract) REPLY='Distil facts from a conversation.' ;;
        sessions) REPLY='Keep sessions of agents word for word, and find what was said.' ;;
        relink) REPLY='Let a model join facts that bear on one another.' ;;
        embed) REPLY='Print the vector of a text.' ;;
        embedder) REPLY='Choose how likeness of texts is found.' ;;
        reembed) REPLY='Make the vectors that facts lack.' ;;
        doctor) REPLY='Check that the store is whole, and mend it.' ;;
        eval) REPLY='Measure how good the answers are, on your own questions.' ;;
        backup) REPLY='Copy the store into a file, while others use it.' ;;
        sync) REPLY='Join the memories of your machines, by a place for files.' ;;
        member) REPLY='Say which roles of a server see which origins.' ;;
        schedule) REPLY='Let the memory tend itself every night.' ;;
        config) REPLY='Show and change settings.' ;;
        serve) REPLY='Serve pages and an API, on this machine alone.' ;;
        mcp) REPLY='Serve the memory to an agent, by MCP.' ;;
        hook) REPLY='Answer the hooks of agents, or pause them.' ;;
        setup) REPLY='Let agents use the memory, and undo that.' ;;
        init) REPLY='Print what a shell reads when it starts: TAB, a key, the manual.' ;;
        completions) REPLY='Print the completion script of a shell.' ;;
        man) REPLY='Show a manual page.' ;;
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
        _tideline_offer "$current" remember recall context dream consolidate status show list pick fading slots tags pin unpin forget restore edit link graph feedback purge contradictions history timeline undo redo retention import export ingest library gc extract sessions relink embed embedder reembed doctor eval backup sync member schedule config serve mcp hook setup init completions man
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
