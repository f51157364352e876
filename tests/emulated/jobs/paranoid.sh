# SPDX-License-Identifier: Apache-2.0
# perf_event_paranoid 3, as Debian has it, and a user without privilege: no samples, the reason, and a report all the same.
. /tests/lib.sh

echo 3 > /proc/sys/kernel/perf_event_paranoid
mkdir -p user && chown user user && cd user
su user -c "OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive timeout 90 memsearch run --quiet --no-calibrate -o it.ms -- $tests/imbalance 0.2" > tool.out 2> tool.err || wrong "status $?: $(cat tool.err)"
memsearch report --json it.ms > it.json 2> report.err || wrong "report: $(cat report.err)"
memsearch report -v it.ms > it.txt
grep -A 2 '"name": "samples"' it.json | grep -q '"works": false' || wrong "samples should not work: $(cat it.txt)"
grep -q 'perf_event_paranoid is 3' it.json || wrong "no reason: $(cat it.txt)"
grep -q 'SlowThreads\|ImbalanceIn' it.json || wrong "the imbalance was not found: $(cat it.txt)"
check paranoid__is_told_and_the_rest_works
