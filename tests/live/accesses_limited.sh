#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs whose accesses are recorded keep to the default limit.
. "$(dirname "$0")/accesses_lib.sh"
only_counts

# The default limit is kept, as far as is known, or in a short program 150 ms, and what was not looked at is said.
limited() {
	under_tool strides
	awk -F '\t' '$1 == "runs/0/cost/limit" { limit = $2 } $1 == "runs/0/cost/slowdown" { slowdown = $2 }
		$1 == "runs/0/cost/program_wall_ns" { wall_ns = $2 }
		END { exit !(limit == 0.05 && slowdown > 0 && (slowdown <= 1 + limit || (1 - 1 / slowdown) * wall_ns <= 150e6)) }' "$scratch/report" ||
		wrong "not limited: $(grep '^runs/0/cost' "$scratch/report" | tr '\n' ';')"
	grep -q '^coverage/unseen/[0-9]*/what	part of the phase.s executions$' "$scratch/report" || wrong "says nothing of executions left out"
}

for built in "clang-19 accesses.c" "gfortran accesses.f90"; do
	compiler=${built% *} source=$programs/${built#* }
	have "$compiler" || { echo "reason: no $compiler"; echo "skip accesses_limited $compiler"; continue; }
	(cd "$scratch" && "$compiler" -O2 -g -fopenmp -o program "$source") || wrong "does not compile"
	plain "$source" "$compiler" strides
	again limited
	judge "accesses_limited $compiler"
done
