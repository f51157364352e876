#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# PAPI behind the counters, beside programs that use it themselves, and in other versions than memsearch was built with.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

version=$(sed -n 's/^#define PAPI_VERSION[[:space:]]*PAPI_VERSION_NUMBER(\([0-9]*\),\([0-9]*\),.*/\1.\2/p' /usr/include/papi.h 2> /dev/null)
grep -q '^libpapi .*yes' "$BUILD/gen/features.txt" && [ -n "$version" ] || { echo "reason: built without libpapi-dev"; echo "skip papi"; exit 0; }
library=libpapi.so.$version
programs=$root/tests/live/programs
$CC -shared -fPIC -O1 -o "$scratch/present.so" "$programs/present_pmu.c" -ldl || exit 1
$CC -O1 -g -fopenmp -DLIBRARY="\"$library\"" -o "$scratch/linked" "$programs/papi_counts.c" -Wl,--no-as-needed -lpapi -ldl || exit 1
$CC -O1 -g -fopenmp -DLIBRARY="\"$library\"" -o "$scratch/unlinked" "$programs/papi_counts.c" -ldl || exit 1
present="$scratch/present.so libpfm.so.4"

# Sensor counters of a record: "1|" or "0|REASON".
sensor_of() {  # RECORD
	"$memsearch" list sensors --format csv "$1" | grep '^counters,'
}

run() {        # PROGRAM WHEN: with and without the tool
	LD_PRELOAD=$present "$scratch/$1" "$2" > "$scratch/plain" 2>&1 || wrong "alone: $(cat "$scratch/plain")"
	rm -f "$scratch/run.ms"
	LD_PRELOAD=$present OMP_TOOL_LIBRARIES=$tool MEMSEARCH_COUNTERS=papi MEMSEARCH_EVENT=perf::PAGE-FAULTS MEMSEARCH_QUIET=1 \
		MEMSEARCH_OUTPUT=$scratch/run.ms timeout 60 "$scratch/$1" "$2" > "$scratch/under" 2> "$scratch/stderr" ||
		wrong "under the tool: $(cat "$scratch/under" "$scratch/stderr")"
	printf '0 1000\n1 2000\n0 1000\n1 2000\n0 1000\n1 2000\n' > "$scratch/wanted"
	cmp -s "$scratch/wanted" "$scratch/plain" || wrong "alone it counts $(cat "$scratch/plain")"
	cmp -s "$scratch/wanted" "$scratch/under" || wrong "under the tool it counts $(cat "$scratch/under")"
}

# An event the user names, in a region, of each thread: the known answer.
$CC -O1 -g -fopenmp -o "$scratch/fresh" "$programs/fresh_pages.c" || exit 1
LD_PRELOAD=$present OMP_TOOL_LIBRARIES=$tool MEMSEARCH_COUNTERS=papi MEMSEARCH_EVENT=perf::PAGE-FAULTS MEMSEARCH_OUTPUT=$scratch/run.ms \
	timeout 100 "$scratch/fresh" > "$scratch/under" 2> "$scratch/stderr" || wrong "status $?"
for row in '300 *all' '200 *1' '100 *0'; do
	grep -q "^perf::PAGE-FAULTS *$row  *" "$scratch/stderr" || wrong "no row '$row': $(grep -A 6 '^Events counted' "$scratch/stderr")"
done
check papi__faults_of_each_thread

for when in before after; do
	run linked $when
	sensor_of "$scratch/run.ms" | grep -q 'no,.*the program uses PAPI itself' || wrong "the record says: $(sensor_of "$scratch/run.ms")"
	check "papi__program_with_papi_initialised_$when"
done

run unlinked late
sensor_of "$scratch/run.ms" | grep -q 'yes' || wrong "the record says: $(sensor_of "$scratch/run.ms")"
check papi__program_that_opens_papi_late

# Of another version: it refuses, and is not used.
echo 'int PAPI_library_init(int version) { return -1; } char *PAPI_strerror(int e) { return ""; }' > "$scratch/other.c"
for function in thread_init register_thread unregister_thread create_eventset add_event start stop read cleanup_eventset destroy_eventset \
	event_name_to_code event_code_to_name enum_event get_event_component get_component_info num_components; do
	echo "int PAPI_$function;"
done >> "$scratch/other.c"
mkdir "$scratch/other"
$CC -shared -fPIC -w -Wl,-soname,"$library" -o "$scratch/other/$library" "$scratch/other.c" || exit 1
LD_LIBRARY_PATH=$scratch/other MEMSEARCH_COUNTERS=papi "$memsearch" list sensors --format csv > "$scratch/list" 2>&1
grep -q '^counters,no,.*is another version of PAPI than' "$scratch/list" || wrong "$(cat "$scratch/list")"
check papi__of_another_version

# Nothing that is an ELF file, or nothing at all.
echo nonsense > "$scratch/other/$library"
LD_LIBRARY_PATH=$scratch/other MEMSEARCH_COUNTERS=papi "$memsearch" list sensors --format csv > "$scratch/list" 2>&1
grep -q "^counters,no,.*$library, with which memsearch was built, cannot be opened" "$scratch/list" || wrong "$(cat "$scratch/list")"
check papi__that_is_no_library
