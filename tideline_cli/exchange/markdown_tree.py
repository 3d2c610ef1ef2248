"""Texts as trees of blocks with the places of their lines: Markdown and plain text, whose lists are
written alike, by markdown-it-py. In Markdown links between notes are their words; comments, embeds
and what is struck out are left out and counted. Pure."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import pairwise

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

_DEEPEST = 40  # levels: a quote is one, a list two
_KINDS = {
    "paragraph": "paragraph", "heading": "heading", "fence": "code", "code_block": "code",
    "html_block": "html", "hr": "ruler", "bullet_list": "list", "ordered_list": "list",
    "list_item": "item", "blockquote": "quote", "table": "table", "comment": "comment",
}  # fmt: skip
_STATES = {"[ ] ": "to do: ", "[x] ": "done: ", "[X] ": "done: "}
_ENDS = {"%%": "%%", "<!--": "-->", "[[": "]]", "![[": "]]", "{{": "}}", "~~": "~~",
         "<s>": "</s>", "<del>": "</del>", "<strike>": "</strike>"}  # fmt: skip
_LEFT = {"%%": "comments", "<!--": "comments", "![[": "embeds", "{{": "embeds"}
_MARKED = re.compile(
    r"`+|%%|<!--|-->|!?\[\[|\]\]|\{\{(?=(?:embed|query|renderer)\b)|\}\}|(?<!~)~~(?!~)"
    r"|</?(?:s|del|strike)>", re.IGNORECASE,
)  # fmt: skip
_MAY_BE_MARKED = ("[[", "{{", "%%", "<!--", "~~", "</s>", "</del>", "</strike>")
STRUCK, HIDDEN = "struck-out texts", "hidden parts"
_LONGEST_NAME = 200  # characters of a column's name; with a longer one none is said
_BULLET = re.compile(r"(?m)^([ \t]*)(?:[•·◦▪▫‣●○■□]|#\.)(?=[ \t])")
_BARE_ITEM = re.compile(r"(?m)^[ \t>]*(?:[-+*]|\d{1,9}[.)])[ \t]*(?:\[[ xX]\])?[ \t]*(?:\n|\Z)")
_BOXES = ("[ ]", "[x]", "[X]")
_DETAILS = re.compile(r"</?details\b[^>]*>", re.IGNORECASE)
_SUMMARY = re.compile(r"<summary\b[^>]*>(.*?)</summary>", re.IGNORECASE | re.DOTALL)
_PICTURE = re.compile(r"!\[[^\[\]]*\]\([^()]*\)|<img\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>|\[\s*\]\([^()]*\)")  # also an empty link
_CALLOUT = re.compile(r"\[!([\w -]{1,40})\][+-]?[ \t]*")
_CELL = re.compile(r"(?<!\\)\|")


class TextNode:
    """A block: its kind, where its lines begin and end, and its text or the blocks in it. `mark` is
    what tells it from others of its kind: the bullet or number of an item, the number that a list
    begins with, the signs of a heading or a fence, the kind of a callout. `cells` are those of a
    table, row by row, the head first."""

    __slots__ = ("begin", "cells", "children", "end", "kind", "mark", "text")

    def __init__(self, kind: str, begin: int, end: int, mark: str = "", text: str = "") -> None:
        self.kind, self.begin, self.end, self.mark, self.text = kind, begin, end, mark, text
        self.children: list[TextNode] = []
        self.cells: list[list[str]] = []

    def holds(self, *kinds: str) -> bool:
        """Say whether one of these stands in it."""
        return any(one.kind in kinds for one in self.children)

    @property
    def is_empty(self) -> bool:
        """Say whether it has no text, and nothing in it."""
        return not (self.text.strip() or self.children or any(map(any, self.cells)))

    def everything(self) -> Iterator[TextNode]:
        """Yield the block and all blocks in it, in order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)


