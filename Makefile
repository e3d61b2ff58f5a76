# Every target sets itself up: the environment is rebuilt only when what it is made from changes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
JOBS ?= auto
PIP := -m pip --quiet --disable-pip-version-check
DOCS := build/docs
LOWEST := build/lowest
PAGE := build/page
NODE := $(PAGE)/node_modules/.bin
SITE := $(DOCS)/site/index.html
SOURCES := $(shell find src/ptoscope docs -name '*.py' -o -name '*.md' -o -path 'docs/*.*')

.PHONY: demo test test-lowest page wheel fuzz attack mutate repair arm64 bench docs lock clean

demo: $(READY)
	@$(BIN)/ptoscope demo

test: $(READY) page
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/pytest -n $(JOBS)

# The lowest versions of the dependencies that pyproject.toml allows.
test-lowest: $(LOWEST)/ready
	$(LOWEST)/bin/pytest -n $(JOBS) -p no:cacheprovider tests/isa tests/machine

$(LOWEST)/ready: pyproject.toml tools/lowest.py
	rm -rf $(LOWEST)
	$(PYTHON) -m venv $(LOWEST)
	$(PYTHON) tools/lowest.py >$(LOWEST)/constraints.txt
	$(LOWEST)/bin/python $(PIP) install --constraint $(LOWEST)/constraints.txt \
		--editable '.[test]' pytest-xdist
	@touch $@

# The scripts of the page: their types, which comments declare, and what a linter finds.
page: $(PAGE)/ready
	$(NODE)/tsc --project $(PAGE)
	$(NODE)/eslint --config $(PAGE)/eslint.config.js src/ptoscope/view/assets

$(PAGE)/ready: $(wildcard tools/page/*)
	mkdir -p $(PAGE)
	cp tools/page/* $(PAGE)
	npm ci --prefix $(PAGE) --no-audit --no-fund --loglevel=error
	@touch $@

# The package as users install it: with nothing of this directory but the wheel.
wheel: $(READY)
	rm -rf build/wheel
	$(BIN)/python $(PIP) wheel --no-deps --wheel-dir build/wheel .
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/python $(PIP) install --constraint constraints.txt build/wheel/*.whl
	cd build/wheel && venv/bin/ptoscope check ../../examples/row_softmax.pto
	cd build/wheel && venv/bin/ptoscope demo >/dev/null

# Random legal and faulty programs on both engines; FUZZ says how many. Then a few minutes of
# attacks.
FUZZ ?= 2000
fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --count $(FUZZ) --engines reference native:0 native:1 --jobs 2
	$(BIN)/python -m tests.attack --seconds 180

# Attempts to crash, hang or deceive it: ATTACK says for how many seconds, ONLY which attackers.
ATTACK ?= 600
ONLY ?=
attack: $(READY)
	$(BIN)/python -m tests.attack --seconds $(ATTACK) $(if $(ONLY),--only $(ONLY))

# Changes every record's meaning and names the changes that no witness notices; RECORDS says of
# which ("vadd 'vc*'"), otherwise all.
RECORDS ?=
mutate: $(READY)
	$(BIN)/python -m tests.witness.mutate $(RECORDS)

# Breaks kernels in every way, applies the suggested fixes and compares the results; CASES names
# directories of cases to do it with instead of the kernels of this project.
CASES ?=
repair: $(READY)
	$(BIN)/python -m tests.repair --jobs 2 $(CASES)

# The engines compared on an emulated ARM64 processor; ARM64_CPU names another than the plainest.
arm64: $(READY)
	PYTHON=$(BIN)/python tools/arm64

bench: $(READY)
	@$(BIN)/python -m bench

docs: $(SITE)
	@echo $(SITE)

$(SITE): $(READY) $(SOURCES)
	$(BIN)/python -m ptoscope.docs docs $(DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --config-file $(DOCS)/mkdocs.yml
	@touch $@

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP) install --constraint constraints.txt --editable '.[dev]'
	@touch $@

# The newest versions that pyproject.toml allows become those that CI and development use.
lock:
	rm -rf build/lock
	$(PYTHON) -m venv build/lock
	build/lock/bin/python $(PIP) install '.[dev]'
	(sed -n '/^#/p' constraints.txt; build/lock/bin/python $(PIP) freeze --exclude ptoscope) \
		>build/constraints.txt
	mv build/constraints.txt constraints.txt

clean:
	rm -rf $(VENV) build
