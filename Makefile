PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
FAST := $(addprefix tests/unit/, fit io kernels linalg model) tests/unit/house/test_house.py

.PHONY: install demo test test-fast wheel-test soak coverage mutants lint docs manual reports bench bench-check bench-keep validate clean

install: $(STAMP)  ## create .venv with everything, pinned

$(STAMP): pyproject.toml constraints.txt
	@echo "Installing into $(VENV), about a minute"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev]"
	touch $(STAMP)

demo: install  ## the leg, pretensioned and released, into demo/
	$(BIN)/pliant demo --out demo --force

test: install  ## all tests; both workers compile what is missing and share it, and the idle one takes over tests
	PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/pytest -q -n 2 --dist worksteal

test-fast: install  ## unit tests of parts, models and linear algebra, without pictures: under a minute with kernels compiled
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/pytest -q -n 2 --dist worksteal $(FAST)

wheel-test:  ## sdist and wheel, built, installed into an empty environment and used there, with PYTHON
	OPENBLAS_NUM_THREADS=1 $(PYTHON) -m tests.wheel $(DIST)

soak: install  ## 2,000 random mechanisms and 100,000 damaged files, for hours; goes on where soak/ ends
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.soak --out soak

coverage: install  ## all kernels as plain Python against compiled code; how many of their lines were run
	$(BIN)/python -m tests.plain

mutants: install  ## one seeded fault after the other: which row or test notices; goes on where it was interrupted
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.mutants

lint: install  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: install  ## the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

manual: install  ## run all cases again, or some (CASES="leg-lqr pacoma"), and keep their numbers for the verification manual
	$(BIN)/python docs/tools/rows.py $(CASES)

reports: install  ## compare six mechanisms in every way, for the documentation
	OPENBLAS_NUM_THREADS=1 $(BIN)/python docs/tools/reports.py

validate: install  ## published and exact numbers beside computed ones
	$(BIN)/pliant validate

bench: install  ## times beside those of the peers
	$(BIN)/pliant bench

bench-check: install  ## what fell by more than 10 % since the version kept last, of all benchmarks or some (CASES="leg six-rus")
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.speed $(CASES)

bench-keep: install  ## keep the times of this version for bench-check; on a quiet machine
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.speed --keep $(CASES)

clean:  ## remove what make created
	rm -rf $(VENV) site demo .pytest_cache .mypy_cache .ruff_cache *.egg-info
