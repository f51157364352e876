# SPDX-License-Identifier: Apache-2.0
# `memsearch sir`: its command line and files that are no programs. What it reads from programs: tests/live/sir.sh.
memsearch sir -h
echo hello > text
: > empty
head -c 3000 "$(command -v memsearch)" > cut
head -c 40 "$(command -v memsearch)" > header
mkdir folder
for operands in "" "a b" missing text empty header folder; do
	memsearch sir $operands
	echo "'$operands': exit $?"
done
memsearch sir cut > cut.xml
echo "cut: exit $?"
memsearch sir -o mine.xml "$(command -v memsearch)"
echo "to a file: exit $?, $(head -n 2 mine.xml | cut -c 1-34 | tail -n 1)"
memsearch sir -o mine.xml "$(command -v memsearch)"
echo "again: exit $?"
echo mine > mine.xml
memsearch sir -o mine.xml "$(command -v memsearch)"
echo "another file: exit $?, $(cat mine.xml)"
memsearch sir "$(command -v memsearch)" > /dev/full
echo "full: exit $?"
