# All targets use the Node and the nats-server of .tools/bin, which `make setup` puts there.
export PATH := $(CURDIR)/.tools/bin:$(PATH)
SHELL := /bin/sh
# Where `make run` keeps its configuration, logs and secrets.
export RUN_DIR ?= .run
# Test files or patterns for `make test`; empty means all tests.
ONLY ?=
# The field of the record that `make records` shows, for example response.gl_path; empty means the complete record.
FIELD ?=
# The filters of `make records`: --since 1h, --router /x/, --session ID, --status 5xx, --follow, --file FILE.
ARGS ?=

.PHONY: help node setup docs web web-packages re2 kubernetes targets run stop records dead-letters test check bench image version release bicep cluster e2e bench-operator soak generate
.DEFAULT_GOAL := help

help: ## Lists the targets.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "make %-14s %s\n", $$1, $$2}' Makefile

node: ## Gets a Node that runs TypeScript into .tools/bin.
	@tools/get-node.sh

setup: node ## Gets Node, nats-server and the packages into .tools and node_modules.
	@node tools/setup/main.ts

run: node ## Starts the gateway, its bus, processors, sinks and web interface; Ctrl-C stops them.
	@node tools/run/main.ts

stop: node ## Stops the `make run` of another terminal.
	@node tools/run/main.ts stop

records: node ## Shows records live, or kept ones (FIELD=response.gl_path ARGS="--since 1h --status 5xx --follow").
	@node tools/records/main.ts $(FIELD) $(ARGS)

# The sink of `make dead-letters`, and its command: "list", "show 3", "send 3 5" or "send all".
SINK ?= nats2log
LETTERS ?= list

dead-letters: node ## Lists or sends again the records that a sink's target refused (SINK=nats2log LETTERS="send all").
	@node tools/dead-letters/main.ts $(SINK) $(LETTERS)

# The regex processor's engine is native: built once, two minutes, beside the checks.
re2: setup ## Begins to build the regex processor's engine in the background.
	@node tools/re2/main.ts --background

# For what needs a Kubernetes of its own, and helm: built once, 15 to 25 minutes, beside the checks and the other tests.
kubernetes: setup ## Begins to build Kubernetes and helm for tests in the background.
	@node tools/cluster/main.ts build --background

cluster: setup ## Opens a shell with kubectl in a Kubernetes of its own (Linux, root).
	@node tools/cluster/main.ts shell

e2e: setup ## Runs the tests with real pods, in a Kubernetes of its own (Linux, root).
	@node tools/cluster/main.ts build
	@node tools/test/main.ts 'test/e2e/**/*.test.ts'

bench-operator: setup ## Measures the operator: an edit until every pod has it, 500 and 5,000 Routers.
	@node tools/cluster/main.ts build
	@node test/bench-operator/main.ts