@record
class BlockTree:
    """A text: its lines, the root of its blocks, and what is left out of it, counted by kind. The
    lines are `marked` where comments and links are still to be taken out of them."""

    lines: Sequence[str]
    root: TextNode
    left: Counter[str]
    marked: bool = False

    def source(self, nodes: Sequence[TextNode]) -> str:
        """Return blocks as they stand in their lines, without what is left out."""
        text, place = "", nodes[0].begin
        for node in nodes:
            own = "\n".join(line.rstrip() for line in self.lines[node.begin : node.end])
            if self.marked and node.kind != "code":
                own, left = without_marks(own)
                own = _BARE_ITEM.sub("", own) if left[STRUCK] else own
            text += "\n" * (node.begin - place) + own
            place = node.end - 1
        return text.strip("\n").rstrip()


def block_tree(lines: Sequence[str], *, is_plain: bool = False) -> BlockTree:
    """Return the blocks of a Markdown text, or of a plain one: paragraphs and lists alone."""
    building = _Building(lines, is_plain=is_plain)
    text = "\n".join(lines).replace("\r", " ")  # which the parser would take for the end of a line
    text = _BULLET.sub(lambda found: found[1].ljust(len(found[0]) - 1) + "-", text) \
        if is_plain else text
    for token in _parser(is_plain).parse(text):
        building.take(token)
    root = building.root
    if not is_plain:
        _with_details(root)
    return BlockTree(lines, root, building.left, not is_plain)


def _with_details(root: TextNode) -> None:
    """Put what stands between `<details>` and its end into a block of its own, which the summary
    begins."""
    nodes, root.children = root.children, []
    inside = [root]
    for node in nodes:
        ends = [mark[0][1] == "/" for mark in _DETAILS.finditer(node.text)
                if node.kind == "html"]  # fmt: skip
        if len(set(ends)) == 1:
            node.text = _DETAILS.sub("", node.text).strip()
            for _ in ends[: 0 if ends[0] else _DEEPEST - len(inside)]:
                inside.append(TextNode("quote", node.begin, node.end))
                inside[-2].children.append(inside[-1])
        if node.kind == "html" and len(inside) > 1 and not inside[-1].children:
            node.text, count = _SUMMARY.subn(r"\1", node.text)
            if count:
                inside[-1].mark = node.kind = "paragraph"
        for one in inside[1:]:
            one.end = node.end
        if node.text or node.kind != "html":
            inside[-1].children.append(node)
        if ends and all(ends):
            del inside[max(1, len(inside) - len(ends)) :]


class _Building:
    """The tree as far as it is read."""

    def __init__(self, lines: Sequence[str], *, is_plain: bool) -> None:
        self._lines = lines
        self._is_plain = is_plain
        self.left: Counter[str] = Counter()
        self.root = TextNode("root", 0, len(lines))
        self._open = [self.root]

    def take(self, token: Token) -> None:
        """Take what the parser has found next."""
        kind = _KINDS.get(token.type.removesuffix("_open").removesuffix("_close"))
        if token.type == "inline":
            self._take_text(token.content)
        elif token.type == "tr_open":
            self._open[-1].cells.append([])
        elif token.type == "tr_close":
            self._take_further_cells(self._open[-1])
        elif kind is None:
            return
        elif token.nesting < 0:
            self._close()
        else:
            begin, end = token.map or (0, 0)
            self._open.append(TextNode(kind, begin, end, _mark(kind, token)))
            if token.nesting == 0:
                self._take_leaf(token)
                self._close()

    def _take_text(self, content: str) -> None:
        node = self._open[-1]
        text, left = (content, Counter()) if self._is_plain else without_marks(content)
        self.left += left
        if left and text.strip() in _BOXES:
            text = ""
        if node.kind == "table":
            node.cells[-1].append(text.strip())
        else:
            node.text = text.strip("\n").rstrip()
            is_mark = len(self._open) == 2 and bool(_DETAILS.search(text))
            kind = "" if self._is_plain or is_mark else _wordless(node.text)
            if kind:
                self.left[kind] += 1
                node.text = ""

    def _take_further_cells(self, table: TextNode) -> None:
        """Add the cells that a row has beyond those of the head, which the parser drops."""
        count = len(table.cells)
        if count > 1:
            line = self._lines[table.begin + count].strip(" \t>").removeprefix("|")
            cells = _CELL.split(line)[len(table.cells[0]) :]
            table.cells[-1] += [one.strip() for one in cells if one.strip()]

    def _take_leaf(self, token: Token) -> None:
        node = self._open[-1]
        if token.type == "fence":
            node.text = f"{node.mark}{token.info}\n{token.content}{node.mark}"
        elif token.type == "code_block":
            node.text = indented(token.content.rstrip("\n"), "    ", "    ")
        elif token.type == "html_block":
            self._take_text(token.content)
        elif token.type == "comment":
            self.left["comments"] += 1

    def _close(self) -> None:
        """Put the block that is read to its end where it belongs."""
        node = self._open.pop()
        while node.end > node.begin + 1 and not self._lines[node.end - 1].strip(" \t>"):
            node.end -= 1
        if node.kind in ("item", "quote"):
            if not node.children:
                self._keep_deepest(node)
            _take_state(node)
        is_left = node.kind in ("paragraph", "html", "comment") and self._open[-1] is self.root
        if node.is_empty and is_left:
            node.kind = "left"
        if node.kind in ("ruler", "left") or not node.is_empty:
            self._open[-1].children.append(node)

    def _keep_deepest(self, node: TextNode) -> None:
        """Keep as words what is nested too deeply to be read."""
        text = "\n".join(self._lines[node.begin : node.end]).strip()
        if len(self._open) > _DEEPEST // 2 and any(map(str.isalnum, text)):
            node.children.append(TextNode("paragraph", node.begin, node.end, text=text))


