#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The files of packaging/: a Debian package that is built, unpacked and used; the CMake package; the Python module.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

build=${BUILD#"$root"/}
stage=$scratch/stage
make -s BUILD="$build" DESTDIR="$stage" PREFIX=/usr install > "$scratch/log" 2>&1 || wrong "$(tail -n 5 "$scratch/log")"
$CC -O2 -g -fopenmp -o "$scratch/ends" tests/live/programs/ends.c || exit 1

# What git has, and the build that is there.
unpack() {
	mkdir -p "$1" && (git ls-files || find . -path "./$build" -prune -o -type f -print) | tar -cf - -T - | tar -xf - -C "$1" &&
		ln -s "$BUILD" "$1/build" && cp -R packaging/debian "$1/debian"
}
if have dh && have dpkg-buildpackage; then
	unpack "$scratch/source" || wrong "no copy of the sources"
	(cd "$scratch/source" && dpkg-buildpackage -b -us -uc -nc -d > "$scratch/log" 2>&1) || wrong "$(tail -n 10 "$scratch/log")"
	package=$(ls "$scratch"/memsearch_*.deb) || wrong "no package: $(tail -n 10 "$scratch/log")"
	dpkg-deb -x "$package" "$scratch/installed"
	(cd "$scratch" && installed/usr/bin/memsearch run --quiet -o package.ms -- ./ends return > out 2> err) || wrong "status $?: $(cat "$scratch/err")"
	"$scratch/installed/usr/bin/memsearch" report "$scratch/package.ms" > "$scratch/report" 2>&1 || wrong "$(cat "$scratch/report")"
	grep -q '^memsearch: ./ends' "$scratch/report" || wrong "$(cat "$scratch/report")"
	check packaging__debian
	if have lintian; then
		lintian --allow-root "$scratch"/memsearch_*.changes > "$scratch/log" 2>&1 || wrong "$(cat "$scratch/log")"
		grep -q '^[EW]:' "$scratch/log" && wrong "$(cat "$scratch/log")"
		check packaging__lintian
	else
		echo "reason: no lintian"; echo "skip packaging__lintian"
	fi
else
	echo "reason: no debhelper"; echo "skip packaging__debian"; echo "skip packaging__lintian"
fi

if have cmake; then
	mkdir "$scratch/solver"
	printf '#include <memsearch/phase.h>\nint main(void) { memsearch_phase_begin(1); memsearch_phase_end(1); return 0; }\n' > "$scratch/solver/main.c"
	printf '%s\n' 'cmake_minimum_required(VERSION 3.10)' 'project(solver C)' 'find_package(memsearch 0.1 REQUIRED)' \
		'add_executable(solver main.c)' 'target_link_libraries(solver PRIVATE memsearch::memsearch)' \
		'if(NOT EXISTS "${memsearch_FORTRAN_SOURCE}" OR NOT EXISTS "${memsearch_EXECUTABLE}")' 'message(FATAL_ERROR "no files")' 'endif()' \
		> "$scratch/solver/CMakeLists.txt"
	cmake -S "$scratch/solver" -B "$scratch/made" -DCMAKE_PREFIX_PATH="$stage/usr" > "$scratch/log" 2>&1 &&
		cmake --build "$scratch/made" >> "$scratch/log" 2>&1 && "$scratch/made/solver" || wrong "$(tail -n 10 "$scratch/log")"
	sed -i 's/memsearch 0.1/memsearch 99/' "$scratch/solver/CMakeLists.txt"
	cmake -S "$scratch/solver" -B "$scratch/later" -DCMAKE_PREFIX_PATH="$stage/usr" > "$scratch/log" 2>&1 && wrong "a later version was found"
	check packaging__cmake
else
	echo "reason: no cmake"; echo "skip packaging__cmake"
fi

if have python3; then
	cat > "$scratch/test.py" <<'END'
import csv, io, os, subprocess, sys
import memsearch

record = sys.argv[1]
def rows(table):
    return table.to_dict("records") if memsearch.pandas else table
def of_csv(*words):
    text = subprocess.run([os.environ["MEMSEARCH"], *words, record], capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(io.StringIO(text)))

findings = rows(memsearch.findings(record))
table = [row for row in of_csv("report", "--format", "csv") if row["property"]]
assert len(findings) and len(findings) <= len(table), (len(findings), len(table))
for row in findings:
    assert any(row["property"] == other["property"] and str(row["region.line"]) == other["line"] for other in table), row
arrays = rows(memsearch.arrays(record))
assert {row["name"] for row in arrays} >= {row["array"] for row in of_csv("arrays", "--format", "csv") if row["array"]}, arrays
assert all("run" in row for row in arrays)
regions = {(row["run"], row["id"]): row for row in rows(memsearch.regions(record))}
listed = [row for row in of_csv("list", "regions", "--format", "csv")]
assert {(int(row["run"]), int(row["region"])): row["place"] for row in listed} == {key: row["place"] for key, row in regions.items()}, listed
threads = rows(memsearch.thread_times(record))
assert threads, regions
for row in threads:
    region = regions[row["run"], row["region"]]
    assert region["thread_times_ns"][row["thread"]] == row["time_ns"] or memsearch.pandas, row
    assert row["place"] == region["place"], row
lines = rows(memsearch.lines(record))
assert lines and {(row["run"], row["region"]) for row in lines} <= set(regions), lines
named = {(row["run"], row["id"]) for row in rows(memsearch.modules(record))}
assert {(row["run"], row["module_id"]) for row in lines if row["module_id"] is not None} <= named or memsearch.pandas, named
assert len(rows(memsearch.causes(record))) == len(memsearch.report(record)["causes"])
document = memsearch.report(record)
assert rows(memsearch.findings(document)) == findings or memsearch.pandas
try:
    memsearch.report("none.ms")
except memsearch.Error as error:
    assert "none.ms" in str(error), error
else:
    raise AssertionError("a record that is not there was read")
END
	MEMSEARCH_QUICK=1 MEMSEARCH=$stage/usr/bin/memsearch PYTHONPATH=$stage/usr/share/memsearch/python PYTHONDONTWRITEBYTECODE=1 \
		python3 "$scratch/test.py" tests/experiments/modelled.ms > "$scratch/log" 2>&1 || wrong "$(tail -n 5 "$scratch/log")"
	check packaging__python
else
	echo "reason: no python3"; echo "skip packaging__python"
fi
