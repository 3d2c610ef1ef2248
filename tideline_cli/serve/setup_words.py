"""The words that `setup` writes for people: what lies in the folders of plugins, and what is left
to the person."""

from __future__ import annotations

ABOUT = "Memory from the command line: what you have remembered is said where it helps."
README_TEXT = """# tideline

This folder was written by `tideline setup`, and lets an agent use the memory of tideline. When a
conversation starts, the agent gets pinned and strong facts; with each prompt it gets the facts that
have to do with it, as data and not as instructions. Most prompts get nothing. Nothing is sent
anywhere, and nothing is written to the memory.

`tideline hook --pause 2h` pauses it, `tideline setup --remove` takes it out again, and
`tideline setup --check` says how it is.
"""
LICENSE_TEXT = """MIT License

Copyright (c) The tideline authors

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""
ASKS = {
    "claude-code": "",
    "codex": "start codex and approve the 3 hooks of tideline in /hooks: until then it runs none, "
             "and does not say so",
    "gemini": "start gemini anew; in a folder that it does not trust it runs no hooks",
    "cursor": "start cursor anew",
}  # fmt: skip
"""What is left to the person, of each client. Nobody answers a question of trust for them."""
