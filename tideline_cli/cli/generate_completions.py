"""Completion files in the language of each shell: no process starts when TAB is pressed."""

from __future__ import annotations

from tideline_cli.cli.commands import COMMANDS
from tideline_cli.cli.fast import verb
from tideline_cli.cli.options import GLOBAL, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_HELP = Option("help", ("--help", "-h"), "Show the help.", "flag", False)
_VERSION = Option("version", ("--version",), "Print the version.", "flag", False)


def files() -> dict[str, str]:
    """Return every completion file by its name."""
    return {
        "tideline.bash": bash(),
        "_tideline": zsh(),
        "tideline.fish": fish(),
        "tideline.ps1": powershell(),
    }


def bash() -> str:
    """Return the script for bash, which needs no bash-completion."""
    words = "\n".join(
        f"        {name or _quoted('')}) options={_quoted(_flags(options))};"
        f" words={_quoted(_words(name))} ;;"
        for name, options in _all_options()
    )
    choices = "\n".join(
        f"        {command}:{flag}) choices={_quoted(' '.join(option.choices))} ;;"
        for command, flag, option in _choice_flags()
    )
    files = "|".join(sorted({flag for flag, o in _value_flags() if o.kind in ("file", "folder")}))
    valued = "|".join(sorted({flag for flag, _ in _value_flags()}))
    return f"""# bash completion for tideline; source it, or put it into bash-completion's folder
_tideline() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
    local command= index options= words= choices= prefix=
    if [[ $current == "=" ]]; then current=; fi
    if [[ $previous == "=" ]]; then previous=${{COMP_WORDS[COMP_CWORD-2]}}; fi
    if [[ $current == --*=* ]]; then
        previous=${{current%%=*}}; prefix=$previous=; current=${{current#*=}}
    fi
    for ((index = 1; index < COMP_CWORD; index++)); do
        case ${{COMP_WORDS[index]}} in
            {valued}) if [[ ${{COMP_WORDS[index+1]}} == "=" ]]; then ((index++)); fi; ((index++)) ;;
            -*) ;;
            *) command=${{COMP_WORDS[index]}}; break ;;
        esac
    done
    case $command:$previous in
{choices}
    esac
    if [[ -n $choices ]]; then
        COMPREPLY=($(compgen -P "$prefix" -W "$choices" -- "$current"))
        return
    fi
    case $previous in
        {files})
            compopt -o filenames 2>/dev/null
            COMPREPLY=($(compgen -f -- "$current"))
            return ;;
        {valued}) return ;;
    esac
    case $command in
{words}
    esac
    if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
    elif [[ -n $words ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$current"))
    elif [[ $command == import ]]; then
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$current"))
    fi
}}
complete -F _tideline tideline
"""


def zsh() -> str:
    """Return the function file for zsh, for a folder of $fpath or to be sourced."""
    commands = "\n".join(
        f"        {_zsh_quoted(f'{name}:{command.summary}')}" for name, command in COMMANDS.items()
    )
    cases = "\n".join(_zsh_case(name) for name in COMMANDS)
    specs = " \\\n        ".join(_zsh_specs((_HELP, _VERSION, *GLOBAL)))
    return f"""#compdef tideline
# zsh completion for tideline: put it into a folder of $fpath

_tideline() {{
    local context state line curcontext=$curcontext
    typeset -A opt_args
    local -a commands
    commands=(
{commands}
    )
    _arguments -C -S \\
        {specs} \\
        '1: :->command' \\
        '*:: :->words'
    case $state in
        command) _describe -t commands 'tideline command' commands ;;
        words)
            case $line[1] in
{cases}
            esac
            ;;
    esac
}}

if [[ $funcstack[1] == _tideline ]]; then
    _tideline "$@"
elif (( $+functions[compdef] )); then
    compdef _tideline tideline
fi
"""


def fish() -> str:
    """Return the script for fish."""
    names = " ".join(COMMANDS)
    lines = [
        "# fish completion for tideline",
        f"set -l commands {names}",
        "complete -c tideline -f",
    ]
    for option in (_HELP, _VERSION, *GLOBAL):
        lines.append(f"complete -c tideline {_fish_flags(option)}")
    for name, command in COMMANDS.items():
        lines.append(
            'complete -c tideline -n "not __fish_seen_subcommand_from $commands" '
            f"-a {name} -d {_fish_quoted(command.summary)}"
        )
        condition = f'-n "__fish_seen_subcommand_from {name}"'
        for option in verb(name).OPTIONS:
            lines.append(f"complete -c tideline {condition} {_fish_flags(option)}")
        for word in _words(name).split():
            lines.append(f"complete -c tideline {condition} -a {word}")
        if any(argument.kind == "file" for argument in verb(name).ARGUMENTS):
            lines.append(f"complete -c tideline {condition} -F")
    return "\n".join([*lines, ""])


