# Everything that is checked, and how long it takes on two cores. Each target fails if anything
# is not as it must be.

GO ?= go
# The linter, and the fuzzing time of each fuzz test.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.7.0
FUZZTIME ?= 10s
# The modules of their own, for what drags dependencies along.
MODULES := $(patsubst %/go.mod,%,$(wildcard impl/*/go.mod impl/*/*/go.mod impl/*/*/*/go.mod))
# What could race in these is not ours, and all that they drag along would be built twice: nodes of other systems, the manager of operators, and what reads
# the files of impl/deploy.
PEERS := $(filter impl/baselines/% impl/deploy impl/resourcelock/operator,$(MODULES))
# The packages that start clusters of real processes. Their tests mostly wait, and run beside all others.
PROCESSES = ./impl/internal/localcluster $(sort $(patsubst %/,./%,$(dir $(shell grep -rl --include='*.go' --exclude-dir=baselines --exclude-dir=deploy 'impl/internal/localcluster"' impl))))
# What a package has that can race, tests aside: goroutines and locks. Only such packages are tested with the race detector too, with which
# all takes eight times as long, so that long tests of theirs leave it out (-short); spec/race_test.go holds the pattern to the syntax.
RACES := ^[[:space:]]*go [a-zA-Z(]|\.Go\(|sync\.(RW)?Mutex|atomic\.
# What starts ports, many times over; what could race in them is in conformance/port and conformance/kit.
OUTER := ^\./conformance/(cmd|ports)(/|$$)
# How long make soak runs the long form of the tests: so many times the seeds and runs of make test.
SOAK ?= 20
# Whose runs make evidence keeps: all, or names with commas between them.
OF ?= all
# How long make bench-guard looks, and how long make bench-failover looks at nodes at rest.
FOR ?= 1h
IDLE ?= 10s
# How often each node fails in make bench-services; in make bench-failover, and there for each fault.
ROUNDS ?= 5
FAILOVERS ?= 10
FAULTS ?= 20
# The sizes of clusters in make bench-failover; and the sizes of programs, in MiB.
SIZES ?= 3,5,7
BALLAST ?= 0,64,256,512
# How many groups make bench-groups measures, and beside other programs; and how often it kills a node.
GROUPS ?= 10000
GROUPS_BESIDE ?= 1000
KILLS ?= 3
# More flags of make bench-check.
BENCH ?=
# What make fuzz fuzzes; what make traces records; which mutants make mutants tries; what make check-deep checks.
FUZZED ?= $$($(GO) list ./...)
PROFILES ?= lossy partition crash drift swarm
SEEDS ?= 1 2
MEMBERS ?= 3 5
MUTANT ?= .
CONFIGURATION ?= .
# For make figures: the target whose time is the time of the tests, and how long each benchmark runs.
TIMED ?= test
BENCHTIME ?= 1s
# Where make figures writes: here, or, for a trial, in this folder.
TO ?=
# How long TLC may take for one configuration in make check, where it has only the time that others leave: 30m.
LIMIT ?=
# How many ports are certified at the same time, and how many mutants of them tried: as many as there are processors, and at least two.
CPUS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN) && [ "$$n" -gt 2 ] && echo "$$n" || echo 2)
# A target that lacks a program prints in one line what it skips, with the command that installs the program. With CI=true that is an error.
skipped = { echo "skipped: $(1): needs $(2); install: $(3)"; [ "$${CI:-}" != true ]; }
NODE20 = node -e 'process.exit(process.versions.node.split(".")[0] >= 20 ? 0 : 1)' 2>/dev/null
PYTHON311 = python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
# What the machine does besides, for make figures: "beside other work".
BESIDE ?=

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help check check-deep bench-check bench-failover bench-groups bench-guard bench-services figures smoke prove prove-second prove-mutants evidence test test-slow test-modules ports viewer viewer-release viewer-site viewer-test traces mutants soak lint fuzz release clean

help: ## say what there is (at once)
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: ## model-check the quick configurations with TLC and with the explorer, or without Java with the explorer alone (3 min)
	$(GO) run ./tla/check $(if $(LIMIT),-limit $(LIMIT))

