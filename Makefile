# Every verb of the project; `make help` lists them. CI runs the same ones.
SHELL := /bin/bash
.DEFAULT_GOAL := help
NODE := tools/stack/manifests/node
# The Node of the image, where npm has it for this machine; otherwise the one that is installed, and with OWN_NODE=1.
ifndef OWN_NODE
export PATH := $(CURDIR)/$(NODE)/node_modules/.bin:$(PATH)
endif
# The size of the young generation that Node 24 has on small machines only. A larger one costs 30 to 60 MiB, and ingest gets slower.
export NODE_OPTIONS ?= --max-semi-space-size=16
# What Node has compiled.
export NODE_COMPILE_CACHE ?= $(CURDIR)/.local/code-cache
RUN := env node --conditions=flagmeter-source --import='$(CURDIR)/tools/run/sources.mjs'
BIN := node_modules/.bin
ALERTS := infra/prometheus/alerts
ON_STACK := if [ ! -e .local/stack.env ]; then echo "No engines run here: start them with make start or make stack."; exit 2; fi; \
	source .local/stack.env;
# The exit code of a refusal, which the program has explained: make adds no error of its own.
IF_REFUSED := [ $$? -eq 3 ]

SIMULATED = $(if $(SEED),--seed=$(SEED)) $(if $(SEEDS),--seeds=$(SEEDS)) $(if $(FROM),--from=$(FROM)) \
	$(if $(STEPS),--steps=$(STEPS)) $(if $(TRACE),--trace) $(if $(FAULTS),--faults='$(FAULTS)')

# Installed again whenever the lock file changes. No package needs its install script, and such scripts would run with all rights of the user.
node_modules/.installed: package-lock.json $(NODE)/package-lock.json
	npm ci --prefix $(NODE) --ignore-scripts --no-fund --no-audit
	@$(NODE)/node_modules/.bin/node --version >/dev/null 2>&1 || rm -rf $(NODE)/node_modules
	@node --eval 'const needed = require("./package.json").engines.node.slice(2), { node } = process.versions; if (node.localeCompare(needed, "en", { numeric: true }) < 0) throw `Node $${needed} is needed, and this is $${node}.`'
	npm ci --ignore-scripts --no-fund --no-audit
	@touch $@

.PHONY: help
help: ## list the verbs
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | column -t -s '|'

.PHONY: install
install: node_modules/.installed ## install the npm packages

.PHONY: demo
demo: node_modules/.installed ## everything on real engines in two minutes: send, count, compare, stop
	@$(RUN) tools/run/demo/demo.ts

.PHONY: start
start: node_modules/.installed ## run everything for real clients on PORT (4242) until Ctrl-C
	@$(RUN) tools/run/start.ts

.PHONY: stack
stack: node_modules/.installed ## start only the engines; addresses go to .local/stack.env
	@$(RUN) tools/stack/main.ts up

.PHONY: stack-down
stack-down: node_modules/.installed ## stop the engines; data stays
	@$(RUN) tools/stack/main.ts down

.PHONY: stack-cluster
stack-cluster: node_modules/.installed ## for tests: three Kafka brokers and two shards of two ClickHouse replicas until Ctrl-C; addresses go to .local/cluster/stack.env
	@$(RUN) tools/stack/main.ts cluster

.PHONY: sample
sample: node_modules/.installed ## fill the running stack with a made-up shop, to look at; ARGS=--beside-real-data beside other data
	@$(ON_STACK) $(RUN) services/cli/main.ts sample $(ARGS) || $(IF_REFUSED)

.PHONY: sample-remove
sample-remove: node_modules/.installed ## remove the made-up shop, and nothing else
	@$(ON_STACK) $(RUN) services/cli/main.ts sample --remove || $(IF_REFUSED)

.PHONY: screenshots
screenshots: node_modules/.installed ## take the pictures of the console in docs/images again, from the made-up shop
	@$(RUN) tools/run/screenshots/screenshots.ts

