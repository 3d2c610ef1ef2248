"""Safety that is spelled in signatures."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil

from tests.rules import parsed
from tests.support import DEVIATIONS, ROOT


def _functions(*packages):
    """Yield the public functions of packages, those of their inner packages as well."""
    for package in packages:
        home = importlib.import_module(f"tideline_cli.{package}")
        for info in pkgutil.walk_packages(home.__path__, f"{home.__name__}."):
            module = importlib.import_module(info.name)
            for name, function in inspect.getmembers(module, inspect.isfunction):
                if function.__module__ == module.__name__ and not name.startswith("_"):
                    yield f"{module.__name__.removeprefix('tideline_cli.')}.{name}", function


FUNCTIONS = dict(_functions("store", "memory", "dream", "exchange"))
CALLERS_CHOICE = ("viewer", "origin_number", "by")
# What tells nothing of a fact: whether, how many, what a check of the owner's found.
TELLS_NOTHING = {"None", "bool", "int", "int | None", "Iterator[Finding]"}
OF_NOBODY = {
    "store.reads.alone": "whatever its reader says, which has a viewer of its own",
    "store.reads.together": "as above",
    "store.connection.begin": "what the first read of the transaction says",
    "store.reads.one_by_one": "as above",
    "store.reads.through": "as above",
    "store.connection.at_once": "as above",
    "store.bulk_inserts.taken": "those of the ids that are given",
    "store.backup.write_over": "where a copy of the whole file went",
    "store.backup.write": "where a copy of the whole file went",
    "store.backup.replace_content": "where a copy of the whole file went",
    "store.checks.derived.sets": "names of embedders, for a repair",
    "store.checks.structure.schema_objects": "names of tables",
    "store.postgres.examination.held": "names of tables",
    "store.sync_state.server_mark": "the numbers of a server and of a schema",
    "memory.likeness.floor": "a number of the embedder of the file",
    "store.connection.named_settings": "settings of the file",
    "store.connection.purge_pending": "a setting of the file",
    "store.connection.setting": "a setting of the file",
    "store.archivals.of": "of the facts that are given",
    "store.archivals.successors": "of the facts that are given",
    "store.writes.wrong_digests": "numbers and ids, for doctor, which the owner alone may ask",
    "store.facts.numbers_after": "numbers alone, for making vectors of all origins",
    "store.uses.given_at": "of the facts that are given",
    "store.history.by_number": "a batch, which tells an ordinal to its own origin alone",
    "store.images.lives": "edges of the facts that are given",
    "store.images.told_births": "births of the facts that are given",
    "store.journal.counted": "counts of the changes that are given",
    "store.history.with_whole_images": "of the entries that are given",
    "store.images.state_before": "of the row that is given",
    "store.images.last_active": "of the fact that is given",
    "store.images.row_image": "of the row that is given",
    "store.images.row_images": "of the rows that are given",
    "store.links.full_end": "one of the two ends that are given",
    "store.members.listed": "who may see what, for the owner; the server asks",
    "store.stats.origins": "the owner's view of all origins: keys and counts, never text",
    "store.stats.ended_by_origin": "as above",
    "store.connection.generation": "a setting of the file",
    "store.connection.heat_rule": "settings of the user",
    "memory.told_changes.names_of": "ids of the ends that are given",
    "memory.heat.warmed": "the fact that is given",
    "memory.succession.replace_others": "the facts that are given",
    "memory.succession.hold_again": "the fact that is given",
    "memory.succession.kept_words": "what is known of the fact that is given",
    "memory.succession.repeated": "the fact that is given",
    "store.statements.said_since": "numbers of changes, of no fact",
    "store.statements.taken_back": "numbers of batches, of no fact",
    "store.undo_rows.present_ids": "ids of the facts that are given",
    "store.undo_rows.known_ids": "ids of the facts that are given",
    "store.undo_rows.trails": "of the rows that a batch of the viewer's touched",
    "store.parted_edges.followed": "of the rows that a batch of the viewer's touched",
    "memory.archived.stated_reasons": "of the facts that are given, each as its own origin sees it",
    "memory.archived.reasons": "of the facts that are given, each as its own origin sees it",
    "memory.rivals.rule_of": "a setting of the file",
    "memory.remember.remember": "NewFact.origin says whose fact it is",
    "memory.remember.remember_in_batch": "NewFact.origin says whose fact it is",
    "memory.reembed.choose": "how many facts lack vectors, for the owner who chooses",
    "store.vector_counts.missing_counts": "numbers of origins and counts, never text",
    "memory.lanes.coded_lane": "an embedder by its name",
    "memory.lanes.embedder_of": "a setting of the file",
    "memory.lanes.lane_of": "a setting of the file",
    "memory.lanes.embedder_named": "an embedder by its name",
    "memory.undo.apply_undo": "numbers of origins, of a plan of the viewer's",
    "exchange.extract.passes.fact_requests": "ExtractContext.origin says whose it is",
    "exchange.extract.passes.facts_pass": "ExtractContext.origin says whose it is",
    "exchange.ingest.run.ingest": "IngestContext.origin says whose documents they are",
    "exchange.ingest.run.preview": "IngestContext.origin says whose documents they are",
    "exchange.extract.passes.last_summary": "ExtractContext.origin says whose it is",
    "exchange.extract.passes.next_summary_request": "ExtractContext.origin says whose it is",
    "exchange.importer.import_rows.import_rows": "ImportContext.origin says whose rows they are",
}
"""Functions that read from a store, tell more than that, and are asked for nobody: why."""


OF_SYNCS = "store.sync_"
"""Modules of a sync, which takes the whole memory: the owner alone may run it
(tests/cli/test_sync.py)."""


def _returned(function):
    return str(function.__annotations__.get("return", ""))


def _where(function):
    """Return the file and the line of a function."""
    code = function.__code__
    return f"{code.co_filename.removeprefix(f'{ROOT}/')}:{code.co_firstlineno}"


def test_reading_needs_a_viewer():
    """Whatever reads from a store and tells of it says for whom, by keyword, without a default: it
    takes `viewer`, `origin_number` or `by`. Every other function is named with its reason."""
    wrong = []
    for name, function in FUNCTIONS.items():
        parameters = inspect.signature(function).parameters
        named = [parameters[word] for word in CALLERS_CHOICE if word in parameters]
        told = _returned(function)
        if "db" not in parameters or told in TELLS_NOTHING or name.startswith(OF_SYNCS):
            continue
        if not named and name not in OF_NOBODY:
            wrong.append(
                f"{_where(function)}: {name} returns {told} for nobody: let it take `viewer` by "
                "keyword, or name it with its reason in OF_NOBODY of tests/rules/test_signatures.py"
            )
        wrong += [
            f"{_where(function)}: {name} takes {parameter.name} by place: put it behind `*`"
            for parameter in named if parameter.kind is not inspect.Parameter.KEYWORD_ONLY
        ]  # fmt: skip
    assert wrong == []


def test_nothing_about_safety_has_a_default():
    """No function has a default for whom or when it reads."""
    assert [
        f"{_where(function)}: {name} has a default for {parameter.name}: let the caller say it"
        for name, function in FUNCTIONS.items()
        for parameter in inspect.signature(function).parameters.values()
        if parameter.name in (*CALLERS_CHOICE, "now")
        and parameter.default is not inspect.Parameter.empty
    ] == []  # fmt: skip


def test_no_exception_is_left_over():
    """Each function that is asked for nobody is there, and would break the rule."""
    assert [
        name for name in OF_NOBODY
        if name not in FUNCTIONS or _returned(FUNCTIONS[name]) in TELLS_NOTHING
        or not {*inspect.signature(FUNCTIONS[name]).parameters}.isdisjoint(CALLERS_CHOICE)
    ] == []  # fmt: skip


def functions_of_the_package():
    for path in sorted((ROOT / "tideline_cli").rglob("*.py")):
        for node in ast.walk(parsed.tree(path)):
            if isinstance(node, ast.FunctionDef):
                yield path, node


def test_time_comes_in_as_a_keyword():
    """A parameter called now, viewer or limit is keyword-only below the door."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path, node in functions_of_the_package()
        if {"memory", "store", "ranking", "policy"} & set(path.relative_to(ROOT).parts)
        and not node.name.startswith("_")
        and path.name != "visibility.py"  # the viewer is what it is about
        and {arg.arg for arg in node.args.args} & {"now", "viewer"}
    ]
    assert wrong == []


def test_every_command_has_a_module_with_help_and_examples():
    """COMMANDS and the verbs' tables are complete, and options are named once."""
    from tideline_cli.cli.commands import COMMANDS, verb
    from tideline_cli.cli.options import GLOBAL

    for name in COMMANDS:
        module = verb(name)
        assert module.HELP and module.HELP[0].isupper(), name
        options = (*module.Options.ALL, *GLOBAL)
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
        for node in ast.walk(parsed.tree(path)):
            if not (isinstance(node, ast.FunctionDef) and node.name.startswith("test_")):
                continue
            if not (ast.get_docstring(node) or "").rstrip().endswith("."):
                silent.append(f"{path.name}:{node.lineno} {node.name}")
    assert silent == []
