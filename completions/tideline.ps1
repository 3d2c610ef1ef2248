# PowerShell completion for tideline: dot-source it from $PROFILE. Generated;
# `tideline completions powershell` prints it.

Register-ArgumentCompleter -Native -CommandName tideline -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commands = [ordered]@{
        'remember' = 'Write a fact down.'
        'recall' = 'Find the facts that answer a query.'
        'context' = 'Print a budgeted block of facts for a prompt.'
        'dream' = 'Let the memory tend itself: confirm, merge, link, evict.'
        'consolidate' = 'Have a model name contradicted and duplicated facts, and archive them.'
        'status' = 'Show what is remembered, and whether all is well.'
        'show' = 'Show one fact: all of it, its links, its strength now.'
        'list' = 'List facts, newest first.'
        'pick' = 'Choose a fact from a list.'
        'fading' = 'Show which facts fade soon, and what keeps them.'
        'slots' = 'List the slots, each with its value of now.'
        'tags' = 'List the tags, and how many facts have each.'
        'pin' = 'Let facts never fade.'
        'unpin' = 'Let pinned facts fade again.'
        'forget' = 'Take facts out of recall.'
        'restore' = 'Bring archived facts back, or a whole backup.'
        'edit' = 'Say a fact anew, or change its labels.'
        'link' = 'Say how one fact is related to another.'
        'graph' = 'Show facts and the links among them.'
        'feedback' = 'Say whether a fact was of use.'
        'purge' = 'Remove facts for good, from every file.'
        'contradictions' = 'Show pairs of facts that may contradict each other.'
        'history' = 'Show who changed what, and when.'
        'timeline' = 'Show one fact or one slot through time.'
        'undo' = 'Take back what one command did.'
        'redo' = 'Bring back what the last undo took.'
        'retention' = 'Remove, for good, what is older than N days.'
        'import' = 'Take in facts from JSON lines, CSV, TSV or SQLite.'
        'export' = 'Write facts out as JSON lines, CSV, SQLite or Markdown.'
        'ingest' = 'Take in documents: text, Markdown, HTML, PDF.'
        'library' = 'Show the documents that were taken in.'
        'gc' = 'Archive what has faded: the decay sweep.'
        'extract' = 'Distil facts from a conversation.'
        'sessions' = 'Keep sessions of agents word for word, and find what was said.'
        'relink' = 'Let a model join facts that bear on one another.'
        'embed' = 'Print the vector of a text.'
        'embedder' = 'Choose how likeness of texts is found.'
        'reembed' = 'Make the vectors that facts lack.'
        'doctor' = 'Check that the store is whole, and mend it.'
        'eval' = 'Measure how good the answers are, on your own questions.'
        'backup' = 'Copy the store into a file, while others use it.'
        'sync' = 'Join the memories of your machines, by a place for files.'
        'member' = 'Say which roles of a server see which origins.'
        'schedule' = 'Let the memory tend itself every night.'
        'config' = 'Show and change settings.'
        'serve' = 'Serve pages and an API, on this machine alone.'
        'mcp' = 'Serve the memory to an agent, by MCP.'
        'hook' = 'Answer the hooks of agents, or pause them.'
        'setup' = 'Let agents use the memory, and undo that.'
        'init' = 'Print what a shell reads when it starts: TAB, a key, the manual.'
        'completions' = 'Print the completion script of a shell.'
        'man' = 'Show a manual page.'
    }
    $globals = @(
        @{ Flags = @('--db'); Kind = 'file'; Help = 'Memory file, or address of a server [env: TIDELINE_DB].' }
        @{ Flags = @('--origin'); Kind = 'text'; Help = 'Whose memory: owner, or channel:CHANNEL/CONVERSATION/SESSION[@ACCOUNT] [env: TIDELINE_ORIGIN].' }
        @{ Flags = @('--now'); Kind = 'text'; Help = 'Pretend it is TIME: ISO 8601, UTC without a zone; epoch milliseconds; or words such as yesterday or 7d, of a day its beginning [env: TIDELINE_NOW].' }
        @{ Flags = @('--json'); Kind = 'flag'; Help = 'Print one JSON object.' }
        @{ Flags = @('--quiet','-q'); Kind = 'flag'; Help = 'Print no notes on stderr, nor the report of an upkeep that went well.' }
        @{ Flags = @('--verbose','-v'); Kind = 'flag'; Help = 'Print more notes on stderr.' }
        @{ Flags = @('--debug'); Kind = 'flag'; Help = 'Show tracebacks.' }
        @{ Flags = @('--color'); Kind = 'one of auto always never'; Help = 'When to use color.' }
        @{ Flags = @('--no-input'); Kind = 'flag'; Help = 'Never ask a question.' }
        @{ Flags = @('--no-pager'); Kind = 'flag'; Help = 'Print long results on a terminal without PAGER.' }
        @{ Flags = @('--help','-h'); Kind = 'flag'; Help = 'Show a short help.' }
    )
    $version = @{ Flags = @('--version','-V'); Kind = 'flag'; Help = 'Print the version.' }
    $options = @{
        'remember' = @(
            @{ Flags = @('--source'); Kind = 'one of owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction'; Help = 'Who said it [default: owner_message, in a channel channel_message].' }
            @{ Flags = @('--supersedes'); Kind = 'ask active'; Help = 'A fact that this one replaces, besides its slot''s.' }
            @{ Flags = @('--source-turn'); Kind = 'text'; Help = 'Where it was said.' }
            @{ Flags = @('--derived-from'); Kind = 'ask id'; Help = 'A fact it was derived from.' }
            @{ Flags = @('--pin'); Kind = 'flag'; Help = 'Never let it fade.' }
            @{ Flags = @('--confine'); Kind = 'flag'; Help = 'Store what the source may not author as knowledge.' }
            @{ Flags = @('--role'); Kind = 'one of user assistant system tool'; Help = 'Who spoke; what an assistant or a tool says weighs less.' }
            @{ Flags = @('--status','--progress'); Kind = 'one of active blocked done'; Help = 'How far the work is, of a task or the like: `progress` in JSON [default: active, of the kinds of work].' }
            @{ Flags = @('--dedup'); Kind = 'one of exact semantic smart'; Help = 'What a fact is compared by: exact, its words; semantic, also its meaning, to name what is near; smart, to replace another value of a subject. Both take a learned embedder [default: the setting dedup, else exact].' }
            @{ Flags = @('--batch'); Kind = 'flag'; Help = 'Read JSON lines; print one result a line, for a bad line an error; all others are stored together, as one batch.' }
            @{ Flags = @('--segment','-s'); Kind = 'one of identity correction relationship preference project knowledge context'; Help = 'What it is about [default: knowledge].' }
            @{ Flags = @('--slot'); Kind = 'ask slot'; Help = 'The one value it is of, such as deploy_day: ends the old one.' }
            @{ Flags = @('--importance'); Kind = 'text'; Help = 'How much it matters; outside 0..1 is clamped.' }
            @{ Flags = @('--tier'); Kind = 'one of short long permanent'; Help = 'How long it is kept.' }
            @{ Flags = @('--confidence'); Kind = 'text'; Help = 'How sure it is; weighs in recall.' }
            @{ Flags = @('--valid-from'); Kind = 'text'; Help = 'When it begins to hold.' }
            @{ Flags = @('--valid-to'); Kind = 'text'; Help = 'Until when it holds; of a day, to its end.' }
            @{ Flags = @('--tag','-t'); Kind = 'ask tag'; Help = 'A label to filter by; commas part several.' }
            @{ Flags = @('--kind'); Kind = 'one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight'; Help = 'A finer word than the segment, and its defaults.' }
            @{ Flags = @('--title'); Kind = 'text'; Help = 'A short name.' }
            @{ Flags = @('--meta'); Kind = 'text'; Help = 'Anything else worth keeping.' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'Of what it is worth knowing, such as work/api; an empty one is of everything [default: the setting scope].' }
            @{ Flags = @('--session'); Kind = 'ask session'; Help = 'The conversation that it was said in.' }
            @{ Flags = @('--turn'); Kind = 'text'; Help = 'Its place in the conversation.' }
            @{ Flags = @('--speaker'); Kind = 'ask speaker'; Help = 'Who said it, by name.' }
            @{ Flags = @('--agent'); Kind = 'ask agent'; Help = 'Which program writes; an empty one is none [default: the setting agent].' }
        )
        'recall' = @(
            @{ Flags = @('--limit','-n'); Kind = 'text'; Help = 'Hits at most [default: 8; 0 is all].' }
            @{ Flags = @('--mode'); Kind = 'one of hybrid keyword semantic points'; Help = 'Words and likeness, words alone, likeness alone, or points for words, ids and tags [default: hybrid].' }
            @{ Flags = @('--fusion'); Kind = 'one of append score rrf additive priority'; Help = 'How words and likeness are joined: likeness below all words; as a share of the score, with a learned embedder; by ranks; added to points; or by classes and distance [default: score where the embedder is learned, else append].' }
            @{ Flags = @('--decay'); Kind = 'one of half-life weibull spaced none'; Help = 'How facts fade in this answer [default: half-life; with rrf weibull, with priority spaced, with additive and points none].' }
            @{ Flags = @('--profile'); Kind = 'one of tideline motherbrain vectormemory rsclaw'; Help = 'Rank and show as this system does; `tideline config profiles` lists them [default: the setting profile].' }
            @{ Flags = @('--min-sim'); Kind = 'text'; Help = 'Least cosine of a fact found by likeness [default: 0.3].' }
            @{ Flags = @('--min-score'); Kind = 'text'; Help = 'Only facts with at least this score; --explain shows what scores are made of.' }
            @{ Flags = @('--why-not'); Kind = 'ask id'; Help = 'Say why this fact is not among the hits.' }
            @{ Flags = @('--mmr'); Kind = 'text'; Help = 'Weight of score against repetition; 1 keeps the order [default: 1].' }
            @{ Flags = @('--graph'); Kind = 'one of auto on off'; Help = 'Also facts that are linked with the best hits, marked `via`: on, off, or auto, where the question asks for times or relations or hits are linked [default: off].' }
            @{ Flags = @('--as-of'); Kind = 'text'; Help = 'What held at TIME, archived facts included; of a day, its end.' }
            @{ Flags = @('--archived'); Kind = 'flag'; Help = 'Also facts that have faded or were merged, marked, in order of score; found by their words.' }
            @{ Flags = @('--sessions'); Kind = 'flag'; Help = 'Also turns of sessions, below the facts: see `tideline sessions` [setting: recall_sessions].' }
            @{ Flags = @('--around','-C'); Kind = 'text'; Help = 'With --sessions: so many turns before and after each.' }
            @{ Flags = @('--explain'); Kind = 'flag'; Help = 'Show what each score is made of.' }
            @{ Flags = @('--no-touch'); Kind = 'flag'; Help = 'Do not count this as use of the facts.' }
            @{ Flags = @('--touch'); Kind = 'flag'; Help = 'Count this as use of the facts, whatever the profile says, or with --explain or --now [setting: touch].' }
            @{ Flags = @('--batch'); Kind = 'flag'; Help = 'Read queries, one a line, text or JSON with id, query, origin, now; print one JSON result a line, for a bad line an error; counts no use.' }
            @{ Flags = @('--segment','-s'); Kind = 'one of identity correction relationship preference project knowledge context'; Help = 'Only facts of this segment.' }
            @{ Flags = @('--tag','-t'); Kind = 'ask tag'; Help = 'Only facts with this tag, or with all of several between commas.' }
            @{ Flags = @('--kind'); Kind = 'one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight'; Help = 'Only facts of this kind.' }
            @{ Flags = @('--status','--progress'); Kind = 'one of active blocked done'; Help = 'Only work that is so far, such as open tasks; what has ended is not active.' }
            @{ Flags = @('--since'); Kind = 'text'; Help = 'Only facts made at or after TIME.' }
            @{ Flags = @('--until'); Kind = 'text'; Help = 'Only facts made at or before TIME; of a day, all of it.' }
            @{ Flags = @('--session'); Kind = 'ask session'; Help = 'Only what was said in this session.' }
            @{ Flags = @('--speaker'); Kind = 'ask speaker'; Help = 'Only what this speaker said.' }
            @{ Flags = @('--role'); Kind = 'one of user assistant system tool'; Help = 'Only what this role said.' }
            @{ Flags = @('--agent'); Kind = 'ask agent'; Help = 'Only what this agent wrote.' }
            @{ Flags = @('--document'); Kind = 'ask document'; Help = 'Only chunks of this document; `tideline library` lists them.' }
            @{ Flags = @('--no-documents'); Kind = 'flag'; Help = 'No chunks of documents.' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope].' }
            @{ Flags = @('--all-scopes'); Kind = 'flag'; Help = 'See the facts of every scope.' }
            @{ Flags = @('--jsonl'); Kind = 'flag'; Help = 'Print one JSON object a line.' }
            @{ Flags = @('--nl'); Kind = 'flag'; Help = 'The same as --jsonl.' }
            @{ Flags = @('--csv'); Kind = 'flag'; Help = 'Print CSV with a header.' }
            @{ Flags = @('--tsv'); Kind = 'flag'; Help = 'Print cells parted by tabs, with a header.' }
            @{ Flags = @('--table'); Kind = 'flag'; Help = 'Print a table, in a pipe too.' }
            @{ Flags = @('--fmt'); Kind = 'text'; Help = 'Print a table in a form of tabulate, such as github, grid, html or simple.' }
            @{ Flags = @('--format'); Kind = 'one of table lines json jsonl csv tsv markdown'; Help = 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone.' }
        )
        'context' = @(
            @{ Flags = @('--max-chars'); Kind = 'text'; Help = 'Characters at most, of all that is printed [default: 1200].' }
            @{ Flags = @('--max-tokens'); Kind = 'text'; Help = 'The same in tokens, estimated.' }
            @{ Flags = @('--limit','-n'); Kind = 'text'; Help = 'Facts at most [default: 8, with --auto 5; 0 is all that the budget holds].' }
            @{ Flags = @('--auto'); Kind = 'flag'; Help = 'Heading, notice and fence, for a program: whatever goes wrong, nothing is printed and it ends with 0; --verbose says why.' }
            @{ Flags = @('--mode'); Kind = 'one of hybrid keyword semantic points'; Help = 'Words and likeness, words alone, likeness alone, or points, as for recall [default: hybrid].' }
            @{ Flags = @('--fusion'); Kind = 'one of append score rrf additive priority'; Help = 'How words and likeness are joined, as for recall.' }
            @{ Flags = @('--decay'); Kind = 'one of half-life weibull spaced none'; Help = 'How facts fade in this answer, as for recall.' }
            @{ Flags = @('--profile'); Kind = 'one of tideline motherbrain vectormemory rsclaw'; Help = 'Rank and show as this system does; `tideline config profiles` lists them [default: the setting profile].' }
            @{ Flags = @('--no-touch'); Kind = 'flag'; Help = 'Do not note that these facts were given out.' }
            @{ Flags = @('--no-constraints'); Kind = 'flag'; Help = 'Without the constraints.' }
            @{ Flags = @('--show-secrets'); Kind = 'flag'; Help = 'Print passwords, keys and card numbers, not `[secret]`.' }
            @{ Flags = @('--format'); Kind = 'one of text json xml'; Help = 'text, json or xml [default: text]; --json goes with json alone.' }
            @{ Flags = @('--document'); Kind = 'ask document'; Help = 'Only chunks of this document; `tideline library` lists them.' }
            @{ Flags = @('--no-documents'); Kind = 'flag'; Help = 'No chunks of documents.' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope].' }
            @{ Flags = @('--all-scopes'); Kind = 'flag'; Help = 'See the facts of every scope.' }
        )
        'dream' = @(
            @{ Flags = @('--dry-run','-n'); Kind = 'flag'; Help = 'Show what would change, and change nothing.' }
            @{ Flags = @('--stage'); Kind = 'one of confirm consolidate relate evict gc'; Help = 'Run this stage only (may be given more than once).' }
            @{ Flags = @('--confirm-count'); Kind = 'text'; Help = 'How often a belief must be said or corrected [default: 3].' }
            @{ Flags = @('--merge-at'); Kind = 'text'; Help = 'Cosine from which two facts say the same [default: 0.95].' }
            @{ Flags = @('--relate-at'); Kind = 'text'; Help = 'Cosine from which two facts are linked; 1 links none [default: 0.80].' }
            @{ Flags = @('--evict-below'); Kind = 'text'; Help = 'Strength below which old facts are archived [default: 0.05].' }
            @{ Flags = @('--evict-after'); Kind = 'text'; Help = 'How old they must be; what you typed yourself stays, unless the setting evict_after_owner says how old it gets [default: 30d].' }
            @{ Flags = @('--max-loss'); Kind = 'text'; Help = 'Share of an origin''s facts that one run may archive [default: 0.25].' }
            @{ Flags = @('--all-origins'); Kind = 'flag'; Help = 'Tend every origin, although --origin names the owner.' }
            @{ Flags = @('--pending'); Kind = 'flag'; Help = 'First distil the conversations that hooks have noted: see extract --pending.' }
            @{ Flags = @('--sync'); Kind = 'flag'; Help = 'Sync with the places of before first, and again at the end: see `tideline sync`.' }
            @{ Flags = @('--if-due'); Kind = 'flag'; Help = 'Only if the last dream is a day old [setting: dream_interval].' }
        )
        'consolidate' = @(
            @{ Flags = @('--dry-run','-n'); Kind = 'flag'; Help = 'Show what is sent and what would change; write nothing.' }
            @{ Flags = @('--force'); Kind = 'flag'; Help = 'Do not wait for the interval to pass.' }
            @{ Flags = @('--interval'); Kind = 'text'; Help = 'Time between two runs [default: 30m].' }
            @{ Flags = @('--min-facts'); Kind = 'text'; Help = 'Leave origins with fewer active facts alone [default: 6].' }
            @{ Flags = @('--max-facts'); Kind = 'text'; Help = 'Show the model the newest N facts of an origin [default: 500].' }
            @{ Flags = @('--max-loss'); Kind = 'text'; Help = 'Share of an origin''s facts that one run may archive [default: 0.25].' }
            @{ Flags = @('--all-origins'); Kind = 'flag'; Help = 'Take every origin, although --origin names the owner.' }
            @{ Flags = @('--llm'); Kind = 'text'; Help = 'Command to ask: prompt on its stdin, reply on its stdout; `none` asks no model [setting: llm].' }
            @{ Flags = @('--model'); Kind = 'text'; Help = 'Model to ask at the base URL [setting: model].' }
            @{ Flags = @('--base-url'); Kind = 'text'; Help = 'OpenAI-compatible endpoint, such as http://localhost:11434/v1 [setting: base_url].' }
            @{ Flags = @('--key-file'); Kind = 'file'; Help = 'File with the API key, mode 0600 [env: TIDELINE_API_KEY; setting: key_file].' }
            @{ Flags = @('--timeout'); Kind = 'text'; Help = 'Seconds to wait for a reply [default: 60].' }
        )
        'status' = @(
            @{ Flags = @('--all-origins'); Kind = 'flag'; Help = 'Add the other origins.' }
            @{ Flags = @('--by'); Kind = 'one of kind agent segment tier heat source scope'; Help = 'Count the facts by this label: kind and agent only then, which reads all facts; the others always.' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope].' }
            @{ Flags = @('--all-scopes'); Kind = 'flag'; Help = 'See the facts of every scope.' }
        )
        'show' = @(
            @{ Flags = @('--decay'); Kind = 'one of half-life weibull spaced none'; Help = 'The strength by this forgetting curve, and what makes it; what fades for good is decided by the half-life.' }
            @{ Flags = @('--all'); Kind = 'flag'; Help = 'All links of the fact, not the first 50 of each way alone.' }
            @{ Flags = @('--raw'); Kind = 'flag'; Help = 'Print the text alone, as it is stored, byte for byte.' }
        )
        'list' = @(
            @{ Flags = @('--lifecycle'); Kind = 'one of active archived pruned all'; Help = 'active, archived, pruned or all [default: active; with --as-of all].' }
            @{ Flags = @('--archived'); Kind = 'flag'; Help = 'Also facts that have faded or were merged, marked.' }
            @{ Flags = @('--as-of'); Kind = 'text'; Help = 'What held at TIME, archived facts included; of a day, its end.' }
            @{ Flags = @('--sort'); Kind = 'one of new old importance used strength'; Help = 'new, old, importance, used (last used first) or strength (strongest first) [default: new].' }
            @{ Flags = @('--decay'); Kind = 'one of half-life weibull spaced none'; Help = 'By which forgetting curve --sort strength orders; each fact says how strong it is by it.' }
            @{ Flags = @('--limit','-n'); Kind = 'text'; Help = 'At most so many [default: 50; 0 is all].' }
            @{ Flags = @('--offset'); Kind = 'text'; Help = 'Leave out so many at the beginning [default: 0].' }
            @{ Flags = @('--slot'); Kind = 'ask slot'; Help = 'Only values of this slot.' }
            @{ Flags = @('--source'); Kind = 'one of owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction'; Help = 'Only what this source said.' }
            @{ Flags = @('--heat'); Kind = 'one of core working peripheral'; Help = 'Only facts of this heat.' }
            @{ Flags = @('--pinned'); Kind = 'flag'; Help = 'Only pinned facts.' }
            @{ Flags = @('--batch'); Kind = 'ask batch'; Help = 'Only facts that this batch added; `tideline history` has the numbers.' }
            @{ Flags = @('--segment','-s'); Kind = 'one of identity correction relationship preference project knowledge context'; Help = 'Only facts of this segment.' }
            @{ Flags = @('--tag','-t'); Kind = 'ask tag'; Help = 'Only facts with this tag, or with all of several between commas.' }
            @{ Flags = @('--kind'); Kind = 'one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight'; Help = 'Only facts of this kind.' }
            @{ Flags = @('--status','--progress'); Kind = 'one of active blocked done'; Help = 'Only work that is so far, such as open tasks; what has ended is not active.' }
            @{ Flags = @('--since'); Kind = 'text'; Help = 'Only facts made at or after TIME.' }
            @{ Flags = @('--until'); Kind = 'text'; Help = 'Only facts made at or before TIME; of a day, all of it.' }
            @{ Flags = @('--session'); Kind = 'ask session'; Help = 'Only what was said in this session.' }
            @{ Flags = @('--speaker'); Kind = 'ask speaker'; Help = 'Only what this speaker said.' }
            @{ Flags = @('--role'); Kind = 'one of user assistant system tool'; Help = 'Only what this role said.' }
            @{ Flags = @('--agent'); Kind = 'ask agent'; Help = 'Only what this agent wrote.' }
            @{ Flags = @('--document'); Kind = 'ask document'; Help = 'Only chunks of this document; `tideline library` lists them.' }
            @{ Flags = @('--no-documents'); Kind = 'flag'; Help = 'No chunks of documents.' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope].' }
            @{ Flags = @('--all-scopes'); Kind = 'flag'; Help = 'See the facts of every scope.' }
            @{ Flags = @('--jsonl'); Kind = 'flag'; Help = 'Print one JSON object a line.' }
            @{ Flags = @('--nl'); Kind = 'flag'; Help = 'The same as --jsonl.' }
            @{ Flags = @('--csv'); Kind = 'flag'; Help = 'Print CSV with a header.' }
            @{ Flags = @('--tsv'); Kind = 'flag'; Help = 'Print cells parted by tabs, with a header.' }
            @{ Flags = @('--table'); Kind = 'flag'; Help = 'Print a table, in a pipe too.' }
            @{ Flags = @('--fmt'); Kind = 'text'; Help = 'Print a table in a form of tabulate, such as github, grid, html or simple.' }
            @{ Flags = @('--format'); Kind = 'one of table lines json jsonl csv tsv markdown'; Help = 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone.' }
        )
        'pick' = @(
            @{ Flags = @('--limit','-n'); Kind = 'text'; Help = 'Facts of one answer at most [default: 100].' }
            @{ Flags = @('--print'); Kind = 'one of text id'; Help = 'What of the fact is printed: its text, or its id [default: text].' }
            @{ Flags = @('--quote'); Kind = 'one of bash zsh fish'; Help = 'Print it as a word of this shell: bash, zsh or fish. Standard input is the line before the cursor.' }
            @{ Flags = @('--own'); Kind = 'flag'; Help = 'The numbered list, also where fzf is installed.' }
            @{ Flags = @('--slot'); Kind = 'ask slot'; Help = 'Only values of this slot.' }
            @{ Flags = @('--source'); Kind = 'one of owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction'; Help = 'Only what this source said.' }
            @{ Flags = @('--heat'); Kind = 'one of core working peripheral'; Help = 'Only facts of this heat.' }
            @{ Flags = @('--pinned'); Kind = 'flag'; Help = 'Only pinned facts.' }
            @{ Flags = @('--batch'); Kind = 'ask batch'; Help = 'Only facts that this batch added; `tideline history` has the numbers.' }
            @{ Flags = @('--segment','-s'); Kind = 'one of identity correction relationship preference project knowledge context'; Help = 'Only facts of this segment.' }
            @{ Flags = @('--tag','-t'); Kind = 'ask tag'; Help = 'Only facts with this tag, or with all of several between commas.' }
            @{ Flags = @('--kind'); Kind = 'one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight'; Help = 'Only facts of this kind.' }
            @{ Flags = @('--status','--progress'); Kind = 'one of active blocked done'; Help = 'Only work that is so far, such as open tasks; what has ended is not active.' }
            @{ Flags = @('--since'); Kind = 'text'; Help = 'Only facts made at or after TIME.' }
            @{ Flags = @('--until'); Kind = 'text'; Help = 'Only facts made at or before TIME; of a day, all of it.' }
            @{ Flags = @('--session'); Kind = 'ask session'; Help = 'Only what was said in this session.' }
            @{ Flags = @('--speaker'); Kind = 'ask speaker'; Help = 'Only what this speaker said.' }
            @{ Flags = @('--role'); Kind = 'one of user assistant system tool'; Help = 'Only what this role said.' }
            @{ Flags = @('--agent'); Kind = 'ask agent'; Help = 'Only what this agent wrote.' }
            @{ Flags = @('--document'); Kind = 'ask document'; Help = 'Only chunks of this document; `tideline library` lists them.' }
            @{ Flags = @('--no-documents'); Kind = 'flag'; Help = 'No chunks of documents.' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope].' }
            @{ Flags = @('--all-scopes'); Kind = 'flag'; Help = 'See the facts of every scope.' }
        )
        'fading' = @(
            @{ Flags = @('--within'); Kind = 'text'; Help = 'How far to look ahead [default: 14d].' }
            @{ Flags = @('--limit','-n'); Kind = 'text'; Help = 'At most so many [default: 50; 0 is all].' }
            @{ Flags = @('--jsonl'); Kind = 'flag'; Help = 'Print one JSON object a line.' }
            @{ Flags = @('--nl'); Kind = 'flag'; Help = 'The same as --jsonl.' }
            @{ Flags = @('--csv'); Kind = 'flag'; Help = 'Print CSV with a header.' }
            @{ Flags = @('--tsv'); Kind = 'flag'; Help = 'Print cells parted by tabs, with a header.' }
            @{ Flags = @('--table'); Kind = 'flag'; Help = 'Print a table, in a pipe too.' }
            @{ Flags = @('--fmt'); Kind = 'text'; Help = 'Print a table in a form of tabulate, such as github, grid, html or simple.' }
            @{ Flags = @('--format'); Kind = 'one of table lines json jsonl csv tsv markdown'; Help = 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone.' }
        )
        'slots' = @(
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope].' }
            @{ Flags = @('--all-scopes'); Kind = 'flag'; Help = 'See the facts of every scope.' }
            @{ Flags = @('--session'); Kind = 'ask session'; Help = 'Only what was said in this session.' }
            @{ Flags = @('--speaker'); Kind = 'ask speaker'; Help = 'Only what this speaker said.' }
            @{ Flags = @('--role'); Kind = 'one of user assistant system tool'; Help = 'Only what this role said.' }
            @{ Flags = @('--agent'); Kind = 'ask agent'; Help = 'Only what this agent wrote.' }
            @{ Flags = @('--jsonl'); Kind = 'flag'; Help = 'Print one JSON object a line.' }
            @{ Flags = @('--nl'); Kind = 'flag'; Help = 'The same as --jsonl.' }
            @{ Flags = @('--csv'); Kind = 'flag'; Help = 'Print CSV with a header.' }
            @{ Flags = @('--tsv'); Kind = 'flag'; Help = 'Print cells parted by tabs, with a header.' }
            @{ Flags = @('--table'); Kind = 'flag'; Help = 'Print a table, in a pipe too.' }
            @{ Flags = @('--fmt'); Kind = 'text'; Help = 'Print a table in a form of tabulate, such as github, grid, html or simple.' }
            @{ Flags = @('--format'); Kind = 'one of table lines json jsonl csv tsv markdown'; Help = 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone.' }
        )
        'tags' = @(
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope].' }
            @{ Flags = @('--all-scopes'); Kind = 'flag'; Help = 'See the facts of every scope.' }
            @{ Flags = @('--session'); Kind = 'ask session'; Help = 'Only what was said in this session.' }
            @{ Flags = @('--speaker'); Kind = 'ask speaker'; Help = 'Only what this speaker said.' }
            @{ Flags = @('--role'); Kind = 'one of user assistant system tool'; Help = 'Only what this role said.' }
            @{ Flags = @('--agent'); Kind = 'ask agent'; Help = 'Only what this agent wrote.' }
            @{ Flags = @('--jsonl'); Kind = 'flag'; Help = 'Print one JSON object a line.' }
            @{ Flags = @('--nl'); Kind = 'flag'; Help = 'The same as --jsonl.' }
            @{ Flags = @('--csv'); Kind = 'flag'; Help = 'Print CSV with a header.' }
            @{ Flags = @('--tsv'); Kind = 'flag'; Help = 'Print cells parted by tabs, with a header.' }
            @{ Flags = @('--table'); Kind = 'flag'; Help = 'Print a table, in a pipe too.' }
            @{ Flags = @('--fmt'); Kind = 'text'; Help = 'Print a table in a form of tabulate, such as github, grid, html or simple.' }
            @{ Flags = @('--format'); Kind = 'one of table lines json jsonl csv tsv markdown'; Help = 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone.' }
        )
        'pin' = @(
        )
        'unpin' = @(
        )
        'forget' = @(
            @{ Flags = @('--query'); Kind = 'text'; Help = 'Forget the fact that begins with this text, or is nearest to it.' }
            @{ Flags = @('--superseded-by'); Kind = 'ask active'; Help = 'The fact that stands in their place.' }
            @{ Flags = @('--dry-run','-n'); Kind = 'flag'; Help = 'Show what would be forgotten; change nothing.' }
            @{ Flags = @('--yes','-y'); Kind = 'flag'; Help = 'Do not ask.' }
            @{ Flags = @('--slot'); Kind = 'ask slot'; Help = 'Only values of this slot.' }
            @{ Flags = @('--source'); Kind = 'one of owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction'; Help = 'Only what this source said.' }
            @{ Flags = @('--heat'); Kind = 'one of core working peripheral'; Help = 'Only facts of this heat.' }
            @{ Flags = @('--pinned'); Kind = 'flag'; Help = 'Only pinned facts.' }
            @{ Flags = @('--batch'); Kind = 'ask batch'; Help = 'Only facts that this batch added; `tideline history` has the numbers.' }
            @{ Flags = @('--segment','-s'); Kind = 'one of identity correction relationship preference project knowledge context'; Help = 'Only facts of this segment.' }
            @{ Flags = @('--tag','-t'); Kind = 'ask tag'; Help = 'Only facts with this tag, or with all of several between commas.' }
            @{ Flags = @('--kind'); Kind = 'one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight'; Help = 'Only facts of this kind.' }
            @{ Flags = @('--status','--progress'); Kind = 'one of active blocked done'; Help = 'Only work that is so far, such as open tasks; what has ended is not active.' }
            @{ Flags = @('--since'); Kind = 'text'; Help = 'Only facts made at or after TIME.' }
            @{ Flags = @('--until'); Kind = 'text'; Help = 'Only facts made at or before TIME; of a day, all of it.' }
            @{ Flags = @('--session'); Kind = 'ask session'; Help = 'Only what was said in this session.' }
            @{ Flags = @('--speaker'); Kind = 'ask speaker'; Help = 'Only what this speaker said.' }
            @{ Flags = @('--role'); Kind = 'one of user assistant system tool'; Help = 'Only what this role said.' }
            @{ Flags = @('--agent'); Kind = 'ask agent'; Help = 'Only what this agent wrote.' }
            @{ Flags = @('--document'); Kind = 'ask document'; Help = 'Only chunks of this document; `tideline library` lists them.' }
            @{ Flags = @('--no-documents'); Kind = 'flag'; Help = 'No chunks of documents.' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope].' }
            @{ Flags = @('--all-scopes'); Kind = 'flag'; Help = 'See the facts of every scope.' }
        )
        'restore' = @(
            @{ Flags = @('--from'); Kind = 'file'; Help = 'Put a backup back in place of the whole store.' }
            @{ Flags = @('--yes','-y'); Kind = 'flag'; Help = 'With --from: do not ask.' }
        )
        'edit' = @(
            @{ Flags = @('--role'); Kind = 'one of user assistant system tool none'; Help = 'Who spoke; `none` takes the role away.' }
            @{ Flags = @('--status','--progress'); Kind = 'one of active blocked done none'; Help = 'How far the work is; `none` takes it away.' }
            @{ Flags = @('--from'); Kind = 'text'; Help = 'Since when the new words hold, `now` for now; the old ones held until then [default: as long as the old ones].' }
            @{ Flags = @('--vouch'); Kind = 'flag'; Help = 'Say that these words are yours now, whoever said them.' }
            @{ Flags = @('--yes','-y'); Kind = 'flag'; Help = 'Do not ask whether to vouch.' }
            @{ Flags = @('--segment','-s'); Kind = 'one of identity correction relationship preference project knowledge context'; Help = 'What it is about.' }
            @{ Flags = @('--slot'); Kind = 'ask slot'; Help = 'The one value it is of, such as deploy_day: ends the old one.' }
            @{ Flags = @('--importance'); Kind = 'text'; Help = 'How much it matters; outside 0..1 is clamped.' }
            @{ Flags = @('--tier'); Kind = 'one of short long permanent'; Help = 'How long it is kept.' }
            @{ Flags = @('--confidence'); Kind = 'text'; Help = 'How sure it is; weighs in recall.' }
            @{ Flags = @('--valid-from'); Kind = 'text'; Help = 'When it begins to hold.' }
            @{ Flags = @('--valid-to'); Kind = 'text'; Help = 'Until when it holds; of a day, to its end.' }
            @{ Flags = @('--tag','-t'); Kind = 'ask tag'; Help = 'A label to filter by; commas part several; replaces those it had.' }
            @{ Flags = @('--kind'); Kind = 'one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight'; Help = 'A finer word than the segment, and its defaults.' }
            @{ Flags = @('--title'); Kind = 'text'; Help = 'A short name.' }
            @{ Flags = @('--meta'); Kind = 'text'; Help = 'Anything else worth keeping.' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'Of what it is worth knowing; an empty one is of everything.' }
            @{ Flags = @('--session'); Kind = 'ask session'; Help = 'The conversation that it was said in; an empty one is none.' }
            @{ Flags = @('--turn'); Kind = 'text'; Help = 'Its place in the conversation.' }
            @{ Flags = @('--speaker'); Kind = 'ask speaker'; Help = 'Who said it, by name; an empty one is nobody.' }
            @{ Flags = @('--agent'); Kind = 'ask agent'; Help = 'Which program wrote it; an empty one is none.' }
        )
        'link' = @(
            @{ Flags = @('--kind'); Kind = 'one of corrects derived_from supports contradicts causes caused_by part_of precedes follows enables blocks co_constrains located_at uses works_on contrasts_with relates_to same_topic relates similar'; Help = 'How they are related [default: relates].' }
            @{ Flags = @('--reason'); Kind = 'text'; Help = 'Why.' }
            @{ Flags = @('--strength'); Kind = 'text'; Help = 'How closely.' }
            @{ Flags = @('--remove'); Kind = 'flag'; Help = 'Remove the edge of this kind, from either end.' }
        )
        'graph' = @(
            @{ Flags = @('--hops'); Kind = 'text'; Help = 'Links away from the fact at most [default: 2].' }
            @{ Flags = @('--fan-out'); Kind = 'text'; Help = 'Links followed from one fact at most, the strongest first [default: 10].' }
            @{ Flags = @('--limit','-n'); Kind = 'text'; Help = 'Facts at most [default: 40].' }
            @{ Flags = @('--archived'); Kind = 'flag'; Help = 'Also facts that are no longer active.' }
            @{ Flags = @('--format'); Kind = 'one of text dot json svg'; Help = 'text, dot, json or svg [default: text]; --json goes with json alone.' }
            @{ Flags = @('--slot'); Kind = 'ask slot'; Help = 'Only values of this slot.' }
            @{ Flags = @('--source'); Kind = 'one of owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction'; Help = 'Only what this source said.' }
            @{ Flags = @('--heat'); Kind = 'one of core working peripheral'; Help = 'Only facts of this heat.' }
            @{ Flags = @('--pinned'); Kind = 'flag'; Help = 'Only pinned facts.' }
            @{ Flags = @('--batch'); Kind = 'ask batch'; Help = 'Only facts that this batch added; `tideline history` has the numbers.' }
            @{ Flags = @('--segment','-s'); Kind = 'one of identity correction relationship preference project knowledge context'; Help = 'Only facts of this segment.' }
            @{ Flags = @('--tag','-t'); Kind = 'ask tag'; Help = 'Only facts with this tag, or with all of several between commas.' }
            @{ Flags = @('--kind'); Kind = 'one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight'; Help = 'Only facts of this kind.' }
            @{ Flags = @('--status','--progress'); Kind = 'one of active blocked done'; Help = 'Only work that is so far, such as open tasks; what has ended is not active.' }
            @{ Flags = @('--since'); Kind = 'text'; Help = 'Only facts made at or after TIME.' }
            @{ Flags = @('--until'); Kind = 'text'; Help = 'Only facts made at or before TIME; of a day, all of it.' }
            @{ Flags = @('--session'); Kind = 'ask session'; Help = 'Only what was said in this session.' }
            @{ Flags = @('--speaker'); Kind = 'ask speaker'; Help = 'Only what this speaker said.' }
            @{ Flags = @('--role'); Kind = 'one of user assistant system tool'; Help = 'Only what this role said.' }
            @{ Flags = @('--agent'); Kind = 'ask agent'; Help = 'Only what this agent wrote.' }
            @{ Flags = @('--document'); Kind = 'ask document'; Help = 'Only chunks of this document; `tideline library` lists them.' }
            @{ Flags = @('--no-documents'); Kind = 'flag'; Help = 'No chunks of documents.' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope].' }
            @{ Flags = @('--all-scopes'); Kind = 'flag'; Help = 'See the facts of every scope.' }
        )
        'feedback' = @(
            @{ Flags = @('--delta'); Kind = 'text'; Help = 'By how much, from -0.3 to 0.3, in place of up and down.' }
        )
        'purge' = @(
            @{ Flags = @('--yes','-y'); Kind = 'flag'; Help = 'Do not ask.' }
            @{ Flags = @('--dry-run','-n'); Kind = 'flag'; Help = 'List what would go, and leave it.' }
            @{ Flags = @('--turns'); Kind = 'flag'; Help = 'Remove the turns of sessions that they come from, too.' }
        )
        'contradictions' = @(
            @{ Flags = @('--limit','-n'); Kind = 'text'; Help = 'Pairs at most [default: 50; 0 is all].' }
            @{ Flags = @('--min-score'); Kind = 'text'; Help = 'Only pairs of this score or above [default: 0.12].' }
            @{ Flags = @('--segment','-s'); Kind = 'one of identity correction relationship preference project knowledge context'; Help = 'Only this segment.' }
            @{ Flags = @('--newest'); Kind = 'text'; Help = 'Compare so many of the newest facts [default: 20,000].' }
            @{ Flags = @('--all'); Kind = 'flag'; Help = 'Compare all facts, however many.' }
            @{ Flags = @('--jsonl'); Kind = 'flag'; Help = 'Print one JSON object a line.' }
            @{ Flags = @('--nl'); Kind = 'flag'; Help = 'The same as --jsonl.' }
            @{ Flags = @('--csv'); Kind = 'flag'; Help = 'Print CSV with a header.' }
            @{ Flags = @('--tsv'); Kind = 'flag'; Help = 'Print cells parted by tabs, with a header.' }
            @{ Flags = @('--table'); Kind = 'flag'; Help = 'Print a table, in a pipe too.' }
            @{ Flags = @('--fmt'); Kind = 'text'; Help = 'Print a table in a form of tabulate, such as github, grid, html or simple.' }
            @{ Flags = @('--format'); Kind = 'one of table lines json jsonl csv tsv markdown'; Help = 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone.' }
        )
        'history' = @(
            @{ Flags = @('--limit','-n'); Kind = 'text'; Help = 'Commands to go back [default: 20, with ID all; 0 is all].' }
            @{ Flags = @('--session'); Kind = 'ask session'; Help = 'Only what was done to facts of this session.' }
            @{ Flags = @('--speaker'); Kind = 'ask speaker'; Help = 'Only what was done to facts that this speaker said.' }
            @{ Flags = @('--role'); Kind = 'one of user assistant system tool'; Help = 'Only what was done to facts that this role said.' }
            @{ Flags = @('--agent'); Kind = 'ask agent'; Help = 'Only what was done to facts that this agent wrote.' }
            @{ Flags = @('--jsonl'); Kind = 'flag'; Help = 'Print one JSON object a line.' }
            @{ Flags = @('--nl'); Kind = 'flag'; Help = 'The same as --jsonl.' }
            @{ Flags = @('--csv'); Kind = 'flag'; Help = 'Print CSV with a header.' }
            @{ Flags = @('--tsv'); Kind = 'flag'; Help = 'Print cells parted by tabs, with a header.' }
            @{ Flags = @('--table'); Kind = 'flag'; Help = 'Print a table, in a pipe too.' }
            @{ Flags = @('--fmt'); Kind = 'text'; Help = 'Print a table in a form of tabulate, such as github, grid, html or simple.' }
            @{ Flags = @('--format'); Kind = 'one of table lines json jsonl csv tsv markdown'; Help = 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone.' }
        )
        'timeline' = @(
            @{ Flags = @('--slot'); Kind = 'ask slot'; Help = 'The values of this slot.' }
            @{ Flags = @('--limit','-n'); Kind = 'text'; Help = 'Slots at most, where none is named [default: 10; 0 is all].' }
            @{ Flags = @('--jsonl'); Kind = 'flag'; Help = 'Print one JSON object a line.' }
            @{ Flags = @('--nl'); Kind = 'flag'; Help = 'The same as --jsonl.' }
            @{ Flags = @('--csv'); Kind = 'flag'; Help = 'Print CSV with a header.' }
            @{ Flags = @('--tsv'); Kind = 'flag'; Help = 'Print cells parted by tabs, with a header.' }
            @{ Flags = @('--table'); Kind = 'flag'; Help = 'Print a table, in a pipe too.' }
            @{ Flags = @('--fmt'); Kind = 'text'; Help = 'Print a table in a form of tabulate, such as github, grid, html or simple.' }
            @{ Flags = @('--format'); Kind = 'one of table lines json jsonl csv tsv markdown'; Help = 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone.' }
        )
        'undo' = @(
            @{ Flags = @('--dry-run','-n'); Kind = 'flag'; Help = 'Say what would be taken back, and leave it.' }
            @{ Flags = @('--list'); Kind = 'flag'; Help = 'Show what could be undone, newest first; a BATCH is not named with it.' }
            @{ Flags = @('--limit'); Kind = 'text'; Help = 'Batches that --list shows [default: 20; 0 is all].' }
        )
        'redo' = @(
            @{ Flags = @('--dry-run','-n'); Kind = 'flag'; Help = 'Say what would be brought back, and leave it.' }
        )
        'retention' = @(
            @{ Flags = @('--days'); Kind = 'text'; Help = 'The age that a fact may reach.' }
            @{ Flags = @('--include-confirmed'); Kind = 'flag'; Help = 'Confirmed and pinned facts as well.' }
            @{ Flags = @('--all-origins'); Kind = 'flag'; Help = 'The facts of all origins, for the owner.' }
            @{ Flags = @('--yes','-y'); Kind = 'flag'; Help = 'Do not ask.' }
            @{ Flags = @('--dry-run','-n'); Kind = 'flag'; Help = 'List what would go, and leave it.' }
        )
        'import' = @(
            @{ Flags = @('--trust'); Kind = 'flag'; Help = 'Keep the sources that the file states; the rest is the owner''s.' }
            @{ Flags = @('--merge'); Kind = 'flag'; Help = 'Send each row through the rules of remember.' }
            @{ Flags = @('--strict'); Kind = 'flag'; Help = 'Take nothing if any row is bad.' }
            @{ Flags = @('--format'); Kind = 'one of jsonl csv tsv sqlite markdown text sheet vcard ical todo bookmarks history anki'; Help = 'What the file is [default: by its name, or how it begins].' }
            @{ Flags = @('--from'); Kind = 'one of claude-code claude-mem mem0 mcp-memory-service mcp-memory basic-memory brigade rsclaw codex openclaw hermes gemini obsidian logseq claude-ai chatgpt auto none'; Help = 'The program that wrote it, or none [default: auto, by what the file holds]; docs/importers.md says what is read.' }
            @{ Flags = @('--table'); Kind = 'text'; Help = 'The table of a SQLite file [default: fact].' }
            @{ Flags = @('--max-rows'); Kind = 'text'; Help = 'Rows at most, bad ones included [default: 1,000,000].' }
            @{ Flags = @('--map'); Kind = 'text'; Help = 'Take COLUMN as FIELD, such as content, tags or created_at.' }
            @{ Flags = @('--as'); Kind = 'text'; Help = 'The text of each row: a sentence with columns in braces, such as ''The capital of {State} is {Capital}''.' }
            @{ Flags = @('--no-ignore'); Kind = 'flag'; Help = 'Of folders also what ignore files name, and what programs lay there for themselves.' }
            @{ Flags = @('--encoding'); Kind = 'text'; Help = 'The encoding of a text that is not UTF-8.' }
            @{ Flags = @('--agent'); Kind = 'ask agent'; Help = 'Which program wrote what no row says that of; an empty one is none [default: the setting agent].' }
            @{ Flags = @('--seconds'); Kind = 'flag'; Help = 'Times that are numbers count seconds, and not milliseconds.' }
            @{ Flags = @('--gone'); Kind = 'flag'; Help = 'Archive what earlier imports of this folder took in and it does not state any more.' }
            @{ Flags = @('--dry-run','-n'); Kind = 'flag'; Help = 'Store nothing; show what the rows would become, and the first of each kind.' }
        )
        'export' = @(
            @{ Flags = @('--output','-o'); Kind = 'file'; Help = 'Where to write [default: standard output].' }
            @{ Flags = @('--all-origins'); Kind = 'flag'; Help = 'The facts of every origin (the owner''s right).' }
            @{ Flags = @('--split'); Kind = 'folder'; Help = 'Write a Markdown file for each active fact into the new folder DIR.' }
            @{ Flags = @('--lifecycle'); Kind = 'one of active archived pruned all'; Help = 'active, archived, pruned or all [default: all; in Markdown active].' }
            @{ Flags = @('--slot'); Kind = 'ask slot'; Help = 'Only values of this slot.' }
            @{ Flags = @('--source'); Kind = 'one of owner_message user_instruction channel_message dream tool_output retrieved_document compaction extraction'; Help = 'Only what this source said.' }
            @{ Flags = @('--heat'); Kind = 'one of core working peripheral'; Help = 'Only facts of this heat.' }
            @{ Flags = @('--pinned'); Kind = 'flag'; Help = 'Only pinned facts.' }
            @{ Flags = @('--batch'); Kind = 'ask batch'; Help = 'Only facts that this batch added; `tideline history` has the numbers.' }
            @{ Flags = @('--segment','-s'); Kind = 'one of identity correction relationship preference project knowledge context'; Help = 'Only facts of this segment.' }
            @{ Flags = @('--tag','-t'); Kind = 'ask tag'; Help = 'Only facts with this tag, or with all of several between commas.' }
            @{ Flags = @('--kind'); Kind = 'one of entity identity name_memory preference lesson relationship project_state fact procedure remember manual document document_summary summary skill auto episode failure note session decision constraint task gotcha insight'; Help = 'Only facts of this kind.' }
            @{ Flags = @('--status','--progress'); Kind = 'one of active blocked done'; Help = 'Only work that is so far, such as open tasks; what has ended is not active.' }
            @{ Flags = @('--since'); Kind = 'text'; Help = 'Only facts made at or after TIME.' }
            @{ Flags = @('--until'); Kind = 'text'; Help = 'Only facts made at or before TIME; of a day, all of it.' }
            @{ Flags = @('--session'); Kind = 'ask session'; Help = 'Only what was said in this session.' }
            @{ Flags = @('--speaker'); Kind = 'ask speaker'; Help = 'Only what this speaker said.' }
            @{ Flags = @('--role'); Kind = 'one of user assistant system tool'; Help = 'Only what this role said.' }
            @{ Flags = @('--agent'); Kind = 'ask agent'; Help = 'Only what this agent wrote.' }
            @{ Flags = @('--document'); Kind = 'ask document'; Help = 'Only chunks of this document; `tideline library` lists them.' }
            @{ Flags = @('--no-documents'); Kind = 'flag'; Help = 'No chunks of documents.' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope].' }
            @{ Flags = @('--all-scopes'); Kind = 'flag'; Help = 'See the facts of every scope.' }
            @{ Flags = @('--jsonl'); Kind = 'flag'; Help = 'Print one JSON object a line.' }
            @{ Flags = @('--nl'); Kind = 'flag'; Help = 'The same as --jsonl.' }
            @{ Flags = @('--csv'); Kind = 'flag'; Help = 'Print CSV with a header.' }
            @{ Flags = @('--tsv'); Kind = 'flag'; Help = 'Print cells parted by tabs, with a header.' }
            @{ Flags = @('--table'); Kind = 'flag'; Help = 'Print a table, in a pipe too.' }
            @{ Flags = @('--fmt'); Kind = 'text'; Help = 'Print a table in a form of tabulate, such as github, grid, html or simple.' }
            @{ Flags = @('--format'); Kind = 'one of jsonl csv tsv sqlite markdown vault table'; Help = 'jsonl, csv, tsv, sqlite, markdown, vault or table [default: jsonl].' }
        )
        'ingest' = @(
            @{ Flags = @('--glob','-g'); Kind = 'text'; Help = 'Of folders only files that match, such as ''*.txt''; ''!*.txt'' leaves out. With a slash it is matched against the path below the folder.' }
            @{ Flags = @('--no-ignore'); Kind = 'flag'; Help = 'Of folders also what ignore files name, and what programs lay there for themselves.' }
            @{ Flags = @('--name'); Kind = 'ask document'; Help = 'What the document is called [default: the name of the file].' }
            @{ Flags = @('--format'); Kind = 'one of text markdown rst html pdf docx odt epub'; Help = 'What the documents are [default: by their names].' }
            @{ Flags = @('--encoding'); Kind = 'text'; Help = 'The encoding of texts that do not say it [default: UTF-8].' }
            @{ Flags = @('--chunk-size'); Kind = 'text'; Help = 'Characters of a chunk at most [default: 600].' }
            @{ Flags = @('--overlap'); Kind = 'text'; Help = 'Characters of a chunk that the next one of its section repeats, at most [default: 100; half of the chunk at most].' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'Of what it is worth knowing, such as work/api; an empty one is of everything [default: the setting scope].' }
            @{ Flags = @('--agent'); Kind = 'ask agent'; Help = 'Which program takes them in; an empty one is none [default: the setting agent].' }
            @{ Flags = @('--dry-run','-n'); Kind = 'flag'; Help = 'Store nothing; say what would be.' }
        )
        'library' = @(
            @{ Flags = @('--gone'); Kind = 'flag'; Help = 'With rm: the documents whose files are gone.' }
            @{ Flags = @('--dry-run','-n'); Kind = 'flag'; Help = 'With rm: say what would be taken out.' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'List documents of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope].' }
            @{ Flags = @('--all-scopes'); Kind = 'flag'; Help = 'List the documents of every scope.' }
            @{ Flags = @('--jsonl'); Kind = 'flag'; Help = 'Print one JSON object a line.' }
            @{ Flags = @('--nl'); Kind = 'flag'; Help = 'The same as --jsonl.' }
            @{ Flags = @('--csv'); Kind = 'flag'; Help = 'Print CSV with a header.' }
            @{ Flags = @('--tsv'); Kind = 'flag'; Help = 'Print cells parted by tabs, with a header.' }
            @{ Flags = @('--table'); Kind = 'flag'; Help = 'Print a table, in a pipe too.' }
            @{ Flags = @('--fmt'); Kind = 'text'; Help = 'Print a table in a form of tabulate, such as github, grid, html or simple.' }
            @{ Flags = @('--format'); Kind = 'one of table lines json jsonl csv tsv markdown'; Help = 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone.' }
        )
        'gc' = @(
            @{ Flags = @('--dry-run','-n'); Kind = 'flag'; Help = 'Show what would change, and change nothing.' }
            @{ Flags = @('--max-loss'); Kind = 'text'; Help = 'Share of an origin''s facts that one run may take [default: 1].' }
            @{ Flags = @('--all-origins'); Kind = 'flag'; Help = 'Sweep every origin, although --origin names the owner.' }
        )
        'extract' = @(
            @{ Flags = @('--session'); Kind = 'text'; Help = 'Name of the conversation [default: the one in the transcript, else the file''s name].' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'Where the facts matter, such as work/api; an empty one is everywhere [default: the setting scope].' }
            @{ Flags = @('--per-message'); Kind = 'flag'; Help = 'Ask about each of the user''s messages that says something about them, instead of the whole.' }
            @{ Flags = @('--lessons'); Kind = 'flag'; Help = 'Ask also what follows from each correction.' }
            @{ Flags = @('--summary'); Kind = 'flag'; Help = 'Also keep one summary of the session, which each run words anew; it takes a model.' }
            @{ Flags = @('--failure'); Kind = 'file'; Help = 'Ask what failed: a file with a task and the record of what was tried.' }
            @{ Flags = @('--trust-owner'); Kind = 'flag'; Help = 'Store identifiers and lessons from the owner''s messages as the owner''s word; not for plain text.' }
            @{ Flags = @('--all-now'); Kind = 'flag'; Help = 'Take whatever is new, a single message too.' }
            @{ Flags = @('--min-new'); Kind = 'text'; Help = 'New messages that are worth a request [default: 2].' }
            @{ Flags = @('--since'); Kind = 'text'; Help = 'Of an export: only conversations that went on at or after TIME.' }
            @{ Flags = @('--limit'); Kind = 'text'; Help = 'Of an export: at most N conversations that have something new; the next call goes on behind them [0 is all; a dry run shows 10].' }
            @{ Flags = @('--pending'); Kind = 'flag'; Help = 'The conversations that hooks have noted, instead of one; `tideline schedule` does it every night.' }
            @{ Flags = @('--settled'); Kind = 'flag'; Help = 'With --pending: only conversations that have ended, or were silent for 10 minutes; one such run at a time, at low priority and for 10 minutes at most.' }
            @{ Flags = @('--check'); Kind = 'flag'; Help = 'Ask the model a small question for each pass, and say whether it can do the work and how fast; write nothing.' }
            @{ Flags = @('--dry-run','-n'); Kind = 'flag'; Help = 'Print what would be sent and what would be stored without a model; ask and write nothing.' }
            @{ Flags = @('--llm'); Kind = 'text'; Help = 'Command to ask: prompt on its stdin, reply on its stdout; `none` asks no model [setting: llm].' }
            @{ Flags = @('--model'); Kind = 'text'; Help = 'Model to ask at the base URL [setting: model].' }
            @{ Flags = @('--base-url'); Kind = 'text'; Help = 'OpenAI-compatible endpoint, such as http://localhost:11434/v1 [setting: base_url].' }
            @{ Flags = @('--key-file'); Kind = 'file'; Help = 'File with the API key, mode 0600 [env: TIDELINE_API_KEY; setting: key_file].' }
            @{ Flags = @('--timeout'); Kind = 'text'; Help = 'Seconds to wait for a reply [default: 60].' }
        )
        'sessions' = @(
            @{ Flags = @('--client'); Kind = 'text'; Help = 'With add: the program that a session is of, where its file does not tell.' }
            @{ Flags = @('--around','-C'); Kind = 'text'; Help = 'With search: so many turns before and after each.' }
            @{ Flags = @('--role'); Kind = 'one of user assistant'; Help = 'With search: only turns of this role.' }
            @{ Flags = @('--limit'); Kind = 'text'; Help = 'So many turns [default: 8] or sessions [default: 20].' }
            @{ Flags = @('--yes','-y'); Kind = 'flag'; Help = 'With purge: do not ask.' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'With add: the project of the sessions [default: the folder''s that they name]. Else: see sessions of this scope, of those above it, and without one.' }
            @{ Flags = @('--all-scopes'); Kind = 'flag'; Help = 'See the facts of every scope.' }
            @{ Flags = @('--jsonl'); Kind = 'flag'; Help = 'Print one JSON object a line.' }
            @{ Flags = @('--nl'); Kind = 'flag'; Help = 'The same as --jsonl.' }
            @{ Flags = @('--csv'); Kind = 'flag'; Help = 'Print CSV with a header.' }
            @{ Flags = @('--tsv'); Kind = 'flag'; Help = 'Print cells parted by tabs, with a header.' }
            @{ Flags = @('--table'); Kind = 'flag'; Help = 'Print a table, in a pipe too.' }
            @{ Flags = @('--fmt'); Kind = 'text'; Help = 'Print a table in a form of tabulate, such as github, grid, html or simple.' }
            @{ Flags = @('--format'); Kind = 'one of table lines json jsonl csv tsv markdown'; Help = 'table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines elsewhere]; --json goes with json and jsonl alone.' }
        )
        'relink' = @(
            @{ Flags = @('--dry-run','-n'); Kind = 'flag'; Help = 'Print what would be sent; ask and write nothing.' }
            @{ Flags = @('--llm'); Kind = 'text'; Help = 'Command to ask: prompt on its stdin, reply on its stdout; `none` asks no model [setting: llm].' }
            @{ Flags = @('--model'); Kind = 'text'; Help = 'Model to ask at the base URL [setting: model].' }
            @{ Flags = @('--base-url'); Kind = 'text'; Help = 'OpenAI-compatible endpoint, such as http://localhost:11434/v1 [setting: base_url].' }
            @{ Flags = @('--key-file'); Kind = 'file'; Help = 'File with the API key, mode 0600 [env: TIDELINE_API_KEY; setting: key_file].' }
            @{ Flags = @('--timeout'); Kind = 'text'; Help = 'Seconds to wait for a reply [default: 60].' }
        )
        'embed' = @(
            @{ Flags = @('--embedder'); Kind = 'text'; Help = 'Which one [default: hrr-256].' }
        )
        'embedder' = @(
        )
        'reembed' = @(
            @{ Flags = @('--limit','-n'); Kind = 'text'; Help = 'Vectors at most, such as for one night [0 is all].' }
        )
        'doctor' = @(
            @{ Flags = @('--deep'); Kind = 'flag'; Help = 'Check every fact, its terms and its vector, too.' }
            @{ Flags = @('--repair'); Kind = 'flag'; Help = 'Mend what can be mended.' }
            @{ Flags = @('--secrets'); Kind = 'flag'; Help = 'Only look for facts that hold passwords, keys or card numbers.' }
            @{ Flags = @('--yes','-y'); Kind = 'flag'; Help = 'Do not ask.' }
        )
        'eval' = @(
            @{ Flags = @('--k','-k'); Kind = 'text'; Help = 'How many answers count [default: 5].' }
            @{ Flags = @('--profiles','--profile'); Kind = 'text'; Help = 'Compare other ways of asking with the one of now: all, or some of keyword, semantic, append, score, motherbrain, vectormemory, rsclaw.' }
            @{ Flags = @('--embedder'); Kind = 'text'; Help = 'Compare with the vectors of another embedder.' }
            @{ Flags = @('--format'); Kind = 'one of jsonl locomo longmemeval beir trec own'; Help = 'The form of FILE: jsonl, locomo, longmemeval, beir, trec or own (corpus.jsonl and queries.jsonl) [default: as it looks].' }
            @{ Flags = @('--misses'); Kind = 'flag'; Help = 'Show the questions that are not answered among the first K.' }
            @{ Flags = @('--strict'); Kind = 'flag'; Help = 'Ask nothing if any question cannot be asked, or names an answer that is not there.' }
            @{ Flags = @('--count'); Kind = 'text'; Help = 'How many questions are proposed [default: 20].' }
            @{ Flags = @('--output','-o'); Kind = 'file'; Help = 'Where make and load write questions; make adds to what is there.' }
            @{ Flags = @('--llm'); Kind = 'text'; Help = 'Command to ask: prompt on its stdin, reply on its stdout; `none` asks no model [setting: llm].' }
            @{ Flags = @('--model'); Kind = 'text'; Help = 'Model to ask at the base URL [setting: model].' }
            @{ Flags = @('--base-url'); Kind = 'text'; Help = 'OpenAI-compatible endpoint, such as http://localhost:11434/v1 [setting: base_url].' }
            @{ Flags = @('--key-file'); Kind = 'file'; Help = 'File with the API key, mode 0600 [env: TIDELINE_API_KEY; setting: key_file].' }
            @{ Flags = @('--timeout'); Kind = 'text'; Help = 'Seconds to wait for a reply [default: 60].' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope].' }
            @{ Flags = @('--all-scopes'); Kind = 'flag'; Help = 'See the facts of every scope.' }
        )
        'backup' = @(
            @{ Flags = @('--force','-f'); Kind = 'flag'; Help = 'Replace FILE; the old copy stays until the new is whole.' }
        )
        'sync' = @(
            @{ Flags = @('--name'); Kind = 'text'; Help = 'Call this machine so, from now on [default: its host name].' }
            @{ Flags = @('--plain'); Kind = 'flag'; Help = 'Make a new place without encryption: who can read it reads every fact.' }
            @{ Flags = @('--encrypt'); Kind = 'flag'; Help = 'Make a new place encrypted, though you alone can read it.' }
            @{ Flags = @('--trust'); Kind = 'flag'; Help = 'Vouch for what lies in a place that is not encrypted and that others can write.' }
            @{ Flags = @('--key'); Kind = 'file'; Help = 'File of keys [env: TIDELINE_SYNC_KEY].' }
            @{ Flags = @('--limit','-k'); Kind = 'text'; Help = 'How many batches `log` shows [default: 20].' }
        )
        'member' = @(
        )
        'schedule' = @(
            @{ Flags = @('--cron'); Kind = 'flag'; Help = 'A line of your crontab.' }
            @{ Flags = @('--systemd'); Kind = 'flag'; Help = 'A service and a timer of systemd, for your user.' }
            @{ Flags = @('--launchd'); Kind = 'flag'; Help = 'An agent of launchd.' }
            @{ Flags = @('--schtasks'); Kind = 'flag'; Help = 'A task of Windows.' }
            @{ Flags = @('--at'); Kind = 'text'; Help = 'When, in local time [default: as it is installed, else 03:30].' }
            @{ Flags = @('--sync'); Kind = 'flag'; Help = 'Sync with the places of before, too: see `tideline sync`.' }
            @{ Flags = @('--install'); Kind = 'flag'; Help = 'Put it in place.' }
            @{ Flags = @('--remove'); Kind = 'flag'; Help = 'Take it out.' }
        )
        'config' = @(
        )
        'serve' = @(
            @{ Flags = @('--port'); Kind = 'text'; Help = 'The port; 0 takes any that is free [default: 7474].' }
            @{ Flags = @('--open'); Kind = 'flag'; Help = 'Open the page in a browser.' }
            @{ Flags = @('--show-secrets'); Kind = 'flag'; Help = 'Print passwords, keys and card numbers, not `[secret]`.' }
        )
        'mcp' = @(
            @{ Flags = @('--write'); Kind = 'flag'; Help = 'Also remember and forget.' }
            @{ Flags = @('--forget-any'); Kind = 'flag'; Help = 'With --write: forget also what trusted sources said.' }
            @{ Flags = @('--show-secrets'); Kind = 'flag'; Help = 'Print passwords, keys and card numbers, not `[secret]`.' }
            @{ Flags = @('--agent'); Kind = 'ask agent'; Help = 'The name that stands on what is remembered [default: the setting agent].' }
            @{ Flags = @('--format'); Kind = 'one of json text'; Help = 'Results as json, in both halves, or as text alone, for clients that cannot read both [default: json].' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope].' }
            @{ Flags = @('--all-scopes'); Kind = 'flag'; Help = 'See the facts of every scope.' }
        )
        'hook' = @(
            @{ Flags = @('--pause'); Kind = 'text'; Help = 'Let the origin''s hooks do nothing for so long, such as 2h or 1d.' }
            @{ Flags = @('--resume'); Kind = 'flag'; Help = 'End a pause.' }
            @{ Flags = @('--show-secrets'); Kind = 'flag'; Help = 'Print passwords, keys and card numbers, not `[secret]`.' }
            @{ Flags = @('--scope'); Kind = 'ask scope'; Help = 'See facts of this scope, of those above it, and without one; an empty one sees the last alone [default: the setting scope].' }
            @{ Flags = @('--all-scopes'); Kind = 'flag'; Help = 'See the facts of every scope.' }
        )
        'setup' = @(
            @{ Flags = @('--all'); Kind = 'flag'; Help = 'All clients that are on this machine.' }
            @{ Flags = @('--check'); Kind = 'flag'; Help = 'Only look; ends with 1 where something is amiss.' }
            @{ Flags = @('--remove'); Kind = 'flag'; Help = 'Take it out again.' }
            @{ Flags = @('--dry-run','-n'); Kind = 'flag'; Help = 'Show what would be written and called; do nothing.' }
            @{ Flags = @('--hooks'); Kind = 'flag'; Help = 'Only the hooks: recall by itself.' }
            @{ Flags = @('--mcp'); Kind = 'flag'; Help = 'Only the tools: `tideline mcp`.' }
            @{ Flags = @('--project'); Kind = 'flag'; Help = 'Only in this project, the working folder.' }
            @{ Flags = @('--sessions'); Kind = 'one of off turns'; Help = 'What is kept of sessions: nothing, or what is said, word for word [setting: sessions].' }
            @{ Flags = @('--model'); Kind = 'one of none claude codex gemini ollama llama.cpp vllm lmstudio'; Help = 'The model that distils conversations: an agent''s program, a server on this machine, or none [settings: llm, base_url, model].' }
            @{ Flags = @('--schedule'); Kind = 'flag'; Help = 'Also let every night tend the memory: `tideline schedule`.' }
            @{ Flags = @('--soon'); Kind = 'flag'; Help = 'Also let hooks have conversations distilled minutes after they have settled [setting: extract_soon].' }
            @{ Flags = @('--yes','-y'); Kind = 'flag'; Help = 'Ask nothing: what no option says stays as it is.' }
        )
        'init' = @(
            @{ Flags = @('--key'); Kind = 'text'; Help = 'The key that opens the list, such as ctrl-o, or `ctrl-x m` for one after the other [default: alt-m].' }
            @{ Flags = @('--no-key'); Kind = 'flag'; Help = 'Bind no key.' }
        )
        'completions' = @(
        )
        'man' = @(
            @{ Flags = @('--roff'); Kind = 'flag'; Help = 'Print the source of the page.' }
        )
    }
    $arguments = @{
        'show:0' = 'ask id'
        'pin:*' = 'ask active'
        'unpin:*' = 'ask active'
        'forget:*' = 'ask active'
        'restore:*' = 'ask archived'
        'edit:0' = 'ask active'
        'link:0' = 'ask active'
        'link:1' = 'ask active'
        'graph:0' = 'ask id'
        'feedback:0' = 'ask active'
        'feedback:1' = 'one of up down'
        'purge:*' = 'ask id'
        'history:0' = 'ask id'
        'timeline:0' = 'ask id'
        'undo:0' = 'ask batch'
        'import:0' = 'file'
        'export:*' = 'file'
        'ingest:*' = 'file'
        'library:0' = 'one of list show rm'
        'library:1' = 'ask document'
        'extract:0' = 'file'
        'sessions:0' = 'one of list add show search export forget purge'
        'embedder:0' = 'one of list use status warmup'
        'embedder:1' = 'ask embedder'
        'eval:0' = 'one of run make poison load'
        'backup:0' = 'file'
        'sync:0' = 'one of status log key forget'
        'sync:1' = 'one of add'
        'member:0' = 'one of list add remove'
        'config:0' = 'one of list get set unset edit path profiles trust untrust'
        'config:1' = 'ask setting'
        'config:2' = 'ask setting'
        'hook:0' = 'one of claude-code codex gemini cursor'
        'hook:1' = 'one of start prompt end'
        'setup:*' = 'one of claude-code codex gemini cursor opencode vscode zed'
        'init:0' = 'one of bash zsh fish'
        'completions:0' = 'one of bash zsh fish powershell'
        'man:0' = 'one of remember recall context dream consolidate status show list pick fading slots tags pin unpin forget restore edit link graph feedback purge contradictions history timeline undo redo retention import export ingest library gc extract sessions relink embed embedder reembed doctor eval backup sync member schedule config serve mcp hook setup init completions man'
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

    # What the memory has for the beginning of a value; PowerShell reads nothing in single quotes.
    function Get-Stored([string]$kind, [string]$prefix, [string]$start, [string[]]$typed) {
        $program = Get-Command tideline -CommandType Application -ErrorAction SilentlyContinue |
            Select-Object -First 1
        if (-not $program) { return }
        & $program __complete "${kind}:$start" @typed 2>$null | ForEach-Object {
            $value, $about = $_.Split("`t", 2)
            $text = $prefix + $value
            if ($value -cnotmatch '^[\p{L}\p{N}_./+-]+$') {
                $text = $prefix + "'" + ($value -replace "['\u2018-\u201b]", '$0$0') + "'"
            }
            if (-not $about) { $about = $value }
            [System.Management.Automation.CompletionResult]::new(
                $text, $value, 'ParameterValue', $about)
        }
    }

    function Get-Values([string]$kind, [string]$prefix, [string]$start) {
        if ($kind.StartsWith('one of ')) {
            $kind.Substring(7).Split(' ') |
                Where-Object { $_.StartsWith($start) } |
                ForEach-Object { New-Result ($prefix + $_) 'ParameterValue' $_ }
        } elseif ($kind.StartsWith('ask ')) {
            Get-Stored $kind.Substring(4) $prefix $start $typed
        } elseif (($kind -eq 'file' -or $kind -eq 'folder') -and -not $prefix) {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($start) |
                Where-Object { $kind -eq 'file' -or $_.ResultType -eq 'ProviderContainer' }
        }
    }

    $command = ''
    $place = 0
    $waiting = $null
    $ended = $false
    $typed = @()
    $before = $commandAst.CommandElements | Select-Object -Skip 1 | Where-Object {
        $_.Extent.EndOffset -lt $cursorPosition -or
        ($_.Extent.EndOffset -eq $cursorPosition -and -not $wordToComplete)
    }
    foreach ($element in $before) {
        $typed += $element.Extent.Text
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
