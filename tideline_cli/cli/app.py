"""The second parser: Typer, with commands loaded when they are named. Help comes from here."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from tideline_cli import __version__
from tideline_cli.cli import mistyped
from tideline_cli.cli.commands import COMMANDS, DOOR, PANELS, SUMMARY, verb
from tideline_cli.cli.generate.man import VERSION, examples, help_form, help_forms, help_of
from tideline_cli.cli.messages import (
    INTERRUPTED,
    discard_stdout,
    exhausted,
    system_error,
    tell_door,
    tell_error,
)
from tideline_cli.cli.options import GLOBAL, Argument, Option
from tideline_cli.errors import UsageError
from tideline_cli.model.codec import dumps

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tideline_cli.errors import TidelineError

try:  # the copy of click that Typer carries, whose classes its own are
    from typer._click import Command, Context
    from typer._click.exceptions import BadOptionUsage, ClickException, NoSuchOption
except ImportError:  # a Typer that uses click itself
    from click import Command, Context  # type: ignore[import-not-found,assignment,unused-ignore]
    from click.exceptions import (  # type: ignore[import-not-found,assignment,unused-ignore]
        BadOptionUsage,
        ClickException,
        NoSuchOption,
    )


def run(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    try:
        # A door is one also where --auto was taken for the value of another option.
        held = {"auto": True} if is_of_door(argv) else {}
        held |= {_AS_JSON: True} if wants_json(argv) else {}
        code = root().main(_checked(argv), prog_name="tideline", standalone_mode=False, obj=held)
    except (ClickException, UsageError) as error:
        if is_of_door(argv):
            if {"--verbose", "-v", "--debug"} & set(argv):
                said = error.format_message() if isinstance(error, ClickException) else str(error)
                told = UsageError(said, hint="tideline context --help")
                tell_door(told, as_json=wants_json(argv))
            return 0
        usage = error if isinstance(error, UsageError) else _meant(error, argv)
        return tell_error(usage, as_json=wants_json(argv))
    except typer.Exit as error:
        return int(error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        discard_stdout()
        return 0
    except OSError as error:
        discard_stdout()
        return _failed(system_error(error), argv)
    except (ImportError, MemoryError, SystemError) as error:
        short = exhausted(error)
        if short is None:
            raise
        return _failed(short, argv)
    return code if isinstance(code, int) else 0


def _failed(error: TidelineError, argv: Sequence[str]) -> int:
    return 0 if is_of_door(argv) else tell_error(error, as_json=wants_json(argv))


def _show_help(name: str) -> None:
    run([name, "--help"] if name else ["--help"])


def _checked(argv: Sequence[str]) -> list[str]:
    """Return a command line whose first word is a command, `help` put as an option; raise
    UsageError for a word that is none."""
    parts = list(argv)
    found = place_of_command(parts)
    if found is not None and parts[found] == _HELP:
        parts = [*parts[:found], *parts[found + 1 :], "--help"]
        found = place_of_command(parts)
    if found is not None and parts[found] not in COMMANDS:
        for part in parts[:found]:
            if mistyped.is_no_global(part):
                raise mistyped.no_option("", parts, part)
        raise mistyped.no_command(parts, found)
    return parts


def _meant(error: ClickException, argv: Sequence[str]) -> UsageError:
    """Return what Typer's error means to a user, with the help of the command itself."""
    context = getattr(error, "ctx", None)
    name = (context.info_name or "") if context is not None and context.parent else ""
    if isinstance(error, NoSuchOption):
        return mistyped.no_option(name, argv, error.option_name)
    message = error.format_message()
    if isinstance(error, BadOptionUsage) and "requires" in message:
        message = f"{error.option_name} needs a value"
    whose = name or command_of(argv)
    return UsageError(message, hint=f"tideline {whose} --help" if whose else "tideline --help")


def root() -> TyperGroup:
    """Return the command group with every subcommand behind its name."""
    app = typer.Typer(
        cls=_Lazy,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback(help=SUMMARY)(_function(_keep_globals, (), (VERSION, *GLOBAL)))
    group = get_command(app)
    return cast(TyperGroup, group)


def build(name: str) -> TyperCommand:
    """Return the Typer command of a verb, made from its tables."""
    module = verb(name)

    def call(context: typer.Context, given: Mapping[str, Any]) -> int:
        """Merge what stands before the command with what stands after it, and run."""
        from tideline_cli.cli.perform import perform  # noqa: PLC0415  what --help does without

        return perform(name, {"words": [], **_held(context), **_typed(given)}, _show_help)

    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, cls=_Verb, help=help_of(module))(
        _function(call, module.ARGUMENTS, (*module.Options.ALL, *GLOBAL))
    )
    command = cast(_Verb, get_command(app))
    command.examples = examples(name, module.EXAMPLES)
    command.context_settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
    return command


