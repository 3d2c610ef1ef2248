"""The shape of the package: cycles, lengths, tuples, names."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from statistics import median

import pytest

from tests.rules import parsed
from tests.support import ROOT

PACKAGE = ROOT / "tideline_cli"


@cache
def trees():
    """Return the syntax tree of each module, by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = parsed.tree(path)
    return found


def imported(tree):
    """Yield the modules of ours that a module imports: at its top, inside functions, for types."""
    modules = trees()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in modules or node.module in modules:
                    yield inner if inner in modules else node.module


def functions():
    """Yield (where, node) of each function of the package."""
    for name, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                yield f"{name.replace('.', '/')}.py:{node.lineno} {node.name}", node


def test_no_import_cycle():
    """No module leads back to itself: deferred imports and those for type checkers count too."""
    needs = {name: {*imported(tree)} - {name} for name, tree in trees().items()}
    while gone := {name for name, needed in needs.items() if not needed & needs.keys()}:
        needs = {name: needed for name, needed in needs.items() if name not in gone}
    # What is left is a cycle, or leads to one; modules that nobody of the rest needs are neither.
    while idle := needs.keys() - set().union(*needs.values()):
        needs = {name: needed for name, needed in needs.items() if name not in idle}
    assert {name: sorted(needed & needs.keys()) for name, needed in needs.items()} == {}


def test_functions_are_short():
    """No function has more than 60 lines, and half of them have 10 at most."""
    lengths = {where: node.end_lineno - node.lineno + 1 for where, node in functions()}
    assert [where for where, length in lengths.items() if length > 60] == []
    assert median(lengths.values()) <= 10


CATCHERS = {
    "tideline_cli.__main__:enter",  # what is raised before there is a command
    "tideline_cli.cli.perform:perform",  # the one catcher
    "tideline_cli.cli.asides:is_damaged",  # the error before it is the one to report
    "tideline_cli.cli.hook_door:run",  # the client must not fail with us; it is logged
    "tideline_cli.cli.completion_values:run",  # a prompt is being typed
    "tideline_cli.exchange.ingest.read:pdf_blocks",  # of a damaged page pypdf raises anything
    "tideline_cli.serve.http.server:do_GET",  # the browser gets a 500, the terminal the place
    "tideline_cli.serve.mcp.protocol:call_result",  # the model reads it; stderr has the rest
    "tideline_cli.store.checks.engine:run",  # a damaged file may hold anything
}
"""Who may catch every exception and go on."""


def test_few_catch_everything():
    """An exception that nobody expected reaches the one catcher: who catches all kinds raises
    again, or is listed here with a reason."""
    found = {
        f"{name}:{function.name}"
        for name, tree in trees().items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in ("Exception", "BaseException"))
        and not any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
    }
    assert found == CATCHERS, "CATCHERS of tests/rules/test_structure.py: who may, and why"


def test_no_long_tuple():
    """What a function takes or returns is a record, or a tuple of five values at most."""
    long = [
        where
        for where, function in functions()
        for annotation in (
            function.returns,
            *(argument.annotation for argument in (*function.args.args, *function.args.kwonlyargs)),
        )
        if annotation is not None
        for node in ast.walk(annotation)
        if isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Tuple)
        and ast.unparse(node.value) == "tuple"
        and len(node.slice.elts) > 5
    ]
    assert long == []


# Names that stand in several modules for one and the same idea.
ONE_MEANING = {
    "Options": "the options of a command, as its module names them",
    "cosine": "of two vectors, with numpy and without",
}


def names_of_several_modules():
    """Return the public functions and classes that stand in more than one module."""
    places = defaultdict(set)
    for name, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(name)
    return {name: found for name, found in places.items() if len(found) > 1}


def test_a_name_of_two_modules_is_read_with_its_module():
    """A public name that stands in two modules is a verb whose noun is the module: callers write
    `links.add`, and never import `add` alone."""
    shared = names_of_several_modules()
    bare = sorted(
        f"{name}: {node.module}.{alias.name}"
        for name, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if node.module in shared.get(alias.name, ()) and alias.name not in ONE_MEANING
    )
    assert bare == []


@pytest.mark.parametrize("name", ONE_MEANING)
def test_no_exception_is_left_over(name):
    """Each name that is excused still stands in two modules."""
    assert name in names_of_several_modules()