check-deep: ## model-check all configurations (about 15 min)
	$(GO) run ./tla/check -deep$(if $(filter-out .,$(CONFIGURATION)), -run '$(CONFIGURATION)')

# The solvers, at the versions of the list, in a Python environment of their own.
.cache/prove/ready: tla/proof/requirements.txt
	@python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' || { echo "make prove needs Python 3.11 or later, with venv and pip."; exit 1; }
	rm -rf .cache/prove && python3 -m venv .cache/prove
	.cache/prove/bin/pip install --quiet --disable-pip-version-check -r $< || { echo "make prove needs what $< lists, and pip could not install it."; exit 1; }
	touch $@

prove: .cache/prove/ready ## prove the promises for any number of nodes: needs Python 3.11 (1 min)
	.cache/prove/bin/python tla/proof/prove.py

prove-second: .cache/prove/ready ## what the first solver has proved, asked of a second (2 min)
	.cache/prove/bin/python tla/proof/prove.py -second

prove-mutants: .cache/prove/ready ## break each rule of the specification in turn: its proof must fail, or hold, as listed (5 min)
	.cache/prove/bin/python tla/proof/prove.py -mutants

# With KEEP=yes what a measurement says goes where impl/FIGURES.md is written from, and nowhere else.
FIGURES = $(GO) run ./conformance/evidence/figures$(if $(TO), -to "$(TO)") -beside "$(BESIDE)"
KEPT = $(if $(KEEP),-json | $(FIGURES) -keep $(1) -of "$(2)")

bench-check: ## compare the explorer with TLC: time and memory (1 min)
	$(GO) run ./tla/check -bench $(BENCH) $(call KEPT,check,make bench-check)

bench-failover: ## measure failover and idle cost beside hashicorp/raft, on real processes (10 min)
	$(GO) build -o .cache/ ./impl/cmd/bully ./impl/cmd/workbench
	cd impl/baselines/peers && $(GO) build -o ../../../.cache/ ./raftnode
	.cache/workbench bench failover -rounds $(FAILOVERS) -nodes $(SIZES) -fault kill,stop -against ".cache/bully run -cluster bench -profile local -preempt never" \
		-against ".cache/raftnode -profile default" -against ".cache/raftnode -profile fast" $(call KEPT,failover,make bench-failover)
	.cache/workbench bench failover -nodes 5 -rounds $(FAULTS) -fault kill,stop,stuck,disk,cut -guard -plot .cache/faults.svg \
		-against ".cache/raftnode -profile fast" $(call KEPT,faults,make bench-failover)
	.cache/workbench bench failover -nodes 5 -rounds $(FAULTS) -fault kill,program,both -ballast $(BALLAST) -beside -hold $(call KEPT,ballast,make bench-failover)
	.cache/workbench bench idle -for $(IDLE) -guard -against ".cache/raftnode -profile default" $(call KEPT,idle,make bench-failover)

bench-groups: ## measure 10,000 elections over one cluster, and 1,000 beside etcd and Raft groups, on real processes (10 min)
	$(GO) build -o .cache/ ./impl/cmd/workbench
	cd impl/baselines/groups && $(GO) build -o ../../../.cache/ .
	.cache/workbench bench groups -groups $(GROUPS) -kills $(KILLS) $(call KEPT,groups,make bench-groups)
	.cache/workbench bench groups -groups $(GROUPS_BESIDE) -kills $(KILLS) -members fixed -against ".cache/groups etcd" -against ".cache/groups dragonboat" $(call KEPT,groups-beside,make bench-groups)

bench-guard: ## count the false kills of guards for an hour: do something else on the machine meanwhile (1 h; FOR says how long)
	$(GO) build -o .cache/ ./impl/cmd/bully ./impl/cmd/workbench
	.cache/workbench bench guard -for $(FOR) $(call KEPT,falsekills,make bench-guard)

