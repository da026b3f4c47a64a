# make install | demo | serve-demo | test | crewai | notebooks | lint | docs | bench | bench-all: each makes .venv when it is missing or its inputs changed.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
DEV := .venv/.dev
NODE := .venv/node
CREWAI := .venv-crewai
DEMO := build/demo
PORT ?= 8000

.PHONY: install demo serve-demo test crewai notebooks lint docs bench bench-all clean

$(READY): pyproject.toml constraints.txt
	@echo "Preparing .venv (once, a minute or two) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -c 'import sys; assert sys.version_info >= (3, 11), "Python 3.11 or newer is needed"'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[local,cli,serve]'
	@touch $(READY)

$(DEV): $(READY)
	@echo "Adding what tests and documentation need (once, one to three minutes) ..."
	@# torch first: left to choose, sentence-transformers brings gigabytes of CUDA.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch==2.13.0
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[local,dev]'
	@touch $(DEV)

install: $(READY)
	@echo "Ready: .venv/bin/surreal-graphrag add NOTES/, then .venv/bin/surreal-graphrag search QUESTION"

demo: $(READY)
	@$(BIN)/surreal-graphrag demo
	@echo "make serve-demo    # this graph in a server: page, tools for agents, REST"

serve-demo: $(READY) $(DEMO).ready
	@echo "http://127.0.0.1:$(PORT)/    (Ctrl-C stops; another port: make serve-demo PORT=8001)"
	@$(BIN)/surreal-graphrag serve --store surrealkv://$(DEMO) --port $(PORT)

$(DEMO).ready: | $(READY)
	@# Begun anew where it was cut short: the demo wants a new folder.
	@rm -rf $(DEMO) && mkdir -p $(dir $(DEMO))
	@$(BIN)/surreal-graphrag demo --keep $(DEMO)
	@touch $@

# A real SurrealDB server for the tests; without npm they leave out what needs it. No lock file: it
# would name a registry.
$(NODE)/.ready: | $(DEV)
	@if command -v npm >/dev/null; then \
	    npm install --silent --no-save --no-package-lock --no-audit --no-fund --prefix $(NODE) \
	        @surrealdb/node@3.0.3 ws@8.18.3 && touch $@; \
	fi

test: $(DEV) $(NODE)/.ready
	@# More processes than cores: many tests wait for the disk or for a child. What these import is
	@# compiled once, whatever the environment says.
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -P -m pytest -q -p no:nbmake -n 4 --dist worksteal

# CrewAI wants older openai, pydantic and mcp than the rest: an environment of its own.
$(CREWAI)/.ready: pyproject.toml tests/integrations/constraints-crewai.txt
	@echo "Preparing $(CREWAI) (once, three to six minutes) ..."
	@test -x $(CREWAI)/bin/python || $(PYTHON) -m venv $(CREWAI)
	@$(CREWAI)/bin/python -m pip install --quiet --disable-pip-version-check -c tests/integrations/constraints-crewai.txt -e '.[crewai]' pytest hypothesis
	@touch $(CREWAI)/.ready

crewai: $(CREWAI)/.ready
	@# Skipped without it, where pytest fails: it ran no test.
	@$(CREWAI)/bin/python -P -m pytest -q -p no:cacheprovider tests/integrations/test_crewai.py

notebooks: $(DEV)
	@# Apart from the tests: they load the models and the whole chronicle.
	@$(BIN)/python -P -m pytest -q --nbmake notebooks

lint: $(DEV)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

docs: $(DEV)
	@# A site in build/site; the tests build it too, and fail on a warning.
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict --site-dir build/site
	@echo "build/site/index.html"

bench: $(DEV)
	@# Without -P: it would take the repository off the path, and tests with it.
	@$(BIN)/python -m tests.benchmarks

# What needs no data of others. GRAPHITI=, LIGHTRAG=: the python of an environment that has it.
ALL := chat exchange import misses novel parity profiles recorded scale serving speed tracing verbs writes
bench-all: $(DEV)
	@$(BIN)/python -m tests.benchmarks $(ALL) $(if $(GRAPHITI),graphiti --graphiti $(GRAPHITI)) $(if $(LIGHTRAG),lightrag --lightrag $(LIGHTRAG)) --page

clean:
	rm -rf .venv $(CREWAI) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
