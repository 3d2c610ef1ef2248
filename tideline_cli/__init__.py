"""tideline: the long-term memory of the command line."""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.serve.python_api import Memory as Memory


def __getattr__(name: str) -> object:
    """Load Memory when it is asked for: the commands need none of it."""
    if name == "Memory":
        from tideline_cli.serve.python_api import Memory  # noqa: PLC0415  30 ms

        return Memory
    raise AttributeError(f"module 'tideline_cli' has no attribute {name!r}")