bench-services: ## measure failover of real services beside ours: etcd's election, client-go's lease lock, hashicorp/raft (10 min)
	$(GO) build -o .cache/ ./impl/cmd/bully ./impl/cmd/workbench
	@against=(); for node in raftnode etcdnode leasenode; do \
		if said=$$(cd impl/baselines/peers && $(GO) build -o ../../../.cache/ ./$$node 2>&1); then \
			against+=(-against ".cache/$$node -profile default" -against ".cache/$$node -profile fast"); \
		else echo "not measured: $$node: $$(sed -n '/^go: downloading/d;/^# /d;p;q' <<<"$$said")" >&2; fi; done; \
	.cache/workbench bench failover -rounds $(ROUNDS) -nodes 3 -fault kill,stop "$${against[@]}" $(call KEPT,services,make bench-services)

figures: KEEP := yes
figures: ## measure all that impl/FIGURES.md says, on a machine that has nothing else to do, and write it (50 min; BESIDE says what else it did)
	@mkdir -p .cache && date +%s >.cache/began
	$(MAKE) $(TIMED)
	@echo "{\"seconds\": $$(($$(date +%s) - $$(cat .cache/began) + 1))}" | $(FIGURES) -keep test -of "make test"
	$(MAKE) bench-check bench-failover bench-groups bench-services KEEP=yes
	$(GO) run ./tla/check -bench $(BENCH) -heap 128m -min-speed 0 -min-memory 0 $(call KEPT,check-small-heap,go run ./tla/check -bench -heap 128m)
	$(GO) test -run '^$$' -bench . -benchtime $(BENCHTIME) ./impl/bully ./impl/internal/subject ./conformance/check | \
		$(FIGURES) -keep benchmarks -of "go test -bench . ./impl/bully ./impl/internal/subject ./conformance/check"
	$(MAKE) traces
	$(GO) run ./tla/check -json -traces .cache/traces | $(FIGURES) -keep traces -of "go run ./tla/check -traces .cache/traces"

# What runs all tests, says what failed, and ends with tables of stages, slow tests, and what was skipped.
RUNTESTS = $(GO) run ./conformance/runtests
# FRESH=yes runs tests whose result Go has kept, too.
COUNT = $(if $(FRESH),-count=1)
# Without a C compiler there is no race detector.
RACE = $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)

# go vet is for make lint. Tests of real processes mostly wait, so they run beside all that computes.
test: ## run all tests, those on real processes beside the others, and again with the race detector where goroutines meet (4 min with a warm cache)
	@packages=$$($(GO) list ./... | sed "s|^$$($(GO) list -m)|.|" | grep -vxF "$$(printf '%s\n' $(PROCESSES))"); \
	races=$$(grep -rlE --include='*.go' --exclude='*_test.go' '$(RACES)' . | xargs dirname | sort -u | grep -xF "$$packages" | grep -vE '$(OUTER)'); \
	$(RUNTESTS) -keep .cache/slowest/test $(if $(RACE),,-missing gcc) \
		-beside "processes: $(COUNT) -vet=off -timeout 30m -p 4 -parallel 8 $$(echo $(PROCESSES))" \
		-then "plain: $(COUNT) -vet=off $$(echo $$packages)" \
		$(if $(RACE),-then "race detector: $(COUNT) -vet=off -race -short $$(echo $$races)")

# The files whose tests ask package slowtest, which leaves the tests or their long form to this target; and these tests.
SLOW = $(shell grep -rlE --include='*_test.go' 'slowtest\.(Only|Wanted)\b' conformance impl model tla traces)
SLOWTESTS = awk '/^func /{name=$$2; sub(/\(.*/, "", name)} /slowtest\.(Only|Wanted)\(/{print name}' $(SLOW) | sort -u | paste -sd '|'
test-slow: ## run the tests that build releases and WebAssembly, start many JVMs, or have a long form (5 min)
	@BULLY_SLOW=yes $(RUNTESTS) -keep .cache/slowest/test-slow -then "slow: $(COUNT) -vet=off -timeout 30m -run ^($$($(SLOWTESTS)))$$ $(sort $(patsubst %/,./%,$(dir $(SLOW))))"

# Nested modules: what they drag along are some thousand packages of etcd, Kubernetes, Prometheus and others.
test-modules: ## run the tests of the modules of their own, for Kubernetes, Prometheus, OpenTelemetry, and nodes of other systems (5 min)
	@BULLY_MODULES=yes $(RUNTESTS) -keep .cache/slowest/test-modules -then "mutants of modules: $(COUNT) -vet=off -run TestTableOfModulesCompiles ./conformance/mutants" \
		$(foreach module,$(MODULES),-then "$(module): -C $(module) $(COUNT) -vet=off $(if $(filter $(module),$(PEERS)),,$(RACE)) ./...")

