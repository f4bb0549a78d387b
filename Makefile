# A thin front for CMake (see CMakePresets.json): every target first installs what it lacks, unless SETUP=no.
PREFIX ?= /usr/local
DESTDIR ?=
SETUP ?=
DATA ?=
REPRODUCE ?=
BENCH ?=
FUZZ_SECONDS ?= 30
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Many tests wait: for a link that is cut, for patience to run out, for a process that was killed.
TEST_JOBS ?= $(shell expr 3 '*' $(JOBS))

# Targets share build directories, so they run one after the other; inside one, JOBS says how parallel.
.NOTPARALLEL:
unexport MAKEFLAGS
export PREFIX DESTDIR SETUP DATA
compile = env -u MAKELEVEL cmake --build $(1) -j $(JOBS)

.PHONY: all demo test lint sanitize tsan coverage bench fuzz reproduce format docs install uninstall dist deb wheel clean help
.DEFAULT_GOAL := all

all: ## build build/eigenmesh and the library, static and shared
	@scripts/setup build
	@if test -e build/compile_commands.json; then cmake --log-level=WARNING build; else cmake --preset product; fi
	$(call compile,build)

demo: all ## find the principal components of the digits over a simulated network
	@scripts/demo

test: ## build everything and run all tests
	@scripts/setup test
	cmake --preset release
	$(call compile,build)
	@scripts/run-tests release build -j $(TEST_JOBS)

sanitize: ## the whole test suite under the address and undefined-behaviour sanitizers
	@scripts/setup test
	cmake --preset asan
	$(call compile,build-asan)
	@scripts/run-tests asan build-asan -j $(TEST_JOBS)

tsan: ## the tests in which threads meet, under the thread sanitizer
	@scripts/setup test
	cmake --preset tsan
	env -u MAKELEVEL cmake --build --preset tsan -j $(JOBS)
	@scripts/run-tests tsan build-tsan -j $(TEST_JOBS)

coverage: ## how much of every room the tests run, in lines and branches
	@scripts/setup coverage
	cmake --preset coverage
	$(call compile,build-coverage)
	@find build-coverage -name '*.gcda' -delete
	@scripts/run-tests coverage build-coverage -j $(TEST_JOBS)
	@scripts/coverage build-coverage

lint: ## formatting, warnings of two compilers, static analysers, include directions, manual pages
	@scripts/setup lint
	@scripts/lint $(JOBS)

fuzz: ## run every fuzz target for FUZZ_SECONDS (30) each
	@scripts/setup fuzz
	cmake --preset fuzz
	$(call compile,build-fuzz)
	tests/fuzz/run $(FUZZ_SECONDS)

bench: ## run the benchmarks; BENCH=--more for many more shapes
	@scripts/setup bench
	cmake --preset release
	$(call compile,build)
	bench/run build/bench/eigenmesh_bench $(BENCH)

reproduce: all ## the paper's figures, into docs/reproduction.md and build/reproduction/index.html
	@scripts/setup reproduce
	@scripts/reproduce build/eigenmesh $(REPRODUCE)

format: ## rewrite every C file in the project's layout
	@scripts/setup lint
	scripts/c-files | xargs clang-format -i

docs: all ## guides, manual pages and headers as one site, in build/docs
	@scripts/setup docs
	scripts/docs build/docs

install: all ## install under PREFIX (/usr/local), inside DESTDIR when given
	@scripts/install "$$PREFIX"

uninstall: ## remove what make install has put under PREFIX, inside DESTDIR when given
	@scripts/install --remove "$$PREFIX"

dist: ## the source archive, in dist/; pip installs it too
	@scripts/dist

deb: ## Debian packages, in dist/deb; scripts/check-deb builds and tries them in clean chroots
	@scripts/setup deb
	@scripts/deb

wheel: ## a Python wheel that has its libraries in it, in dist/
	@scripts/setup wheel
	@scripts/wheel

clean: ## remove every build directory
	rm -rf build build-debug build-asan build-tsan build-clang build-fuzz

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
