"""Safety that is spelled in signatures."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil

import pytest

from tests.support import DEVIATIONS, ROOT


def _modules(package):
    home = importlib.import_module(f"tideline_cli.{package}")
    return [
        importlib.import_module(f"{home.__name__}.{info.name}")
        for info in pkgutil.iter_modules(home.__path__)
    ]


MODULES = _modules("store")
FUNCTIONS = [
    (module, name, function)
    for module in MODULES
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__ and not name.startswith("_")
]
NAMES = [f"{module.__name__}.{name}" for module, name, _ in FUNCTIONS]
READS = ("Fact", "Rival", "Link", "Entry", "Counts", "tuple[Any", "tuple[int, str]", "list[int]")
WRITERS = {"insert", "change", "archive", "add", "append"}
MAINTENANCE = {
    "origins": "the owner's view of all origins: keys and counts, never text",
    "narrowing": "conditions, no facts",
    "numbers_after": "numbers alone, for making vectors of all origins",
}
CALLERS_CHOICE = ("viewer", "origin_number", "by")


@pytest.mark.parametrize(("module", "name", "function"), FUNCTIONS, ids=NAMES)
def test_reading_needs_a_viewer(module, name, function):
    """What the store returns of facts takes `viewer` or `origin_number`, by keyword, without a default."""
    returned = str(function.__annotations__.get("return", ""))
    if name in WRITERS or name in MAINTENANCE or not any(kind in returned for kind in READS):
        return
    parameters = inspect.signature(function).parameters
    named = [parameters[word] for word in CALLERS_CHOICE if word in parameters]
    assert named, f"{module.__name__}.{name} → {returned}"
    for parameter in named:
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
        assert parameter.default is inspect.Parameter.empty


@pytest.mark.parametrize(("module", "name", "function"), FUNCTIONS, ids=NAMES)
def test_nothing_about_safety_has_a_default(module, name, function):
    """No function of the store has a default for whom, when or how much it reads."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in ("viewer", "origin_number", "by", "now"):
            assert parameter.default is inspect.Parameter.empty, f"{module.__name__}.{name}"


ABOVE = [
    (module, name, function)
    for package in ("memory", "dream", "exchange")
    for module in _modules(package)
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__
    and not name.startswith("_")
    and "db" in inspect.signature(function).parameters
]
TOLD = (*READS, "Hit", "Answer", "Plan", "Bucket", "Undone", "Amended", "Edited", "Linked", "Pair",
        "Purged", "Dreamt", "Judged", "Compared", "Request", "Summary", "dict[int, str]", "forms",
        "Remembered", "Result", "Iterator[dict")  # fmt: skip
OTHERWISE = {
    "remember": "NewFact.origin says whose fact it is",
    "write": "NewFact.origin says whose fact it is",
    "promote": "is given the fact",
    "fact_requests": "ExtractContext.origin says whose conversation it is",
    "import_rows": "ImportContext.origin says whose rows they are",
}


@pytest.mark.parametrize(
    ("module", "name", "function"), ABOVE, ids=[f"{m.__name__}.{name}" for m, name, _ in ABOVE]
)
def test_whoever_reads_above_the_store_says_for_whom(module, name, function):
    """What memory, dream and exchange return of facts takes `viewer`, by keyword, without a
    default, or a value that says whose it is."""
    parameters = inspect.signature(function).parameters
    named = [parameters[word] for word in CALLERS_CHOICE if word in parameters]
    returned = str(function.__annotations__.get("return", ""))
    reads = any(kind in returned for kind in TOLD)
    for parameter in named:
        assert parameter.default is inspect.Parameter.empty
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY or not reads
    assert named or not reads or name in OTHERWISE, f"{module.__name__}.{name} → {returned}"


def functions_of_the_package():
    for path in sorted((ROOT / "tideline_cli").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                yield path, node


def test_no_function_is_long():
    """No function has more than 50 lines."""
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path, node in functions_of_the_package()
        if node.end_lineno - node.lineno + 1 > 50
    ]
    assert long == []


def test_time_comes_in_as_a_keyword():
    """A parameter called now, viewer or limit is keyword-only below the door."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path, node in functions_of_the_package()
        if {"memory", "store", "ranking", "policy"} & set(path.parts)
        and not node.name.startswith("_")
        and path.name != "visibility.py"  # the viewer is what it is about
        and {arg.arg for arg in node.args.args} & {"now", "viewer"}
    ]
    assert wrong == []


def test_every_command_has_a_module_with_help_and_examples():
    """COMMANDS and the verbs' tables are complete, and options are named once."""
    from tideline_cli.cli.commands import COMMANDS
    from tideline_cli.cli.fast import verb
    from tideline_cli.cli.options import GLOBAL

    for name in COMMANDS:
        module = verb(name)
        assert module.HELP and module.HELP[0].isupper(), name
        options = (*module.OPTIONS, *GLOBAL)
        flags = [flag for option in options for flag in option.flags]
        assert len(flags) == len(set(flags)), name
        assert all(option.help.endswith((".", "]")) for option in options), name


def test_every_deviation_is_used():
    """Each line of the table of deviations is asserted somewhere in the golden cases."""
    texts = "".join(p.read_text("utf-8") for p in (ROOT / "tests/golden_cases").glob("*.py"))
    assert [name for name in DEVIATIONS if f'deviation("{name}")' not in texts] == []
    assert all(DEVIATIONS.values())


def test_every_test_says_what_it_shows():
    """Each test of these folders has a docstring of one sentence."""
    silent = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if {"vector", "bench", "policy"} & set(path.parts):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.FunctionDef) and node.name.startswith("test_")):
                continue
            if not (ast.get_docstring(node) or "").rstrip().endswith("."):
                silent.append(f"{path.name}:{node.lineno} {node.name}")
    assert silent == []
