# The thin front of the build: every target is one short recipe over the presets of CMakePresets.json.
# `make demo` and `make check` are the README's two commands; `make help` lists the rest.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 20
CLANG_FORMAT ?= clang-format-19
CTEST_FLAGS ?= --output-on-failure -j2

# Every C and C++ file that is ours: all but what a build, a run or git left behind.
SOURCES = find . \( -path './build*' -o -path ./out -o -path ./.git \) -prune -o -name '*.[ch]' -print -o -name '*.cpp' -print

# build_preset PRESET [CONFIGURE-OPTION]; what goes wrong in configuring is on standard error.
build_preset = @cmake --preset $(1) $(2) >/dev/null && cmake --build --preset $(1)

.PHONY: help demo check build install deps format format-check sanitize tsan fuzz coverage bench check-long clean
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: deps build ## install what is missing, build, and show what Verso does
	tools/demo

check: deps build ## install what is missing, build, and run all tests
	ctest --preset release $(CTEST_FLAGS)

deps: ## install missing Debian packages
	tools/deps

build: ## build/verso, build/libverso.a, build/libverso.so
	$(call build_preset,release)

install: build ## install under PREFIX (default /usr/local); DESTDIR is honoured
	cmake --install build --prefix $(PREFIX)

format: ## lay out all C files
	$(SOURCES) | xargs $(CLANG_FORMAT) -i

format-check: ## fail when a C file is not laid out
	$(SOURCES) | xargs $(CLANG_FORMAT) --dry-run --Werror

sanitize: ## all tests under the address and undefined-behaviour sanitizers
	$(call build_preset,asan)
	ctest --preset asan $(CTEST_FLAGS)

tsan: ## all tests under the thread sanitizer
	$(call build_preset,tsan)
	ctest --preset tsan $(CTEST_FLAGS)

fuzz: ## run every fuzzer for FUZZ_SECONDS (default 20)
	$(call build_preset,fuzz,-DVERSO_FUZZ_SECONDS=$(FUZZ_SECONDS))
	ctest --preset fuzz $(CTEST_FLAGS)

coverage: ## all tests, then line coverage by file; the details are in build-coverage/html
	$(call build_preset,coverage)
	rm -rf build-coverage/profiles
	ctest --preset coverage $(CTEST_FLAGS)
	llvm-profdata-19 merge -sparse build-coverage/profiles/*.profraw -o build-coverage/all.profdata
	for tool in 'report -show-region-summary=false -show-branch-summary=false' \
	            'show -format=html -output-dir=build-coverage/html'; do \
	    llvm-cov-19 $$tool build-coverage/libverso.so -object build-coverage/verso \
	        -instr-profile=build-coverage/all.profdata || exit; \
	done

bench: build ## run every measuring program
	cmake --build --preset release --target bench_native bench_rev
	@for program in build/bench/*; do test -x $$program || continue; echo "== $$program"; $$program || exit; done

check-long: deps build ## the long checks of tests/long
	@for script in tests/long/*; do \
	    if test -f $$script && test -x $$script; then \
	        echo "== $$script"; VERSO=$(CURDIR)/build/verso SOURCE=$(CURDIR) BUILD=$(CURDIR)/build $$script || exit; \
	    fi; \
	done

clean: ## remove everything that was built
	rm -rf build build-* out
