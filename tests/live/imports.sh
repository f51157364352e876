#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Libraries of the program with variables, or functions, of each name that memsearch's libraries import, as far as the program runs
# with them alone: they are what they are without memsearch, and no function is called.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

cd "$scratch" || exit 1
have nm || { echo "reason: no nm"; echo "skip imports"; exit 0; }

undefined() {  # FILE…: names that they import
	nm -D --undefined-only "$@" 2> /dev/null | awk 'NF > 1 { sub(/@.*/, "", $NF); print $NF }' | sort -u
}
defined() {    # FILE…: names that they export
	nm -D --defined-only "$@" 2> /dev/null | awk 'NF > 2 { sub(/@.*/, "", $NF); print $NF }' | sort -u
}

# Names that memsearch imports and does not export, and that the program's own libraries do not need: of variables libc uses the program's
# itself. Reserved names are the implementation's.
names() {      # PROGRAM
	undefined "$tool" "$producer" "$BUILD/lib/memsearch/memsearch-core.so" > wanted
	{ undefined "$1" $(ldd "$1" | awk '$3 ~ /^\// { print $3 } $1 ~ /^\// { print $1 }'); defined "$tool"; } | sort -u > taken
	comm -23 wanted taken | grep -v '^_\|^memsearch_\|^omp_\|^GOMP_\|^std[a-z]*$\|^environ$'
}

cat > main.c <<'END'
#include <stdio.h>

double sum(void);
long calls(void);
static double a[40000], b[40000];

int main(void)
{
	for (int step = 0; step < 150; step++) {
#pragma omp parallel for
		for (int i = 0; i < 40000; i++)
			a[i] = a[i] * 0.5 + b[(i * 7L + step) % 40000] + 1;
	}
	printf("%.3f %.3f %ld\n", a[77], sum(), calls());
	return 0;
}
END

# A library of the program with something of each name.
library() {    # variables|functions
	case $1 in
	variables) { sed 's/.*/double & = 1;/' list; echo 'double sum(void) { return 0'; sed 's/.*/+ &/' list; echo '; } long calls(void) { return 0; }'; } ;;
	functions) { echo 'static long called; long calls(void) { return called; } double sum(void) { return 0; }'; sed 's/.*/long &(void) { called++; return 0; }/' list; } ;;
	esac > library.c
}

as_alone() {   # OPTIONS
	timeout -k 1 60 "$memsearch" run $1 -o it.ms -- ./main > with 2> err
	status=$?
	[ $status = 0 ] || wrong "options '$1': status $status: $(head -n 3 err)"
	cmp -s alone with || wrong "options '$1': $(cat with), alone $(cat alone)"
}

named() {      # COMPILER variables|functions
	$1 -O2 -g -w -fopenmp -fno-builtin -c -o main.o main.c && : > list && library "$2" && $1 -fno-builtin -w -fPIC -shared -o libnamed.so library.c &&
		$1 -fopenmp -o main main.o -L. -lnamed -Wl,-rpath,"$scratch" || { wrong "does not build"; return; }
	names ./main > list
	[ "$(wc -l < list)" -gt 50 ] || wrong "only $(wc -l < list) names"
	library "$2"
	$1 -fno-builtin -w -fPIC -shared -o libnamed.so library.c || wrong "does not build"
	timeout -k 1 60 ./main > alone 2>&1 || { wrong "alone: status $?"; return; }
	as_alone ""
	as_alone "--overhead 1000%"
	"$memsearch" arrays it.ms > arrays 2>&1
	grep -q 'main.c' arrays || wrong "nothing was recorded: $(head -n 5 arrays)"
}
for compiler in gcc-12 "$CC"; do
	have "$compiler" || { echo "reason: no $compiler"; echo "skip imports $compiler"; continue; }
	for what in variables functions; do
		named "$compiler" $what
		check "imports__of_names_of_${what}.$compiler"
	done
done
