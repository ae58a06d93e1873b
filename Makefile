# The two commands of the README: `make demo` and `make test`. Both need only Python 3.11 or later and make.

PYTHON ?= python3
VENV ?= .venv
PIP = $(VENV)/bin/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
GRADE = $(VENV)/bin/grade
SAMPLE = examples/four_mistakes $(patsubst examples/four_mistakes/%.py,--only %,$(wildcard examples/four_mistakes/*.py))
BELOW_FULL_MARKS = test $$? -eq 1

.DEFAULT_GOAL := help
.PHONY: help demo test lint types unit proof benchmark clean

help:  ## Show what can be made.
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

# torch first and by itself: asked for by another package, pip may choose a far larger build of it.
$(VENV)/.installed: pyproject.toml constraints.txt
	@echo "Making the environment in $(VENV) (torch is large: the first time takes minutes)…"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed, this is %s: make PYTHON=python3.12 …" % sys.version.split()[0])'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) "$$(grep '^torch==' constraints.txt)" $(PIP_ARGS)
	@$(PIP) --editable '.[dev]' $(PIP_ARGS)
	@touch $@

demo: $(VENV)/.installed  ## Grade the solutions, the untouched stubs and a sample with four mistakes.
	@echo; echo "── The solutions: full marks ─────────────────────────────────────────────"
	@$(GRADE) check solutions
	@echo; echo "── The untouched stubs: nothing done yet ─────────────────────────────────"
	@$(GRADE) check exercises || $(BELOW_FULL_MARKS)
	@echo; echo "── A submission with four ordinary mistakes ──────────────────────────────"
	@$(GRADE) check $(SAMPLE) --seed 1 || $(BELOW_FULL_MARKS)
	@$(GRADE) check $(SAMPLE) --seed 1 --format html --output demo-report.html || $(BELOW_FULL_MARKS)

test: lint types unit  ## Everything that must hold: style, types, tests and the proof of the course.

lint: $(VENV)/.installed
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

types: $(VENV)/.installed
	$(VENV)/bin/mypy

unit: $(VENV)/.installed
	$(VENV)/bin/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal

proof: $(VENV)/.installed  ## The whole proof of the course, mutants and all, as docs/proof.md (long: use a quiet machine).
	$(GRADE) course check --mutants --keep .proofs --write docs/proof.md

benchmark: $(VENV)/.installed  ## Measure speed, side by side.
	$(VENV)/bin/python benchmarks/speed.py

clean:  ## Remove the environment and what was made.
	rm -rf $(VENV) build dist demo-report.html .proofs .mypy_cache .ruff_cache .pytest_cache .hypothesis
