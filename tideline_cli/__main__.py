"""The entry point: `tideline` and `python -m tideline_cli`."""

from __future__ import annotations

import gc
import os
import sys
from _thread import interrupt_main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# New objects between two runs of the garbage collector. A short command makes few objects, and a
# long one leaves few cycles. With the 700 of Python both spend 3 % of their time and find nothing.
_BETWEEN_COLLECTIONS = 50_000
_INTERRUPTED = 130
_RELOAD = "install tideline-cli again; if that does not help, see `ulimit -a`"


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    from tideline_cli.cli import fast  # noqa: PLC0415  a part that cannot be loaded is reported

    _make_printable()
    return fast.run(sys.argv[1:] if argv is None else argv)


def _make_printable() -> None:
    """Let streams whose encoding lacks a character print an escape instead of raising."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and stream.errors not in ("backslashreplace", None):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")


def enter() -> None:
    """Run the command of this process and end it, without the clean-up of Python (1-10 ms)."""
    gc.set_threshold(_BETWEEN_COLLECTIONS)
    code = 0
    is_auto = {"context", "--auto"} <= set(sys.argv)
    is_hook = "hook" in sys.argv  # until its words are read
    is_door = is_auto or is_hook  # it must not fail its caller
    _take_interrupts(lambda: 0 if is_hook else _INTERRUPTED)
    _prepare_streams()
    try:
        if sys.argv[1:] not in (["--version"], ["-V"]):  # which load as many modules without it
            _find_modules_fast()
        if is_hook:
            is_hook = _begin_hook()
            is_door = is_auto or is_hook
        code = main()
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = 0 if is_hook else _INTERRUPTED
    except BrokenPipeError:
        pass
    except (OSError, ValueError) as error:  # mostly a result that could not be written
        if not (code or is_door):
            code = 73
            _tell(getattr(error, "strerror", None) or str(error))
    except (MemoryError, SystemError):  # SystemError: no memory inside the interpreter
        if not is_door:
            code = 73
            _tell(
                "out of memory: the system gives this process no more", hint="see `ulimit -v`",
                code="out_of_memory",
            )  # fmt: skip
    except ImportError as error:
        if not is_door:
            code = 70
            _tell(f"a part of the program cannot be loaded: {error}", hint=_RELOAD, code="internal")
    except Exception as error:  # noqa: BLE001  what the catcher of commands could not catch
        if not is_door:
            code = 70
            _tell(
                f"internal error: {type(error).__name__}: {error}",
                hint="run it again with --debug", code="internal",
            )  # fmt: skip
    try:
        sys.stderr.flush()
    finally:
        os._exit(code)


def _take_interrupts(code: Callable[[], int]) -> None:
    """Let Ctrl-C end the process at once, and without a word, until the verb runs."""
    # Python raises an interrupt wherever it stands. While modules are loaded, that may be a
    # callback of Python's own, where it is printed and dropped.
    from _signal import (  # type: ignore[import-not-found]  # noqa: PLC0415  of a process, not of `main`
        SIGINT,
        default_int_handler,
        getsignal,
        signal,
    )

    def interrupted(*_: object) -> None:
        perform = sys.modules.get("tideline_cli.cli.perform")
        if perform is None or not getattr(perform, "HAS_BEGUN", ()):
            os._exit(code())
        raise KeyboardInterrupt

    def dropped(problem: sys.UnraisableHookArgs) -> None:
        if problem.exc_type is not KeyboardInterrupt:
            sys.__unraisablehook__(problem)
            return
        # It is raised anew, after this hook, which may raise nothing: Python looks for signals
        # after a call that is written as one, and not after those of `map`.
        for _ in map(interrupt_main, (SIGINT,)):
            return

    if getsignal(SIGINT) is default_int_handler:  # not where whoever started us has it ignored
        signal(SIGINT, interrupted)
        sys.unraisablehook = dropped


def _begin_hook() -> bool:
    """Say whether a client of the hooks calls, in any order of its words, and end that in time."""
    from tideline_cli.cli import hook_door  # noqa: PLC0415  where somebody says hook

    if hook_door.after_hook(sys.argv[1:]) is None:
        return False
    from tideline_cli.serve import deadline  # noqa: PLC0415  the call of a client

    deadline.begin()
    return True


def _find_modules_fast() -> None:
    try:
        from tideline_cli import module_finder  # noqa: PLC0415  no part that a command needs
    except ImportError:  # a Python whose import has other parts
        return
    module_finder.install()


def _tell(message: str, *, hint: str = "", code: str = "cannot_write") -> None:
    """Report an error without loading another module."""
    lines = [f"tideline: {ascii(message)[1:-1]}\n", f"  hint: {hint}\n" if hint else ""]
    if "--json" in sys.argv:
        said = ascii(message)[1:-1].replace("\\", "/").replace('"', "'")
        lines = [f'{{"error":{{"code":"{code}","message":"{said}","hint":"{hint}"}}}}\n']
    elif "--debug" in sys.argv:
        import traceback  # noqa: PLC0415  --debug alone

        traceback.print_exc()
    try:
        sys.stderr.write("".join(lines))
    except (OSError, ValueError):
        return


def _prepare_streams() -> None:
    """Open a closed standard stream. There is nothing to read; a write to stdout is an error. On
    Windows all carry UTF-8."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # A handle that is open for reading alone takes nothing.
            handle = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            setattr(sys, name, open(handle, mode, encoding="utf-8"))  # noqa: SIM115
    if sys.platform == "win32":
        _carry_utf8()


def _carry_utf8() -> None:
    """Let the standard streams be UTF-8, whatever the code page of the console is; in a pipe or a
    file a line ends with LF, as on other systems. A console is left to Python, which asks it for
    Unicode itself."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None and not stream.isatty():
            newline = None if stream is sys.stdin else "\n"
            reconfigure(encoding="utf-8", newline=newline)


if __name__ == "__main__":
    enter()
