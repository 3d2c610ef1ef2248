# PowerShell completion for tideline: dot-source it from $PROFILE. Generated;
# `tideline completions powershell` prints it.

Register-ArgumentCompleter -Native -CommandName tideline -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commands = [ordered]@{
        # @COMMANDS@
    }
    $globals = @(
        # @GLOBALS@
    )
    $version = '@VERSION@'
    $options = @{
        # @OPTIONS@
    }
    $arguments = @{
        # @ARGUMENTS@
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
