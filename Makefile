# A thin wrapper around CMake: each target is a short recipe that uses the presets of CMakePresets.json.
# `make demo` and `make check` are the two commands of the README; `make help` lists all targets.

PREFIX ?= /usr/local
DIST ?= .
FUZZ_SECONDS ?= 20
FUZZ_SEED ?= 0
CLANG_FORMAT ?= clang-format-19
CTEST_FLAGS ?= --output-on-failure -j2

# Lists all C and C++ files of the project, without those in build folders, out/ and .git.
SOURCES = find . \( -path './build*' -o -path ./out -o -path ./.git \) -prune -o -name '*.[ch]' -print -o -name '*.cpp' -print

# build_preset PRESET [CONFIGURE-OPTION]: configures and builds. Errors of the configuration are on standard error.
build_preset = @cmake --preset $(1) $(2) >/dev/null && cmake --build --preset $(1)

.PHONY: help demo check build install dist wheel deps deps-tests format format-check sanitize tsan fuzz coverage bench check-long clean
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: deps build ## install missing packages, build, and show what Verso does
	tools/demo

check: deps-tests build ## install missing packages, build, and run all tests
	ctest --preset release $(CTEST_FLAGS)

deps: ## install missing Debian packages
	tools/deps

deps-tests: ## the same, including packages for tests
	tools/deps tests

build: ## build build/verso, build/libverso.a and build/libverso.so
	$(call build_preset,release)

install: ## build and install under PREFIX (default /usr/local); DESTDIR is honoured
	@cmake --preset release >/dev/null && cmake --build --preset release --target installed
	cmake --install build --prefix $(PREFIX)

dist: ## pack the source of this commit as verso-VERSION.tar.gz in DIST (default: here)
	@version=$$(sed -n 's/^#define VERSO_VERSION_[MP][A-Z]* \([0-9]*\).*/\1/p' include/verso/version.h | paste -sd .) && \
	git archive --prefix=verso-$$version/ -o $(DIST)/verso-$$version.tar.gz HEAD && echo $(DIST)/verso-$$version.tar.gz

wheel: ## pack the Python package as a wheel in DIST (default: here)
	@version=$$(sed -n 's/^#define VERSO_VERSION_[MP][A-Z]* \([0-9]*\).*/\1/p' include/verso/version.h | paste -sd .) && \
	tools/wheel $$version $(DIST)

format: ## format all C and C++ files
	$(SOURCES) | xargs $(CLANG_FORMAT) -i

format-check: ## fail if a C or C++ file is not formatted
	$(SOURCES) | xargs $(CLANG_FORMAT) --dry-run --Werror

sanitize: ## run all tests under the address and undefined-behaviour sanitizers
	$(call build_preset,asan)
	ctest --preset asan $(CTEST_FLAGS)

tsan: ## run all tests under the thread sanitizer
	$(call build_preset,tsan)
	ctest --preset tsan $(CTEST_FLAGS)

fuzz: ## run every fuzzer for FUZZ_SECONDS (default 20); FUZZ_SEED repeats a run
	$(call build_preset,fuzz,-DVERSO_FUZZ_SECONDS=$(FUZZ_SECONDS) -DVERSO_FUZZ_SEED=$(FUZZ_SEED))
	ctest --preset fuzz $(CTEST_FLAGS)

coverage: ## run all tests and print line coverage by file; details are in build-coverage/html
	$(call build_preset,coverage)
	rm -rf build-coverage/profiles
	ctest --preset coverage $(CTEST_FLAGS)
	llvm-profdata-19 merge -sparse build-coverage/profiles/*.profraw -o build-coverage/all.profdata
	for tool in 'report -show-region-summary=false -show-branch-summary=false' \
	            'show -format=html -output-dir=build-coverage/html'; do \
	    llvm-cov-19 $$tool build-coverage/libverso.so -object build-coverage/verso \
	        -instr-profile=build-coverage/all.profdata || exit; \
	done

bench: build ## run all benchmarks
	cmake --build --preset release --target bench_native bench_rev
	@for program in build/bench/*; do test -x $$program || continue; echo "== $$program"; $$program || exit; done
	@echo "== mpi"; VERSO=$(CURDIR)/build/verso SOURCE=$(CURDIR) bash bench/mpi.sh

check-long: deps-tests build ## run the long checks of tests/long
	@for script in tests/long/*; do \
	    if test -f $$script && test -x $$script; then \
	        echo "== $$script"; VERSO=$(CURDIR)/build/verso SOURCE=$(CURDIR) BUILD=$(CURDIR)/build $$script || exit; \
	    fi; \
	done

clean: ## remove all build folders and out/
	rm -rf build build-* out
