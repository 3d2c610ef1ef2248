# `make demo` and `make test` need nothing but Python 3.11 or newer, its venv module, and make.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
# Half-written byte code and unbuffered streams of a caller's shell are not for our processes.
unexport PYTHONDONTWRITEBYTECODE
unexport PYTHONUNBUFFERED

.PHONY: all demo test lint bench generate clean

all: lint test

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml bin/tideline | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml bin/tideline | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed            ## install, and watch the main job at work
	PATH="$(abspath $(BIN)):$$PATH" sh examples/demo.sh

test: lint                          ## everything that a change must pass
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.installed-dev        ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/mypy
	PYTHONPATH=. $(BIN)/lint-imports

bench: $(VENV)/.installed-dev       ## print the figures of bench/README.md
	$(BIN)/python bench/run.py

generate: $(VENV)/.installed-dev    ## rewrite man/, completions/, docs/schema.md and README help
	$(BIN)/python -m tideline_cli.cli.generate

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
