# SPDX-License-Identifier: Apache-2.0
# A record whose checksums are right and whose rows are not: what is wrong is said, nothing is shown.
for command in report arrays "list regions" "import -o x.db"; do
	memsearch $command "$TESTS/fuzz/record/parent.ms" 2>&1 | sed "s|$TESTS|TESTS|"
done
memsearch report "$TESTS/fuzz/record/parent.ms" 2> /dev/null
