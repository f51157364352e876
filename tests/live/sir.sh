#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memsearch sir` of programs of all compilers, with debugging information and stripped: valid by its schema, with the regions, calls and
# arrays of the source. The program would print something; it does not.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

source=$root/tests/live/sir/program.c
schema=$root/analysis/report/schema/memsearch-sir-1.xsd
case $(uname -m) in x86_64) ;; *) echo "reason: machine code of this architecture is not decoded"; echo "skip sir"; exit 0 ;; esac

represent() {  # PROGRAM
	"$memsearch" sir "$1" > "$scratch/it.xml" 2> "$scratch/errors" || wrong "exit $?"
	[ ! -s "$scratch/errors" ] || wrong "$(cat "$scratch/errors")"
	xmllint --noout --schema "$schema" "$scratch/it.xml" 2> "$scratch/errors" || wrong "$(head -n 5 "$scratch/errors")"
}
has() {        # EXPRESSION: of XPath, which must hold
	[ "$(xmllint --xpath "boolean($1)" "$scratch/it.xml" 2>&1)" = true ] || wrong "not so: $1"
}
array() { echo "@array=//array[@name='$1']/@id"; }   # NAME: of a use
line() { line_of "$source" "$1"; }

inside='//region[@kind="PARALLEL_REGION"]'
check_source() {
	has "count(//region[@kind='SUB_REGION'])=3"
	has "//region[@kind='SUB_REGION'][@name='never'][@file='program.c']"
	has "//region[@kind='SUB_REGION'][@name='main']/call[@name='never'][@region=//region[@name='never'][@kind='SUB_REGION']/@id]"
	has "//region[@kind='SUB_REGION'][@name='never']$inside[@line=$(line never)]"
	has "$inside/region[@kind='DO_REGION'][@line=$(line dynamic)]//region[@kind='LOOP_REGION'][@line=$(line nested)]"
	has "//region[@kind='DO_REGION'][@line=$(line dynamic)]//use[$(array a)]"
	has "//region[@kind='DO_REGION'][@line=$(line dynamic)]//use[$(array b)]"
	has "not(//region[@kind='DO_REGION'][@line=$(line dynamic)]//use[$(array w)])"
	has "$inside[@line=$(line never)]/region[@kind='SINGLE_REGION'][@line=$(line single)]"
	has "$inside[@line=$(line never)]/region[@kind='CRITICAL_REGION'][@line=$(line critical)]"
	has "//region[@kind='CRITICAL_REGION']//use[$(array heap)]|$inside[@line=$(line never)]/use[$(array heap)]"
	has "$inside[@line=$(line static)]/region[@kind='DO_REGION'][@line=$(line static)]/region[@kind='LOOP_REGION'][@line=$(line columns)]"
	has "//region[@line=$(line columns)]/use[$(array a)][@access='write']"
	has "//region[@line=$(line columns)]/use[$(array b)][@access='read']"
	has "$inside[@line=$(line static)]//call[@name='inner']"
	has "//region[@name='inner']/region[@kind='LOOP_REGION'][@line=$(line inner)]/use[$(array w)][@access='read']"
	has "//region[@kind='TASK_REGION'][@line=$(line task)]//use[$(array w)][@access='read-write']"
	has "//array[@name='a'][@type='double'][@bytes=8000000][count(dimension)=2]/dimension[@extent=1000]"
	has "//array[@name='heap'][@through='pointer']"
	has "not(//array[@name='sum'])"
	has "not(//unknown)"
}

# Addresses of the file in operands and displacements; a base before the array is no address in it.
check_fixed() {
	has "//region[@kind='DO_REGION'][@line=$(line dynamic)]//use[$(array a)][@access='read']"
	has "//region[@kind='DO_REGION'][@line=$(line dynamic)]//use[$(array b)][@access='write']"
	has "//region[@line=$(line columns)]/use[$(array a)][@access='write']"
}
gcc -O2 -no-pie -fno-pie -g -fopenmp -o "$scratch/program" "$source" || wrong "not compiled"
represent "$scratch/program"
check_fixed
check "sir fixed addresses"

for compiler in "$CC -O0" "$CC -O2" "gcc -O0" "gcc -O2"; do
	$compiler -g -fopenmp -o "$scratch/program" "$source" || wrong "not compiled"
	represent "$scratch/program"
	check_source
	check "sir $compiler"
