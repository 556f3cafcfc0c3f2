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

.PHONY: help node setup docs web web-packages re2 kubernetes targets run stop records dead-letters test check bench image release bicep cluster e2e bench-operator soak generate
.DEFAULT_GOAL := help

help: ## lists the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "make %-14s %s\n", $$1, $$2}' Makefile

node:
	@tools/get-node.sh

setup: node ## installs Node and nats-server into .tools, and the npm packages
	@node tools/setup/main.ts

run: node ## starts the gateway, the bus, all processors and the web interface; Ctrl-C stops them
	@node tools/run/main.ts

stop: node ## stops a `make run` of another terminal
	@node tools/run/main.ts stop

records: node ## shows new records live, or stored ones (FIELD=response.gl_path ARGS="--since 1h --status 5xx --follow")
	@node tools/records/main.ts $(FIELD) $(ARGS)

# The sink of `make dead-letters`, and its command: "list", "show 3", "send 3 5" or "send all".
SINK ?= nats2log
LETTERS ?= list

dead-letters: node ## lists, shows or resends records that the target of a sink refused (SINK=nats2log LETTERS="send all")
	@cd $(RUN_DIR) && set -a && . ./env && node $(CURDIR)/processors/nats2log/src/dead-letters.ts \
		-o app/conf/$(SINK)_config.json $(LETTERS)

# Compiles re2, the regex processor's native addon, in the background of the checks. The build is made once and takes two
# minutes.
re2: setup
	@node tools/re2/main.ts --background

# Builds Kubernetes and helm for the tests that need a cluster, in the background of the checks and the other tests. The
# build is made once and takes 15 to 25 minutes.
kubernetes: setup
	@node tools/cluster/main.ts build --background

cluster: setup ## opens a shell with kubectl in a new test cluster (Linux, root)
	@node tools/cluster/main.ts shell

e2e: setup ## runs the end-to-end tests in a new test cluster (Linux, root)
	@node tools/cluster/main.ts build
	@node tools/test/main.ts 'test/e2e/**/*.test.ts'

bench-operator: setup ## measures the time from an edit until every pod uses it, and the operator at 500 and 5,000 Routers
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
	$(if $(filter operator,$(SOAK)),test/operator/random-walk.test.ts) \
	$(if $(filter chart,$(SOAK)),test/chart/random-installs.test.ts)

soak: setup ## runs the long tests: attacks, hostile traffic, random resources and random chart values (SOAK=gateway SOAK_SECONDS=600 SOAK_SEED=7)
	@test -z "$(filter operator chart,$(SOAK))" || node tools/cluster/main.ts build
	@WATCHDOG=1 CHART_INSTALLS=100 SOAK_SECONDS=$(SOAK_SECONDS) node --test --test-concurrency=1 $(SOAK_FILES)

# Builds the servers to which sinks write in tests, from Go modules and jars. Each build is made once and takes a minute.
targets: setup
	@node tools/targets/main.ts

test: re2 kubernetes check ## runs all checks, then all tests (ONLY='path/to/one.test.ts': this file only)
	@node tools/re2/main.ts || test -z "$$CI"
	@test -z "$$CI" || node tools/cluster/main.ts build
	@test -z "$$CI" || node tools/targets/main.ts
	@node tools/test/main.ts $(ONLY)

docs: setup ## builds the documentation's site in docs/dist
	@node tools/docs/main.ts

web: setup ## builds the page of the web interface if its sources changed
	@node tools/gui/main.ts build

# Installs the packages of the page, the browser tests and the documentation, which have their own lock files.
web-packages: setup
	@node tools/gui/main.ts packages

check: web-packages ## checks types, format, lint rules, dead code and imports between packages
	node_modules/.bin/tsc -p .
	node_modules/.bin/tsc -p gateway/gui/web
	node_modules/.bin/tsc -p test/browser
	node_modules/.bin/biome check .
	node_modules/.bin/knip
	node --test test/architecture.test.ts

bench: setup ## measures the gateway in comparison with a bare proxy
	node test/bench/main.ts

# The archive that `make image` writes.
IMAGE ?= .run/image/llm-gateway.tar
# Any value makes a release: all platforms, and pinned parts only.
RELEASE ?=
# linux/amd64, linux/arm64, or both separated by a comma; empty means this machine's platform.
PLATFORMS ?= $(if $(RELEASE),linux/amd64$(COMMA)linux/arm64)
COMMA := ,

image: setup ## builds the container image as an OCI archive, without a container engine (RELEASE=1, PLATFORMS=linux/arm64)
	@node tools/re2/main.ts || true
	@node tools/image/main.ts --out $(IMAGE) $(if $(PLATFORMS),--platform $(PLATFORMS)) $(if $(RELEASE),--release)

# The version of the release, three numbers; -alpha.N, -beta.N or -rc.N may follow.
VERSION ?=
# A new folder for the files of the release; empty means .release/VERSION.
OUT ?=
# `image` leaves out the container image, whose build takes minutes.
WITHOUT ?=

# Passed as environment variables, so that the shell interprets no character of the values.
release: export RELEASE_VERSION := $(VERSION)
release: export RELEASE_FOLDER := $(OUT)
release: setup ## makes all files of a release of the checked-out commit (VERSION=1.2.3 OUT=FOLDER WITHOUT=image)
	@test -n "$(filter image,$(WITHOUT))" || node tools/re2/main.ts
	@node tools/release/main.ts --version "$$RELEASE_VERSION" --out "$$RELEASE_FOLDER" $(if $(filter image,$(WITHOUT)),--no-image)

bicep: ## compiles the Azure templates with Azure's own compiler (needs az)
	az bicep install --version v0.30.23
	az bicep build --file deploy/azure/main.bicep --stdout > /dev/null
	az bicep build --file deploy/azure/container.bicep --stdout > /dev/null

generate: setup ## writes the generated files again
	node tools/version/main.ts
	node conf/generate.ts
	node crds/generate.ts
	node charts/dashboards/generate.ts
	node deploy/azure/generate.ts
	node gateway/src/json/generate.ts
	node docs/generate/main.ts
	node tools/helm/main.ts
	node tools/lock/main.ts
