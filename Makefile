# The entry points. Each target installs what it needs (Debian 12), so that any of them may come first.

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
T ?= 60

# A handle of the archive in test/data, as README.md shows it (a test compares the two).
DEMO := handrail symbolize -m test/data/model.ptl 123

BUILD_PACKAGES := g++ cmake ninja-build pkg-config \
  libbenchmark-dev libcli11-dev libexpected-dev libflatbuffers-dev libfmt-dev libgmock-dev \
  libgtest-dev libxxhash-dev libzstd-dev nlohmann-json3-dev zlib1g-dev
PEER_PACKAGES := $(BUILD_PACKAGES) python3-torch python3-torchvision libtorch-dev
FUZZ_PACKAGES := $(BUILD_PACKAGES) clang-14 libclang-rt-14-dev
FORMAT_PACKAGES := clang-format-14
TIDY_PACKAGES := $(BUILD_PACKAGES) clang-tidy-14
COVERAGE_PACKAGES := $(BUILD_PACKAGES) gcovr

INSTALL := .ci/install-packages
BUILD = cmake --build --parallel $(JOBS) --preset
OWN_SOURCES = $(shell find include src test fuzz bench examples plugins -name '*.h' -o -name '*.cc')

# Compilations are kept where ccache is installed.
export CMAKE_CXX_COMPILER_LAUNCHER ?= $(shell command -v ccache)

.DEFAULT_GOAL := help
.PHONY: help deps demo build test peer bench fuzz format format-check tidy coverage install clean

help: ## show this list
	@echo "make TARGET, where TARGET is one of:"
	@sed -n 's/^\([a-z-]*\):.*## /  \1 \t/p' $(MAKEFILE_LIST) | expand -t 18

deps: ## install the packages that building and testing need
	@$(INSTALL) $(BUILD_PACKAGES)

demo: build ## build, and turn a debug handle of an archive in this repository into a stack trace
	@echo "$$ $(DEMO)"
	@PATH="$(CURDIR)/build/release/bin:$$PATH" $(DEMO)

build: deps ## build what is shipped, into build/release
	@cmake --preset release
	@$(BUILD) release

test: deps ## build with sanitizers and run every test that needs no PyTorch
	@cmake --preset dev
	@$(BUILD) dev
	@ctest --preset dev --parallel $(JOBS)

peer: build ## install Debian's PyTorch and compare with it
	@$(INSTALL) $(PEER_PACKAGES)
	@cmake --preset release -DHANDRAIL_TORCH=ON
	@$(BUILD) release --target handrail_peer_programs handrail_torch
	@test/peer/run.sh $(CURDIR)/build/release/bin/handrail $(CURDIR)/build/peer
	@/usr/bin/python3 test/peer/plugin/check.py build/release/lib/libhandrail_torch.so \
	  examples/torch_backend/lower_and_fail.py build/release/bin/handrail

bench: build ## install Debian's PyTorch and measure beside it
	@$(INSTALL) $(PEER_PACKAGES)
	@$(BUILD) release --target handrail_benchmarks
	@bench/run.sh $(CURDIR)/build/release $(JOBS)

fuzz: ## search for crashes for T seconds with each fuzz target: make fuzz T=60
	@$(INSTALL) $(FUZZ_PACKAGES)
	@cmake --preset fuzz
	@$(BUILD) fuzz
	@fuzz/run.sh $(CURDIR)/build/fuzz $(T) $(JOBS)

format: ## format the sources
	@$(INSTALL) $(FORMAT_PACKAGES)
	@clang-format-14 -i $(OWN_SOURCES)

format-check: ## fail if a source is not formatted
	@$(INSTALL) $(FORMAT_PACKAGES)
	@clang-format-14 --dry-run --Werror $(OWN_SOURCES)

tidy: ## run clang-tidy; FILES="src/a.cc src/b.cc" for some files only
	@$(INSTALL) $(TIDY_PACKAGES)
	@cmake --preset dev
	@.ci/tidy build/dev $(JOBS) $(FILES)

coverage: ## line coverage of the tests, by folder
	@$(INSTALL) $(COVERAGE_PACKAGES)
	@cmake --preset coverage
	@$(BUILD) coverage
	@ctest --preset coverage --parallel $(JOBS)
	@.ci/coverage build/coverage

install: build ## install headers, libraries and the tool under PREFIX: make install PREFIX=/opt/handrail
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove everything that was built
	@rm -rf build
