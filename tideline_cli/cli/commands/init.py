"""tideline init and tideline completions."""

from __future__ import annotations

import os
import sys

from tideline_cli.cli import output
from tideline_cli.cli.options import Argument, OptionSet, flag, text
from tideline_cli.cli.session import Session
from tideline_cli.cli.verbs import Verb
from tideline_cli.errors import UsageError

SHELLS = ("bash", "zsh", "fish")
"""The shells whose lines are known."""

USUAL_KEY = "alt-m"

HELP = """Print what a shell reads when it starts, to have tideline at hand.

TAB then completes commands, options, and what the memory holds: ids, slots, tags, scopes. `man
tideline` finds the manual, where pages were installed. A key opens `tideline pick` and puts the
fact that you choose into the line, quoted.

bash and zsh take it by eval in ~/.bashrc and ~/.zshrc (there behind compinit), fish by `tideline
init fish | source` in ~/.config/fish/config.fish. Without SHELL it is the one that calls, and
stderr says which."""
EXAMPLES = (("bash", ""), ("zsh", "--key ctrl-o"), ("fish", "--no-key"))
ARGUMENTS = (Argument("words", "SHELL", "Which shell.", "word", False, 0, SHELLS),)


class Options(OptionSet):
    """The options of a call."""

    key = text(
        "The key that opens the list, such as ctrl-o, or `ctrl-x m` for one after the other "
        f"[default: {USUAL_KEY}].",
        metavar="KEY",
    )
    no_key = flag("Bind no key.", excludes=("key",))


def run(session: Session, words: list[str], options: Options) -> int:
    """Print one script."""
    if len(words) > 1 or (words and words[0] not in SHELLS):
        raise UsageError(
            f"unknown shell: {' '.join(words)!r}", hint="use one of " + ", ".join(SHELLS)
        )
    shell = words[0] if words else _calling(session)
    key = None if options.no_key else options.key or USUAL_KEY
    script = script_of(shell, key=key)
    if session.json:
        output.emit_json({"shell": shell, "key": key, "script": script})
    else:
        sys.stdout.write(script)
    return 0


def _calling(session: Session) -> str:
    """Return the shell that calls, by the process above this one or by $SHELL, and say which."""
    parent, usual = _parent(), os.path.basename(os.environ.get("SHELL", ""))
    shell, why = (parent, "it calls") if parent in SHELLS else (usual, "$SHELL names it")
    if shell not in SHELLS:
        raise UsageError("which shell?", hint="use one of " + ", ".join(SHELLS))
    session.note(f"for {shell}, as {why}: `tideline init {shell}` says so itself")
    return shell


def _parent() -> str:
    """Return the name of the process above this one, empty where the system does not tell."""
    try:
        with open(f"/proc/{os.getppid()}/comm", encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError):
        return ""


_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "shell_start")
_USUAL_PREFIXES = ("/usr", "/usr/local")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_MOST_KEYS = 3
# Without these a line cannot be ended, left, completed or stopped; ctrl-[ begins all other keys.
_NEEDED = frozenset("cijmz[")
_KEY_HINT = "such as alt-m, ctrl-o, or `ctrl-x m` for one after the other"


def script_of(shell: str, *, key: str | None) -> str:
    """Return the script for a shell; without a key nothing is bound."""
    parts = {"#@MANPATH@": _manual_lines(shell), "#@KEY@": ""}
    if key is not None:
        parts["#@KEY@"] = _file(f"key.{shell}").replace("@KEYS@", typed_keys(key, shell))
    lines = []
    for line in _file(f"init.{shell}").splitlines(keepends=True):
        lines.append(parts.get(line.strip(), line))
    return "".join(lines)


def typed_keys(key: str, shell: str) -> str:
    """Return keys in the spelling of a shell; raise UsageError for what is none."""
    named = key.lower().split()
    if not named or len(named) > _MOST_KEYS:
        raise UsageError(f"not a key: {key!r}", hint=_KEY_HINT)
    spelled = [_spelled(one, key, shell, is_first=not place) for place, one in enumerate(named)]
    return "".join(spelled)


def _spelled(one: str, key: str, shell: str, *, is_first: bool) -> str:
    *modifiers, letter = one.split("-")
    is_known = set(modifiers) <= {"ctrl", "alt"} and len(set(modifiers)) == len(modifiers)
    if letter not in _LETTERS or not is_known or (is_first and not modifiers):
        raise UsageError(f"not a key: {key!r}", hint=_KEY_HINT)
    if is_first and modifiers == ["ctrl"] and letter in _NEEDED:
        raise UsageError(f"{one} is needed in every line", hint=f"take another, {_KEY_HINT}")
    alt, ctrl = "alt" in modifiers, "ctrl" in modifiers
    if shell == "fish":
        return ("\\e" if alt else "") + ("\\c" if ctrl else "") + letter
    if shell == "zsh":
        return ("^[" if alt else "") + (f"^{letter.upper()}" if ctrl else letter)
    return ("\\e" if alt else "") + ("\\C-" if ctrl else "") + letter