.PHONY: site
site: node_modules/.installed ## write the documents as pages with a search to .local/site
	@$(RUN) tools/site/main.ts

.PHONY: reconcile
reconcile: node_modules/.installed ## prove that everything the running stack received is accounted for
	@$(ON_STACK) $(RUN) services/cli/main.ts reconcile

.PHONY: clean
clean: node_modules/.installed ## stop the engines and forget all local data and tokens
	@$(RUN) tools/stack/main.ts clean
	@for folder in .local/test/data .local/test-engines; do if [ -L $$folder ]; then rm -rf "$$(readlink $$folder)"; fi; done
	@rm -rf .local/cluster .local/code-cache .local/compiled .local/bench .local/bench-disk .local/bench-pass-through .local/bench-profile .local/bench-reads .local/bench-soak .local/site .local/demo .local/test .local/test-logs .local/test-engines .local/tokens.env .local/first-steps.txt

.PHONY: check
check: node_modules/.installed ## all static checks and the unit tests: a minute or two on two cores
	@$(MAKE) --no-print-directory -j2 lint format-check test-unit walls dead-code chart alerts

.PHONY: dictionary
dictionary: node_modules/.installed ## write docs/use/analysts/dictionary.md and .csv and the sources of dbt from the migrations, docs/operate/settings.csv from the schema
	@$(RUN) tools/docs/main.ts

.PHONY: proof
proof: node_modules/.installed ## write docs/proof.md from what long runs have noted: make simulate, test, test-nightly, test-seeds, mutants, bench, bench-soak
	@$(RUN) tools/docs/proof/main.ts

.PHONY: cookbook
cookbook: node_modules/.installed ## write docs/use/analysts/cookbook-results.txt from the demo data (needs make stack)
	@COOKBOOK=write $(BIN)/mocha --reporter dot test/integration/analysts/demo-data.test.ts

.PHONY: access-table
access-table: node_modules/.installed ## write docs/operate/people/operations-and-roles.csv from requests to every operation
	@ACCESS_TABLE=write $(RUN) tools/run/suite/test.ts test/integration/admin/people/access/operations.test.ts

.PHONY: contract-table
contract-table: node_modules/.installed ## write docs/use/senders/unleash-bodies.csv from bodies sent to Unleash and to flagmeter
	@CONTRACT_TABLE=write $(RUN) tools/run/suite/test.ts test/unleash/zoo.test.ts

.PHONY: format
format: node_modules/.installed ## format the sources
	@$(BIN)/oxfmt

.PHONY: format-check
format-check: node_modules/.installed
	@$(BIN)/oxfmt --check

# With two threads the compiler of the linter checks much twice, and takes a quarter more CPU.
.PHONY: lint
lint: node_modules/.installed ## check types and the rules of .oxlintrc.json
	@GOMAXPROCS=1 $(BIN)/oxlint

.PHONY: walls
walls: node_modules/.installed ## check the imports between packages and services
	@$(RUN) tools/checks/walls.ts

.PHONY: chart
chart: node_modules/.installed ## check the Helm chart with helm, kubeconform and Go, if they are installed
	@$(RUN) tools/chart/check.ts

.PHONY: alerts
alerts: ## test the alert rules with promtool, if it is installed
	@if command -v promtool >/dev/null; then promtool check rules $(ALERTS).yml && promtool test rules $(ALERTS).test.yml; \
	else echo 'The alert rules were not tested: promtool missing.'; fi

.PHONY: advisories
advisories: ## look up the advisories on all packages of the lock files with osv-scanner, if it is installed
	@if command -v osv-scanner >/dev/null; then osv-scanner scan source --lockfile package-lock.json \
	  --lockfile tools/stack/manifests/node/package-lock.json \
	  --lockfile packages/tooling/stack/manifests/clickhouse/package-lock.json \
	  --lockfile packages/tooling/stack/manifests/postgres/package-lock.json; \
	else echo 'No advisories were looked up: osv-scanner missing.'; fi

