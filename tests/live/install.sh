#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `make install` copies works from there, and `make uninstall` leaves nothing.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

stage=$scratch/stage
build=${BUILD#"$root"/}
make -s BUILD="$build" DESTDIR="$stage" PREFIX=/opt/memsearch install > "$scratch/log" 2>&1 || wrong "$(tail -n 5 "$scratch/log")"
prefix=$stage/opt/memsearch
for file in bin/memsearch lib/libmemsearch.so lib/memsearch/memsearch-core.so lib/memsearch/strategies/property_refine.so \
	share/memsearch/properties/imbalance.asl share/memsearch/properties/machines/altix-bx2.machine share/memsearch/memsearch-report-1.schema.json share/man/man1/memsearch.1 \
	share/bash-completion/completions/memsearch include/memsearch/phase.h include/memsearch/memsearch_phase.f90 lib/pkgconfig/memsearch.pc; do
	[ -e "$prefix/$file" ] || wrong "$file is not installed"
done
check install__files

$CC -O2 -g -fopenmp -o "$scratch/ends" tests/live/programs/ends.c || exit 1
(cd "$scratch" && OMP_TOOL_LIBRARIES=$prefix/lib/libmemsearch.so MEMSEARCH_OUTPUT=one.ms ./ends return > out 2> err) || wrong "status $?"
grep -q 'memsearch: .* finding' "$scratch/err" || wrong "no findings: $(head -n 3 "$scratch/err")"
"$prefix/bin/memsearch" report "$scratch/one.ms" > "$scratch/report" 2>&1 || wrong "$(cat "$scratch/report")"
check install__tool_works_from_there

(cd "$scratch" && "$prefix/bin/memsearch" run --output two.ms -- ./ends return > out 2> err) || wrong "status $?"
[ -s "$scratch/two.ms" ] || wrong "no record: $(head -n 3 "$scratch/err")"
check install__run_works_from_there

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
