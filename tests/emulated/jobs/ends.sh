# SPDX-License-Identifier: Apache-2.0
# However a program ends, it ends so under the tool, and the record can be read.
. /tests/lib.sh
export OMP_NUM_THREADS=2 MEMSEARCH_OUTPUT=it.ms

# Each end on two of three architectures.
all="return1 exit_in_worker quick_exit abort segv kill fork"
case $(uname -m) in
x86_64) part="return1 quick_exit segv fork" ;;
aarch64) part="return1 exit_in_worker quick_exit abort kill" ;;
*) part="exit_in_worker abort segv kill fork" ;;
esac
for how in $([ "$WHOLE" ] && echo "$all" || echo "$part"); do
	timeout 60 $tests/ends $how 5 > plain.out 2> plain.err; plain=$?
	rm -f it.ms
	OMP_TOOL_LIBRARIES=libmemsearch.so timeout 60 $tests/ends $how 5 > tool.out 2> tool.err; status=$?
	same
	memsearch report -v it.ms > report.out 2> report.err || wrong "report: $(cat report.err tool.err)"
	check ends__$how
done
