"""The modules that the scan loads, from `policy/threats/patterns.toml`.

What must stand in a text before a regular expression is asked is derived here, so that it cannot
fall out of step with the expression.
"""

from __future__ import annotations

import os
import re
import textwrap
import tomllib
from functools import cache
from itertools import chain

from generate import filters
from generate.filters import CUE_WIDTH
from tideline_cli.model.record import record
from tideline_cli.policy.threats.regexes import expanded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from generate.filters import Cost, Group, PatternFilter

HOME = "tideline_cli/policy/threats"
SCOPES = ("all", "context", "strict")  # each holds the ones before it
_SOURCES = ("reference", "ours")
_KEYS = {"name", "scope", "source", "from", "cased", "folded", "alternatives"}
_WEIGHT = 1000  # of the commonest word; the word of rank n has 1 / n of it, others 1
_SHORT = {1: 20, 2: 3}  # words of few letters are common in some way: I'd, e-mail, UI
_AFTER = ("are", "is", "to", "for", "and", "follow")  # what a blank that may be missing leads to


@record
class Pattern:
    """One pattern of the file."""

    name: str
    scope: str
    ours: bool
    cased: bool
    folded: bool
    alternatives: tuple[str, ...]


def modules(root: str) -> dict[str, str]:
    """Return the modules that are made from a checkout's patterns, by their path."""
    path = os.path.join(root, HOME, "patterns.toml")
    if not os.path.isfile(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return _made(file.read())


@cache
def _made(text: str) -> dict[str, str]:
    data = tomllib.loads(text)
    patterns = [_pattern(entry) for entry in data["pattern"]]
    rows = [(one, alternative) for one in patterns for alternative in one.alternatives]
    return {
        f"{HOME}/_cues.py": _cues_module(rows, data),
        f"{HOME}/_patterns.py": _patterns_module(rows, data["lookalikes"]),
        f"{HOME}/_words.py": _words_module(patterns, data["common"].split()),
    }


def _pattern(entry: dict[str, Any]) -> Pattern:
    """Return an entry of the file, checked."""
    name = entry.get("name", "a pattern without a name")
    unknown = entry.keys() - _KEYS
    if unknown:
        raise ValueError(f"{name}: no such key: {', '.join(sorted(unknown))}")
    if entry.get("scope") not in SCOPES or entry.get("source") not in _SOURCES:
        raise ValueError(f"{name}: scope is one of {SCOPES}, source one of {_SOURCES}")
    if entry["source"] == "ours" and not entry.get("from"):
        raise ValueError(f"{name}: say where such attacks were seen (from)")
    return Pattern(
        name, entry["scope"], entry["source"] == "ours", bool(entry.get("cased")),
        entry.get("folded", True), tuple(_alternative(name, one) for one in entry["alternatives"]),
    )  # fmt: skip


def _alternative(name: str, written: str) -> str:
    """Return an alternative without its line breaks."""
    lines = [line.lstrip() for line in written.split("\n")]
    if any(line.endswith(" ") for line in lines):
        raise ValueError(f"{name}: a blank ends a line of {written!r}, where nobody sees it")
    whole = "".join(lines)
    re.compile(expanded([whole]))
    if _has_choice(whole):
        raise ValueError(f"{name}: write the parts of {whole!r} as alternatives of their own")
    return whole


def _has_choice(pattern: str) -> bool:
    """Say whether a pattern has a | outside of all groups."""
    bare = re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "", pattern)
    depth = 0
    for char in bare:
        depth += (char == "(") - (char == ")")
        if char == "|" and depth == 0:
            return True
    return False


def _cues_module(rows: list[tuple[Pattern, str]], data: dict[str, Any]) -> str:
    patterns = [pattern for pattern, _ in rows]
    everyday = {word[: CUE_WIDTH]: place for place, word in
                reversed([*enumerate(data["everyday"].split(), 1)])}  # fmt: skip

    def cost(group: Group) -> float:
        return float(sum(
            max(_WEIGHT / everyday.get(cue, _WEIGHT), _SHORT.get(len(cue), 1)) for cue in group
        ))  # fmt: skip

    ways = [
        (place, one)
        for place, (pattern, alternative) in enumerate(rows)
        for one in _filters(pattern, alternative, cost)
    ]
    folded = [(place, one) for place, one in ways if rows[place][0].folded]
    others = [(place, one) for place, one in ways if not rows[place][0].folded]
    begun = [one for _, one in folded if one.begin_words]
    telling = set(chain.from_iterable(group for one in begun for group in one.words))
    telling = {cue for cue in telling - everyday.keys() if len(cue) > 1}
    telling = telling.union(*(one.cues for one in begun))
    return "".join((
        _CUES_HEAD,
        f"SCOPES = {SCOPES!r}  # each holds the ones before it\n",
        _table("REFERENCE_NAMES: tuple[str, ...]", map(repr, _named(patterns, ours=False))),
        _table("ADDED_NAMES: tuple[str, ...]", map(repr, _named(patterns, ours=True))),
        "\n# (place in ROWS, whether its cues begin words, the cues, groups of how words begin,",
        " groups of texts)\n",
        _table("WAYS: tuple[tuple[int, bool, tuple[str, ...], Groups, Groups], ...]",
               (f"({place}, {one.begin_words}, {tuple(sorted(one.cues))!r}, {_groups(one.words)}, "
                f"{_groups(one.literals)})" for place, one in folded)),
        "\n# Of texts that are not ASCII, scripts unfolded: (place in ROWS, groups of texts)\n",
        _table("UNFOLDED: tuple[tuple[int, Groups], ...]",
               (f"({place}, {_groups((one.cues, *one.literals))})" for place, one in others)),
        f"\nCUE_WIDTH = {CUE_WIDTH}  # letters of a word that count\n",
        "\n# How the words of attacks begin that are no words of every day.\n",
        _joined("TELLING", telling),
        "\nREVERSED_TRACES = ", repr(tuple(word[::-1] for word in data["reversed"])),
        "\n# fmt: on\n",
    ))  # fmt: skip


