"""All errors, as a tree; each has an exit code and a hint.

TidelineError
├── UsageError          2   a value that is not allowed
│   ├── HelpWantedError     a command without words: the help is shown
│   └── AmbiguousError      an id of which too little was given
├── NotFoundError       3   no such id for this viewer
├── WriteBlockedError   4   write-gate, threat scan or policy
├── StoreError          5   damaged, foreign, or newer than this program
├── UnavailableError    6   embedder, model or network
├── BadReplyError       6   a model's reply that cannot be used
├── CannotWriteError   73   disk full, read-only, permissions
│   └── ExhaustedError      memory, or open files, that the system gives this process
└── BusyError          75   another writer holds the store beyond the timeout
    └── ReplacedError       the store was replaced while the command ran
"""

from __future__ import annotations


class TidelineError(Exception):
    """An error that a user sees as one line: what happened, and a hint what to do next."""

    exit_code = 1
    code = "error"

    def __init__(self, message: str, *, hint: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code or type(self).code


class UsageError(TidelineError):
    exit_code = 2
    code = "usage"


class HelpWantedError(UsageError):
    """A command was called without its words by somebody at a terminal."""


class AmbiguousError(UsageError):
    """The beginning or the end of an id that several facts have: `facts` are the first few of
    them, each with its id and its text."""

    code = "ambiguous"

    def __init__(self, message: str, *, hint: str, facts: tuple[tuple[str, str], ...]) -> None:
        super().__init__(message, hint=hint)
        self.facts = facts


class NotFoundError(TidelineError):
    exit_code = 3
    code = "not_found"


class WriteBlockedError(TidelineError):
    """A write that policy refuses; the journal keeps `reason`."""

    exit_code = 4
    code = "write_blocked"

    def __init__(self, message: str, *, hint: str = "", code: str = "", reason: str = "") -> None:
        super().__init__(message, hint=hint, code=code)
        self.reason = reason or message


class StoreError(TidelineError):
    exit_code = 5
    code = "store_damaged"


class UnavailableError(TidelineError):
    exit_code = 6
    code = "unavailable"


class TooLongError(UnavailableError):
    """A prompt that the model has no room for."""

    code = "too_long"


class BudgetError(UnavailableError):
    """A request that is more than a day may cost."""

    code = "budget"


class BadReplyError(TidelineError):
    """A model's reply that is not what was asked for: nothing of it is taken."""

    exit_code = 6
    code = "bad_reply"

    def __init__(self, *, hint: str, about: str = "the model's reply") -> None:
        super().__init__(f"{about} is not the JSON that was asked for", hint=hint)


class CannotWriteError(TidelineError):
    exit_code = 73
    code = "cannot_write"


class ExhaustedError(CannotWriteError):
    """The system gives this process no more memory (code out_of_memory) or no more open files
    (out_of_files). The program and the store are sound."""

    code = "out_of_memory"


class BusyError(TidelineError):
    exit_code = 75
    code = "busy"


class ReplacedError(BusyError):
    """`restore --from` has replaced the content of the store while the command was reading it."""

    code = "store_replaced"

    def after(self, done: str) -> ReplacedError:
        """Return the error with a note on what the command had done before."""
        return ReplacedError(f"{self.message}: {done}", hint=self.hint)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of long work: how far it came, and how to go on. Where `is_in_doubt` a
    server was just storing the next part, and nobody knows yet whether it did."""

    def __init__(
        self, message: str, *, hint: str = "", done: int = 0, is_in_doubt: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.done = done
        self.is_in_doubt = is_in_doubt

    @classmethod
    def of(cls, stop: KeyboardInterrupt, message: str, *, hint: str, done: int = 0) -> Interrupted:
        """Return `stop` with what is known of the work that it stopped."""
        is_in_doubt = isinstance(stop, Interrupted) and stop.is_in_doubt
        if is_in_doubt:
            message += "; what was being stored may be in too"
        return cls(message, hint=hint, done=done, is_in_doubt=is_in_doubt)
