# Everything a clone needs, from nothing. `make help` lists the targets; a second run reuses what is there.

PYTHON ?= python3
PYTEST_ARGS ?=
# Test files run side by side in so many processes; the tests of a file share a server and a browser.
WORKERS ?= 2
DEMO_ARGS ?=

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PY := .venv/bin/python
PIP_FLAGS := -qq --disable-pip-version-check
NPM := $(PY) js/toolchain.py npm
COPILOT := 1.0.102
STATIC := nbharness/notebook/static
JS_INPUTS := $(shell find js/src -type f 2>/dev/null) $(wildcard js/build.mjs js/package-lock.json js/tsconfig.json)

# Jupyter sees the extra kernels through this; nothing is written to the user's home.
export JUPYTER_PATH := $(CURDIR)/.cache/share/jupyter
# IPython makes this folder as soon as it is imported.
kernels test test-fast bench: export IPYTHONDIR := $(CURDIR)/.cache/ipython
# The browser comes from the system, never from a download of the driver's own.
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD := 1

##@ The two commands
.PHONY: demo test
demo: setup ## Set everything up and open JupyterLab on notebooks/01-hello.ipynb
	@.venv/bin/nbharness demo $(DEMO_ARGS)

test: ## Set everything up and pass every test
	@$(MAKE) -j3 setup kernels chromium
	@$(MAKE) agents
	@$(MAKE) lint js-test
	@$(PY) -m pytest -n $(WORKERS) --dist loadfile $(PYTEST_ARGS)

##@ Every day
.PHONY: setup test-fast fuzz lint fix schema prove-binder bench build clean help
setup: .venv/.ready $(STATIC)/widget.js ## .venv with the package (editable), tools and built front end

test-fast: setup ## Tests that need no browser, no extra kernel and no agent
	@$(PY) -m pytest -m "not browser and not kernel and not slow and not agents" $(PYTEST_ARGS)

fuzz: setup ## The property tests on new random examples
	@$(PY) -m pytest -m hypothesis --hypothesis-profile=search $(PYTEST_ARGS)

lint: .venv/.ready .venv/.agents js/node_modules/.ready ## ruff, mypy, biome and tsc; change nothing
	@$(PY) -m ruff check
	@$(PY) -m ruff format --check
	@$(PY) -m mypy
	@$(NPM) run --silent check

fix: .venv/.ready js/node_modules/.ready ## Let ruff and biome repair what they can
	@$(PY) -m ruff check --fix
	@$(PY) -m ruff format
	@$(NPM) run --silent fix

schema: .venv/.ready ## Regenerate what is derived from the event classes
	@$(PY) -m nbharness.schema

prove-binder: setup ## Follow the steps of binder/ in a clean prefix and run the notebook there
	@$(PY) tests/tools/prove_binder.py

bench: setup kernels agents chromium ## Measure; print a table of goals and results
	@$(PY) tests/bench

build: setup ## Wheel and sdist into dist/
	@$(PY) -m build --outdir dist

clean: ## Remove everything these targets made
	rm -rf .venv .venv-k6 .venv-k73 .cache dist js/node_modules $(STATIC) .pytest_cache .hypothesis test-results

help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } /^##@/ { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ Parts
.PHONY: agents kernels chromium js js-test
agents: .venv/.agents .cache/agents/.ready ## Claude Code, Codex and Copilot at the versions that the tests know

kernels: .venv-k6/.ready .venv-k73/.ready ## The two extra kernels: nbh-k6 (6.31) and nbh-k73 (7.3)

chromium: ## A Chromium for the browser tests, from the system's packages
	@.ci/chromium

js: $(STATIC)/widget.js ## The built front end

js-test: $(STATIC)/widget.js ## vitest
	@$(NPM) test --silent

.venv/.ready: pyproject.toml js/toolchain.py
	@echo "Installing nbharness and its tools into .venv"
	@.ci/new-venv .venv "$(PYTHON)"
	@NBHARNESS_SKIP_JS=1 .venv/bin/pip install $(PIP_FLAGS) --editable ".[dev]"
	@$(PY) js/toolchain.py ensure
	@touch $@

.venv/.agents: .venv/.ready
	@echo "Installing Claude Code and Codex into .venv"
	@NBHARNESS_SKIP_JS=1 .venv/bin/pip install $(PIP_FLAGS) --editable ".[real-agents]"
	@touch $@

.cache/agents/.ready: .venv/.ready
	@echo "Installing Copilot into .cache/agents"
	@mkdir -p .cache/agents
	@$(NPM) install --prefix $(CURDIR)/.cache/agents --no-save --no-audit --no-fund --loglevel=error @github/copilot@$(COPILOT) >/dev/null
	@touch $@

.venv-k6/.ready: KERNEL := 6.31.*
.venv-k73/.ready: KERNEL := 7.3.*
.venv-k%/.ready: pyproject.toml
	@echo "Installing ipykernel $(KERNEL) into .venv-k$*"
	@.ci/new-venv .venv-k$* "$(PYTHON)"
	@NBHARNESS_SKIP_JS=1 .venv-k$*/bin/pip install $(PIP_FLAGS) --editable . "ipykernel==$(KERNEL)"
	@mkdir -p .cache/ipython
	@.venv-k$*/bin/python -m ipykernel install --prefix .cache --name nbh-k$* --display-name "ipykernel $(KERNEL)" >/dev/null
	@touch $@

js/node_modules/.ready: .venv/.ready js/package.json js/package-lock.json
	@echo "Installing the front end's packages"
	@$(NPM) ci --ignore-scripts --loglevel=error
	@touch $@

$(STATIC)/widget.js: js/node_modules/.ready $(JS_INPUTS)
	@$(NPM) run --silent build
	@touch $@