done

# Stripped: the same regions, without names and lines.
gcc -O2 -g -fopenmp -o "$scratch/program" "$source"
represent "$scratch/program"
want=$(xmllint --xpath "count($inside)" "$scratch/it.xml")
strip "$scratch/program"
represent "$scratch/program"
has "count($inside)=$want"
has "//region[@kind='DO_REGION']//region[@kind='LOOP_REGION']"
has "not(//@line) and not(//@file) and not(//array)"
has "//unknown[contains(., 'symbols')]"
has "//unknown[contains(., 'debugging information')]"
check "sir stripped"

# What users name is escaped: a file, a function of a template, an array whose name is no UTF-8.
cat > "$scratch/a&b<c>\"d.cc" <<'END'
template <class T> struct field { static T data[50]; };
template <class T> T field<T>::data[50];
extern int odd[20] asm("odd\377");
int odd[20];
template <class F> int each(int n, F f)
{
#pragma omp parallel for schedule(guided)
	for (int i = 0; i < n; i++)
		f(i);
	return n;
}
int main(int argc, char **) { return each(argc, [](int i) { field<int>::data[i % 50] += odd[i % 20]; }); }
END
g++ -O1 -g -fopenmp -o "$scratch/a&b<c>\"d" "$scratch/a&b<c>\"d.cc" || wrong "not compiled"
represent "$scratch/a&b<c>\"d"
has "/sir[@program='a&b<c>\"d']"
has "//region[@kind='PARALLEL_REGION'][starts-with(@name, 'each<')][@file='a&b<c>\"d.cc']"
has "//array[@name='field<int>::data']"
strip --strip-debug "$scratch/a&b<c>\"d"
represent "$scratch/a&b<c>\"d"
has "//array[starts-with(@name, 'odd\\xff')]"
check "sir escaped"

# Fortran: COMMON blocks and modules, one after the other in memory, column-major.
cat > "$scratch/it.f90" <<'END'
module fields
	real(8) :: grid(100, 0:50)
end module
program main
	use fields
	common /cons/ dt, u(200, 30)
	integer i, j
	!$omp parallel do private(i)
	do j = 1, 30
		do i = 1, 100
			grid(i, j) = u(i, j) * dt
		end do
	end do
	print *, grid(3, 4)
end program
END
for compiler in gfortran flang-new-19; do
	(cd "$scratch" && $compiler -O1 -g -fopenmp -o fortran it.f90) || wrong "not compiled"
	represent "$scratch/fortran"
	has "//array[@name='fields::grid'][@kind='module'][@order='column-major']/dimension[2][@extent=51]"
	# flang 19 does not describe lower bounds
	[ $compiler = flang-new-19 ] || has "//array[@name='fields::grid']/dimension[2][@lower=0]"
	has "$inside//region[@kind='DO_REGION']//use[@access='write' or @access='address'][$(array fields::grid)]"
	check "sir $compiler"
done

# Of another architecture: functions and arrays only.
cp "$scratch/program" "$scratch/other"
printf '\267' | dd of="$scratch/other" bs=1 seek=18 conv=notrunc 2> /dev/null
represent "$scratch/other"
has "//unknown[contains(., 'architecture')]"
has "//region and not(//region[@kind!='SUB_REGION'])"
check "sir other architecture"

# Damaged files: any result but a crash.
for seed in $(sample "1 2 3 4 5 6 7 8 9 10" "$(seq 200)"); do
	cp "$scratch/fortran" "$scratch/damaged"
	for place in 1 2 3 4 5 6; do
		at=$(awk -v seed="$seed$place" -v size="$(wc -c < "$scratch/damaged")" 'BEGIN { srand(seed); print int(rand() * (place % 2 ? 4096 : size)) }')
		printf '\377' | dd of="$scratch/damaged" bs=1 seek="$at" conv=notrunc 2> /dev/null
	done
	timeout 60 "$memsearch" sir "$scratch/damaged" > "$scratch/it.xml" 2> "$scratch/errors"
	status=$?
	case $status in 0) xmllint --noout "$scratch/it.xml" || wrong "seed $seed: no XML" ;; 3) ;; *) wrong "seed $seed: status $status" ;; esac
done
check "sir damaged"
