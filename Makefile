# Each target makes .venv when it is missing, installs what it needs once, and then does its job.
# Needs make and Python 3.11 or newer; PYTHON=/path/to/python chooses one.

VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers
PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python3.14 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
OPTIONS := --quiet --disable-pip-version-check --no-compile
INSTALL := $(BIN)/python -m pip install $(OPTIONS)
NEEDS_PYTHON := test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and none was found on PATH." >&2; exit 1; }

.PHONY: help demo serve test test-peers test-pythons test-oldest test-newest test-dist coverage soak lint bench studies pictures docs dist clean
.DELETE_ON_ERROR:

help:
	@echo "make demo          the main job on a built-in synthetic population"
	@echo "make serve         the workbench in the browser"
	@echo "make test          every test, those beside the peers in an environment of their own"
	@echo "make test-pythons  the tests on every Python that pyproject.toml names and this machine has"
	@echo "make test-oldest   the tests with the oldest libraries that pyproject.toml allows"
	@echo "make test-newest   the tests with the newest libraries, pre-releases included"
	@echo "make test-dist     wheel and source archive built, each installed and run"
	@echo "make coverage      how much of each room the tests run, the least covered first"
	@echo "make soak          attacks for as long as told: SECONDS=3600, and from where: SEED=0"
	@echo "make lint          ruff and mypy"
	@echo "make bench         every benchmark that can fail, beside its peers; ONLY=optimal: one of them"
	@echo "make studies       the figures that pages of the documentation quote; ONLY=... likewise"
	@echo "make pictures      the pictures of the documentation, taken and drawn again"
	@echo "make docs          the documentation, as a web site in site/"
	@echo "make dist          wheel and source archive in dist/"
	@echo "make clean         remove the environments and everything built"

demo: $(VENV)/base.stamp
	@$(BIN)/lookalike warm
	@$(BIN)/lookalike demo

serve: $(VENV)/web.stamp
	@$(BIN)/lookalike serve

test: $(VENV)/test.stamp test-peers
	$(BIN)/python -m pytest -n 2 --ignore tests/peers

test-peers: $(PEERS)/peers.stamp
	$(PEERS)/bin/python -m pytest tests/peers

# The environment of each version is made anew, so that it gets the newest of everything.
test-pythons:
	@for v in $$(sed -n 's/.*Python :: \(3\.[0-9]*\)".*/\1/p' pyproject.toml); do \
	  if python$$v -c '' 2>/dev/null; then \
	    echo "== Python $$v"; rm -rf .venv-$$v; \
	    $(MAKE) --no-print-directory test-one VENV=.venv-$$v PYTHON=python$$v || exit 1; \
	  else echo "== Python $$v is not installed here: not tested"; fi; done

.PHONY: test-one
test-one: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n 2 --ignore tests/peers

# Made anew each time: what was installed before must not decide what is installed now.
test-oldest:
	@$(NEEDS_PYTHON)
	rm -rf .venv-oldest
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install $(OPTIONS) uv
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest/bin/python --resolution lowest-direct --editable '.[test]'
	.venv-oldest/bin/python -m pytest -n 2 --ignore tests/peers

test-newest:
	@$(NEEDS_PYTHON)
	rm -rf .venv-newest
	$(PYTHON) -m venv .venv-newest
	.venv-newest/bin/python -m pip install $(OPTIONS) --pre --editable '.[test]'
	.venv-newest/bin/python -m pytest -n 2 --ignore tests/peers

# Each archive in an environment of its own, away from the sources.
test-dist: dist
	@for archive in dist/*.whl dist/*.tar.gz; do \
	  echo "== $$archive"; rm -rf .venv-dist && $(PYTHON) -m venv .venv-dist && \
	  .venv-dist/bin/python -m pip install $(OPTIONS) "$$archive" && \
	  (cd .venv-dist && bin/lookalike demo --rows 500 && \
	    bin/lookalike verify demo/release/release.csv demo/release/certificate.json) || exit 1; done

# Kernels are compiled, so that no line of theirs is seen to run.
coverage: $(VENV)/coverage.stamp
	$(BIN)/python -m pytest -n 2 --ignore tests/peers --cov=lookalike --cov-report=json:.coverage.json --cov-report=
	@$(BIN)/python .ci/coverage_by_room.py .coverage.json

SECONDS ?= 60
SEED ?= 0
soak: $(VENV)/test.stamp
	PYTHONPATH=src:tests nice $(BIN)/python -m attacker.soak --seconds $(SECONDS) --seed $(SEED)

lint: $(VENV)/lint.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

ONLY ?= *
bench: $(PEERS)/bench.stamp
	$(call run_benchmarks,$(PEERS),bars)

studies: $(VENV)/studies.stamp
	$(call run_benchmarks,$(VENV),studies)

pictures: $(VENV)/studies.stamp
	$(call run_benchmarks,$(VENV),pictures)

# environment, folder; every file is run, those that fail are named at the end
define run_benchmarks
@missed=; for file in $(sort $(wildcard benchmarks/$(2)/$(ONLY).py)); do \
  echo "== $$file"; module=$$(echo "$${file%.py}" | tr / .); \
  $(1)/bin/python -m "$$module" || missed="$$missed $$file"; done; \
test -z "$$missed" || { echo "missed:$$missed"; exit 1; }
endef

docs: $(VENV)/docs.stamp
	$(BIN)/mkdocs build --strict

dist: $(VENV)/test.stamp
	rm -rf dist
	$(BIN)/python -m build --outdir dist .

clean:
	rm -rf .venv .venv-* site dist demo .pytest_cache .mypy_cache .ruff_cache .hypothesis

# One stamp per set of requirements: a changed pyproject.toml installs again, anything else does not.
$(VENV)/base.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing Lookalike into $(VENV) (once; a minute or two) ..."
	@$(INSTALL) --editable .
	@touch $@

$(VENV)/%.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing Lookalike and what '$*' needs into $(VENV) (once; a minute or two) ..."
	@$(INSTALL) --editable '.[$*]'
	@touch $@

$(PEERS)/peers.stamp: pyproject.toml | $(PEERS)/bin/python
	@echo "Installing the peers into $(PEERS) (once; a minute or two) ..."
	@$(PEERS)/bin/python -m pip install $(OPTIONS) --editable '.[peers]'
	@touch $@

# What benchmarks measure against besides; without their own requirements, which pin old versions of ours.
$(PEERS)/bench.stamp: $(PEERS)/peers.stamp
	@$(PEERS)/bin/python -m pip install $(OPTIONS) --editable '.[causal,report,spark]'
	@$(PEERS)/bin/python -m pip install $(OPTIONS) --no-deps anonypy NICEx QIDLearningLib
	@touch $@

$(BIN)/python:
	@$(NEEDS_PYTHON)
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(PEERS)/bin/python:
	@$(NEEDS_PYTHON)
	@$(PYTHON) -m venv $(PEERS) || { rm -rf $(PEERS); exit 1; }
