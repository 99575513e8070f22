# Every target does all of its own set-up: a private environment in .venv, then the build.
# `make test`, `make demo` and `.ci/run` work on a fresh clone with Python 3.11+ and a C++ compiler.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PYTEST := ROCARRAY_CACHE_DIR=$(abspath build/test_cache) $(PY) -m pytest -n $(JOBS) --dist worksteal

export MPLBACKEND = Agg

.PHONY: build demo test test-quick lint format layers check-rocm check-cuda test-amd sanitize bench \
	nightly wheel packs docs clean
.DEFAULT_GOAL := build

# Generated files keep their generator's layout.
GENERATED := ^rocarray/_rocm/[a-z]*/\(calls\|types\|table\)\.
CYTHON_FILES = git ls-files '*.pyx' '*.pxd' | grep -v '$(GENERATED)'
C_FILES = git ls-files '*.hpp' '*.cpp' '*.h' '*.hip' | grep -v '$(GENERATED)'

$(READY): pyproject.toml tools/setup_venv.sh
	@PYTHON="$(PYTHON)" tools/setup_venv.sh $(VENV)
	@touch $@

build: $(READY)
	$(PY) setup.py --quiet build_ext --inplace

demo: build
	$(PY) -m examples

test: build
	$(PYTEST) tests

test-quick: build
	$(PYTEST) -x -m "not slow" tests

lint: $(READY)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(CYTHON_FILES) | PATH="$(abspath $(VENV)/bin):$$PATH" xargs -r cython-lint
	$(C_FILES) | xargs -r $(VENV)/bin/clang-format --dry-run --Werror
	$(VENV)/bin/codespell $$(git ls-files '*.py' '*.pyx' '*.pxd' '*.md' '*.hpp' '*.cpp' '*.h')

format: $(READY)
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .
	$(C_FILES) | xargs -r $(VENV)/bin/clang-format -i

# Imports and cimports point down only; generated files equal what their generator writes.
layers: build
	$(PY) tools/check_layers.py
	$(PY) tools/generate_calls.py --check

# Our declarations against the vendor's real headers (fetched once into build/rocm).
check-rocm: $(READY)
	$(PY) tools/check_declarations.py

# The nvidia platform's declarations against CUDA's headers, where a toolkit or pip's packages
# (nvidia-cuda-runtime, nvidia-cuda-crt, nvidia-cuda-nvrtc) have them.
check-cuda: $(READY)
	$(PY) tools/check_cuda_declarations.py

# The same build on AMD's own runtime, on an emulated GPU.
test-amd: build
	tools/test_amd.sh

sanitize: $(READY)
	tools/sanitize.sh

bench: build
	$(PY) -m benchmarks.cpu
	$(PY) -m benchmarks.host_cost

nightly: build
	ROCARRAY_EXAMPLES=50000 $(PYTEST) --timeout 7200 tests

packs: build
	$(PY) tools/build_packs.py --root . --jobs $(JOBS) $(or $(ARCHS),x86-64-v3)

# Modules that are gone would live on in build/lib.
wheel: $(READY)
	find build -path 'build/lib*' -name '*.py' -delete 2>/dev/null || true
	$(PY) -m pip wheel --no-deps -w dist .

docs: build
	$(PY) -m pip install --quiet -e '.[docs]' --no-build-isolation || true
	$(PY) -m sphinx -W -b html docs build/docs

clean:
	rm -rf build dist *.egg-info
	find rocarray -name '*.so' -delete
	rm -rf rocarray/_kernels/packs
