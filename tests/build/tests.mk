# SPDX-License-Identifier: Apache-2.0
# The tests: one program a unit test file; everything else is found by tests/run.
UNIT_SRC := $(wildcard tests/unit/*.c)
# Not tests: their beginning, and the plain simulator for all that ask it.
UNIT_PARTS := tests/unit/main.c tests/unit/reference_simulator.c
UNIT     := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(filter-out $(UNIT_PARTS),$(UNIT_SRC)))
# The commands, for tests of the parts they are made of.
CMDS_LIB := $(BUILD)/lib/libmscmds.a
$(CMDS_LIB): $(call objects,$(filter-out analysis/cmds/main.c,$(wildcard analysis/cmds/*.c)))
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^
HOST_OBJ := $(call objects,$(wildcard tests/host/*.c) tests/unit/main.c)

$(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/%.o $(HOST_OBJ) $(CMDS_LIB) $(CORE_LIB) $(ANALYSIS) $(call objects,$(wildcard analysis/sir/*.c analysis/store/*.c analysis/sweep/*.c analysis/differential/*.c analysis/numa/*.c analysis/remedies/*.c analysis/page/*.c))
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) $(CONFIG_TESTS_LDFLAGS) -rdynamic -o $@ $(filter %.o,$^) -Wl,--start-group $(CMDS_LIB) $(CORE_LIB) $(ANALYSIS) -Wl,--end-group \
		$(CONFIG_CORE_LIBS) $(CONFIG_PROGRAM_LIBS) -ldl -lm
$(filter $(BUILD)/tests/unit/simulator_%,$(UNIT)): $(call objects,tests/unit/reference_simulator.c)
# Of libmemsearch.so, which the core does not have.
$(BUILD)/tests/unit/confinement: $(call objects,ompt_tool/loader/confinement.c)
$(BUILD)/tests/unit/seccomp_probe: $(call objects,ompt_tool/loader/seccomp_probe.c)
# They count what is in the reference BLAS and LAPACK, and look for it before the system's.
REFERENCE_BLAS := $(shell sh tests/reference_blas.sh)
$(BUILD)/tests/unit/stepping $(BUILD)/tests/unit/code_survey: LDFLAGS += $(if $(REFERENCE_BLAS),-Wl$(comma)--disable-new-dtags$(comma)-rpath$(comma)$(REFERENCE_BLAS))
.SECONDARY: $(HOST_OBJ) $(patsubst %.c,$(BUILD)/obj/%.o,$(UNIT_SRC))

# Originals against their clones: see tests/differential/differ.c.
DIFFERENTIAL := $(if $(filter x86_64%,$(TARGET)),$(if $(CONFIG_HAVE_ZYDIS),$(patsubst %,$(BUILD)/tests/differential/%,differ generate witness called)))
RUNS := $(call objects,$(patsubst %,tests/differential/%.c,enter followed functions prepare prototypes run steps))
$(BUILD)/tests/differential/differ: $(RUNS) $(call objects,$(patsubst %,tests/differential/%.c,compare differ)) $(CORE_LIB) $(ANALYSIS)
$(BUILD)/tests/differential/witness: $(RUNS) $(call objects,$(patsubst %,tests/differential/%.c,lackey places unlike witness)) $(CORE_LIB) $(ANALYSIS)
$(BUILD)/tests/differential/differ $(BUILD)/tests/differential/witness:
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) -Wl,--start-group $(CORE_LIB) $(ANALYSIS) -Wl,--end-group $(CONFIG_CORE_LIBS) -ldl -lm
$(BUILD)/tests/differential/generate: $(call objects,tests/differential/generate.c)
$(BUILD)/tests/differential/called: $(call objects,$(patsubst %,tests/differential/%.c,called enter places prepare prototypes))
# Without debugging information, as valgrind 3.19 dies of clang-19's.
$(BUILD)/tests/differential/generate $(BUILD)/tests/differential/called:
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) -s -o $@ $^
## differential: build the programs that compare originals and clones
differential: $(DIFFERENTIAL)

## unit: build and run the unit tests only
unit: all $(UNIT)
	$(Q)BUILD=$(BUILD) tests/run unit

check-built: all $(UNIT) $(DIFFERENTIAL)

## check: run the tests (T=NAME: one of any kind; SAN=...: the kinds that make sense under it)
ifeq ($(T),)
check: check-layers check-words check-length check-headers check-tidy check-bench check-built check-calls
	$(Q)BUILD=$(BUILD) SAN='$(SAN)' CC='$(CC)' tests/run
else
# Of MODULE__CASE the program MODULE, else all that tests/run takes.
NAMED := $(if $(findstring __,$(T)),$(filter $(BUILD)/tests/unit/$(firstword $(subst __, ,$(T))),$(UNIT)),$(foreach unit,$(UNIT),$(if $(findstring $(T),$(notdir $(unit))),$(unit))))
check: all $(NAMED)
	$(Q)BUILD=$(BUILD) SAN='$(SAN)' CC='$(CC)' tests/run '$(T)'
endif

## accept: rewrite the expected output of the cli tests; review the diff like code
accept: all
	$(Q)BUILD=$(BUILD) tests/run --accept cli

## check-headers: compile every header alone
check-headers: $(BUILD)/config.mk
	$(Q)sh tests/build/check-headers.sh '$(CC)' '$(CFLAGS)' '$(filter %.h,$(PUBLIC))'
## check-bench: the programs of bench/ compile, which no test runs
check-bench: $(BUILD)/config.mk
	$(Q)for source in bench/*.c bench/*/*.c; do $(CC) $(CFLAGS) -w -fopenmp -fsyntax-only $$source || exit 1; done
## check-layers: no include points against the data flow
check-layers:
	$(Q)sh tests/build/check-layers.sh
## check-calls: no function is called against the data flow, and none of libc that is forbidden
check-calls: all
	$(Q)sh tests/build/check-layers.sh $(BUILD)/obj
## check-words: no idiom of tests/build/words.txt in documents, printed texts and cleaned comments
check-words:
	$(Q)tests/build/check-words.sh
## check-length: the ten longest functions; none above 80 lines
check-length:
	$(Q)sh tests/build/check-length.sh

## format: format the C sources by .clang-format (needs clang-format-19)
format:
	$(Q)tests/build/format.sh

run_tidy = tests/build/tidy.sh '$(subst ','"'"',$(CFLAGS))'
## tidy: clang-tidy by .clang-tidy; no finding
tidy: $(BUILD)/config.mk $(PARSERS)
	$(Q)$(run_tidy)
# As a part of check, which other machines than those of make setup run, too.
check-tidy: $(BUILD)/config.mk $(PARSERS)
	$(Q)if command -v clang-tidy-19 > /dev/null; then $(run_tidy); else echo 'skip tidy: clang-tidy-19 is not installed (make setup)'; fi

# The demo has a target of its own. One that misses its bound does not keep the others from being run.
BENCHES := $(filter-out bench/demo.sh,$(wildcard bench/*.sh))
## bench: every measurement of bench/ (long)
bench: all $(CORE_LIB) $(ANALYSIS)
	$(Q)status=0; for script in $(BENCHES); do \
		echo "== $$script"; env -u MAKEFLAGS BUILD='$(BUILD)' CC='$(CC)' sh "$$script" || { echo "$$script failed"; status=1; }; \
	done; exit $$status

.PHONY: differential unit format tidy check-tidy check check-built accept bench check-bench check-headers check-layers check-calls check-words check-length
