# SPDX-License-Identifier: Apache-2.0
# Pictures of a comparison: well-formed, and never in the place of another file.
export MEMSEARCH_QUICK=1
cp "$TESTS/experiments/modelled.ms" new.ms
draw() { memsearch diff "$TESTS/experiments/modelled.ms" new.ms --svg "$1" "${2---metric=stall_cycles}" 2>&1 > out | sed 's/^memsearch: //'; }
draw both.svg
head -c 60 both.svg; echo
sed -n 's/.*<text[^>]*>\(.*\)<.text>/\1/p' both.svg
if command -v xmllint > /dev/null; then xmllint --noout both.svg; fi
# A picture is replaced, anything else is not; status 3.
draw both.svg --metric=l2_misses
grep -o 'better: [^<]*' both.svg
echo text > other
ln -s both.svg link
mkdir folder
for file in other link folder none/x.svg /dev/full; do
	draw $file
	memsearch diff "$TESTS/experiments/modelled.ms" new.ms --svg $file > /dev/null 2>&1
	echo "exit $?"
done
cat other
# What does not fit: the old picture stays, and nothing is left beside it.
(ulimit -f 1; memsearch diff "$TESTS/experiments/modelled.ms" new.ms --svg both.svg > /dev/null; echo "exit $?") 2>&1 | cat
grep -o 'better: [^<]*' both.svg
ls
