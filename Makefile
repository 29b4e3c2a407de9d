# Scree. `make help` lists the commands a person needs.
#
# Layout of the build: every .c below a layer's folder is compiled into that layer's archive, except programs (main_*.c).
#   build/libscree.a         core/
#   build/libscree-server.a  server/
#   build/libscree-api.a     api/ (HTTP, WebSocket; not the command line in api/cli)
#   build/libscree-cli.a     api/cli
#   build/screed  build/scree-worker  build/scree
# SANITIZE=1 builds everything with ASan and UBSan into build/sanitize instead.

.DEFAULT_GOAL := all
SHELL   := /bin/sh
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= gcc
PYTHON  ?= /usr/bin/python3
SANITIZE ?= 0
JOBS    ?= $(shell nproc)

ifeq ($(SANITIZE),1)
  B := build/sanitize
  MODE_FLAGS := -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else
  B := build
  MODE_FLAGS := -O3
endif

PACKAGES := jansson sqlite3 libmicrohttpd libwebsockets libcurl hdf5
WARNINGS := -Wall -Wextra -Wpedantic -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual \
            -Wwrite-strings -Wvla -Wformat=2 -Wundef
CPPFLAGS += -D_GNU_SOURCE -Icore -I. -I$(B)/generated $(shell pkg-config --cflags-only-I $(PACKAGES) 2>/dev/null)
CFLAGS   += -std=c17 -g $(MODE_FLAGS) -fopenmp -fno-math-errno -fno-trapping-math -ffp-contract=off -fstack-protector-strong $(WARNINGS)
LDFLAGS  += -fopenmp $(if $(filter 1,$(SANITIZE)),-fsanitize=address$(comma)undefined) -Wl,--as-needed
comma    := ,
CORE_LIBS   := -ljansson $(shell pkg-config --libs hdf5 2>/dev/null) -lcholmod -lm
SERVER_LIBS := -lsqlite3 -lpthread
API_LIBS    := -lmicrohttpd -lwebsockets
CLI_LIBS    := -lcurl

sources  = $(sort $(shell find $(1) -name '*.c' -not -name 'main_*.c' 2>/dev/null))
objects  = $(patsubst %.c,$(B)/obj/%.o,$(1))
CORE_SOURCES   := $(call sources,core)
SERVER_SOURCES := $(call sources,server)
API_SOURCES    := $(filter-out api/cli/%,$(call sources,api))
CLI_SOURCES    := $(call sources,api/cli)
MAIN_SOURCES   := $(sort $(shell find server api -name 'main_*.c' 2>/dev/null))
UNIT_TESTS     := $(sort $(wildcard tests/unit/test_*.c))
VALIDATION     := $(sort $(wildcard tests/validation/validate_*.c))
TEST_SUPPORT   := $(sort $(wildcard tests/support/*.c))
BENCHES        := $(sort $(wildcard tests/bench/bench_*.c))
ALL_C          := $(sort $(shell find core server api tests -name '*.c' -o -name '*.h' 2>/dev/null))

LIBS := $(B)/libscree-api.a $(B)/libscree-server.a $(B)/libscree.a
BINARIES := $(B)/screed $(B)/scree-worker $(B)/scree

all: $(BINARIES) ## build screed, scree-worker and scree

# Fused multiply-add is worth 15 % to the bond kernels; only they use it, so that no other result depends on the processor.
$(B)/obj/core/methods/bdem/bond_batch_avx%.o: CFLAGS += -ffp-contract=fast

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(B)/libscree.a:        $(call objects,$(CORE_SOURCES))
$(B)/libscree-server.a: $(call objects,$(SERVER_SOURCES)) $(B)/generated/assets.o
$(B)/libscree-api.a:    $(call objects,$(API_SOURCES))
$(B)/libscree-cli.a:    $(call objects,$(CLI_SOURCES))
$(LIBS) $(B)/libscree-cli.a:
	@mkdir -p $(@D)
	@rm -f $@
	ar rcs $@ $^

# Everything screed serves or applies (dashboard, gallery, OpenAPI document, migrations) is compiled into it: one file to deploy.
ASSET_FOLDERS := build/web migrations $(wildcard api/gallery)
ASSET_FILES   := $(sort $(wildcard migrations/*.sql api/gallery/*.json)) $(wildcard api/openapi.yaml)
$(B)/generated/assets.S: $(ASSET_FILES) $(wildcard api/gallery) migrations deploy/embed.py build/web/.stamp
	@mkdir -p $(@D)
	$(PYTHON) deploy/embed.py $@ $(ASSET_FOLDERS) $(wildcard api/openapi.yaml)
$(B)/generated/assets.o: $(B)/generated/assets.S $(ASSET_FILES)
	$(CC) -c $< -o $@

WEB_SOURCES := $(shell find web -type f -not -path '*/node_modules/*' 2>/dev/null)
build/web/.stamp: $(WEB_SOURCES)
	@mkdir -p build/web
	$(if $(wildcard web/Makefile),$(MAKE) -C web --no-print-directory OUT=$(abspath build/web))
	@touch $@

$(B)/screed: $(B)/obj/api/main_screed.o $(LIBS)
	$(CC) $(LDFLAGS) $^ $(CORE_LIBS) $(SERVER_LIBS) $(API_LIBS) -o $@
$(B)/scree-worker: $(B)/obj/server/worker/main_worker.o $(B)/obj/server/worker/surface.o $(B)/libscree.a
	$(CC) $(LDFLAGS) $^ $(CORE_LIBS) -o $@
$(B)/scree: $(B)/obj/api/cli/main_scree.o $(B)/libscree-cli.a $(LIBS)
	$(CC) $(LDFLAGS) $^ $(CORE_LIBS) $(CLI_LIBS) -o $@

# ── tests ──────────────────────────────────────────────────────────────────────────────────────────────────────────
TEST_BINARIES := $(patsubst %.c,$(B)/%,$(UNIT_TESTS) $(VALIDATION))
$(B)/tests/%: $(B)/obj/tests/%.o $(call objects,$(TEST_SUPPORT)) $(B)/libscree-cli.a $(LIBS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ -lcmocka $(CORE_LIBS) $(SERVER_LIBS) $(API_LIBS) $(CLI_LIBS) -o $@

setup: ## install missing Debian packages
	@deploy/setup.sh deploy/packages.txt
test: setup ## every test: unit, validation (fast), integration, browser. SANITIZE=1: with ASan and UBSan, without the browser
	@$(MAKE) --no-print-directory -j$(JOBS) all test-binaries
	@SCREE_BUILD=$(B) $(PYTHON) tests/run.py $(SUITES)
test-binaries: $(TEST_BINARIES)
validate: setup ## every validation case, slow ones too; rewrites tests/validation/REPORT.md
	@$(MAKE) --no-print-directory -j$(JOBS) all test-binaries
	@SCREE_BUILD=$(B) SCREE_SLOW=1 $(PYTHON) tests/run.py --report tests/validation/REPORT.md validation

-include deploy/demo.mk deploy/lint.mk deploy/bench.mk

run: setup ## start screed in the foreground on http://127.0.0.1:8080/
	@$(MAKE) --no-print-directory -j$(JOBS) all
	$(B)/screed --data data

install: all ## install into DESTDIR/PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BINARIES) $(DESTDIR)$(PREFIX)/bin/

clean: ## remove what was built
	rm -rf build

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: all setup test test-binaries validate run install clean help
.SECONDARY:
-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