# Seconds of each random test of `make soak`; SOAK_SEED=7 sets the first seed; SOAK=gateway runs one part only.
SOAK_SECONDS ?= 3600
SOAK ?= watchdog gateway ledger behind page operator chart
SOAK_FILES = $(if $(filter watchdog,$(SOAK)),test/watchdog/*.test.ts) \
	$(if $(filter gateway,$(SOAK)),test/soak/hostile-traffic.test.ts) \
	$(if $(filter ledger,$(SOAK)),test/ledger/long-ledger.soak.ts test/ledger/spool-folder.test.ts) \
	$(if $(filter behind,$(SOAK)),test/soak/sink-behind.soak.ts) \
	$(if $(filter page,$(SOAK)),test/browser/live-load.soak.ts) \
	$(if $(filter operator,$(SOAK)),test/operator/random-walk.test.ts test/operator/crash-at-each-*.test.ts) \
	$(if $(filter chart,$(SOAK)),test/chart/random-installs.test.ts)

soak: setup ## Runs the long tests: attacks, hostile traffic, faults, random resources and values (SOAK=gateway SOAK_SECONDS=600 SOAK_SEED=7).
	@test -z "$(filter operator chart,$(SOAK))" || node tools/cluster/main.ts build
	@WATCHDOG=1 CHART_INSTALLS=100 SOAK_SECONDS=$(SOAK_SECONDS) node --test --test-concurrency=1 $(SOAK_FILES)

# Servers that sinks write to in tests, from their Go modules and jars: a minute each, once.
targets: setup ## Builds the servers and checks that tests run beside our programs.
	@node tools/targets/main.ts

test: re2 kubernetes check ## Runs the checks, then every test (ONLY=path/to/one.test.ts).
	@node tools/re2/main.ts || test -z "$$CI"
	@test -z "$$CI" || node tools/cluster/main.ts build
	@test -z "$$CI" || node tools/targets/main.ts
	@node tools/test/main.ts $(ONLY)

docs: setup ## Builds the documentation as a site in docs/dist.
	@node tools/docs/main.ts

web: setup ## Builds the page of the web interface when its sources have changed.
	@node tools/gui/main.ts build

# What the page and the tests in a browser import; their lock files are their own.
web-packages: setup ## Gets the packages of the page and of the tests in a browser.
	@node tools/gui/main.ts packages

check: web-packages ## Checks types, format, lint, dead code, imports between packages and generated files.
	node_modules/.bin/tsc -p .
	node_modules/.bin/tsc -p gateway/gui/web
	node_modules/.bin/tsc -p test/browser
	node_modules/.bin/biome check .
	node_modules/.bin/knip
	node --test test/architecture.test.ts tools/helm/generated.test.ts docs/generate/pages.test.ts

bench: setup ## Measures the gateway against a bare proxy.
	node test/bench/main.ts

# The archive that `make image` writes.
IMAGE ?= .run/image/llm-gateway.tar
# Any value makes a release: all platforms, and pinned parts only.
RELEASE ?=
# linux/amd64, linux/arm64, or both separated by a comma; empty means this machine's platform.
PLATFORMS ?= $(if $(RELEASE),linux/amd64$(COMMA)linux/arm64)
COMMA := ,

image: setup ## Builds the container image as an OCI archive, without a container engine (RELEASE=1 PLATFORMS=linux/arm64).
	@node tools/re2/main.ts || true
	@node tools/image/main.ts --out $(IMAGE) $(if $(PLATFORMS),--platform $(PLATFORMS)) $(if $(RELEASE),--release)

# The version of the release, three numbers; -alpha.N, -beta.N or -rc.N may follow.
VERSION ?=
# A new folder for the files of the release; empty means .release/VERSION.
OUT ?=
# `image` leaves out the container image, whose build takes minutes.
WITHOUT ?=

# By its environment, so that no character of it is the shell's.
version: export NEW_VERSION := $(VERSION)
version: setup ## Writes a new version into every file that contains one (VERSION=1.2.3).
	@node tools/version/main.ts "$$NEW_VERSION"

release: export RELEASE_VERSION := $(VERSION)
release: export RELEASE_FOLDER := $(OUT)
release: setup ## Makes every file of a release of the checked-out commit (VERSION=1.2.3 OUT=FOLDER WITHOUT=image).
	@test -n "$(filter image,$(WITHOUT))" || node tools/re2/main.ts
	@node tools/release/main.ts --version "$$RELEASE_VERSION" --out "$$RELEASE_FOLDER" $(if $(filter image,$(WITHOUT)),--no-image)

bicep: ## Compiles the templates for Azure (needs az).
	az bicep install --version v0.30.23
	az bicep build --file deploy/azure/main.bicep --stdout > /dev/null
	az bicep build --file deploy/azure/container.bicep --stdout > /dev/null

generate: setup ## Writes the generated files again.
	node tools/version/main.ts
	node conf/generate.ts
	node crds/generate.ts
	node charts/dashboards/generate.ts
	node deploy/azure/generate.ts
	node gateway/src/json/generate.ts
	node docs/generate/main.ts
	node tools/helm/main.ts
	node tools/lock/main.ts
