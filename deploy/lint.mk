# Static checks and fuzzing. Both need the packages of deploy/packages-lint.txt, which the targets install.

LINT_C        := $(sort $(shell find core server api -name '*.c' 2>/dev/null))
TIDY_STAMPS   := $(patsubst %.c,build/lint/%.tidy,$(LINT_C))
# -fanalyzer helps where memory and descriptors change hands; in the kernels it only costs time. Its leak check does not follow pointers stored in
# growing arrays (GCC 12): clang-analyzer and LeakSanitizer do that job.
ANALYZED      := $(filter-out core/methods/% core/geometry/%,$(LINT_C))
ANALYZE_STAMPS := $(patsubst %.c,build/lint/%.analyzed,$(ANALYZED))

lint-setup:
	@deploy/setup.sh deploy/packages.txt deploy/packages-lint.txt
lint: lint-setup ## clang-tidy, cppcheck, gcc -fanalyzer, shellcheck, TypeScript, Spectral; all must be clean
	@$(MAKE) --no-print-directory build/web/.stamp
	@$(MAKE) --no-print-directory -j$(JOBS) lint-structure lint-tidy lint-analyze lint-cppcheck lint-shell lint-openapi
	@echo "lint: clean"
lint-tidy: $(TIDY_STAMPS)
lint-analyze: $(ANALYZE_STAMPS)
build/lint/%.tidy: %.c .clang-tidy
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(MPI_FLAGS) -std=c17 -MM -MP -MT $@ -MF $@.d $<
	clang-tidy --quiet $< -- $(CPPFLAGS) $(MPI_FLAGS) -std=c17 -fopenmp -Wall -Wextra 2>$@.log || { cat $@.log; exit 1; }
	@touch $@
build/lint/%.analyzed: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(MPI_FLAGS) -std=c17 -O1 -fopenmp -fanalyzer -Wno-analyzer-malloc-leak -fdiagnostics-path-format=none $(WARNINGS) -MMD -MP -MF $@.d -c $< -o $@
-include $(TIDY_STAMPS:=.d) $(ANALYZE_STAMPS:=.d)
lint-cppcheck:
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 --max-configs=4 \
	  --suppress=missingIncludeSystem --library=posix,gnu -D_GNU_SOURCE -D__x86_64__ -Icore -I. core server api
# Lines, READMEs, folders, arguments, circles of calls, words of the dictionary, sums, shapes, subjects of commits.
lint-structure:
	$(PYTHON) deploy/structure.py
lint-shell:
	shellcheck $$(find deploy -name '*.sh') .ci/run
lint-openapi: deploy/spectral/node_modules/.package-lock.json
	node deploy/spectral/node_modules/@stoplight/spectral-cli/dist/index.js lint api/openapi.yaml -r deploy/spectral/.spectral.yaml --fail-severity=warn
format: ## clang-format every C file
	clang-format -i $(ALL_C)

# Each target of tests/fuzz/fuzz_*.c, FUZZ_SECONDS each, starting from its corpus; a finding stops with its input in build/fuzz/. Sanitized
# checks of scenes are fifty times slower than built ones, hence the patience.
FUZZ_SECONDS ?= 60
# HDF5 asks for as much memory at once as a damaged file says.
FUZZ_OPTIONS_contact_fclib := -malloc_limit_mb=65536
FUZZ_SOURCES := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_BINARIES := $(patsubst tests/fuzz/%.c,build/fuzz/%,$(FUZZ_SOURCES))
FUZZ_FLAGS := -g -O1 -std=c17 -fopenmp -fsanitize=address,undefined -fno-sanitize-recover=undefined
FUZZ_OBJECTS := $(patsubst %.c,build/fuzz/obj/%.o,$(CORE_SOURCES) $(SERVER_SOURCES) $(API_SOURCES))
# What only computes is not watched: its comparisons of numbers are legion. The methods' own checks and options are, and readers of files.
FUZZ_BLIND = $(if $(findstring check,$<)$(findstring options,$<)$(findstring contact/files,$<),,$(filter core/linalg/% core/contact/% core/methods/%,$<))
build/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	clang $(CPPFLAGS) $(FUZZ_FLAGS) $(if $(FUZZ_BLIND),,-fsanitize=fuzzer-no-link) -MMD -MP -c $< -o $@
-include $(FUZZ_OBJECTS:.o=.d)
build/fuzz/libscree.a: $(FUZZ_OBJECTS)
	@rm -f $@
	ar rcs $@ $^
build/fuzz/%: tests/fuzz/%.c build/fuzz/libscree.a $(B)/generated/assets.o
	clang $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer $< build/fuzz/libscree.a $(B)/generated/assets.o $(CORE_LIBS) $(SERVER_LIBS) $(API_LIBS) -o $@
fuzz: lint-setup ## fuzz every parser of outside input for FUZZ_SECONDS (60) each
	@$(MAKE) --no-print-directory -j$(JOBS) $(FUZZ_BINARIES)
	@set -e; $(foreach n,$(FUZZ_BINARIES:build/fuzz/fuzz_%=%),options_$(n)='$(FUZZ_OPTIONS_$(n))';) for f in $(FUZZ_BINARIES); do n=$$(basename $$f | sed s/fuzz_//); mkdir -p build/fuzz/found/$$n; \
	  echo "fuzz $$n for $(FUZZ_SECONDS) s"; OMP_NUM_THREADS=1 $$f -max_total_time=$(FUZZ_SECONDS) -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 $$(eval echo \$$options_$$n) \
	  -artifact_prefix=build/fuzz/found/$$n- build/fuzz/found/$$n $$(test -d tests/fuzz/corpus/$$n && echo tests/fuzz/corpus/$$n) 2>build/fuzz/$$n.log \
	  || { tail -40 build/fuzz/$$n.log; exit 1; }; grep -E 'stat::number_of_executed_units' build/fuzz/$$n.log; done

.PHONY: lint-openapi lint-structure lint lint-setup lint-tidy lint-analyze lint-cppcheck lint-shell format fuzz

# Faults planted one at a time, on purpose: which of them no test notices. SAMPLE=30 SEED=1 in a quarter of an hour; all over a night.
mutants: ## plant faults one by one and look whether a test notices; rewrites tests/reports/mutants/REPORT.md. SAMPLE=30 SEED=1: so many; ONLY=fem: of a subject; MINUTES=60
	@$(MAKE) --no-print-directory -j$(JOBS) all
	$(PYTHON) tests/mutants/mutants.py run $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY)) $(if $(MINUTES),--minutes $(MINUTES))
value-faults: ## double each curve and field and look whether the test notices that tests/data/value_tests.txt names; rewrites tests/reports/mutants/VALUES.md. ONLY=fem
	@$(MAKE) --no-print-directory -j$(JOBS) all
	$(PYTHON) tests/mutants/values.py $(if $(ONLY),--only $(ONLY))
.PHONY: mutants value-faults
