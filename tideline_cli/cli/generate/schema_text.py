"""The module that keeps the schema of this version for the steps of migration.

It follows the schema while that has its version. With a new version a new module is written, and
the one before stays as it is.
"""

from __future__ import annotations

import os

from tideline_cli.store import schema

_HOME = "tideline_cli/store"


def schema_module(root: str) -> dict[str, str]:
    """Return the module by its path, if `root` is a checkout."""
    if not os.path.isdir(os.path.join(root, _HOME)):
        return {}
    version = schema.VERSION
    return {
        f"{_HOME}/schema_{version}.py": (
            f'"""The SQL that makes a file of version {version}, as files have it: what a step of '
            'migration makes.\n\n`make generate` follows the schema while this is its version.\n'
            '"""\n\nfrom __future__ import annotations\n\n'
            f'SCRIPT = r"""\n{schema.stored_script()}\n"""\n'
        )
    }
