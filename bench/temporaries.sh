#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wall time of a C++ program that allocates in every step (bench/temporaries.cc) under `memsearch run` with its default options, as a ratio
# to its time alone; alternating pairs. Fails if the upper bound is above 1.05.     bench/temporaries.sh [PAIRS [STEPS [OPTIONS…]]]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$(pwd)/$build ;; esac
pairs=${1:-7}
steps=${2:-100}
[ $# -lt 2 ] || shift 2
mkdir -p "$build/bench"
${CXX:-clang++-19} -O2 -g -fopenmp -o "$build/bench/temporaries" bench/temporaries.cc
${CC:-clang-19} -std=gnu11 -O2 -g -o "$build/bench/paired" bench/paired.c -lm
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-2}"

native() { "$build/bench/temporaries" "$steps" 2>&1 > /dev/null; }
# The program's line is the only one that is a number.
watched() { "$build/bin/memsearch" run --output "$build/bench/temporaries.ms" "$@" -- "$build/bench/temporaries" "$steps" 2>&1 > /dev/null | grep -xE '[0-9]+\.[0-9]{3}'; }

for i in $(seq "$pairs"); do
	echo "temporaries $(native) $(watched "$@")"
done | "$build/bench/paired" --limit-ratio 1.05