class _Verb(TyperCommand):
    """A command whose help shows its own options first, then those that every command has, and
    each example on a line of its own."""

    examples: Sequence[str] = ()

    def get_help(self, ctx: Context) -> str:
        return _help_form(ctx, self.name or "") or super().get_help(ctx)

    def format_options(self, ctx: Context, formatter: Any) -> None:
        own: list[tuple[str, str]] = []
        shared: list[tuple[str, str]] = []
        arguments = [param for param in self.get_params(ctx) if param.param_type_name == "argument"]
        for param in self.get_params(ctx):
            row = param.get_help_record(ctx)
            if row is not None and param not in arguments:
                (shared if param.name in _SHARED else own).append(row)
        words = [row for param in arguments if (row := param.get_help_record(ctx)) is not None]
        for heading, rows in (
            ("Arguments", words), ("Options", own), ("Options of all commands", shared),
        ):  # fmt: skip
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: Context, formatter: Any) -> None:  # noqa: ARG002
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


class _Lazy(TyperGroup):
    """A group that knows its commands by name and summary, and imports the one that is run."""

    def get_help(self, ctx: Context) -> str:
        return _help_form(ctx, "") or super().get_help(ctx)

    def list_commands(self, ctx: Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:  # noqa: ARG002
        if cmd_name in COMMANDS:
            self.commands[cmd_name] = build(cmd_name)
        return self.commands.get(cmd_name)

    def format_options(self, ctx: Context, formatter: Any) -> None:
        """Write the commands first: they are what is looked for."""
        self.format_commands(ctx, formatter)
        rows = [row for one in self.get_params(ctx) if (row := one.get_help_record(ctx))]
        with formatter.section("Options of all commands"):
            formatter.write_dl(rows)

    def format_commands(self, ctx: Context, formatter: Any) -> None:  # noqa: ARG002
        for panel in PANELS:
            rows = [(name, told) for name, (_, told, its) in COMMANDS.items() if its == panel]
            if rows:
                with formatter.section(panel):
                    formatter.write_dl(rows)


_SHARED = frozenset(("help", *(option.name for option in GLOBAL)))
_HELP = "help"
_AS_JSON = "help as JSON"  # a name that no option has


def _help_form(ctx: Context, name: str) -> str:
    """Return the help as JSON where the command line asks for JSON, else nothing."""
    if not (ctx.obj or {}).get(_AS_JSON):
        return ""
    return dumps(help_form(name) if name else help_forms())


def _held(context: typer.Context) -> dict[str, Any]:
    """Return the options that stood before the command."""
    return {name: value for name, value in (context.obj or {}).items() if name != _AS_JSON}


def _keep_globals(context: typer.Context, given: Mapping[str, Any]) -> None:
    """Give the options that stand before the command to it, by way of the context."""
    if given["version"]:
        as_json = given["json"]
        print(f'{{"version": "{__version__}"}}' if as_json else f"tideline {__version__}")  # noqa: T201
        raise typer.Exit
    context.obj = {**(context.obj or {}), **_typed(given)}


def _typed(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that were typed, without those that stand for nothing."""
    return {key: value for key, value in given.items() if value not in (None, False, [])}


def _function(
    body: Callable[[typer.Context, Mapping[str, Any]], int | None],
    arguments: Sequence[Argument],
    options: Sequence[Option],
) -> Callable[..., Any]:
    """Return a function whose signature tells Typer the arguments and options. Every value reaches
    `body` as the text that was typed: both parsers convert in one place."""
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


def is_of_door(argv: Sequence[str]) -> bool:
    """Say whether a command line, even a wrong one, calls a door for programs."""
    end = argv.index("--") if "--" in argv else len(argv)
    if not any(part == "--auto" or part.startswith("--auto=") for part in argv[:end]):
        return False
    name = command_of(argv)
    # Behind an option that is not known, what is its value and what the command is a guess.
    return name == DOOR or (name not in COMMANDS and DOOR in argv)


def command_of(argv: Sequence[str]) -> str:
    """Return the command that a command line names, empty for none."""
    found = place_of_command(argv)
    return "" if found is None else argv[found]


def place_of_command(argv: Sequence[str]) -> int | None:
    """Return where the first word of a command line stands, None where it has options alone."""
    flags = {flag: option for option in GLOBAL for flag in option.flags}
    takes = False
    for index, part in enumerate(argv):
        if not takes and not part.startswith("-"):
            return index
        option = None if takes else flags.get(part)
        takes = option is not None and option.kind != "flag"
    return None


def wants_json(argv: Sequence[str]) -> bool:
    """Say whether a command line asks for JSON; what stands behind `--` are words."""
    end = argv.index("--") if "--" in argv else len(argv)
    return "--json" in argv[:end]
