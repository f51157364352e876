# SPDX-License-Identifier: Apache-2.0
# The counts of bench/accuracy.sh: what a report has of the findings that a program states, and precision and recall of these.
root=$TESTS/..
cat > program.c << 'END'
/* EXPECT LockContention at lock severity 0.2..0.6
 * EXPECT SerialStretch in main severity 0.1..0.2
 * ALLOW LockWaiting */
first();        /* HERE: lock */
END
printf '%s\t%s\n' schema memsearch-report-1 \
	findings/0/property LockContention findings/0/region/line 4 findings/0/severity 0.3 \
	findings/1/property LockWaiting findings/1/region/line 9 findings/1/severity 0.3 \
	findings/2/property LockContention findings/2/region/line 9 findings/2/severity 0.3 \
	findings/3/property SerialStretch findings/3/region/function main findings/3/severity 0.4 > flat
echo "-- one program"
awk -v count=1 -f "$root/tests/workloads/check.awk" program.c flat
echo "-- a program without a problem, and its report without findings"
echo 'schema	memsearch-report-1' > empty
echo '/* NONE */' > clean.c
awk -v count=1 -f "$root/tests/workloads/check.awk" clean.c empty
table() {      # [OPTION...]
	printf 'fast\t%s\t%s\t%s\n' lock found 'Lock.*' lock2 found 'Lock.*' serial missing 'Serial.*|Late' serial allowed SystemTime \
		lock unexpected LockWaiting lock unexpected SlowThreads quiet clean '' odd broken 'output: 1' busy undecided '(others used 40 %)' |
		awk "$@" -f "$root/bench/accuracy.awk"
	echo "exit $?"
}
echo "-- two found, one missing, two unexpected"
table
echo "-- met targets, one run broken"
table -v least_precision=0.5 -v least_recall=0.66
echo "-- all well"
printf 'fast\tlock\tfound\tLock.*\nfast\tquiet\tclean\t\n' | awk -f "$root/bench/accuracy.awk"
echo "exit $?"
echo "-- a finding where none is"
printf 'fast\tlock\tfound\tLock.*\n%s' "$(yes 'fast	lock	found	Lock.*' | head -n 40)
fast	quiet	unexpected	Late
" | awk -f "$root/bench/accuracy.awk"
echo "exit $?"
echo "-- nothing counted; a line cut short"
awk -f "$root/bench/accuracy.awk" /dev/null
echo "exit $?"
printf 'fast\tlock\n' | awk -f "$root/bench/accuracy.awk"
echo "exit $?"
