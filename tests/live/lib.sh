# SPDX-License-Identifier: Apache-2.0
# What live tests share: sourced, not run. Needs BUILD; makes $scratch, removed at the end.
# A test is a call of `check NAME`, after which $bad says what was wrong; "" is a pass.
set -u
cd "${live:-$(dirname "$0")}/../.." || exit 1
BUILD=${BUILD:-$(pwd)/build}
case $BUILD in /*) ;; *) BUILD=$(pwd)/$BUILD ;; esac
CC=${CC:-clang-19}
root=$(pwd)
tool=$BUILD/lib/libmemsearch.so
memsearch=$BUILD/bin/memsearch
producer=$BUILD/lib/libmemsearch-gomp.so         # preloaded: events of programs on libgomp
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive

check() {      # NAME: reports and resets $bad
	if [ -z "$bad" ]; then echo "ok $1"; else printf '%s\n' "$bad" | head -n 30; echo "FAIL $1"; fi
	bad=
}
wrong() {      # TEXT
	bad="$bad$1
"
}
bad=
# Runs a function until nothing is wrong, five times at most: what other programs do to the CPUs hides what is to be found.
again() {      # FUNCTION [ARGUMENTS]
	for pause in 1 2 4 8 0; do
		bad=
		"$@"
		[ -z "$bad" ] && return
		sleep $pause
	done
}
have() { command -v "$1" > /dev/null 2>&1; }

# libomp registers itself by its process's id, and leaves that behind where the process is killed. An empty registration, left where a limit
# cut it off, ends each later program of the same id ("unknown library already initialized").
forget_ended() {
	for registration in /dev/shm/__KMP_REGISTERED_LIB_*_"$(id -u)"; do
		process=${registration#*LIB_}
		[ -d "/proc/${process%_*}" ] || rm -f "$registration"
	done
}
forget_ended

# Line number of the line marked /* HERE: name */ (or ! HERE: name) in a source file.
line_of() {    # FILE NAME
	grep -n "HERE: $2\b" "$1" | head -n 1 | cut -d: -f1
}

# A report as one line: headlines are wrapped.
joined() {     # FILE
	tr -s '\n ' ' ' < "$1"
}

# A part of a matrix in `make test`, all of it where WHOLE is set (bench/live.sh).
sample() {     # PART ALL: words
	if [ -n "${WHOLE:-}" ]; then echo "$2"; else echo "$1"; fi
}

# A row an object of a list in flattened JSON (tests/workloads/flatten.awk), with these values of it, between tabs.
list_rows() {  # FILE LIST KEY…
	file=$1 list=$2
	shift 2
	awk -F '\t' -v list="$list/" -v keys="$*" 'index($1, list) == 1 {
			rest = substr($1, length(list) + 1)
			number = rest + 0
			sub(/^[0-9]+\//, "", rest)
			is[number, rest] = $2
			nr = number + 1
		}
		END {
			n = split(keys, key, " ")
			for (i = 0; i < nr; i++)
				for (k = 1; k <= n; k++)
					printf "%s%s", is[i, key[k]], k < n ? "\t" : "\n"
		}' "$file"
}

# Candidates of a report: property, array, kind of region, its line, its construct's line.
candidate_rows() {     # FILE
	list_rows "$1" candidates property data_structure/name region/kind region/line region/construct/line
}
