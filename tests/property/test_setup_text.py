"""Whatever settings look like, set-up adds its own bytes, and taking out removes those alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import often
from tideline_cli.serve import json_edit, setup_merge
from tideline_cli.serve.setup_plan import MergedFile

HOOK = ("/opt/tide line/tideline", "hook", "cursor")
EVENTS = ("Start", "Prompt", "Stop")
FLAT = tuple((event, {"command": "'/opt/tide line/tideline' hook cursor"}) for event in EVENTS)
GROUPS = tuple((event, {"hooks": [entry]}) for event, entry in FLAT)
SERVER = {"command": HOOK[0], "args": ["mcp"]}
KNOWN = (HOOK, (HOOK[0], "mcp"))
MARK = "the word that somebody changes"
NUMBERS = ("0", "-0", "1.50", "1e999", "-0.0e-9", "123456789012345678901234567890", "1E+2")
STRINGS = ('"a"', '""', '"sp\\u00e4ter"', '"später"', '"\\ud800"', '"\\"\\\\\\/"', '"{[,:]}//"',
           '"/* no */"')  # fmt: skip


@st.composite
def layouts(draw, *, with_comments):
    """Return a function that draws white space, with comments or without."""
    end = draw(st.sampled_from(("\n", "\r\n")))
    choices = ["", "", " ", "\t", f"{end}  ", f"{end}\t", f" {end}{end}    "]
    if with_comments:
        choices += [" /* mine, {[ */ ", f" // mine, }}]{end} ", f"{end}  // é \"{end}"]
    return lambda: draw(st.sampled_from(choices))


@st.composite
def texts(draw, *, with_comments=False):
    """Return the text of a valid file of settings, laid out by chance."""
    blank = draw(layouts(with_comments=with_comments))

    def joined(opening, parts, closing):
        comma = "," if with_comments and parts and draw(st.booleans()) else ""
        inner = ",".join(blank() + part + blank() for part in parts) if parts else blank()
        return opening + inner + comma + (blank() if comma else "") + closing

    def scalar():
        return draw(st.sampled_from((*NUMBERS, *STRINGS, "true", "false", "null", "{}", "[ ]")))

    def member(name, text):
        return f'"{name}"{blank()}:{blank()}{text}'

    def listed(some):
        return joined("[", [some() for _ in range(draw(st.integers(0, 2)))], "]")

    def handler():
        calls = member("command", draw(st.sampled_from(('"beep"', '"tideline list"', "7"))))
        return joined("{", [calls, member("x", scalar())], "}")

    def entry():
        return draw(st.sampled_from((handler, lambda: joined(
            "{", [member("hooks", listed(handler))], "}"), scalar)))()  # fmt: skip

    def events():
        names = draw(st.lists(st.sampled_from((*EVENTS, "Other")), unique=True, max_size=3))
        return joined("{", [member(name, listed(entry)) for name in names], "}")

    def servers():
        names = draw(st.lists(st.sampled_from(("a", "b")), unique=True, max_size=2))
        return joined("{", [member(name, handler()) for name in names], "}")

    makers = {"hooks": events, "mcpServers": servers, "n": scalar, "s": scalar,
              "mark": lambda: json.dumps(MARK), "deep": lambda: listed(lambda: listed(scalar))}
    names = draw(st.permutations(draw(st.lists(st.sampled_from(sorted(makers)), unique=True))))
    root = joined("{", [member(name, makers[name]()) for name in names], "}")
    return draw(st.sampled_from(("", "\ufeff"))) + blank() + root + blank()


def merge_of(kind):
    made = {"flat": {"entries": FLAT}, "groups": {"entries": GROUPS}, "server": {"server": SERVER}}
    return MergedFile("f.json", "cursor", {"version": 1}, with_comments=True, **made[kind])


def plain(text):
    return json_edit.scanned(text, with_comments=True).form()


KINDS = ("flat", "groups", "server")


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=often(37, 150))
@given(text=st.one_of(texts(), texts(with_comments=True)))
def test_what_is_put_in_goes_without_a_trace(kind, text):
    """All that was there is there, in its order and its layout; twice is once; what is taken out
    leaves the text as it was, to the byte."""
    merge = merge_of(kind)
    new = setup_merge.put_in(text, merge)
    form, before = plain(new), plain(text)
    name = "mcpServers" if kind == "server" else "hooks"
    assert {**form, name: None} == {**before, name: None}
    if kind == "server":
        assert form[name] == {**before.get(name, {}), "tideline": SERVER}
    else:
        listed = {event: [*before.get(name, {}).get(event, []), entry]
                  for event, entry in merge.entries}  # fmt: skip
        assert form[name] == {**before.get(name, {}), **listed}
    assert setup_merge.put_in(new, merge) == new
    assert setup_merge.taken_out(new, merge, KNOWN, text) == text


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=often(25, 100))
@given(text=st.one_of(texts(), texts(with_comments=True)), data=st.data())
def test_what_somebody_adds_meanwhile_stays(kind, text, data):
    """An edit that is made between set-up and removal is all that differs afterwards: a value that
    is changed, a member in front, an entry behind ours."""
    merge = merge_of(kind)
    new = setup_merge.put_in(text, merge)
    edited, wanted = new.replace(MARK, "changed"), text.replace(MARK, "changed")
    front = '\n"added": 1.50, // by me\n'
    brace = text.index("{", json_edit.scanned(text, with_comments=True).root.start) + 1
    if json_edit.scanned(text, with_comments=True).root.items and data.draw(st.booleans()):
        edited, wanted = (one[:brace] + front + one[brace:] for one in (edited, wanted))
    assert setup_merge.taken_out(edited, merge, KNOWN, text) == wanted


@pytest.mark.parametrize("kind", ["flat", "groups"])
@settings(max_examples=often(25, 100))
@given(text=st.one_of(texts(), texts(with_comments=True)), joins=st.booleans())
def test_an_entry_behind_ours_stays(kind, text, joins):
    """What somebody puts behind our entry, or into our group, stays, and is all that does."""
    merge = merge_of(kind)
    file = json_edit.scanned(setup_merge.put_in(text, merge), with_comments=True)
    listed = file.at("hooks", "Stop")
    guest = '{"command": "guest"}'
    inner = listed.items[-1].value.item("hooks")
    place = inner.value.items[-1].end if joins and inner is not None else listed.items[-1].end
    edited = file.text[:place] + f",\n {guest}" + file.text[place:]
    form = plain(setup_merge.taken_out(edited, merge, KNOWN, text))
    held = plain(text).get("hooks", {}).get("Stop", [])
    group = {"command": "guest"} if not joins or inner is None else {"hooks": [json.loads(guest)]}
    assert form["hooks"]["Stop"] == [*held, group]
    assert {**form, "hooks": None} == {**plain(text), "hooks": None}


@given(text=st.one_of(texts(), texts(with_comments=True)))
def test_a_file_without_entries_of_ours(text):
    """Where nothing of ours is, nothing changes."""
    for kind in KINDS:
        assert setup_merge.taken_out(text, merge_of(kind), KNOWN, text) == text


@given(text=texts())
def test_the_scanner_reads_what_json_reads(text):
    """A plain text means what the standard library reads in it, but for its numbers."""
    def marked(raw):
        return ("number", json_edit._number(raw))

    kept = json.loads(text.lstrip("\ufeff"), parse_float=marked, parse_int=marked)
    assert json_edit.scanned(text, with_comments=False).form() == kept


@given(text=texts(), place=st.integers(0, 400), other=st.sampled_from('{}[],:"x1 \\\n'))
def test_what_is_no_json_is_no_text(text, place, other):
    """A text that was damaged is refused where the standard library refuses it."""
    broken = text.lstrip("\ufeff")
    broken = broken[:place] + other + broken[place + 1 :]
    try:
        json.loads(broken)
        is_json = True
    except ValueError:
        is_json = False
    try:
        json_edit.scanned(broken, with_comments=False)
    except json_edit.JsonTextError:
        assert not is_json
    else:
        assert is_json