ports: ## test the ports in other languages, and certify them: needs Python 3.11, Node 20 and Rust (4 min)
	$(GO) build -o .cache/bullytest ./conformance/cmd/bullytest
	$(GO) build -o .cache/ ./impl/cmd/workbench
	.cache/bullytest test -workers $(CPUS) -level gold -- .cache/workbench port
	@if $(PYTHON311); then $(MAKE) --no-print-directory port-python; else $(call skipped,the port in Python and the self-test of the kit,Python 3.11,apt-get install python3); fi
	@if $(NODE20); then $(MAKE) --no-print-directory port-javascript; else $(call skipped,the port in JavaScript,Node 20,apt-get install nodejs); fi
	@if cargo --version >/dev/null 2>&1; then $(MAKE) --no-print-directory port-rust; \
		else echo "skipped: the port in Rust: needs Rust 1.82; install: curl https://sh.rustup.rs -sSf | sh"; fi # .ci/run cannot install it

.PHONY: port-python port-javascript port-rust
port-python:
	cd conformance/ports/python && python3 -m unittest -q
	.cache/bullytest test -workers $(CPUS) -level gold -- python3 conformance/ports/python/port.py
	.cache/bullytest selftest -workers $(CPUS)

port-javascript:
	cd conformance/ports/javascript && node --test
	.cache/bullytest test -workers $(CPUS) -level gold -- node conformance/ports/javascript/port.mjs

port-rust:
	cd conformance/ports/rust && cargo test --quiet && cargo build --release --quiet
	.cache/bullytest test -workers $(CPUS) -level gold -- conformance/ports/rust/target/release/bully-port

# Installs what the page is built and tested with, at the versions of its lock file.
traces/viewer/node_modules: traces/viewer/package-lock.json
	cd traces/viewer && npm ci --no-audit --no-fund --loglevel=error
	touch $@

# Into traces/viewer/dist/fresh, which is not in the repository, and which go build takes before what was released; and the page of comparisons.
viewer: traces/viewer/node_modules ## build the pages of workbench view and of workbench compare, and the engine: needs Node 20 (1 min)
	cd traces/viewer && npm run --silent types && node build.mjs
	$(GO) test -count=1 ./traces/viewer -run '^TestFresh$$' -update

viewer-release: viewer ## the same, and keep it in the repository, for builds without Node: once a release, or when viewer-test asks for it
	cd traces/viewer && node build.mjs --release

viewer-site: ## write the pages as a folder for any web server, or none: .cache/site (10 s)
	$(GO) run ./impl/cmd/workbench view -site .cache/site

# Also in Firefox, if there is one. A test that walks through all traces and scenarios takes each third, another third in each browser; make soak takes all.
viewer-test: ## build these pages and test them, in Chromium and in Firefox: needs Node 20 (8 min)
	@if $(NODE20); then $(MAKE) --no-print-directory viewer viewer-tested; else $(call skipped,the page of elections,Node 20,apt-get install nodejs npm); fi

.PHONY: viewer-tested
viewer-tested:
	$(GO) test -count=1 ./traces/viewer
	cd traces/viewer && npm run --silent test && npm run --silent test:browser

traces: ## check golden traces and fresh ones, of the simulator and of real processes, with Go and with TLC (1 min)
	rm -rf .cache/traces && mkdir -p .cache/traces
	$(GO) build -o .cache/ ./impl/cmd/bully ./impl/cmd/workbench
	for profile in $(PROFILES); do for seed in $(SEEDS); do for nodes in $(MEMBERS); do \
		.cache/workbench sim -seeds $$seed -nodes $$nodes -profile $$profile \
			-trace .cache/traces/$$profile-$$nodes-$$seed.ndjson >/dev/null; done; done; done
	.cache/bully demo -dir .cache/traces/demo
	mv .cache/traces/demo/merged.ndjson .cache/traces/demo.ndjson && rm -rf .cache/traces/demo
	.cache/bully trace check -two-acting traces/valid
	.cache/bully trace check .cache/traces
	$(GO) run ./tla/check -traces traces/valid traces/invalid .cache/traces