_CUES_HEAD = '''"""What a text must hold before a pattern is asked.

An alternative is asked only of a text that may match it: it has a word that begins with a cue of
one of its ways, and what that way says besides. Words are cut to CUE_WIDTH letters.
`make generate` makes this from patterns.toml.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Groups = tuple[tuple[str, ...], ...]

# fmt: off
'''


def _patterns_module(rows: list[tuple[Pattern, str]], lookalikes: dict[str, str]) -> str:
    cased = sorted({pattern.name for pattern, _ in rows if pattern.cased})
    return "".join((
        '"""The patterns themselves, and the look-alikes of ASCII: `make generate` makes this from '
        'patterns.toml."""\n\nfrom __future__ import annotations\n\n# fmt: off\n',
        f"CASED = frozenset({cased!r})\n",
        "# (name, whether it is ours, scope, alternative)\n",
        _table("ROWS: tuple[tuple[str, bool, str, str], ...]",
               (repr((one.name, one.ours, one.scope, each)) for one, each in rows)),
        "\nLOOKALIKES = {\n",
        *(f"    {plain!r}: {alike!r},\n" for plain, alike in lookalikes.items()),
        "}\n# fmt: on\n",
    ))  # fmt: skip


def _named(patterns: list[Pattern], *, ours: bool) -> list[str]:
    return list(dict.fromkeys(one.name for one in patterns if one.ours is ours))


def _filters(pattern: Pattern, alternative: str, cost: Cost) -> list[PatternFilter]:
    whole = expanded([alternative])
    try:
        if pattern.folded:
            return filters.filters(whole, cost)
        groups = filters.literal_groups(filters.tree(whole))
    except ValueError as error:
        raise ValueError(f"{pattern.name}: {error}: {alternative!r}") from None
    first, *rest = [group for group in groups if " " not in group]
    return [filters.PatternFilter(first, False, (), tuple(rest))]


def _groups(groups: Iterable[Group]) -> str:
    return repr(tuple(tuple(sorted(group)) for group in groups))


def _table(name: str, rows: Iterable[str]) -> str:
    lines = "".join(f"    {row},\n" for row in rows)
    return f"{name} = (\n{lines})\n"


def _joined(name: str, words: Iterable[str]) -> str:
    lines = "\n".join(f'    "{line} "' for line in textwrap.wrap(" ".join(sorted(words)), 90))
    return f"{name} = frozenset((\n{lines}\n).split())\n"


def vocabulary(patterns: list[Pattern]) -> list[str]:
    """Return the words of all patterns, in order: those of Latin letters, two at least."""
    found: set[str] = set()
    for one in patterns:
        for alternative in one.alternatives if one.folded else ():
            found |= filters.spelled_words(filters.tree(expanded([alternative])))
    kept = {word.lower() for word in found if word.isascii() and len(word) > 1}
    twice = {a + b for a in kept for b in kept if len(a) > 4 and len(b) > 4}
    return sorted(kept - twice - {word + after for word in kept for after in _AFTER})


def _words_module(patterns: list[Pattern], common: list[str]) -> str:
    return (
        '"""The words that a disguised text is read by: `make generate` makes this from '
        'patterns.toml."""\n\nfrom __future__ import annotations\n\n# fmt: off\n'
        + _text("COMMON", common) + _text("WORDS", vocabulary(patterns)) + "# fmt: on\n"
    )  # fmt: skip


def _text(name: str, words: list[str]) -> str:
    lines = "\n".join(f'    "{line} "' for line in textwrap.wrap(" ".join(words), 90))
    return f"{name} = (\n{lines}\n)\n"
