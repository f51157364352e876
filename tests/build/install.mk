# SPDX-License-Identifier: Apache-2.0
# Set-up, the two commands of the README, and installation.

setup:
	$(Q)FORGET=$(BUILD)/config.mk sh tests/build/setup.sh

# As many compilers at a time as there are CPUs, where the user did not say how many.
jobs = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

## demo: set up, build, run the main job on swim and show the findings
demo: setup
	$(Q)$(MAKE) --no-print-directory $(jobs) all
	$(Q)BUILD=$(BUILD) sh bench/demo.sh

## gallery: write docs/gallery.md, the reports of examples/, anew
gallery: all
	$(Q)BUILD=$(BUILD) sh examples/gallery.sh > $(BUILD)/gallery.md && cp $(BUILD)/gallery.md docs/gallery.md

# With what only some tests need, the emulated machines among them: without it these are skipped.
setup-emulated:
	$(Q)FORGET=$(BUILD)/config.mk OPTIONAL='tests/emulated/packages.txt tests/build/optional.txt' sh tests/build/setup.sh

## test: set up, then all tests
test: setup-emulated
	$(Q)$(MAKE) --no-print-directory $(jobs) check-built
	$(Q)$(MAKE) --no-print-directory check

## test-emulated: set up, then memsearch on emulated machines (NUMA nodes, aarch64, ppc64le)
test-emulated: setup-emulated
	$(Q)$(MAKE) --no-print-directory $(jobs) all
	$(Q)BUILD=$(BUILD) tests/run emulated

libdir     := $(DESTDIR)$(PREFIX)/lib
bindir     := $(DESTDIR)$(PREFIX)/bin
datadir    := $(DESTDIR)$(PREFIX)/share
includedir := $(DESTDIR)$(PREFIX)/include
MAN        := $(wildcard analysis/man/*.1)
# For programs and plug-ins; the others are contracts between folders of the tool.
PUBLIC     := $(filter-out %/array.h %/sensor.h %/sensor_session.h %/gomp_tool.h %/probe.h,$(wildcard include/memsearch/*))
# The parts that strategies are made of.
BRICKS_HEADER := analysis/search/bricks.h
INSTALLED   = $(libdir)/libmemsearch.so $(libdir)/libmemsearch-bricks.a $(libdir)/libmemsearch-gomp.so $(libdir)/pkgconfig/memsearch.pc $(bindir)/memsearch \
	$(addprefix $(datadir)/man/man1/,$(notdir $(MAN))) $(datadir)/bash-completion/completions/memsearch \
	$(datadir)/zsh/site-functions/_memsearch $(datadir)/fish/vendor_completions.d/memsearch.fish
cmakedir   := $(libdir)/cmake/memsearch

## install: copy to PREFIX (default /usr/local) below DESTDIR
install: all
	$(Q)install -d $(libdir)/memsearch/strategies $(libdir)/pkgconfig $(cmakedir) $(datadir)/memsearch/python $(bindir) $(datadir)/memsearch $(datadir)/man/man1 \
		$(datadir)/bash-completion/completions $(datadir)/zsh/site-functions $(datadir)/fish/vendor_completions.d $(includedir)/memsearch
	$(Q)install -m 755 $(TOOL) $(GOMP_TOOL) $(libdir)/
	$(Q)install -m 755 $(CORE) $(libdir)/memsearch/
	$(Q)install -m 755 $(STRATEGIES) $(libdir)/memsearch/strategies/
	$(Q)install -m 755 $(PROGRAM) $(bindir)/
	$(Q)rm -rf $(libdir)/memsearch/gomp$(if $(GOMP), && install -d $(libdir)/memsearch/gomp && cp -P $(GOMP) $(libdir)/memsearch/gomp/)
	$(Q)rm -rf $(datadir)/memsearch/properties && cp -R properties $(datadir)/memsearch/properties
	$(Q)install -m 644 $(wildcard analysis/report/schema/*) $(datadir)/memsearch/
	$(Q)install -m 644 $(PUBLIC) $(BRICKS_HEADER) $(includedir)/memsearch/
	$(Q)install -m 644 $(BRICKS) $(libdir)/
	$(Q)install -m 644 $(MAN) $(datadir)/man/man1/
	$(Q)install -m 644 analysis/man/memsearch.bash $(datadir)/bash-completion/completions/memsearch
	$(Q)install -m 644 analysis/man/memsearch.zsh $(datadir)/zsh/site-functions/_memsearch
	$(Q)install -m 644 analysis/man/memsearch.fish $(datadir)/fish/vendor_completions.d/
	$(Q)install -m 644 packaging/cmake/memsearch-config.cmake $(cmakedir)/
	$(Q)sed 's/@VERSION@/$(VERSION)/' packaging/cmake/memsearch-config-version.cmake.in > $(cmakedir)/memsearch-config-version.cmake
	$(Q)install -m 644 packaging/python/memsearch.py $(datadir)/memsearch/python/
	$(Q)printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' 'libdir=$${prefix}/lib' \
		'strategydir=$${libdir}/memsearch/strategies' 'propertydir=$${prefix}/share/memsearch/properties' '' \
		'Name: memsearch' 'Description: OpenMP/NUMA memory analyzer: headers for programs and plug-ins' \
		'Version: $(VERSION)' 'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lmemsearch-bricks' > $(libdir)/pkgconfig/memsearch.pc
	$(Q)if [ "$$(id -u)" = 0 ] && [ -z '$(DESTDIR)' ]; then ldconfig; fi

## uninstall: remove what install copied
uninstall:
	$(Q)rm -f $(INSTALLED)
	$(Q)rm -rf $(libdir)/memsearch $(cmakedir) $(datadir)/memsearch $(includedir)/memsearch

.PHONY: setup setup-emulated demo gallery test test-emulated install uninstall
