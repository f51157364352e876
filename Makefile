# SPDX-License-Identifier: Apache-2.0
# memsearch: one Makefile, objects in build/, sources by wildcard: adding a file edits nothing here.
#   make help      the targets          make V=1        show commands
#   SAN=address,undefined | thread      DEBUG=1         -O0 -g -Werror     COVERAGE=1
VERSION  := 0.1.0
PREFIX   ?= /usr/local
DESTDIR  ?=
CC       := $(if $(filter default,$(origin CC)),clang-19,$(CC))
comma    := ,
BUILD    ?= build$(if $(SAN),-$(subst $(comma),-,$(SAN)))$(if $(COVERAGE),-coverage)
CFLAGS   ?= $(if $(DEBUG),-O0,-O2) -g
# Expanded once: CFLAGS is expanded for each file.
TARGET   := $(shell $(CC) -dumpmachine)

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' $(1) $(2))

# -- what this machine has: one small probe a feature, result in $(BUILD)/config.mk
ifneq ($(or $(filter-out help clean demo test test-emulated setup setup-emulated check-layers check-words check-length format,$(MAKECMDGOALS)),$(if $(MAKECMDGOALS),,all)),)
include $(BUILD)/config.mk
endif

override CFLAGS += -std=gnu11 -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wshadow \
	-fPIC -fvisibility=hidden -pthread -I. -Iinclude -I$(BUILD)/gen -DMEMSEARCH_VERSION='"$(VERSION)"' \
	$(if $(DEBUG),-Werror) $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=undefined -fno-omit-frame-pointer) \
	$(if $(COVERAGE),-fprofile-instr-generate -fcoverage-mapping) $(CONFIG_CFLAGS)
# On aarch64 compilers call libgcc for atomic operations unless told not to; the loader needs libc only.
override CFLAGS += $(if $(findstring aarch64,$(TARGET)),-mno-outline-atomics)
override LDFLAGS += $(if $(SAN),-fsanitize=$(SAN)) $(if $(COVERAGE),-fprofile-instr-generate) -pthread

