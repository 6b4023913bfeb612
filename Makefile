# Each target makes .venv when it is missing, installs what it needs once, and then does its job.
# Needs make and Python 3.11 or newer; PYTHON=/path/to/python chooses one.

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python3.14 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help demo test lint bench docs clean
.DELETE_ON_ERROR:

help:
	@echo "make demo    the main job on a built-in synthetic population"
	@echo "make test    every test"
	@echo "make lint    ruff and mypy"
	@echo "make bench   every benchmark, beside its peers"
	@echo "make docs    the documentation, as a web site in site/"
	@echo "make clean   remove .venv and everything built"

demo: $(VENV)/base.stamp
	@$(BIN)/lookalike demo

test: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/lint.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/peers.stamp
	@missed=; for bench in $(sort $(wildcard benchmarks/bench_*.py)); do echo "== $$bench"; \
	$(BIN)/python "$$bench" || missed="$$missed $$bench"; done; \
	test -z "$$missed" || { echo "missed:$$missed"; exit 1; }

docs: $(VENV)/docs.stamp
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) site dist demo .pytest_cache .mypy_cache .ruff_cache .hypothesis

# One stamp per set of requirements: a changed pyproject.toml installs again, anything else does not.
$(VENV)/base.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing Lookalike into $(VENV) (once; a minute or two) ..."
	@$(INSTALL) --editable .
	@touch $@

# What benchmarks measure against; without their own requirements, which pin old versions of ours.
$(VENV)/peers.stamp: $(VENV)/test.stamp
	@$(INSTALL) --no-deps anonypy NICEx QIDLearningLib
	@touch $@

$(VENV)/%.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing Lookalike and what '$*' needs into $(VENV) (once; a minute or two) ..."
	@$(INSTALL) --editable '.[$*]'
	@touch $@

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and none was found on PATH." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
