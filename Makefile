# Everything that is checked, and how long it takes on two cores. Each target fails if anything
# is not as it must be.

GO ?= go
# The linter, and the fuzzing time of each fuzz test.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.7.0
FUZZTIME ?= 10s

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help check check-deep check-distributed bench-check test lint fuzz clean

help: ## say what there is (at once)
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: ## model-check the quick configurations with TLC and with the explorer (3 to 4 min)
	$(GO) run ./tla/check

check-deep: ## model-check all configurations (about 15 min)
	$(GO) run ./tla/check -deep

check-distributed: ## check with TLC's server and two workers as three processes (2 min)
	$(GO) run ./tla/check -distributed

bench-check: ## compare the explorer with TLC: time and memory (1 min)
	$(GO) run ./tla/check -bench

# A package whose tests do not run says so, and exits with 0.
test: ## run all tests with the race detector (1 min)
	@log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	$(GO) test -race -count=1 ./... 2>&1 | tee "$$log"; \
	if grep -E 'no test files|no tests to run' "$$log"; then echo "These packages test nothing."; exit 1; fi; \
	echo "$$(grep -c '^ok' "$$log") packages tested."

lint: ## gofmt, go vet, staticcheck (1 min)
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then \
		echo "gofmt these files:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

fuzz: ## fuzz everything that reads foreign bytes, a little (3 min)
	@for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' "$$package" | grep '^Fuzz' || true); do \
			echo "== $$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package"; \
		done; \
	done

clean: ## remove what checks leave behind, the cached TLC too (at once)
	rm -rf .cache tla/states