@cache
def _parser(is_plain: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415  30 ms, and Markdown alone

    # What stands inside of a line is kept as it is, and a definition of a link is no less a text.
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")
    parser.disable(["inline", "text_join", "reference"])
    if is_plain:
        return parser.disable(["table", "code", "fence", "blockquote", "hr", "html_block",
                               "heading", "lheading"])  # fmt: skip
    ending = {"alt": ["paragraph", "blockquote", "list"]}
    parser.block.ruler.before("fence", "comment", _comment_rule, ending)  # type: ignore[arg-type]
    return parser


def _comment_rule(state: StateBlock, begin: int, end: int, silent: bool) -> bool:
    """Read a comment that begins a line, up to the line that ends with its other `%%`."""
    start = state.bMarks[begin] + state.tShift[begin]
    if state.is_code_block(begin) or not state.src.startswith("%%", start):
        return False
    last, rest = begin, state.src[start + 2 : state.eMarks[begin]]
    while "%%" not in rest:
        last += 1
        if last >= end:
            return False
        rest = state.src[state.bMarks[last] : state.eMarks[last]]
    if not rest.rstrip().endswith("%%"):
        return False  # text goes on behind it: it stands in a paragraph
    if not silent:
        state.push("comment", "", 0).map = [begin, last + 1]
        state.line = last + 1
    return True


def _mark(kind: str, token: Token) -> str:
    match kind:
        case "heading":
            return "#" * int(token.tag[1:])
        case "item":
            return token.info + token.markup
        case "list":
            return str(token.attrGet("start") or 1) if token.tag == "ol" else ""
        case "quote":
            return ""
        case _:
            return token.markup


def _take_state(node: TextNode) -> None:
    """Say in words what the box of an item shows, and what kind of callout a quote is, on a line of
    its own: `Note: title`."""
    first = node.children[0] if node.children else node
    if first.kind != "paragraph":
        return
    if node.kind == "item":
        state = _STATES.get(first.text[:4])
        first.text = state + first.text[4:].lstrip() if state else first.text
        return
    found = _CALLOUT.match(first.text)
    if found:
        node.mark = found[1]
        title, _, body = first.text[found.end() :].partition("\n")
        said = f"{found[1].capitalize()}: {title.strip()}".rstrip()
        head = TextNode("paragraph", first.begin, first.begin + 1, text=said)
        first.begin, first.text = first.begin + 1, body
        node.children[:1] = [head, first] if body.strip() else [head]


def read_text(nodes: Iterable[TextNode]) -> str:
    """Return the text of blocks as it is read; what touches is parted by a line break."""
    text, end = "", -1
    for node in nodes:
        gap = "" if end < 0 else "\n" if node.begin <= end else "\n\n"
        text += gap + _text(node)
        end = node.end
    return text


def _text(node: TextNode) -> str:
    match node.kind:
        case "list":
            return "\n".join(
                indented(read_text(item.children), f"{item.mark} ", "  ") for item in node.children
            )
        case "quote":
            text = read_text(node.children)
            return text if node.mark else indented(text, "> ", "> ")
        case "table":
            return "\n".join(row_texts(node.cells))
        case "heading":
            return f"{node.mark} {node.text}".lstrip()
        case _:
            return node.text


def row_texts(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows of a table as `column: value; column: value`; of one without rows the head.
    """
    head, *body = rows
    if any(len(name) > _LONGEST_NAME for name in head):
        head, body = [], list(rows)
    found = []
    for row in body or [head]:
        names = head if body else ()
        cells = [
            f"{names[place]}: {cell}" if place < len(names) and names[place] else cell
            for place, cell in enumerate(row) if cell
        ]  # fmt: skip
        found += ["; ".join(cells)] if cells else []
    return found


def indented(text: str, first: str, others: str) -> str:
    """Return a text with one beginning before its first line, and another before the others."""
    head, *rest = text.split("\n")
    return "\n".join([first + head, *((others + line).rstrip() for line in rest)])


def _wordless(text: str) -> str:
    """Return what a text is that holds no words but pictures or tags; '' for any other."""
    if not ("<" in text or "![" in text):
        return ""
    shown = _PICTURE.sub("", text)
    is_bare = any(map(str.isalnum, text)) and not any(map(str.isalnum, _TAG.sub("", shown)))
    return "" if not is_bare else "tags" if shown == text else "pictures"


def without_marks(text: str) -> tuple[str, Counter[str]]:
    """Return a text with its links to notes as their words, without comments, embeds and what is
    struck out, and how many of these there were. Code between backticks stays as it is."""
    left: Counter[str] = Counter()
    if not any(mark in text for mark in _MAY_BE_MARKED):
        return text, left
    marks = list(_MARKED.finditer(text))
    ends = _ends(marks)
    found: list[str] = []
    place = at = 0
    while at < len(marks):
        mark, end, own = marks[at], ends[at], at
        at += 1
        if end is None or text[mark.start() - 1 : mark.start()] == "\\":
            continue
        if mark[0][0] == "`":
            at = end + 1
            continue
        shown = ""
        if mark[0].endswith("[[") and end != own + 1:
            continue
        inner = text[mark.end() : marks[end].start()]
        if mark[0].endswith("[["):
            if "\n" in inner or not inner.strip():
                continue
            if mark[0][0] == "[":
                shown = inner.replace("\\|", "|").rpartition("|")[2].strip()
        elif mark[0] == "~~" and inner.strip() != inner:
            continue
        left[_LEFT.get(mark[0], STRUCK)] += mark[0] != "[["
        found += [text[place : mark.start()], shown]
        place, at = marks[end].end(), end + 1
    found.append(text[place:])
    return "".join(found), +left


def _ends(marks: Sequence[re.Match[str]]) -> list[int | None]:
    """Return for each mark the place of the next one that ends what it begins."""
    following: dict[str, int] = {}
    found: list[int | None] = []
    for place in range(len(marks) - 1, -1, -1):
        sign = marks[place][0].lower()
        found.append(following.get(sign if sign[0] == "`" else _ENDS.get(sign, "")))
        following[sign] = place
    return found[::-1]


def definitions(text: str) -> list[str]:
    """Return the definitions of a list of them as `term: definition`, none where it is no such
    list: a line of a term, and below it lines that begin with a colon."""
    lines = [line for line in text.split("\n") if line.strip()]
    found: list[str] = []
    term = ""
    for line, after in pairwise([*lines, ""]):
        if term and line.startswith(": "):
            found.append(f"{term}: {line[2:].strip()}")
        elif after.startswith(": "):
            term = line.strip()
        elif found:
            found[-1] += f"\n{line.strip()}"
        else:
            return []
    return found
