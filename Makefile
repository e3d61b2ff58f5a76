# Every target sets itself up: the environment is rebuilt only when pyproject.toml changes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
JOBS ?= auto
DOCS := build/docs
SITE := $(DOCS)/site/index.html
SOURCES := $(shell find src/ptoscope docs -name '*.py' -o -name '*.md' -o -path 'docs/*.*')

.PHONY: demo test fuzz bench docs clean

demo: $(READY)
	@$(BIN)/ptoscope demo

test: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/pytest -n $(JOBS)

# Random legal and faulty programs on both engines; FUZZ says how many.
FUZZ ?= 2000
fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --count $(FUZZ) --engines reference native --jobs 2

bench: $(READY)
	@$(BIN)/python -m bench

docs: $(SITE)
	@echo $(SITE)

$(SITE): $(VENV)/ready-docs $(SOURCES)
	$(BIN)/python -m ptoscope.docs docs $(DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --config-file $(DOCS)/mkdocs.yml
	@touch $@

$(VENV)/ready-docs: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) build
