"""tideline eval."""

from __future__ import annotations

from tideline_cli.cli import model_options
from tideline_cli.cli.eval_options import Options
from tideline_cli.cli.options import SCOPES, Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.evaluation.sets.formats import FORMS, JSONL

HELP = """Measure how good the answers are, with questions whose answers you know.

`eval run GOLD.jsonl` asks the questions of a file, a JSON object a line: "query", and what answers
it: "ids" of facts, or "answers", texts that a fact says. [] means that nothing does: then no answer
is the right one. "id", "now", "origin" and "category" may be given. It prints, of the first K
answers, the share that is found (recall), how high the first one stands (MRR), how good the order
is (nDCG), each with its 95 % interval; and with --profiles or --embedder what another way of asking
wins and loses against the one of now, which is that of your settings. Nothing is counted as use and
nothing is written: vectors that are missing, or of another embedder, are made in a copy.

`eval make` proposes questions from your own facts: by their slot, their title, or the rare words of
their text, or with --llm in the words of a model. On a terminal you say y, n or e (edit) to each;
elsewhere all are printed, for you to edit.

`eval poison` attacks a copy of your memory, through every door that untrusted text comes in by, and
says whether an attack changed, replaced or outranked what you said. It ends with 1 if one did.

`eval run SET` and `eval load SET` read public sets as their authors ship them: locomo10.json,
longmemeval_s.json, a folder of BEIR or TREC. Run puts the documents into a memory that goes
afterwards, load into a new memory of yours (--db), with the questions in --output."""
EXAMPLES = (("make --output gold.jsonl", ""), ("run gold.jsonl", "--profiles all"),
            ("run locomo10.json", "--k 10"), ("poison", ""))
ACTIONS = ("run", "make", "poison", "load")
ARGUMENTS = (
    Argument("words", "ACTION [FILE]", "run FILE, make, poison, load FILE.", "word", True, 0,
             ACTIONS),
)  # fmt: skip
MOST_K = 1000
DEFAULT_K = 5
DEFAULT_COUNT = 20
OPTIONS = (
    Option("k", ("--k", "-k"), f"How many answers count [default: {DEFAULT_K}].", "count",
           DEFAULT_K, least=1, most=MOST_K),
    Option("profiles", ("--profiles", "--profile"), "Compare other ways of asking with the one of "
           "now: all, or some of keyword, semantic, append, score, motherbrain, vectormemory, "
           "rsclaw.", "list", many=True, metavar="NAMES"),
    Option("embedder", ("--embedder",), "Compare with the vectors of another embedder.", "list",
           many=True, metavar="NAMES"),
    Option("form", ("--format",), "The form of FILE: jsonl, locomo, longmemeval, beir, trec or own "
           "(corpus.jsonl and queries.jsonl) [default: as it looks].", "choice",
           choices=(JSONL, *FORMS)),
    Option("misses", ("--misses",), "Show the questions that are not answered among the first K.",
           "flag", False),
    Option("strict", ("--strict",), "Ask nothing if any question cannot be asked, or names "
           "an answer that is not there.", "flag", False),
    Option("count", ("--count",), f"How many questions are proposed [default: {DEFAULT_COUNT}].",
           "count", DEFAULT_COUNT, least=1, most=100_000),
    Option("output", ("--output", "-o"), "Where make and load write questions; make adds to what "
           "is there.", "file"),
    *model_options.OPTIONS,
    *SCOPES,
)  # fmt: skip


def run(session: Session, words: list[str], options: Options) -> int:
    """Run one action."""
    match words:
        case ["run", path]:
            from tideline_cli.cli import eval_run  # noqa: PLC0415  one action of four

            return eval_run.run(session, path, options)
        case ["load", path]:
            from tideline_cli.cli import eval_load  # noqa: PLC0415  one action of four

            return eval_load.run(session, path, options)
        case ["make"]:
            from tideline_cli.cli import eval_make  # noqa: PLC0415  one action of four

            return eval_make.run(session, options)
        case ["poison"]:
            from tideline_cli.cli import eval_poison  # noqa: PLC0415  one action of four

            return eval_poison.run(session)
    raise UsageError(
        "eval takes run FILE, make, poison or load FILE", hint="tideline eval make"
    )
