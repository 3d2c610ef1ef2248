"""What is not the same on all systems: how the program is started. The rest is in pyproject.toml.

A script of our own and not an entry point: the wrapper that older pips write for one imports `re`,
which costs a third of a cold start. On Windows a script cannot be started, and pip makes
tideline.exe of an entry point. So there are wheels for Windows besides the one for all others.
TIDELINE_WHEEL=win_amd64 and =win_arm64 ask for them: a variable, since a backend is asked for the
metadata and for the wheel in two calls, and options of the wheel reach the second alone.
"""

import os
import sys

from setuptools import setup

platform = os.environ.get("TIDELINE_WHEEL", "")
if sys.platform == "win32" or platform.startswith("win"):
    setup(
        entry_points={"console_scripts": ["tideline = tideline_cli.__main__:enter"]},
        options={"bdist_wheel": {"plat_name": platform}} if platform else {},
    )
else:
    setup(scripts=["bin/tideline"])
