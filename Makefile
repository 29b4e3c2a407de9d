# Scree. `make help` lists the commands a person needs.
#
# Layout of the build: every .c below a layer's folder is compiled into that layer's archive, except programs (main_*.c).
#   build/libscree.a         core/
#   build/libscree-server.a  server/
#   build/libscree-api.a     api/ (HTTP, WebSocket; not the command line in api/cli)
#   build/libscree-cli.a     api/cli
#   build/screed  build/scree-worker  build/scree
# SANITIZE=1 builds everything with ASan and UBSan into build/sanitize instead; DEBUG=1: with variables for a debugger, not lines alone; V=1
# shows whole commands.
#
# What a file is made of besides its sources (flags, which objects are in an archive) stands in a file of build/stamps that is rewritten only
# when it changes; what depends on it is made anew then.

.DEFAULT_GOAL := all
SHELL   := /bin/sh
PREFIX  ?= /usr/local
DESTDIR ?=
ifeq ($(origin CC),default) # make's own default is cc, so that ?= would do nothing
  CC := gcc
endif
V       ?= 0
PYTHON  ?= /usr/bin/python3
SANITIZE ?= 0
DEBUG    ?= 0
JOBS    ?= $(shell nproc)

ifeq ($(SANITIZE),1)
  B := build/sanitize
  MODE_FLAGS := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else
  B := build
  MODE_FLAGS := -O3 $(if $(filter 1,$(DEBUG)),-g)
endif

PACKAGES := jansson sqlite3 libmicrohttpd libwebsockets libcurl hdf5 zlib
WARNINGS := -Wall -Wextra -Wpedantic -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual \
            -Wwrite-strings -Wvla -Wformat=2 -Wundef
PACKAGE_FLAGS := $(shell pkg-config --cflags-only-I $(PACKAGES) 2>/dev/null)
CPPFLAGS += -D_GNU_SOURCE -Icore -I. -I$(B)/generated $(PACKAGE_FLAGS)
CFLAGS   += -std=c17 $(MODE_FLAGS) -fopenmp -fno-math-errno -fno-trapping-math -ffp-contract=off -fstack-protector-strong $(WARNINGS)
# Tests call what is measured and rarely compute themselves, and what serves waits for others: both compile in half the time with few
# optimisations. Tests link in a third of the time without debug sections, which a debugger (DEBUG=1) and the sanitizers need. Without any
# optimisation they would run for a tenth longer.
QUICK_CFLAGS := $(if $(filter 1,$(SANITIZE)),$(CFLAGS),$(filter-out -O3,$(CFLAGS)) -O1)
STRIP_DEBUG := $(if $(filter 1,$(SANITIZE) $(DEBUG)),,-Wl,-S)
# gold links in a third of the time of the usual linker; it comes with Debian's binutils.
LDFLAGS  += -fopenmp $(if $(shell command -v ld.gold 2>/dev/null),-fuse-ld=gold) $(if $(filter 1,$(SANITIZE)),-fsanitize=address$(comma)undefined) -Wl,--as-needed
comma    := ,
# Fused multiply-add is worth 15 % to the bond kernels; only they use it, so that no other result depends on the processor.
FUSED_FLAGS := -ffp-contract=fast
CORE_LIBS   := -ljansson -lz $(shell pkg-config --libs hdf5 2>/dev/null) -llapacke -larpack -lumfpack -lklu -lcholmod -lm
SERVER_LIBS := -lsqlite3 -lnlopt -lpthread
API_LIBS    := -lmicrohttpd -lwebsockets
CLI_LIBS    := -lcurl

