"""tideline: the long-term memory of the command line."""

__version__ = "0.1.0"