.PHONY: test-package
test-package: node_modules/.installed ## install the npm package into an empty folder and run it: make test-package [PACKAGE=file.tgz]
	@FLAGMETER_PACKAGE=$(PACKAGE) $(RUN) tools/run/suite/test.ts test/e2e/package.test.ts

.PHONY: image
image: ## build the images flagmeter:local and flagmeter-try:local with docker, podman or buildah: make image [NODE_IMAGE=node:24-slim]
	@tools/run/image.sh flagmeter:local infra/Dockerfile $(if $(NODE_IMAGE),NODE_IMAGE=$(NODE_IMAGE))
	@tools/run/image.sh flagmeter-try:local infra/Dockerfile.try

# Installed again whenever the list of packages changes.
.local/dbt/.installed: infra/dbt/requirements.txt
	python3 -m venv .local/dbt
	.local/dbt/bin/pip install --quiet --requirement infra/dbt/requirements.txt
	@touch $@

.PHONY: dbt-parse
dbt-parse: ## check the sources and exposures with dbt, which is installed from PyPI, if there is Python
	@if ! command -v python3 >/dev/null; then echo 'The sources of dbt were not checked: python3 missing.'; exit; fi; \
	$(MAKE) --no-print-directory .local/dbt/.installed && .local/dbt/bin/dbt --warn-error --log-path .local/dbt/logs parse \
	  --no-partial-parse --project-dir infra/dbt --profiles-dir infra/dbt --target-path $(CURDIR)/.local/dbt/target

.PHONY: chart-schema
chart-schema: node_modules/.installed ## write the settings of the Helm chart's values.schema.json from the settings of flagmeter
	@$(RUN) tools/chart/write-schema.ts

.PHONY: dead-code
dead-code: node_modules/.installed
	@$(BIN)/knip --no-progress

.PHONY: test-unit
test-unit: node_modules/.installed ## the pure tests
	@$(BIN)/mocha --reporter dot 'test/unit/**/*.test.ts'

.PHONY: test
test: node_modules/.installed ## the whole suite: unit tests, then all tests on real engines of their own, with the static checks beside; 15 minutes on two cores
	@$(RUN) tools/run/suite/test.ts

.PHONY: test-at
test-at: node_modules/.installed ## the same at another time: make test-at AT='2026-11-30 23:58:00' [ONLY=file]
	@$(RUN) tools/run/suite/test-at.ts '$(AT)' $(ONLY)

.PHONY: simulate
simulate: node_modules/.installed ## run the real code in simulated worlds: make simulate [SEEDS=1000] [FROM=1] [STEPS=2000], or one with SEED=
	@$(RUN) test/simulation/main.ts $(SIMULATED)

.PHONY: simulate-forever
simulate-forever: node_modules/.installed ## the same until a world breaks a promise: it prints the smallest such world that it found
	@$(RUN) test/simulation/main.ts --forever --from=$(or $(FROM),$$RANDOM$$RANDOM) $(SIMULATED)

.PHONY: simulate-defects
simulate-defects: node_modules/.installed ## find each known defect, and note the seeds that make test tries first
	@$(RUN) test/simulation/find-all-defects.ts

.PHONY: test-fault
test-fault: node_modules/.installed ## only the stories in which something is killed, cut or frozen
	@$(RUN) tools/run/suite/test.ts fault

.PHONY: test-cluster
test-cluster: node_modules/.installed ## only the stories with ClickHouse replicas: make test-cluster [ROUNDS=5] [SEED=1]
	@$(RUN) tools/run/suite/test.ts cluster

.PHONY: test-seeds
test-seeds: node_modules/.installed ## the stories with random faults once for each seed, until one fails: make test-seeds [SEEDS=20] [FIRST=1] [ONLY=cluster] [ROUNDS=3]
	@for seed in $$(seq $(or $(FIRST),1) $$(($(or $(FIRST),1) + $(or $(SEEDS),20) - 1))); do \
		echo "== SEED=$$seed =="; NOTE_RUN=1 SEED=$$seed ROUNDS=$(or $(ROUNDS),3) $(RUN) tools/run/suite/test.ts $(or $(ONLY),$$(grep -rl --include="*.test.ts" describeStory test/fault test/cluster test/unleash)) || exit 1; done

