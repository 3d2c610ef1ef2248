"""The second parser: Typer, with commands loaded when they are named. Help comes from here."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer._click import Command, Context
from typer._click.exceptions import ClickException
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from tideline_cli import __version__
from tideline_cli.cli.commands import COMMANDS, DOOR, PANELS, SUMMARY, verb
from tideline_cli.cli.generate.man import examples
from tideline_cli.cli.options import GLOBAL, Argument, Option
from tideline_cli.cli.perform import (
    INTERRUPTED,
    discard_stdout,
    exhausted,
    perform,
    system_error,
    tell_error,
)
from tideline_cli.cli.time_rules import help_of
from tideline_cli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


def run(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    try:
        code = root().main(list(argv), prog_name="tideline", standalone_mode=False)
    except ClickException as error:
        if _is_door(argv):
            return 0
        usage = UsageError(error.format_message(), hint="tideline --help")
        return tell_error(usage, as_json=_wants_json(argv))
    except typer.Exit as error:
        return int(error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        discard_stdout()
        return 0
    except OSError as error:
        discard_stdout()
        return 0 if _is_door(argv) else tell_error(system_error(error), as_json=_wants_json(argv))
    except (ImportError, MemoryError, SystemError) as error:
        short = exhausted(error)
        if short is None:
            raise
        return 0 if _is_door(argv) else tell_error(short, as_json=_wants_json(argv))
    return code if isinstance(code, int) else 0


def _show_help(name: str) -> None:
    run([name, "--help"])


def _is_door(argv: Sequence[str]) -> bool:
    """Say whether a command line, even a wrong one, calls a door for programs."""
    return "--auto" in argv and _named(argv) == DOOR


def _named(argv: Sequence[str]) -> str:
    """Return the command that a command line names, empty for none."""
    flags = {flag: option for option in GLOBAL for flag in option.flags}
    rest = list(argv)
    while rest:
        part = rest.pop(0)
        if not part.startswith("-"):
            return part
        option = flags.get(part)
        if option is not None and option.kind != "flag":
            rest = rest[1:]
    return ""


def _wants_json(argv: Sequence[str]) -> bool:
    """Say whether a command line asks for JSON; what stands behind `--` are words."""
    end = argv.index("--") if "--" in argv else len(argv)
    return "--json" in argv[:end]


def root() -> TyperGroup:
    """Return the command group with every subcommand behind its name."""
    app = typer.Typer(
        cls=_Lazy,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback(help=SUMMARY)(_function(_keep_globals, (), (_VERSION, *GLOBAL)))
    group = get_command(app)
    return cast(TyperGroup, group)


def build(name: str) -> TyperCommand:
    """Return the Typer command of a verb, made from its tables."""
    module = verb(name)

    def call(context: typer.Context, given: Mapping[str, Any]) -> int:
        """Merge what stands before the command with what stands after it, and run."""
        return perform(name, {"words": [], **(context.obj or {}), **_typed(given)}, _show_help)

    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, help=help_of(module), epilog=_examples(name, module.EXAMPLES))(
        _function(call, module.ARGUMENTS, (*module.OPTIONS, *GLOBAL))
    )
    command = get_command(app)
    command.context_settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
    return cast(TyperCommand, command)


class _Names(dict[str, Command]):
    """The names to suggest from when one is mistyped; there is no command behind them."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__()
        self._names = tuple(names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def keys(self) -> Any:
        return self._names


class _Lazy(TyperGroup):
    """A group that knows its commands by name and summary, and imports the one that is run."""

    def list_commands(self, ctx: Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:  # noqa: ARG002
        if cmd_name in COMMANDS:
            self.commands[cmd_name] = build(cmd_name)
        elif not self.commands:
            self.commands = _Names(COMMANDS)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Context, formatter: Any) -> None:  # noqa: ARG002
        for panel in PANELS:
            rows = [(name, c.summary) for name, c in COMMANDS.items() if c.panel == panel]
            if rows:
                with formatter.section(panel):
                    formatter.write_dl(rows)


_VERSION = Option("version", ("--version",), "Print the version.", "flag", False)


def _keep_globals(context: typer.Context, given: Mapping[str, Any]) -> None:
    """Give the options that stand before the command to it, by way of the context."""
    if given["version"]:
        as_json = given["json"]
        print(f'{{"version": "{__version__}"}}' if as_json else f"tideline {__version__}")  # noqa: T201
        raise typer.Exit
    context.obj = _typed(given)


def _typed(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that were typed, without those that stand for nothing."""
    return {key: value for key, value in given.items() if value not in (None, False, [])}


def _function(
    body: Callable[[typer.Context, Mapping[str, Any]], int | None],
    arguments: Sequence[Argument],
    options: Sequence[Option],
) -> Callable[..., Any]:
    """Return a function whose signature tells Typer the arguments and options.

    Every value reaches `body` as the text that was typed: both parsers convert in one place.
    """
    kinds: dict[str, Any] = {argument.name: _argument(argument) for argument in arguments}
    kinds |= {option.name: _option(option) for option in options}

    def function(context: typer.Context, **given: Any) -> int | None:
        return body(context, given)

    function.__annotations__ = {"context": typer.Context, **kinds}
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                "context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
            ),
            *(_parameter(name, kind) for name, kind in kinds.items()),
        ]
    )
    return function


def _parameter(name: str, kind: Any) -> inspect.Parameter:
    default = False if kind.__args__[0] is bool else None
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, annotation=kind, default=default)


def _argument(argument: Argument) -> Any:
    metavar = f"{argument.metavar}..." if argument.many else argument.metavar
    shown = metavar if argument.least else f"[{metavar}]"
    return Annotated[
        list[str] | None, typer.Argument(metavar=shown, help=argument.help, show_default=False)
    ]


def _option(option: Option) -> Any:
    if option.kind == "flag":
        flag = typer.Option(*option.flags, help=option.explained, show_default=False)
        return Annotated[bool, flag]
    declared = typer.Option(
        *option.flags, help=option.explained, metavar=option.placeholder, show_default=False
    )
    return Annotated[(list[str] if option.many else str) | None, declared]


def _examples(name: str, given: Sequence[tuple[str, str]]) -> str:
    return "Examples: " + "; ".join(examples(name, given)) if given else ""
