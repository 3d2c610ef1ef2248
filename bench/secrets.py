"""How often ordinary facts look like secrets, and what the search costs: `python -m bench.secrets
FOLDER`, with a `corpus.jsonl` in each folder below it.

An alarm on an ordinary fact is a false one: the sets that are used here hold no secrets.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time

from tideline_cli.policy.secrets import may_hold, without


def main(folder: Path) -> None:
    """Print a row for each set."""
    print(f"{'set':<18}{'facts':>8}{'alarms':>8}{'share':>9}{'searched':>10}{'us/fact':>9}")
    for path in sorted(folder.glob("*/corpus.jsonl")):
        with open(path, encoding="utf-8") as lines:
            texts = [json.loads(line)["content"] for line in lines]
        started = process_time()
        alarms = sum(without(text)[1] > 0 for text in texts)
        spent = process_time() - started
        looked = sum(map(may_hold, texts)) / len(texts)
        share = f"{alarms / len(texts):.2%}"
        print(
            f"{path.parent.name:<18}{len(texts):>8,}{alarms:>8}{share:>9}{looked:>10.1%}"
            f"{spent / len(texts) * 1e6:>9.1f}"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