def _file(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()


def _manual_lines(shell: str) -> str:
    """Return the lines that let `man tideline` find the pages that were installed beside this
    program; none where `man` looks anyway, or where there are none."""
    folder = os.path.join(sys.prefix, "share", "man")
    page = os.path.join(folder, "man1", "tideline.1")
    if sys.prefix in _USUAL_PREFIXES or not os.path.isfile(page) or not _is_tame(folder):
        return ""
    if shell == "fish":
        return (
            "    set -q MANPATH; or set -gx MANPATH ''\n"
            f"    contains -- '{folder}' $MANPATH; or set -gx MANPATH $MANPATH '{folder}'\n"
        )
    return (
        f"    case :${{MANPATH-}}: in *:'{folder}':*) ;;"
        f" *) export MANPATH=\"${{MANPATH-}}\":'{folder}' ;; esac\n"
    )


def _is_tame(path: str) -> bool:
    """Say whether a path is the same between single quotes in each shell, and one of a list."""
    return path.isprintable() and not any(char in path for char in "'\\:!")


# What is open at the cursor cannot be known for certain: a comment, a here-document, an escape in
# quotes tell it only to the shell, and bash does not say what the lines before this one hold. So a
# text of harmless characters alone is put between quotes, as a person would, only where the shell
# tells all lines and none has a sign of that kind; else each character that might mean something
# gets an escape of its own, which holds outside and inside of quotes, substitutions and comments.
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,-")
_DOUBTFUL = frozenset("'\"\\#<$`!")  # behind one of these, what is open is not known
_READ_TWICE = frozenset("\\`$")  # between backticks a backslash of these is taken off first
_NAMED = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def as_word(text: str, shell: str, *, before: str) -> str:
    """Return what to put behind `before` in a line, so that the shell reads `text` as one word and
    runs nothing in it; where a quote may be open, with more backslashes than one would type."""
    is_known = shell != "bash" and not _DOUBTFUL.intersection(before)
    if is_known and all(_is_bare(char) or char in " ?'" for char in text):
        return _typed_word(text)
    # A backslash at the end of the line takes what comes first: a blank, which nobody misses.
    taken = " " if (len(before) - len(before.rstrip("\\"))) % 2 else ""
    is_doubtful = shell == "bash" or "`" in before
    return taken + "".join(_escaped(char, shell, is_doubtful=is_doubtful) for char in text)


def _typed_word(text: str) -> str:
    """Return a harmless text as a person would type it."""
    if text and all(map(_is_bare, text)):
        return text
    return f'"{text}"' if "'" in text else f"'{text}'"


def _escaped(char: str, shell: str, *, is_doubtful: bool) -> str:
    """Return one character, harmless whatever is open; `is_doubtful`: backticks may be."""
    if _is_bare(char):
        return char
    if shell == "fish":
        return f"\\{char}" if char.isprintable() else _code(char)
    is_plain = char.isprintable() and not (is_doubtful and char in _READ_TWICE)
    return f"\\{char}" if is_plain else f"$'{_code(char)}'"


def _is_bare(char: str) -> bool:
    return char in _BARE or (char > "\x7f" and char.isprintable())


def _code(char: str) -> str:
    """Return the escape of a character that shows nothing."""
    number = ord(char)
    if char in _NAMED:
        return _NAMED[char]
    if number < 0x80:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


_FILES = {
    "bash": "tideline.bash",
    "zsh": "_tideline",
    "fish": "tideline.fish",
    "powershell": "tideline.ps1",
}


def _completions(session: Session, words: list[str], _: OptionSet) -> int:
    """Print one script."""
    if len(words) != 1 or words[0] not in _FILES:
        raise UsageError(
            f"unknown shell: {' '.join(words)!r}" if words else "name a shell",
            hint="use one of " + ", ".join(_FILES),
        )
    from tideline_cli.cli.generate.completions import files  # noqa: PLC0415  imports every verb

    script = files()[_FILES[words[0]]]
    if session.json:
        output.emit_json({"shell": words[0], "script": script})
    else:
        sys.stdout.write(script)
    return 0


COMPLETIONS = Verb(
    """Print the completion script of a shell.

The script completes commands, options and their values, and starts no process to do so. bash,
fish and PowerShell load it as it is; zsh takes it from a folder of $fpath as `_tideline`, or
sourced after compinit.""",
    (
        ("bash", "> ~/.local/share/bash-completion/completions/tideline"),
        ("zsh", "> ~/.zfunc/_tideline"),
        ("fish", "> ~/.config/fish/completions/tideline.fish"),
    ),
    (Argument("words", "SHELL", "Which shell.", "word", False, 1, tuple(_FILES)),),
    OptionSet, _completions,
)  # fmt: skip
