"""The record of each command's options against its table: what mypy reads is what the parsers
give."""

from __future__ import annotations

import ast
import inspect
from types import SimpleNamespace

import pytest

from tests.support import ROOT
from tideline_cli.cli.commands import COMMANDS, verb
from tideline_cli.cli.options import GLOBAL, GlobalOptions, Option
from tideline_cli.model.record import record

BASES = {
    "flag": ("bool",), "text": ("str",), "file": ("str",), "folder": ("str",), "count": ("int",),
    "time": ("int",), "start": ("int",), "last": ("int",), "end": ("int",),
    "duration": ("int",), "number": ("float",), "share": ("float",),
    "pair": ("tuple[str, str]", "tuple[str, Any]"), "list": ("str",),
}  # fmt: skip


def literals():
    """Return the words of each `Name = Literal[…]` of the package, by its name."""
    found = {}
    for path in sorted((ROOT / "tideline_cli").rglob("*.py")):
        source = path.read_text("utf-8")
        for node in ast.walk(ast.parse(source)) if "Literal[" in source else ():
            match node:
                case ast.Assign([ast.Name(name)], ast.Subscript(ast.Name("Literal"), words)):
                    found[name] = set(ast.literal_eval(words)) if isinstance(
                        words, ast.Tuple) else {ast.literal_eval(words)}  # fmt: skip
    return found


LITERALS = literals()


def annotations_of(option):
    """Return the annotations that fit what an option can be."""
    bases = BASES.get(option.kind, ("str",))
    if option.kind == "choice":
        named = (name for name, words in LITERALS.items() if set(option.choices) <= words)
        bases = ("str", *named)
    if option.many:
        return {f"tuple[{base}, ...]" for base in bases}
    return {f"{base} | None" if option.default is None else base for base in bases}


def complaints(kind, options):
    """Yield where a record of options is another than the table says."""
    declared = {}
    for one in kind.__mro__[::-1]:  # the parts of a record, then its own
        declared |= one.__dict__.get("__annotations__", {})
    by_name = {option.name: option for option in options}
    if declared.keys() != by_name.keys():
        yield f"fields that are no options, or the reverse: {declared.keys() ^ by_name.keys()}"
    for name in declared.keys() & by_name.keys():
        fitting = annotations_of(by_name[name])
        if declared[name] not in fitting:
            yield f"{name} is {declared[name]}, its option gives {' or '.join(sorted(fitting))}"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_record_says_what_the_table_gives(name):
    """Each option of a command is a field of its record, with the type of its kind."""
    module = verb(name)
    assert list(complaints(module.Options, module.OPTIONS)) == []
    _, words, options = inspect.signature(module.run).parameters.values()
    assert (words.annotation, options.annotation) == ("list[str]", "Options")


def test_the_global_options_too():
    """The global options have a record of their own."""
    assert list(complaints(GlobalOptions, GLOBAL)) == []


@record
class Planted:
    """Options as a command could declare them."""

    limit: int
    segment: str | None
    tag: tuple[str, ...]


TABLE = {
    "limit": Option("limit", ("--limit",), "", "count", 5),
    "segment": Option("segment", ("--segment",), "", "choice", choices=("knowledge",)),
    "tag": Option("tag", ("--tag",), "", many=True),
}
FAULTS = {
    "another kind": ({"limit": Option("limit", ("--limit",), "", "share", 0.5)}, "limit is int"),
    "no default": ({"limit": Option("limit", ("--limit",), "", "count")}, "int | None"),
    "many": ({"segment": Option("segment", ("--segment",), "", many=True)}, "segment is str"),
    "a new option": ({"x": Option("x", ("--x",), "", "flag", False)}, "{'x'}"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_type_is_found(fault):
    """A table that gives something else than the record says is complained of."""
    assert list(complaints(Planted, TABLE.values())) == []
    change, says = FAULTS[fault]
    assert [one for one in complaints(Planted, (TABLE | change).values()) if says in one]


def test_a_choice_may_be_typed_by_its_words():
    """A choice may be a Literal that has all its words, and no other."""
    option = SimpleNamespace(kind="choice", choices=("long", "short"), many=False, default=None)
    assert "Tier | None" in annotations_of(option)
    assert "Segment | None" not in annotations_of(option)
