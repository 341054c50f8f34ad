# Everything a contributor runs. `make help` lists it.

PYTHON ?= python3
WORKERS ?= 2
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup demo model system-packages test check fix bench docs clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile

setup: .venv/.done  ## make .venv/ with Recollect and everything it needs (PYTHON=python3.12 picks another Python)

# .venv/.making stands while the recipe runs: if it is there at the start, an earlier one was cut short,
# and what that left behind cannot be trusted.
.venv/.done: pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { \
	  echo "There is no '$(PYTHON)' here: install Python 3.11 or newer, or say which one to use: make setup PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Recollect needs Python 3.11 or newer, but '$(PYTHON)' is $$($(PYTHON) --version 2>&1): say which one to use: make setup PYTHON=/path/to/python3"; exit 1; }
	@if [ -e .venv/.making ]; then echo "An earlier setup was cut short: starting .venv/ afresh."; rm -rf .venv; fi
	@mkdir -p .venv && touch .venv/.making
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@mv .venv/.making .venv/.done && touch .venv/.done
	@echo "Ready: $(BIN)/recollect --help"

demo: setup  ## translate a sample episode with the built-in model and see what its memory does
	$(BIN)/recollect demo

# The built-in model anew, from the TVSub corpus (not part of this repository): some hours on two cores.
TVSUB ?= ../shared/data/tvsub
RUNS ?= runs/subtitle-zh-en
RECIPE := recipes/subtitle-zh-en
ON_TVSUB := --set data.source=$(TVSUB)/train.zh.xz --set data.target=$(TVSUB)/train.en.xz \
  --set data.tune_source=$(TVSUB)/dev.zh --set 'data.tune_references=["$(TVSUB)/dev_trg.sgm"]'
BACK_ON_TVSUB := $(ON_TVSUB) --set 'data.tune_references=["$(TVSUB)/dev.en"]'
model: setup  ## train and pack the built-in model (TVSUB=folder of the corpus)
	$(BIN)/recollect prepare $(RECIPE)/config.toml $(ON_TVSUB) -o $(RUNS)/prepared
	$(BIN)/recollect prepare $(RECIPE)/proofreader.toml $(BACK_ON_TVSUB) -o $(RUNS)/reversed
	$(BIN)/recollect train $(RECIPE)/config.toml $(ON_TVSUB) -d $(RUNS)/prepared -r $(RUNS)/everyday --processes 2
	$(BIN)/recollect train $(RECIPE)/paper.toml $(ON_TVSUB) -d $(RUNS)/prepared -r $(RUNS)/paper --base $(RUNS)/everyday
	$(BIN)/recollect train $(RECIPE)/proofreader.toml $(BACK_ON_TVSUB) -d $(RUNS)/reversed -r $(RUNS)/proofreader \
	  --processes 2 --passes one
	$(BIN)/recollect pack $(RUNS)/everyday --also paper=$(RUNS)/paper --proofreader $(RUNS)/proofreader \
	  --card $(RECIPE)/card.md --stored int8 \
	  -o src/recollect/models_data/subtitle-zh-en

# What the server's tests need besides Python. Without it those tests are skipped, and say so.
PROGRAMS := redis-server chromium
system-packages:  ## install a Redis server and a browser for the server's tests, where they are missing
	@missing=""; for program in $(PROGRAMS); do command -v $$program >/dev/null || missing="$$missing $$program"; done; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if ! command -v apt-get >/dev/null; then \
	  echo "Not here:$$missing. There is no apt-get: install them as your system does, or some tests are skipped."; exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then root=""; else root=sudo; fi; \
	echo "Installing$$missing ..."; \
	{ $$root env DEBIAN_FRONTEND=noninteractive apt-get update -qq && \
	  $$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; } || \
	  echo "They could not be installed: some tests are skipped. By hand: apt-get install$$missing"

# One thread a worker: the workers already fill the cores. A file stays on one worker and shares its fixtures; files are
# dealt out in the order that tests/conftest.py gives them, not by how many tests they have.
test: setup system-packages  ## run the tests (WORKERS=4 runs more of them side by side)
	OMP_NUM_THREADS=1 $(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

check: setup  ## lint, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fix: setup  ## mend what ruff can mend by itself
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Peers have their own environment, which only this target makes; PARTS="training,second pass" runs some parts.
bench: setup .venv-peers/.done  ## measure speed beside Marian, JoeyNMT and CTranslate2 (half an hour)
	$(BIN)/python benchmarks/run.py $(if $(PARTS),--only "$(PARTS)")

.venv-peers/.done: benchmarks/peers/requirements.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/peers/requirements.txt
	@touch .venv-peers/.done

docs: setup  ## write docs/reference/ anew from the code itself
	$(BIN)/python docs/build.py

clean:  ## remove caches and build products; .venv/, runs/ and prepared/ stay
	rm -rf build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests docs benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