def powershell() -> str:
    """Return the script for PowerShell."""
    commands = ", ".join(f"'{name}'" for name in COMMANDS)
    options = "\n".join(
        f"        '{name}' {{ @({_ps_list((*_flags(own).split(), *_words(name).split()))}) }}"
        for name, own in _all_options()
        if name
    )
    choices = "\n".join(
        f"        '{command} {flag}' {{ @({_ps_list(option.choices)}) }}"
        for command, flag, option in _choice_flags()
    )
    return f"""# PowerShell completion for tideline: dot-source it from $PROFILE
Register-ArgumentCompleter -Native -CommandName tideline -ScriptBlock {{
    param($word, $ast, $position)
    $commands = @({commands})
    $before = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object {{ "$_" }})
    $command = $before | Where-Object {{ $commands -contains $_ }} | Select-Object -First 1
    $previous = if ($word) {{ $before[-2] }} else {{ $before[-1] }}
    $found = switch ("$command $previous") {{
{choices}
    }}
    if (-not $found) {{ $found = switch ($command) {{
{options}
        default {{ $commands + @({_ps_list(_flags((_HELP, _VERSION, *GLOBAL)).split())}) }}
    }} }}
    $found | Where-Object {{ $_ -like "$word*" }} | ForEach-Object {{
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }}
}}
"""


def _all_options() -> list[tuple[str, tuple[Option, ...]]]:
    """Return the options of each command; those without a command stand under no name."""
    own = [(name, (*verb(name).OPTIONS, *GLOBAL, _HELP)) for name in COMMANDS]
    return [("", (_HELP, _VERSION, *GLOBAL)), *own]


def _choice_flags() -> list[tuple[str, str, Option]]:
    return [
        (name, flag, option)
        for name, options in _all_options()
        for option in options
        if option.choices
        for flag in option.flags
    ]


def _value_flags() -> list[tuple[str, Option]]:
    return [
        (flag, option)
        for _, options in _all_options()
        for option in options
        if option.kind != "flag"
        for flag in option.flags
    ]


def _flags(options: Iterable[Option]) -> str:
    return " ".join(flag for option in options for flag in option.flags)


def _words(name: str) -> str:
    """Return what may stand as the words of a command, or the commands themselves."""
    if not name:
        return " ".join(COMMANDS)
    return " ".join(word for argument in verb(name).ARGUMENTS for word in argument.choices)


def _zsh_case(name: str) -> str:
    module = verb(name)
    specs = _zsh_specs((*module.OPTIONS, *GLOBAL, _HELP))
    for argument in module.ARGUMENTS:
        action = "_files" if argument.kind == "file" else f"({' '.join(argument.choices)})"
        specs.append(_zsh_quoted(f"*:{argument.metavar.lower()}:{action}"))
    joined = " \\\n                        ".join(specs)
    return f"                {name})\n                    _arguments -S \\\n" + (
        f"                        {joined}\n                    ;;"
    )


def _zsh_specs(options: Sequence[Option]) -> list[str]:
    specs: list[str] = []
    for option in options:
        text = _zsh_text(option.help)
        for flag in option.flags:
            again = "*" if option.many else ""
            equals = "=" if option.kind != "flag" and flag.startswith("--") else ""
            plus = "+" if option.kind != "flag" and not flag.startswith("--") else ""
            value = "" if option.kind == "flag" else f":{option.name}:{_zsh_action(option)}"
            specs.append(_zsh_quoted(f"{again}{flag}{equals}{plus}[{text}]{value}"))
    return specs


def _zsh_action(option: Option) -> str:
    if option.choices:
        return f"({' '.join(option.choices)})"
    return {"file": "_files", "folder": "_files -/"}.get(option.kind, " ")


def _zsh_text(text: str) -> str:
    for char in "\\[]:":
        text = text.replace(char, "\\" + char)
    return text


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_flags(option: Option) -> str:
    parts = []
    for flag in option.flags:
        parts.append(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}")
    if option.choices:
        parts.append(f"-x -a {_fish_quoted(' '.join(option.choices))}")
    elif option.kind in ("file", "folder"):
        parts.append("-r -F")
    elif option.kind != "flag":
        parts.append("-x")
    return " ".join([*parts, f"-d {_fish_quoted(option.help)}"])


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _ps_list(words: Iterable[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
