# Each target makes its own environment: a fresh clone needs python3 (3.11 or newer) and nothing else.
# Options of the demonstration: make demo ARGS="--port 8001"
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint bench clean

demo: $(VENV)/.run
	$(BIN)/referee demo $(ARGS)

test: $(VENV)/.dev
	$(BIN)/python -m pytest

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python -m pytest -n 0 -m bench -s

clean:
	rm -rf $(VENV) build dist *.egg-info

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "table-referee needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
		{ rm -rf $(VENV); echo "No venv here. On Debian or Ubuntu: sudo apt-get install python3-venv"; exit 1; }

$(VENV)/.run: pyproject.toml | $(VENV)/bin/python
	@echo 'Installing into $(VENV), once; this takes some minutes ...'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	@echo 'Installing into $(VENV), once; this takes some minutes ...'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.run
