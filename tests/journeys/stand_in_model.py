"""A model that believes all it reads: each marked sentence of a prompt comes back as a fact. What
it was asked is kept in the file that DAY_PROMPTS names."""

from __future__ import annotations

import json
import os
import re
import sys

if __name__ == "__main__":
    asked = sys.stdin.read()
    with open(os.environ["DAY_PROMPTS"], "a", encoding="utf-8") as kept:
        kept.write(asked)
    found = dict.fromkeys(re.findall(r"(?:NEW|ECHOED|POISON)\d+ [^.\n\"\\]*\.", asked))
    print(json.dumps({"facts": [{"content": one, "segment": "knowledge"} for one in found]}))
