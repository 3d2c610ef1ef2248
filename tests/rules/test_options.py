"""How options are declared, and what they say of each other."""

from __future__ import annotations

import inspect

import pytest

from tideline_cli.cli.commands import COMMANDS, verb
from tideline_cli.cli.option_values import of_call
from tideline_cli.cli.options import GLOBAL, OptionSet, choice, count, flag, text
from tideline_cli.errors import UsageError


class Shared(OptionSet):
    """Options of two commands."""

    scope = text("Where.")
    dry_run = flag("Change nothing.", short="-n")


class Planted(Shared):
    """Options as a command declares them."""

    from_ = text("Of whom.", many=True)
    scope = Shared.scope.but(help="Where it is.")
    limit = count("So many.", default=5, least=1)
    sort = choice(("new", "old"))("In which order.", flags=("--sort", "--order"))


def test_a_declaration_is_all_of_an_option():
    """Names and flags come from the attribute; own options stand before those of the bases, whose
    place one keeps that a command says anew."""
    assert [(one.name, one.flags) for one in Planted.ALL] == [
        ("from_", ("--from",)), ("limit", ("--limit",)), ("sort", ("--sort", "--order")),
        ("scope", ("--scope",)), ("dry_run", ("--dry-run", "-n")),
    ]  # fmt: skip
    assert (Planted.scope.help, Shared.scope.help) == ("Where it is.", "Where.")


def test_an_instance_has_the_values_of_a_call():
    """Texts are converted, what is not given has its default, and nothing can be changed later."""
    given = {"words": ["x"], "limit": "7", "from_": ["a", "b"], "dry_run": True}
    assert vars(of_call(Planted, given, lambda: 0)) == {
        "from_": ("a", "b"), "limit": 7, "sort": None, "scope": None, "dry_run": True,
    }  # fmt: skip
    assert vars(Planted()) == {"from_": (), "limit": 5, "sort": None, "scope": None,
                               "dry_run": False}  # fmt: skip
    for wrong in ({"limit": "0"}, {"sort": "up"}):
        with pytest.raises(UsageError):
            of_call(Planted, wrong, lambda: 0)
    with pytest.raises(TypeError):
        Planted(limits=3)
    with pytest.raises(AttributeError):
        Planted().limit = 3


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_its_own_options(name):
    """Each command declares its options as attributes, which is how mypy knows their types."""
    module = verb(name)
    assert issubclass(module.Options, OptionSet)
    assert not [one for kind in module.Options.__mro__ for one in vars(kind).get(
        "__annotations__", ()) if kind is not OptionSet]  # fmt: skip
    _, words, options = inspect.signature(module.run).parameters.values()
    assert (words.annotation, options.annotation) == ("list[str]", module.Options.__name__)


def test_options_exclude_options_that_are_there():
    """What an option excludes is an option of the same command whose flag is its name, since
    messages name it so."""
    wrong = []
    for name in COMMANDS:
        options = {option.name: option for option in (*verb(name).Options.ALL, *GLOBAL)}
        for option in verb(name).Options.ALL:
            for other in (*option.excludes, *(one for one, _ in option.beside)):
                typed = f"--{other.rstrip('_').replace('_', '-')}"
                if other != "words" and (other not in options or typed not in options[other].flags):
                    wrong.append(f"{name}: {option.name} excludes {other}")
    assert wrong == []