.PHONY: test-nightly
test-nightly: node_modules/.installed ## the files with tests that make test leaves out (itNightly, describeNightly), each with all of its tests
	@NOTE_RUN=1 $(RUN) tools/run/suite/test.ts $$(grep -rlE --include="*.test.ts" 'itNightly|describeNightly|isNight|ByDay|itByTurns|AfterActs' test --exclude-dir=unit)

.PHONY: test-upgrade
test-upgrade: node_modules/.installed ## a rolling upgrade under load from an earlier version: make test-upgrade [FROM=v0.1.0]
	@$(RUN) tools/run/suite/test-upgrade.ts $(FROM)

.PHONY: test-unleash
test-unleash: node_modules/.installed ## only the stories with a real Unleash and its SDKs, which it installs
	@$(RUN) tools/run/suite/test.ts unleash

.PHONY: abuse
abuse: node_modules/.installed ## all attacks at once beside an honest load: make abuse [SECONDS=300]
	@RUN_SECONDS=$(or $(SECONDS),300) $(RUN) tools/run/suite/test.ts test/abuse/all-at-once.ts

.PHONY: soak-unleash
soak-unleash: node_modules/.installed ## compare with a real Unleash under load with lost answers: make soak-unleash [SECONDS=3600]
	@RUN_SECONDS=$(or $(SECONDS),3600) $(RUN) tools/run/suite/test.ts test/unleash/soak.ts

.PHONY: mutants
mutants: node_modules/.installed ## change the rules of counting in every place and list what no unit test notices (OF=file for one)
	@OF=$(OF) NODE_COMPILE_CACHE= nice $(BIN)/stryker run tools/mutants/stryker.config.mjs

.PHONY: mutants-simulated
mutants-simulated: node_modules/.installed ## the same for what the simulation executes: what no unit test notices runs in SEEDS (200) worlds
	@OF=$(OF) WORLDS=$(or $(SEEDS),200) NODE_COMPILE_CACHE= nice $(BIN)/stryker run tools/mutants/stryker.config.mjs

.PHONY: bench
bench: node_modules/.installed ## measure everything twice on a stack of its own (40 minutes, nothing else running)
	@$(RUN) tools/bench/main.ts

.PHONY: bench-quick
bench-quick: node_modules/.installed ## the same once and in short (3 minutes), to see what a change does
	@$(RUN) tools/bench/main.ts --quick

.PHONY: bench-profile
bench-profile: node_modules/.installed ## where ingest and the worker spend their CPU, by module and by function
	@$(RUN) tools/bench/profile.ts

.PHONY: bench-pass-through
bench-pass-through: node_modules/.installed ## what a request for features costs through flagmeter
	@$(RUN) tools/bench/pass-through/pass-through.ts

.PHONY: bench-reads
bench-reads: node_modules/.installed ## the questions about 90 days alone (8 minutes); DENSE=1: about ten times the rows (an hour)
	@$(RUN) tools/bench/reads.ts $(if $(DENSE),--dense)

.PHONY: bench-disk
bench-disk: node_modules/.installed ## what ClickHouse takes on disk, by table and column: five minutes
	@$(RUN) tools/bench/disk/disk.ts

.PHONY: bench-soak
bench-soak: node_modules/.installed ## everything at its maximum for ten minutes: whether memory stays flat; HALF=1: the slowest answers at half rate
	@$(RUN) tools/bench/soak.ts $(if $(HALF),--half) $(if $(MINUTES),--minutes $(MINUTES))

.PHONY: build
build: node_modules/.installed ## compile and bundle to dist/ for production: half a minute
	@npm run --silent build
