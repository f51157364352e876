#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `make install` copies works from there, and `make uninstall` leaves nothing.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

stage=$scratch/stage
build=${BUILD#"$root"/}
make -s BUILD="$build" DESTDIR="$stage" PREFIX=/opt/memsearch install > "$scratch/log" 2>&1 || wrong "$(tail -n 5 "$scratch/log")"
prefix=$stage/opt/memsearch
for file in bin/memsearch lib/libmemsearch.so lib/libmemsearch-gomp.so lib/memsearch/memsearch-core.so lib/memsearch/strategies/property_refine.so \
	share/memsearch/properties/imbalance.asl share/memsearch/properties/machines/altix-bx2.machine share/memsearch/memsearch-report-1.schema.json share/memsearch/memsearch-list-regions-1.schema.json share/memsearch/memsearch-sir-1.xsd share/man/man1/memsearch.1 \
	share/bash-completion/completions/memsearch include/memsearch/phase.h include/memsearch/memsearch_phase.f90 lib/pkgconfig/memsearch.pc; do
	[ -e "$prefix/$file" ] || wrong "$file is not installed"
done
[ ! -e "$prefix/include/memsearch/sensor.h" ] || wrong "headers of the tool's own are installed"
check install__files

$CC -O2 -g -fopenmp -o "$scratch/ends" tests/live/programs/ends.c || exit 1
(cd "$scratch" && OMP_TOOL_LIBRARIES=$prefix/lib/libmemsearch.so MEMSEARCH_OUTPUT=one.ms ./ends return > out 2> err) || wrong "status $?"
grep -q '^memsearch: .*   [0-9]* threads' "$scratch/err" || wrong "no findings: $(head -n 3 "$scratch/err")"
"$prefix/bin/memsearch" report "$scratch/one.ms" > "$scratch/report" 2>&1 || wrong "$(cat "$scratch/report")"
check install__tool_works_from_there

(cd "$scratch" && "$prefix/bin/memsearch" run --output two.ms -- ./ends return > out 2> err) || wrong "status $?"
[ -s "$scratch/two.ms" ] || wrong "no record: $(head -n 3 "$scratch/err")"
check install__run_works_from_there

# Programs of gcc: the link to libomp is installed, too, and leads out of the stage.
if have gcc-12 && [ -e "$BUILD/lib/memsearch/gomp/libgomp.so.1" ]; then
	gcc-12 -O1 -g -fopenmp -o "$scratch/gcc_ends" tests/live/programs/ends.c || exit 1
	(cd "$scratch" && env -u HOME -u XDG_CACHE_HOME "$prefix/bin/memsearch" run --no-calibrate --quiet --output three.ms -- ./gcc_ends return > out 2> err) ||
		wrong "status $?"
	[ -s "$scratch/three.ms" ] || wrong "no record: $(head -n 3 "$scratch/err")"
	[ "$(readlink "$prefix/lib/memsearch/gomp/libgomp.so.1")" = "$(readlink "$BUILD/lib/memsearch/gomp/libgomp.so.1")" ] || wrong "not the build's link"
	check install__gcc_programs_run_from_there
else
	echo "reason: no gcc-12, or no libomp when memsearch was built"; echo "skip install__gcc_programs_run_from_there"
fi

if have pkg-config; then
	flags=$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage pkg-config --cflags memsearch) || wrong "pkg-config failed"
	printf '#include <memsearch/strategy.h>\n#include <memsearch/phase.h>\nint main(void) { return 0; }\n' > "$scratch/x.c"
	$CC $flags -o "$scratch/x" "$scratch/x.c" || wrong "the installed headers do not compile with '$flags'"
	check install__pkg_config
else
	echo "reason: no pkg-config"; echo "skip install__pkg_config"
fi

make -s BUILD="$build" DESTDIR="$stage" PREFIX=/opt/memsearch uninstall > "$scratch/log" 2>&1 || wrong "$(tail -n 5 "$scratch/log")"
left=$(find "$stage" -type f -o -type l)
[ -z "$left" ] || wrong "left behind: $left"
check install__uninstall