mutants: ## break the source in many ways, one at a time: each must be noticed by a test (half an hour, on a machine that does nothing else)
	$(GO) run ./conformance/mutants -run '$(MUTANT)'

soak: ## the long form of the tests: more seeds, more runs, mutants, fuzzing (an hour; SOAK=100 for a night)
	$(GO) build -o .cache/ ./impl/cmd/bully ./impl/cmd/workbench
	.cache/workbench sim -seeds 1-$$(( $(SOAK) * 500 )) -nodes 1,2,3,4,5,6,7 -profile all
	BULLY_SOAK=$(SOAK) BULLY_SLOW=yes $(GO) test -count=1 -timeout 0 ./conformance/... ./impl/bully/... ./impl/host
	BULLY_SOAK=1 $(GO) test -count=$(SOAK) -timeout 0 -p 1 -parallel 4 $(PROCESSES)
	$(MAKE) mutants traces fuzz FUZZTIME=2m
	BULLY_SOAK=$(SOAK) $(MAKE) viewer-test

evidence: ## run what is too slow for every day, and keep what it says (some hours; OF=prove: one of them)
	$(GO) run ./conformance/evidence -run '$(OF)' -soak $(SOAK)

lint: ## gofmt, go vet, staticcheck; says what of make evidence is stale (1 min)
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then \
		echo "gofmt these files:"; echo "$$unformatted"; exit 1; fi
	@GOBIN="$(CURDIR)/.cache/bin" $(GO) install $(STATICCHECK)
	@printf '%s\n' . $(MODULES) | xargs -P $(CPUS) -I{} bash -c \
		'cd {} && said=$$({ $(GO) vet ./... && "$(CURDIR)/.cache/bin/staticcheck" ./...; } 2>&1); bad=$$?; echo "== {}"; [ -z "$$said" ] || echo "$$said"; exit $$bad'
	@echo "== what make evidence keeps"; $(GO) run ./conformance/evidence

# What is new is minimised once: of long inputs, as traces are, that took nearly all of the time.
fuzz: ## fuzz everything that reads foreign bytes, a little (3 min)
	@for package in $(FUZZED); do \
		for target in $$($(GO) test -list '^Fuzz' "$$package" | grep '^Fuzz' || true); do \
			echo "== $$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x "$$package"; \
		done; \
	done

release: ## make VERSION in .release/: programs, an image for containers, SBOM, notes, sums; of a tree without changes (some minutes)
	$(GO) run ./impl/internal/release -version "$(VERSION)"

# The short form of all that nobody runs every day, and that .ci/run does not run: a target whose command line has rotten fails here.
# A target that has no short form is parsed alone. What was measured is thrown away.
SHORT = ROUNDS=1 FAILOVERS=1 FAULTS=1 BALLAST=0,16 IDLE=1s FOR=1s GROUPS=20 GROUPS_BESIDE=5 KILLS=1 BENCHTIME=1x \
	BENCH="-config models/ClusterResignStar -min-speed 0 -min-memory 0" PROFILES=lossy SEEDS=1 MEMBERS=3 TIMED=help TO=.cache/smoke
smoke: ## run the short form of everything that takes too long for every day (some minutes)
	rm -rf .cache/smoke
	for target in soak prove release viewer-release clean; do $(MAKE) --silent -n $$target >/dev/null; done
	$(GO) run ./impl/internal/release -h
	$(MAKE) check-deep CONFIGURATION='^models/ClusterResignStar$$$$'
	$(MAKE) figures $(SHORT)
	$(MAKE) bench-guard KEEP=yes $(SHORT)
	$(MAKE) mutants MUTANT='^ring-swallows-nothing$$$$'
	$(MAKE) fuzz FUZZED=./tla/check/value FUZZTIME=1s
	$(MAKE) evidence OF=
	$(MAKE) viewer-site

clean: ## remove what checks and make viewer leave behind, the cached TLC too (at once)
	rm -rf .cache .release tla/states traces/viewer/dist/fresh