# -- sources: the folder list is the data flow
LOADER_SRC   := $(wildcard ompt_tool/loader/*.c)
# Of analysis/base/ and ompt_tool/code/, compiled once more for the loader.
LOADER_BASE  := channel log memory_left memory_map own_blocks own_imports own_stack plain system_text_read transfer
LOADER_CODE  := slots writing
GOMP_SRC     := $(wildcard ompt_tool/gomp/*.c)
CORE_SRC     := $(filter-out $(LOADER_SRC) $(GOMP_SRC),$(wildcard ompt_tool/*/*.c ompt_tool/*/*/*.c))
# Of analysis/, what the core links, too; the rest is the program's.
ANALYSIS_DIR := base elf debuginfo options machine bandwidth record trace code code/* counting simulator simulation properties search agent report
ANALYSIS_SRC := $(foreach folder,$(ANALYSIS_DIR),$(wildcard analysis/$(folder)/*.c))
STRATEGY_SRC := $(wildcard analysis/search/strategies/*.c)
PROGRAM_DIR  := sir store sweep differential numa remedies page cmds
PROGRAM_SRC  := $(foreach folder,$(PROGRAM_DIR),$(wildcard analysis/$(folder)/*.c))
PARSERS      := $(patsubst analysis/properties/%.l,$(BUILD)/gen/%.lex.c,$(wildcard analysis/properties/*.l)) \
                $(patsubst analysis/properties/%.y,$(BUILD)/gen/%.tab.c,$(wildcard analysis/properties/*.y))

objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out $(BUILD)/%,$(1))) $(patsubst $(BUILD)/gen/%.c,$(BUILD)/obj/gen/%.o,$(filter $(BUILD)/%,$(1)))
ANALYSIS_OBJ := $(call objects,$(ANALYSIS_SRC) $(PARSERS))
CORE_OBJ     := $(call objects,$(CORE_SRC))
PROGRAM_OBJ  := $(call objects,$(PROGRAM_SRC))
STRATEGIES   := $(patsubst analysis/search/strategies/%.c,$(BUILD)/lib/memsearch/strategies/%.so,$(STRATEGY_SRC))

TOOL      := $(BUILD)/lib/libmemsearch.so
CORE      := $(BUILD)/lib/memsearch/memsearch-core.so
PROGRAM   := $(BUILD)/bin/memsearch
BRICKS    := $(BUILD)/lib/libmemsearch-bricks.a
ANALYSIS  := $(BUILD)/lib/libmsanalysis.a
CORE_LIB  := $(BUILD)/lib/libmscore.a
DATA      := $(BUILD)/share/memsearch/properties
# Preloaded into programs on GNU libgomp.
GOMP_TOOL := $(BUILD)/lib/libmemsearch-gomp.so
# What programs of gcc find in the place of their OpenMP runtime, where there is a libomp.
GOMP       = $(if $(CONFIG_LIBOMP),$(BUILD)/lib/memsearch/gomp/libgomp.so.1)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
# Links are as new as themselves, not as the files they point to, such as the system's libomp.
MAKEFLAGS += --no-builtin-rules --check-symlink-times

## all: build the tool, the program and the strategies (default)
all: $(TOOL) $(GOMP_TOOL) $(CORE) $(STRATEGIES) $(BRICKS) $(PROGRAM) $(DATA) $(GOMP)

$(BUILD)/config.mk: tests/build/probe.sh $(wildcard tests/build/probes/*.c)
	$(call say,PROBE,$@)
	$(Q)mkdir -p $(@D) && CC='$(CC)' sh tests/build/probe.sh $(BUILD) > $@.new && mv $@.new $@

$(BUILD)/obj/%.o: %.c $(BUILD)/config.mk
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/config.mk
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS) -Wno-unused -Wno-missing-prototypes -Wno-shadow -MMD -MP -c $< -o $@
# The assembler reads these: -MMD does not know.
$(BUILD)/obj/analysis/page/embedded_files.o: $(addprefix analysis/page/page.,html css js)
$(BUILD)/gen/%.lex.c: analysis/properties/%.l
	$(call say,FLEX,$<)
	$(Q)mkdir -p $(@D) && flex -o $@ --header-file=$(@:.c=.h) $<
$(BUILD)/gen/%.tab.c: analysis/properties/%.y
	$(call say,BISON,$<)
	$(Q)mkdir -p $(@D) && bison -Wall -o $@ --defines=$(@:.c=.h) $<
$(ANALYSIS_OBJ): | $(PARSERS)

$(ANALYSIS): $(ANALYSIS_OBJ)
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^
$(CORE_LIB): $(CORE_OBJ)
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^

# The loader needs libc only; all dependencies are behind the core, which it opens RTLD_LOCAL. It is malloc for whole programs and
# their children: no sanitizer, no coverage, and no call that the compiler makes of others.
instrumented := -pthread -fsanitize=% -fprofile-instr-generate -fcoverage-mapping
LOADER_OBJ := $(call objects,$(LOADER_SRC)) $(patsubst %,$(BUILD)/obj/loader/%.o,$(LOADER_BASE) $(LOADER_CODE))
$(LOADER_OBJ): override CFLAGS := $(filter-out $(instrumented),$(CFLAGS)) -fno-builtin
$(LOADER_BASE:%=$(BUILD)/obj/loader/%.o): $(BUILD)/obj/loader/%.o: analysis/base/%.c $(BUILD)/config.mk
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS) -MMD -MP -c $< -o $@
$(LOADER_CODE:%=$(BUILD)/obj/loader/%.o): $(BUILD)/obj/loader/%.o: ompt_tool/code/%.c $(BUILD)/config.mk
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS) -MMD -MP -c $< -o $@
$(TOOL): $(LOADER_OBJ) ompt_tool/loader/exports.map
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(filter-out $(instrumented),$(LDFLAGS)) -shared -nodefaultlibs -Wl,-soname,libmemsearch.so \
		-Wl,--version-script=ompt_tool/loader/exports.map -Wl,-z,defs -Wl,-z,nodelete -Wl,-z,now -o $@ $(filter %.o,$^) -lc
GOMP_OBJ := $(call objects,$(GOMP_SRC))
$(GOMP_OBJ): override CFLAGS := $(filter-out $(instrumented),$(CFLAGS)) -fno-omit-frame-pointer
$(GOMP_TOOL): $(GOMP_OBJ) $(BUILD)/obj/loader/own_imports.o ompt_tool/gomp/gomp.map
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(filter-out $(instrumented),$(LDFLAGS)) -shared -nodefaultlibs -Wl,-soname,libmemsearch-gomp.so \
		-Wl,--version-script=ompt_tool/gomp/gomp.map -Wl,-z,defs -Wl,-z,nodelete -Wl,-z,now -o $@ $(filter %.o,$^) -lc
$(CORE): $(CORE_OBJ) $(ANALYSIS) ompt_tool/session/core.map
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) -shared -Wl,-soname,memsearch-core.so -Wl,--version-script=ompt_tool/session/core.map \
		-Wl,-Bsymbolic $(if $(SAN),,-Wl,-z,defs) -Wl,-z,nodelete -o $@ $(CORE_OBJ) $(ANALYSIS) $(CONFIG_CORE_LIBS) -ldl -lm
STRATEGY_PARTS := $(patsubst %,$(BUILD)/obj/analysis/search/%.o,bricks count_graph deep_starters)
$(BUILD)/lib/memsearch/strategies/%.so: $(BUILD)/obj/analysis/search/strategies/%.o $(STRATEGY_PARTS) analysis/search/strategies/strategy.map
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) -shared -Wl,--version-script=analysis/search/strategies/strategy.map \
		$(if $(SAN),,-Wl,-z,defs) -o $@ $(filter %.o,$^) -lc
# For strategies of others; linked into them.
$(BRICKS): $(BUILD)/obj/analysis/search/bricks.o
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^
# Make would delete them as intermediate files.
.SECONDARY: $(call objects,$(STRATEGY_SRC))
$(PROGRAM): $(PROGRAM_OBJ) $(ANALYSIS)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) -Wl,--as-needed -o $@ $^ $(CONFIG_CORE_LIBS) $(CONFIG_PROGRAM_LIBS) -ldl -lm
$(DATA):
	$(Q)mkdir -p $(@D) && ln -sfn $(abspath properties) $@

$(BUILD)/lib/memsearch/gomp/libgomp.so.1: $(BUILD)/config.mk
	$(Q)mkdir -p $(@D) && ln -sfn $(CONFIG_LIBOMP) $@

include tests/build/tests.mk
include tests/build/install.mk

## clean: remove everything that was built (what test-emulated downloaded stays, in build/emulated)
clean:
	$(Q)rm -rf build-*
	$(Q)[ ! -d build ] || find build -mindepth 1 -maxdepth 1 ! -name emulated -exec rm -rf {} +

## help: this list
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST) | awk -F': ' '{ name = $$1; sub(/^[^:]*: /, ""); printf "  make %-16s %s\n", name, $$0 }'

.PHONY: all clean help
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
