"""Pictures of a page: python examples/page_pictures.py [FOLDER]

A small memory is made in a folder of its own, `tideline serve` shows it, and chromium takes a
search with the factors of its scores, light and dark. `make page-pictures` installs what it needs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

from playwright.sync_api import sync_playwright

from examples.pictures import SAID

QUESTION = "/?q=when+do+I+deploy+to+production"
TOLD = (
    *SAID,
    ("2026-02-28", "Deploys to production need a green build and one review", "--tag", "deploy"),
    ("2026-02-25", "The production deploy runs from the main branch", "--source", "extraction"),
)  # fmt: skip
NEWEST = date(2026, 3, 2)
SIZE = {"width": 960, "height": 620}
_PROGRAM = (sys.executable, "-m", "tideline_cli")


def main(folder: Path) -> None:
    """Write both pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        environ = {**os.environ, "HOME": home, "TIDELINE_HOME": home}
        late = date.today() - NEWEST  # ages are the same whenever the pictures are made
        for day, *words in TOLD:
            said = str(date.fromisoformat(day) + late)
            subprocess.run([*_PROGRAM, "remember", "--quiet", *words, "--now", said], env=environ,
                           check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        command = [*_PROGRAM, "serve", "--port", "0", "--json"]
        with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as server:
            told = server.stdout.readline() if server.stdout else ""
            _take(json.loads(told)["url"], folder)
            server.terminate()


def _take(door: str, folder: Path) -> None:
    arguments = ["--no-sandbox"] if os.getuid() == 0 else []
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport=SIZE, color_scheme=scheme, device_scale_factor=1)
            page.goto(door)
            page.goto(door.partition("/?")[0] + QUESTION)
            page.evaluate("document.activeElement.blur()")
            page.screenshot(path=folder / f"search-{scheme}.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"))
