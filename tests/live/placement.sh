#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One record on a modelled machine with nodes of two cores, with several places of its threads and pages: lines that come from other nodes.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip placement"; exit 0; }
$CC -O1 -g -fopenmp -o "$scratch/program" "$root/tests/live/programs/touched_by_one.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
timeout -k 1 100 "$memsearch" run --quick --quiet --overhead 1000% -o "$scratch/it.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/errors" || wrong "exit $?: $(cat "$scratch/errors")"

# OPTIONS…: bytes of the region with the most, from its own nodes and from others.
nodes() {
	"$memsearch" arrays --machine "${machine:-altix-bx2}" --by region --format json "$@" "$scratch/it.ms" > "$scratch/page" 2> "$scratch/errors" || wrong "$*: status $?: $(cat "$scratch/errors")"
	tr -d ' ,' < "$scratch/page" | awk -F: '$1 == "\"nodes\"" { if (own + others > most) { most = own + others; best = own " " others } own = others = 0 }
		$1 == "\"local_bytes\"" { own += $2 } $1 == "\"remote_bytes\"" { others += $2 }
		END { if (own + others > most) best = own " " others; print best }'
}
# NAME CONDITION OPTIONS…: of own and others, in bytes.
holds() {
	name=$1 condition=$2
	shift 2
	bytes=$(nodes "$@")
	echo "$bytes" | awk "{ own = \$1; others = \$2 } END { exit !(own + others > 1e6 && ($condition)) }" || wrong "$name: own and others' bytes are $bytes"
}
holds "close" "others < 0.01 * own" --places close
holds "default places" "others < 0.01 * own"
holds "on two nodes" "others > 0.1 * own && others < 0.9 * own" --places 0,2
holds "spread" "others > 0.1 * own && others < 0.9 * own" --places spread
holds "on another node" "own < 0.01 * others" --places spread --pages 1
holds "on the node of both" "others < 0.01 * own" --places 5,4 --pages 2
holds "in turns" "others > 10 * own && own > 0" --pages interleave
check placement__own_and_other_nodes

"$memsearch" arrays --machine altix-bx2 --jobs 1 --places spread --format json "$scratch/it.ms" > "$scratch/one"
for jobs in 2 3 7; do
	rm -f "$scratch/it.ms.kept"
	"$memsearch" arrays --machine altix-bx2 --jobs $jobs --places spread --format json "$scratch/it.ms" | cmp -s - "$scratch/one" || wrong "$jobs jobs: not as with one"
done
check placement__any_number_of_jobs

"$memsearch" report -v --machine altix-bx2 --places 0,2 --pages interleave "$scratch/it.ms" | tr -s ' \n' ' ' | grep -q 'its threads run on the cores 0, 2 of nodes 0-1; as was asked for, pages go round its nodes' || wrong "the report does not say so"
for options in "--places 0" "--places 0,32" "--places far" "--pages 16" "--pages far"; do
	# shellcheck disable=SC2086
	"$memsearch" arrays --machine altix-bx2 $options "$scratch/it.ms" > "$scratch/page" 2> "$scratch/errors"
	status=$?
	[ $status = 2 ] && [ ! -s "$scratch/page" ] && grep -q -e "^memsearch: ${options% *} '${options#* }'" "$scratch/errors" || wrong "$options: status $status: $(cat "$scratch/errors")"
done
check placement__told_and_wrong

# Pages of 2 MiB: hardly a walk is left, and first touches place as before; a machine without them is refused.
{ cat "$root/properties/machines/altix-bx2.machine"; echo 'huge_page = 2 MiB'; } > "$scratch/huge.machine"
walks() {      # OPTIONS…
	"$memsearch" arrays --machine "$scratch/huge.machine" --json "$@" "$scratch/it.ms" | tr -d ' ,' | awk -F: '$1 == "\"page_walks\"" && $2 > most { most = $2 } END { print most + 0 }'
}
small=$(walks) huge=$(walks --huge-pages)
[ "$small" -gt 500 ] && [ "$huge" -lt $((small / 50)) ] || wrong "walks: $huge, in small pages $small"
machine=$scratch/huge.machine
holds "huge, close" "others < 0.05 * own" --huge-pages
holds "huge, on two nodes" "others > 0.1 * own && others < 0.9 * own" --huge-pages --places 0,2
"$memsearch" arrays --machine altix-bx2 --huge-pages "$scratch/it.ms" > "$scratch/page" 2> "$scratch/errors"
status=$?
[ $status = 2 ] && [ ! -s "$scratch/page" ] && grep -q "^memsearch: --huge-pages: machine 'altix-bx2' has no huge pages" "$scratch/errors" || wrong "without: status $status: $(cat "$scratch/errors")"
check placement__huge_pages

# The placement of the run, where none is asked for.
machine=altix-bx2
rm -f "$scratch/it.ms.kept"
OMP_PLACES=sockets OMP_PROC_BIND=spread timeout -k 1 100 "$memsearch" run --quick --quiet --overhead 1000% -o "$scratch/it.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/errors" || wrong "exit $?: $(cat "$scratch/errors")"
holds "as the run: spread" "others > 0.1 * own && others < 0.9 * own"
holds "asked for: close" "others < 0.01 * own" --places close
"$memsearch" arrays --machine altix-bx2 "$scratch/it.ms" | tr -s ' \n' ' ' | grep -q 'As OMP_PROC_BIND=spread and OMP_PLACES=sockets of the run have it, its threads run on the cores 0, 16 of nodes 0, 8\.' || wrong "arrays does not say so"
check placement__as_the_run_had_it
