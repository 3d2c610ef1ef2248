"""tideline: the long-term memory of the command line."""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.serve.python_api import Memory as Memory


def __getattr__(name: str) -> object:
    """Load Memory when it is asked for: the commands need none of it."""
    if name == "Memory":
        return __import__("tideline_cli.serve.python_api", fromlist=(name,)).Memory
    raise AttributeError(f"module 'tideline_cli' has no attribute {name!r}")
