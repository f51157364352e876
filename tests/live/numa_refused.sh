#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the kernel refuses of nodes of pages, trials and page writes, and memory that changes meanwhile: the report says why, pages are said to be where they are, and
# the program's result is as alone. The machine seems to have two nodes; move_pages is the kernel's, or tests/live/programs/other_nodes.c.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip numa_refused"; exit 0; }
programs=$root/tests/live/programs
cd "$scratch" || exit 1

# COMMAND…: where /sys has two nodes of one CPU each.
cat > with_nodes <<'END'
#!/bin/sh
exec unshare -m sh -c '
	nodes=/sys/devices/system/node
	mount -t tmpfs none $nodes || exit 77
	for node in 0 1; do
		mkdir $nodes/node$node
		echo $node > $nodes/node$node/cpulist
		printf "Node %s MemTotal: 4000000 kB\nNode %s MemFree: 3000000 kB\n" $node $node > $nodes/node$node/meminfo
	done
	echo 0-1 | tee $nodes/online > $nodes/has_memory
	exec "$@"' sh "$@"
END
chmod +x with_nodes
build() {      # OUTPUT SOURCE OPTIONS…
	output=$1 source=$2
	shift 2
	$CC -O2 -g "$@" -o "$output" "$programs/$source.c" 2> errors || { wrong "$source does not build: $(cat errors)"; check numa_refused; exit 1; }
}
build changing changing_arrays -fopenmp
build reading direct_reads -fopenmp
mkdir fake
build fake/libnuma.so.1 other_nodes -shared -fPIC
for error in EPERM ENOSYS; do build refuse_$error refuse -DCALL=SYS_move_pages -DERROR=$error; done
build refuse_kills refuse -DCALL=SYS_move_pages -DKILLS
build refuse_userfaultfd refuse -DCALL=SYS_userfaultfd -DERROR=EPERM

# A record it.ms; output and status are those of the program alone.
record() {     # WRAPPER OPTIONS -- PROGRAM ARGUMENTS
	wrapper=$1 options=$2
	shift 3
	"$@" > alone
	plain=$?
	rm -f it.ms
	# shellcheck disable=SC2086
	timeout -k 1 60 $wrapper "$memsearch" run --quick --quiet --no-calibrate --overhead 1000% $options -o it.ms -- "$@" > out 2> errors
	status=$?
	[ $status = $plain ] && cmp -s alone out || wrong "$wrapper $options $*: status $status, not $plain: $(tail -n 3 errors)"
	"$memsearch" report -v it.ms 2>&1 | tr -s ' \n' ' ' > report
	"$memsearch" numa it.ms 2>&1 | tr -s ' \n' ' ' > numa
}
says() {       # FILE TEXT
	grep -q -e "$2" "$1" || wrong "no '$2': $(grep -o -e 'Tried while the program ran.\{0,900\}' -e 'Page writes.*' -e 'Nodes of pages.*' "$1" | head -c 2000)"
}
# Sums of pages not moved, and not moved back, over the trials.
trials() {
	"$memsearch" report --json it.ms | tr -d ' ,' | awk -F: '$1 == "\"pages_not_moved\"" { to += $2 } $1 == "\"pages_not_moved_back\"" { back += $2 } END { print to + 0, back + 0 }'
}

./with_nodes true 2> /dev/null
nodes=$?
if [ $nodes != 0 ]; then
	echo "reason: no mount namespace can be had here"; echo "skip numa_refused__move_pages"
elif ! ./refuse_EPERM true; then
	echo "reason: no seccomp filter can be had here"; echo "skip numa_refused__move_pages"
else
	record "./with_nodes ./refuse_EPERM" --try -- ./changing 300
	says report 'nothing: move_pages: not permitted: .*docker run --cap-add SYS_NICE'
	says numa 'Nodes of pages were not asked for: move_pages: not permitted'
	record "./with_nodes ./refuse_ENOSYS" --try -- ./changing 300
	says report 'nothing: move_pages: not in this kernel, or refused by a seccomp filter'
	./with_nodes ./refuse_kills "$memsearch" run --quiet -o it.ms -- ./changing 300 > out 2> errors
	[ $? = 3 ] && cmp -s alone out && grep -q 'nothing is measured: a seccomp filter on this process kills it' errors || wrong "a filter that kills: $(cat errors)"
	check numa_refused__move_pages
fi

# Pages are on node 1, and their users on node 0.
if [ $nodes = 0 ]; then
	export LD_LIBRARY_PATH="$scratch/fake"
	failing() {    # HOW: moves fail so
		NODES_FAIL=$1 record ./with_nodes --try -- ./changing 1000
	}
	failing denied
	says report 'ended early: move_pages: not permitted.*All of it was undone'
	[ "$(trials | cut -d ' ' -f 2)" = 0 ] && [ "$(trials | cut -d ' ' -f 1)" -gt 500 ] || wrong "denied: not moved, not back: $(trials)"
	failing offline
	says report 'ended early: move_pages: a node is not online.*All of it was undone'
	failing full
	says report 'ended early: the kernel moved no page: their node has no free memory.*All of it was undone'
	! grep -q 'To keep that' report || wrong "full: a gain of pages that did not move"
	failing back
	says report ' pages were not moved back (move_pages: not permitted'
	[ "$(trials | cut -d ' ' -f 2)" -gt 500 ] || wrong "back: not moved, not back: $(trials)"
	check numa_refused__moves_fail

	record ./with_nodes --try -- ./changing 1000 f
	says report 'ended early: an array was freed meanwhile'
	for change in r d h; do
		record ./with_nodes --try -- ./changing 600 $change
		says report 'Tried while the program ran'
	done
	says numa 'pages of a file, or shared memory'
	check numa_refused__memory_changes_in_trials
	unset LD_LIBRARY_PATH
fi

"$memsearch" list sensors | grep -q '^faults  *yes' || { echo "reason: no page faults can be sampled here"; echo "skip numa_refused__page_writes"; exit 0; }
record "" --page-writes -- ./changing 300
if grep -q 'Page writes are not measured: unsupported' numa; then
	echo "reason: $(grep -o 'Page writes are.*' numa)"; echo "skip numa_refused__page_writes"; exit 0
fi
says numa 'segment 0 bytes - each page not watched 1 MiB shared, of a file, not in memory, or over budget'
for change in f r d h; do
	record "" --page-writes -- ./changing 300 $change
	says numa 'kept 1 MiB 100 % each page written by thread'
done
./reading 2 > /dev/null
if [ $? = 3 ]; then
	record "" --page-writes -- ./reading 300
	for array in direct queued; do says numa "$array 256 KiB 100 % each page written by .*by whom is not measured 98 %"; done
fi
check numa_refused__page_writes

if ./refuse_userfaultfd true; then
	record ./refuse_userfaultfd --page-writes -- ./changing 300
	says numa 'Page writes are not measured: not permitted: a seccomp filter .*seccomp=unconfined'
	check numa_refused__userfaultfd
fi
