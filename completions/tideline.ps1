# PowerShell completion for tideline: dot-source it from $PROFILE
Register-ArgumentCompleter -Native -CommandName tideline -ScriptBlock {
    param($word, $ast, $position)
    $commands = @('remember', 'recall', 'context', 'status', 'show', 'list', 'history', 'import', 'export', 'embed', 'config', 'completions', 'man')
    $before = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    $command = $before | Where-Object { $commands -contains $_ } | Select-Object -First 1
    $previous = if ($word) { $before[-2] } else { $before[-1] }
    $found = switch ("$command $previous") {
        ' --color' { @('auto', 'always', 'never') }
        'remember --segment' { @('identity', 'correction', 'relationship', 'preference', 'project', 'knowledge', 'context') }
        'remember -s' { @('identity', 'correction', 'relationship', 'preference', 'project', 'knowledge', 'context') }
        'remember --tier' { @('short', 'long', 'permanent') }
        'remember --source' { @('owner_message', 'user_instruction', 'channel_message', 'dream', 'tool_output', 'retrieved_document', 'compaction', 'extraction') }
        'remember --kind' { @('entity', 'identity', 'name_memory', 'preference', 'lesson', 'relationship', 'project_state', 'fact', 'procedure', 'remember', 'manual', 'document', 'document_summary', 'summary', 'skill', 'auto', 'episode', 'failure', 'note', 'session') }
        'remember --color' { @('auto', 'always', 'never') }
        'recall --mode' { @('hybrid', 'keyword', 'semantic') }
        'recall --fusion' { @('append') }
        'recall --decay' { @('half-life', 'none') }
        'recall --segment' { @('identity', 'correction', 'relationship', 'preference', 'project', 'knowledge', 'context') }
        'recall -s' { @('identity', 'correction', 'relationship', 'preference', 'project', 'knowledge', 'context') }
        'recall --kind' { @('entity', 'identity', 'name_memory', 'preference', 'lesson', 'relationship', 'project_state', 'fact', 'procedure', 'remember', 'manual', 'document', 'document_summary', 'summary', 'skill', 'auto', 'episode', 'failure', 'note', 'session') }
        'recall --color' { @('auto', 'always', 'never') }
        'context --format' { @('text', 'json', 'xml') }
        'context --color' { @('auto', 'always', 'never') }
        'status --color' { @('auto', 'always', 'never') }
        'show --color' { @('auto', 'always', 'never') }
        'list --segment' { @('identity', 'correction', 'relationship', 'preference', 'project', 'knowledge', 'context') }
        'list -s' { @('identity', 'correction', 'relationship', 'preference', 'project', 'knowledge', 'context') }
        'list --kind' { @('entity', 'identity', 'name_memory', 'preference', 'lesson', 'relationship', 'project_state', 'fact', 'procedure', 'remember', 'manual', 'document', 'document_summary', 'summary', 'skill', 'auto', 'episode', 'failure', 'note', 'session') }
        'list --lifecycle' { @('active', 'archived', 'pruned', 'all') }
        'list --color' { @('auto', 'always', 'never') }
        'history --color' { @('auto', 'always', 'never') }
        'import --format' { @('jsonl', 'csv', 'tsv', 'sqlite') }
        'import --color' { @('auto', 'always', 'never') }
        'export --format' { @('jsonl', 'csv', 'sqlite', 'markdown') }
        'export --color' { @('auto', 'always', 'never') }
        'embed --color' { @('auto', 'always', 'never') }
        'config --color' { @('auto', 'always', 'never') }
        'completions --color' { @('auto', 'always', 'never') }
        'man --color' { @('auto', 'always', 'never') }
    }
    if (-not $found) { $found = switch ($command) {
        'remember' { @('--segment', '-s', '--slot', '--importance', '--tier', '--source', '--supersedes', '--confidence', '--valid-from', '--valid-to', '--tag', '-t', '--kind', '--title', '--meta', '--source-turn', '--derived-from', '--pin', '--confine', '--batch', '--db', '--origin', '--now', '--json', '--quiet', '-q', '--verbose', '-v', '--debug', '--color', '--no-input', '--help', '-h') }
        'recall' { @('--limit', '-n', '--mode', '--fusion', '--decay', '--min-sim', '--mmr', '--tag', '-t', '--segment', '-s', '--kind', '--since', '--until', '--as-of', '--explain', '--no-touch', '--batch', '--db', '--origin', '--now', '--json', '--quiet', '-q', '--verbose', '-v', '--debug', '--color', '--no-input', '--help', '-h') }
        'context' { @('--max-chars', '--max-tokens', '--limit', '-n', '--auto', '--format', '--db', '--origin', '--now', '--json', '--quiet', '-q', '--verbose', '-v', '--debug', '--color', '--no-input', '--help', '-h') }
        'status' { @('--all-origins', '--db', '--origin', '--now', '--json', '--quiet', '-q', '--verbose', '-v', '--debug', '--color', '--no-input', '--help', '-h') }
        'show' { @('--db', '--origin', '--now', '--json', '--quiet', '-q', '--verbose', '-v', '--debug', '--color', '--no-input', '--help', '-h') }
        'list' { @('--segment', '-s', '--tag', '-t', '--kind', '--lifecycle', '--since', '--until', '--as-of', '--limit', '-n', '--jsonl', '--db', '--origin', '--now', '--json', '--quiet', '-q', '--verbose', '-v', '--debug', '--color', '--no-input', '--help', '-h') }
        'history' { @('--limit', '-n', '--db', '--origin', '--now', '--json', '--quiet', '-q', '--verbose', '-v', '--debug', '--color', '--no-input', '--help', '-h') }
        'import' { @('--trust', '--merge', '--strict', '--format', '--table', '--db', '--origin', '--now', '--json', '--quiet', '-q', '--verbose', '-v', '--debug', '--color', '--no-input', '--help', '-h') }
        'export' { @('--format', '--output', '-o', '--all-origins', '--db', '--origin', '--now', '--json', '--quiet', '-q', '--verbose', '-v', '--debug', '--color', '--no-input', '--help', '-h') }
        'embed' { @('--embedder', '--db', '--origin', '--now', '--json', '--quiet', '-q', '--verbose', '-v', '--debug', '--color', '--no-input', '--help', '-h') }
        'config' { @('--db', '--origin', '--now', '--json', '--quiet', '-q', '--verbose', '-v', '--debug', '--color', '--no-input', '--help', '-h', 'list', 'get', 'set', 'path') }
        'completions' { @('--db', '--origin', '--now', '--json', '--quiet', '-q', '--verbose', '-v', '--debug', '--color', '--no-input', '--help', '-h', 'bash', 'zsh', 'fish', 'powershell') }
        'man' { @('--roff', '--db', '--origin', '--now', '--json', '--quiet', '-q', '--verbose', '-v', '--debug', '--color', '--no-input', '--help', '-h', 'remember', 'recall', 'context', 'status', 'show', 'list', 'history', 'import', 'export', 'embed', 'config', 'completions', 'man') }
        default { $commands + @('--help', '-h', '--version', '--db', '--origin', '--now', '--json', '--quiet', '-q', '--verbose', '-v', '--debug', '--color', '--no-input') }
    } }
    $found | Where-Object { $_ -like "$word*" } | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
