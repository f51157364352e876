# SPDX-License-Identifier: Apache-2.0
# Two invented runs, before and after a change (tests/unit/changed_run.h): their differences in every format, limits with their statuses, and what cannot be compared.
cp "$TESTS"/experiments/*.ms .
export MEMSEARCH_BRIEF=1
try() { echo "== $*"; memsearch diff "$@" 2>&1; echo "exit $?"; }
# Without the totals, which are in the first; lists alone.
short() { echo "== $*"; memsearch diff "$@" > out 2>&1; status=$?; sed '/^all regions/,/^$/d' out; echo "exit $status"; }
lists() { short "$@" | sed '/^Cannot tell/,/^exit/ { /^exit/!d; }'; }
try before.ms after.ms
for by in region line instruction thread caller property cause; do lists --by $by before.ms after.ms; done
lists --all --most 1 before.ms after.ms
try before.ms before.ms
for format in csv markdown; do try --format $format before.ms after.ms; done
echo "== json"
memsearch diff --json before.ms after.ms > out.json
head -n 12 out.json
sed -n '/"differences"/,/"small"/p' out.json
sed -n '/"properties"/,$p' out.json | grep -A 22 LockWaits
memsearch diff --format json before.ms after.ms | cmp - out.json
# Functions, work and bounds.
for function in ratio weighted difference; do lists --function $function --metric l2_misses --most 1 before.ms after.ms; done
lists --work 1,2 --most 1 before.ms after.ms
lists --work accesses --most 1 before.ms after.ms
lists --function saturation --work 1,2 --bound 2e7 --most 1 before.ms after.ms
lists --function saturation-power --work 1,2 --bound 2e7 --most 1 before.ms after.ms
lists --function saturation --work 1,2 --bound 2e7 --metric l2_misses --most 1 after.ms before.ms   # falls
# Limits: exceeded, kept, not proven, not measured.
mkdir src && touch src/swim.c
cat > memsearch.limits << 'EOF'
# what a pull request may cost
fail l2_misses>+5%
fail stall_cycles:calc2/unew>+10%
warn accesses:*>+1%
	warn  l3_misses:swim.c:366>60000
fail bytes:/grid>+0%
EOF
limit() { echo "== $*"; memsearch diff "$@" before.ms after.ms > out 2>&1; status=$?; sed -n '/^Limits/,/^$/p' out; echo "exit $status"; }
limit --limits memsearch.limits
limit --fail-on 'l2_misses>+0%' --fail-on 'capacity>+0%'
limit --warn-on 'l1_misses>+1%'
limit --fail-on 'time>+5%' --warn-on 'stall_cycles:lock>+5%'
limit --fail-on 'page_walks>+1%'
limit --fail-on 'page_walks>+1%' --fail-on 'l1_misses>+1%'
limit --warn-on 'page_walks>+1%' --warn-on 'bytes:calc3>+1%' --warn-on 'bytes:calc2/nowhere>+1%' --warn-on 'bytes:update/grid>+1%'
for format in markdown github sarif; do try --format $format --limits memsearch.limits --fail-on 'page_walks>+1%' before.ms after.ms; done
printf 'fail page_walks>+1%%\n' > unmeasured.limits
for format in github sarif; do try --format $format --limits unmeasured.limits before.ms after.ms; done
try --format github --fail-on 'l2_misses>+1%' before.ms after.ms
# Stores, groups, and settings behind @.
memsearch import -o sweep.db swept_*.ms > /dev/null
memsearch import -o one.db before.ms > /dev/null
memsearch import -o two.db before.ms after.ms > /dev/null
lists sweep.db@env:OMP_PROC_BIND=close
short sweep.db@threads=2 sweep.db@threads=4
short --machine xeon-2s sweep.db@threads=2
lists before.ms,swept_2_close.ms after.ms
mkdir old && cp after.ms old/before.ms
lists old/before.ms before.ms
cp before.ms 'odd@name.ms'
cp before.ms 'odd@x=1.ms'
for odd in 'odd@name.ms' 'odd@x=1.ms' 'odd@x=1.ms@threads=16'; do short --by property "$odd" before.ms; done
short elsewhere.ms before.ms
short killed.ms before.ms
echo "== what cannot be compared"
bad() { echo "$ $*"; memsearch diff "$@" 2>&1; echo "exit $?"; }
bad
bad before.ms after.ms killed.ms
bad before.ms
bad one.db
bad two.db
bad sweep.db
bad sweep.db@threads=3 before.ms
bad sweep.db@thread=2 before.ms
bad sweep.db@threads before.ms
bad sweep.db@=2 before.ms
bad --machine altix-bx2 sweep.db@threads=2
bad foreign.ms before.ms
bad cpu_time.ms before.ms
for file in "" a,,b , none.ms none.ms@threads=2; do bad "$file" before.ms; done
echo text > text
: > empty
head -c 20 before.ms > header.ms
head -c 3000 before.ms > cut.ms
cp one.db newer.db && printf '\0\0\0\143' | dd of=newer.db bs=1 seek=60 conv=notrunc 2> /dev/null
head -c 20000 one.db > cut.db
for file in text empty old header.ms cut.ms newer.db cut.db; do bad before.ms $file; done 2>&1 | sed 's/versions up to [0-9]*/versions up to N/'
bad --machine xeon-2s before.ms after.ms
bad --machine xeon-3s before.ms after.ms
echo "== options"
for work in 0,1 -1,2 1,2,3 1,x , 1 "" nonsense l2_miss page_walks; do bad --work "$work" before.ms after.ms; done
for bound in 0 -1 inf x; do bad --bound $bound before.ms after.ms; done
bad --function saturation before.ms after.ms
bad --function saturation --bound 2e7 before.ms after.ms
bad --function saturation --bound 2e7 --work 2,1 before.ms after.ms
bad --function saturation --bound 2e7 --work threads before.ms after.ms
bad --function product before.ms after.ms
bad --metric page_walks before.ms after.ms
bad --metric l2_miss before.ms after.ms
bad --cut-off 2 before.ms after.ms
bad --by page before.ms after.ms
bad --format xml before.ms after.ms
bad --most x before.ms after.ms
for limit in "" l2_misses 'l2_misses>' 'l2_misses>5%' 'l2_misses>+5' 'l2_misses>-5%' 'l2>+5%' 'l2_misses:>+5%' 'l2_misses:calc2/>+5%'; do bad --fail-on "$limit" before.ms after.ms; done
bad --warn-on 'l2_misses>x' before.ms after.ms
echo "== limits files"
printf 'fail\0l2_misses>+5%%\n' > binary.limits
printf '# nothing\n\n' > none.limits
printf 'fail l2_misses>+5%%\nstop bytes>1\n' > word.limits
printf '\nwarn misses>+5%%\n' > metric.limits
for limits in missing.limits old binary.limits none.limits word.limits metric.limits; do bad --limits $limits before.ms after.ms; done
echo "== a full disk"
for format in text json sarif; do memsearch diff --format $format before.ms after.ms > /dev/full; echo "exit $?"; done