sources  = $(sort $(shell find $(1) -name '*.c' -not -name 'main_*.c' 2>/dev/null))
objects  = $(patsubst %.c,$(B)/obj/%.o,$(1))
CORE_SOURCES   := $(filter-out core/base/team/team_mpi.c,$(call sources,core))
SERVER_SOURCES := $(call sources,server)
API_SOURCES    := $(filter-out api/cli/%,$(call sources,api))
CLI_SOURCES    := $(call sources,api/cli)
MAIN_SOURCES   := $(sort $(shell find server api -name 'main_*.c' 2>/dev/null))
UNIT_TESTS     := $(sort $(wildcard tests/unit/*/test_*.c))
VALIDATION     := $(sort $(wildcard tests/validation/*/validate_*.c))
TEST_AREAS     := $(sort $(patsubst %/,%,$(dir $(UNIT_TESTS) $(VALIDATION))))
TEST_SUPPORT   := $(sort $(wildcard tests/support/*.c))
BENCHES        := $(sort $(wildcard tests/bench/bench_*.c))
ALL_C          := $(sort $(shell find core server api tests -name '*.c' -o -name '*.h' 2>/dev/null))

LIBS := $(B)/libscree-api.a $(B)/libscree-server.a $(B)/libscree.a
# Runs over several processes have a worker of their own, where Open MPI's development files are (package libopenmpi-dev).
MPI_FLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags-only-I ompi-c 2>/dev/null))
MPI_LIBS  := $(shell pkg-config --libs ompi-c 2>/dev/null)
BINARIES := $(B)/screed $(B)/scree-worker $(B)/scree $(if $(MPI_LIBS),$(B)/scree-worker-mpi)

all: $(BINARIES) ## build screed, scree-worker and scree

# $(call short,CC,$<) is a line such as "CC core/run/run.c"; $(Q) hides the command itself. V=1: the other way round.
ifeq ($(V),1)
  short =
  Q     :=
else
  short = @echo '$(1) $(2)'
  Q     := @
endif

# A stamp: $(STAMP_name) in the file build/stamps/name.
STAMP_compile := $(CC) $(CPPFLAGS) $(CFLAGS) | $(FUSED_FLAGS) | $(QUICK_CFLAGS)
STAMP_link    := $(CC) $(LDFLAGS) $(CORE_LIBS) $(SERVER_LIBS) $(API_LIBS) $(CLI_LIBS)
$(B)/stamps/%: FORCE
	@$(shell mkdir -p $(@D))$(file >$@.new,$(STAMP_$*))cmp -s $@.new $@ && rm $@.new || mv $@.new $@
FORCE:

# What the bits of a run depend on: the physics' sources, the compiler and its flags.
CORE_TEXTS := $(sort $(shell find core -name '*.c' -o -name '*.h' 2>/dev/null))
$(B)/generated/build_digest.h: $(CORE_TEXTS) $(B)/stamps/compile
	@mkdir -p $(@D)
	@{ echo '$(CFLAGS) $(FUSED_FLAGS)'; $(CC) --version | head -n 1; cat $(CORE_TEXTS); } | sha256sum | \
	  sed 's/^\(.\{16\}\).*/#define BUILD_DIGEST "\1"/' >$@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(B)/obj/core/run/build_id.o: $(B)/generated/build_digest.h

$(B)/obj/core/methods/bdem/bonds/bond_batch_avx%.o: private CFLAGS += $(FUSED_FLAGS)
$(B)/obj/tests/unit/%.o $(B)/obj/tests/validation/%.o $(B)/obj/api/%.o $(B)/obj/server/%.o: private CFLAGS := $(QUICK_CFLAGS)
$(B)/obj/server/study/%.o $(B)/obj/api/stream/%.o: private CFLAGS := $(CFLAGS)
$(B)/obj/%.o: %.c $(B)/stamps/compile
	@mkdir -p $(@D)
	$(call short,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

STAMP_libscree.a        := $(call objects,$(CORE_SOURCES))
STAMP_libscree-server.a := $(call objects,$(SERVER_SOURCES)) $(B)/generated/assets.o
STAMP_libscree-api.a    := $(call objects,$(API_SOURCES))
STAMP_libscree-cli.a    := $(call objects,$(CLI_SOURCES))
$(B)/libscree.a:        $(STAMP_libscree.a)
$(B)/libscree-server.a: $(STAMP_libscree-server.a)
$(B)/libscree-api.a:    $(STAMP_libscree-api.a)
$(B)/libscree-cli.a:    $(STAMP_libscree-cli.a)
$(LIBS) $(B)/libscree-cli.a $(B)/libtest-support.a: $(B)/%: $(B)/stamps/%
	@rm -f $@
	$(call short,AR,$@)
	$(Q)ar rcs $@ $(filter %.o,$^)

# Everything screed serves or applies (dashboard, gallery, OpenAPI document, migrations) is compiled into it: one file to deploy.
ASSET_FOLDERS := build/web migrations $(wildcard api/gallery api/studies api/docs)
ASSET_REPORTS := $(addprefix tests/reports/validation/,REPORT.md ROUND_ROBIN.md)
ASSET_FILES   := $(sort $(wildcard migrations/*.sql api/gallery/*.json api/studies/*.json api/docs/*.md api/docs/methods/*.md)) $(ASSET_REPORTS) $(wildcard api/openapi.yaml)
STAMP_assets  := $(ASSET_FILES)
$(B)/generated/assets.S: $(ASSET_FILES) $(B)/stamps/assets $(addprefix deploy/,embed.py markdown.py mathml.py validation_rows.py) build/web/.stamp
	@mkdir -p $(@D)
	$(call short,EMBED,$@)
	$(Q)$(PYTHON) deploy/embed.py $@ $(ASSET_FOLDERS) $(ASSET_REPORTS) $(wildcard api/openapi.yaml)
$(B)/generated/assets.o: $(B)/generated/assets.S $(ASSET_FILES)
	$(call short,AS,$<)
	$(Q)$(CC) -c $< -o $@

WEB_SOURCES := $(sort $(shell find web -type f -not -path '*/node_modules/*' 2>/dev/null))
STAMP_web   := $(WEB_SOURCES)
build/web/.stamp: $(WEB_SOURCES) $(B)/stamps/web
	@mkdir -p build/web
	$(call short,WEB,web)
	$(Q)$(if $(wildcard web/Makefile),$(MAKE) -C web --no-print-directory $(if $(Q),-s) OUT=$(abspath build/web))
	@touch $@

# The programs, and once more in showcase/ with a method beside the others that only tests have: tests/showcase defines the table of methods.
PARTS = $(filter %.o,$^) $(filter %.a,$^)
STAMP_showcase := $(call objects,$(sort $(wildcard tests/showcase/*.c tests/diffusion/*.c)))
SHOWCASE       := $(addprefix $(B)/showcase/,screed scree-worker scree)
$(SHOWCASE) $(B)/tests/unit/contract: $(STAMP_showcase) $(B)/stamps/showcase
$(B)/screed $(B)/showcase/screed: $(B)/obj/api/main_screed.o $(LIBS) $(B)/stamps/link
	@mkdir -p $(@D)
	$(call short,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $(PARTS) $(CORE_LIBS) $(SERVER_LIBS) $(API_LIBS) -o $@
WORKER_OBJECTS := $(addprefix $(B)/obj/server/,worker/main_worker.o worker/channel.o worker/control_file.o worker/confine.o worker/device_job.o worker/launch.o worker/surface.o task/serve.o task/parcel.o)
$(B)/scree-worker $(B)/showcase/scree-worker: $(WORKER_OBJECTS) $(B)/libscree.a $(B)/stamps/link
	@mkdir -p $(@D)
	$(call short,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $(PARTS) $(CORE_LIBS) -o $@
$(B)/obj/core/base/team/team_mpi.o: CPPFLAGS += $(MPI_FLAGS)
$(B)/scree-worker-mpi: $(WORKER_OBJECTS) $(B)/obj/core/base/team/team_mpi.o $(B)/libscree.a $(B)/stamps/link
	@mkdir -p $(@D)
	$(call short,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $(PARTS) $(CORE_LIBS) $(MPI_LIBS) -o $@
$(B)/scree $(B)/showcase/scree: $(B)/obj/api/cli/main_scree.o $(B)/libscree-cli.a $(LIBS) $(B)/stamps/link
	@mkdir -p $(@D)
	$(call short,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $(PARTS) $(CORE_LIBS) $(CLI_LIBS) -o $@

# ── tests ──────────────────────────────────────────────────────────────────────────────────────────────────────────
# A folder of tests is one program of many suites (tests/support/suites.h); build/tests/unit/test_NAME is a link to it that runs one. What suites
# share is an archive, so that a program has only what it uses.
TEST_BINARIES := $(addprefix $(B)/,$(TEST_AREAS))
SUITE_LINKS   := $(foreach source,$(UNIT_TESTS) $(VALIDATION),$(B)/$(patsubst %/,%,$(dir $(patsubst %/,%,$(dir $(source)))))/$(basename $(notdir $(source))))
STAMP_libtest-support.a := $(call objects,$(TEST_SUPPORT))
$(B)/libtest-support.a: $(STAMP_libtest-support.a)
TEST_ARCHIVES := $(B)/libtest-support.a $(B)/libscree-cli.a $(LIBS)
LINK_TEST = $(Q)$(CC) $(LDFLAGS) $(STRIP_DEBUG) $(PARTS) -lcmocka $(CORE_LIBS) $(SERVER_LIBS) $(API_LIBS) $(CLI_LIBS) -o $@
$(B)/tests/bench/%: $(B)/obj/tests/bench/%.o $(TEST_ARCHIVES) $(B)/stamps/link
	@mkdir -p $(@D)
	$(call short,LINK,$@)
	$(LINK_TEST)
$(B)/tests/studies/%: $(B)/obj/tests/studies/%.o $(TEST_ARCHIVES) $(B)/stamps/link
	@mkdir -p $(@D)
	$(call short,LINK,$@)
	$(LINK_TEST)

suites_of = $(filter $(1)/%,$(UNIT_TESTS) $(VALIDATION))
names_of  = $(basename $(notdir $(call suites_of,$(1))))
define TEST_AREA
STAMP_suites/$(1) := $(call names_of,$(1))
$(B)/generated/$(1).c: $(B)/stamps/suites/$(1)
	@mkdir -p $$(@D)
	@{ echo '#include "tests/support/suites.h"'; printf 'int %s(int argc, char **argv);\n' $(call names_of,$(1)); \
	  echo 'int main(int argc, char **argv)'; echo '{'; echo '  static const suite suites[] = {'; \
	  for name in $(call names_of,$(1)); do printf '      {"%s", %s},\n' $$$$name $$$$name; done; echo '  };'; \
	  echo '  return suites_main(suites, sizeof suites / sizeof *suites, argc, argv);'; echo '}'; } >$$@
$(B)/$(1): $(call objects,$(sort $(wildcard $(1)/*.c))) $(B)/generated/$(1).o $(TEST_ARCHIVES) $(B)/stamps/link
	@mkdir -p $$(@D)
	$$(call short,LINK,$$@)
	$$(LINK_TEST)
$(addprefix $(B)/$(dir $(1)),$(call names_of,$(1))): $(B)/$(1)
	@ln -sf $(notdir $(1)) $$@
endef
$(foreach area,$(TEST_AREAS),$(eval $(call TEST_AREA,$(area))))
# Not in the archive of what suites share: it would take the place of malloc in all programs.
FAILING_MEMORY := $(sort $(dir $(shell grep -l failing_memory.h $(UNIT_TESTS) $(VALIDATION))))
$(addprefix $(B)/,$(FAILING_MEMORY:/=)): $(B)/obj/tests/support/allocation/failing_memory.o
# CUDA as tests play it: libraries with the names of NVIDIA's, which whoever asks for these gets once a test has loaded them.
PLAYED := $(addprefix $(B)/tests/played/,libcuda.so.1 libcuda-old.so.1 libnvrtc.so.13)
$(filter %.so.1,$(PLAYED)): tests/support/played_cuda/driver.c tests/support/played_cuda/played_cuda.h
	@mkdir -p $(@D)
	$(call short,PLAY,$@)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror -I. -fPIC -shared $(if $(findstring old,$@),-DPLAYED_OLD) -Wl,-soname,libcuda.so.1 $< -o $@
$(B)/tests/played/libnvrtc.so.13: tests/support/played_cuda/compiler.c
	@mkdir -p $(@D)
	$(call short,PLAY,$@)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror -I. -fPIC -shared -Wl,-soname,libnvrtc.so.13 $< -o $@
$(addprefix $(B)/tests/unit/,device peridem bdem): | $(PLAYED)
$(B)/generated/%.o: $(B)/generated/%.c $(B)/stamps/compile
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

# The optimizers that implicit steps are compared with belong to a study, not to the product.
OPTIMIZER_STUDY := $(addprefix $(B)/tests/,studies/study_optimizers unit/optimizers)
STAMP_optimizers := $(call objects,$(sort $(wildcard tests/studies/optimizers/*.c)))
$(OPTIMIZER_STUDY): $(STAMP_optimizers) $(B)/stamps/optimizers

setup: ## install missing Debian packages
	@deploy/setup.sh deploy/packages.txt
test: setup ## every test: unit, validation (fast), integration, browser. SANITIZE=1: with ASan and UBSan, without the browser
	@$(MAKE) --no-print-directory -j$(JOBS) all test-binaries showcase tests/openapi/node_modules/.package-lock.json
	@SCREE_BUILD=$(B) $(PYTHON) tests/run.py $(SUITES)
# Fuzz targets and benches are compiled as well, so that a change of an interface cannot leave them behind; their own targets link them.
test-binaries: $(SUITE_LINKS) $(call objects,$(sort $(wildcard tests/fuzz/*.c tests/bench/*.c tests/studies/*.c)))
showcase: $(SHOWCASE)
# Tools from npm beside the dashboard's: the client generator that a test uses, the linter of the OpenAPI document. npm writes this file last.
%/node_modules/.package-lock.json: %/package-lock.json %/package.json
	cd $* && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@
validate: setup ## every validation case, slow ones too; rewrites tests/reports/validation/REPORT.md. ONLY=lsdem: those with that in their names; ONLY=stale: those behind their code
	@$(MAKE) --no-print-directory -j$(JOBS) all $(filter $(B)/tests/validation/%,$(SUITE_LINKS))
	@SCREE_BUILD=$(B) SCREE_SLOW=1 $(PYTHON) tests/run.py --report tests/reports/validation/REPORT.md $(if $(ONLY),--only $(ONLY)) validation

-include deploy/demo.mk deploy/lint.mk deploy/bench.mk

run: setup ## start screed in the foreground; open the link it prints
	@$(MAKE) --no-print-directory -j$(JOBS) all
	$(B)/screed --data data

install: all ## install into DESTDIR/PREFIX, with manual page and completion
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BINARIES) $(DESTDIR)$(PREFIX)/bin/
	install -d $(addprefix $(DESTDIR)$(PREFIX)/share/,man/man1 bash-completion/completions zsh/site-functions)
	$(B)/scree manual >$(DESTDIR)$(PREFIX)/share/man/man1/scree.1
	$(B)/scree completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/scree
	$(B)/scree completion zsh >$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_scree

clean: ## remove what was built
	rm -rf build

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: all setup test test-binaries showcase validate run install clean help FORCE
.SECONDARY:
-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
