# SPDX-License-Identifier: Apache-2.0
# The page: its parts, its file's name, and what cannot be written.
memsearch report --html "$TESTS/experiments/modelled.ms"
# Without style, script and data; of the data the members.
sed -e '/^<style>/,/<\/style>/d' -e '/^<script>$/,/<\/script>/d' -e '/^<pre/,/^<\/pre>/{/^<pre/!d}' -e 's/^\(<script.*\)>{.*/\1>/' modelled.html
grep -o '^<script type="application[^>]*>{"[^"]*":' modelled.html
[ "$(wc -c < modelled.html)" -lt 150000 ] || echo "too large"
# Standard output, another name, a store.
memsearch report --format html "$TESTS/experiments/modelled.ms" | cmp - modelled.html
memsearch report --html other.html "$TESTS/experiments/modelled.ms" && cmp other.html modelled.html
memsearch report "$TESTS/experiments/modelled.ms" --html=third && cmp third modelled.html
# A page is replaced, any other file is left as it is; nothing is half-written.
memsearch report --html=third "$TESTS/experiments/modelled.ms"
echo mine > mine.html
memsearch report --html mine.html "$TESTS/experiments/modelled.ms"
echo "exit $?"; cat mine.html
memsearch report --format html "$TESTS/experiments/modelled.ms" > /dev/full
echo "exit $?"
(ulimit -f 8; trap '' XFSZ; memsearch report --html full.html "$TESTS/experiments/modelled.ms")
echo "exit $?"
memsearch report --html no/folder.html "$TESTS/experiments/modelled.ms"
echo "exit $?"
memsearch report --html missing.ms
echo "exit $?"
memsearch report --format html "$TESTS/experiments/modelled.ms" | head -n 1
ls
