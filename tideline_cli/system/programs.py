"""Running other programs (git, rsync, rclone), each with an end to its time."""

from __future__ import annotations

import errno
import subprocess
from contextlib import suppress

from tideline_cli.errors import BusyError, UnavailableError
from tideline_cli.system import processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Of a call of git that we may be part of (a hook), which would lead ours elsewhere.
_OF_A_HOOK = frozenset((
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX",
    "GIT_SHALLOW_FILE", "GIT_COMMON_DIR", "GIT_QUARANTINE_PATH", "GIT_NAMESPACE",
))  # fmt: skip
_SECRET = ("TIDELINE_API_KEY", "TIDELINE_SYNC_KEY")
_GRACE = 5.0  # seconds for the pipes of a program that was killed


class Done:
    """What a program left behind."""

    def __init__(self, code: int, out: bytes, err: str) -> None:
        self.code, self.out, self.err = code, out, err


class Programs:
    """How programs are run: for how many seconds at most, whether a person at a terminal can be
    asked, and the variables of the environment."""

    def __init__(self, timeout: float, on_terminal: bool, environ: Mapping[str, str]) -> None:
        self.timeout, self.on_terminal, self.environ = timeout, on_terminal, environ

    def run(
        self, words: Sequence[str], *, stdin: bytes = b"", cwd: str | None = None,
        variables: Mapping[str, str] | None = None, held: int = -1,
    ) -> Done:  # fmt: skip
        """Run a program without a shell, and return what it left. It gets `variables` besides, and
        the open file `held`, whose lock lasts as long as the program does. Raises UnavailableError
        where it is not installed, BusyError where it takes too long."""
        process = self._started(words, cwd, dict(variables or {}), held)
        try:
            out, err = process.communicate(stdin, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            message = f"{words[0]} did not end within {self.timeout:g} s"
            raise BusyError(message, hint="try again", code="unreachable") from None
        finally:
            self._end(process)
        return Done(process.returncode, out, err.decode("utf-8", "replace"))

    def _started(
        self, words: Sequence[str], cwd: str | None, variables: dict[str, str], held: int
    ) -> subprocess.Popen[bytes]:
        environ = {name: value for name, value in self.environ.items()
                   if name not in _OF_A_HOOK and name not in _SECRET}  # fmt: skip
        try:
            return subprocess.Popen(  # noqa: S603  a list of words, no shell
                list(words),
                cwd=cwd,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environ | {"LC_ALL": "C", "TIDELINE_HOOKS": "0"} | variables,
                pass_fds=() if held < 0 else (held,),
                start_new_session=not self.on_terminal,  # it may ask there
            )
        except FileNotFoundError:
            raise UnavailableError(
                f"there is no program {words[0]}", hint=f"install {words[0]}", code="no_program"
            ) from None
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise
            raise UnavailableError(f"{words[0]} cannot be started: {error.strerror}") from error

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """End a program with all that it started, where it still runs, and close its pipes."""
        if process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                if self.on_terminal:
                    process.kill()
                else:
                    processes.end_all(process)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
