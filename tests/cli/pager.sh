# SPDX-License-Identifier: Apache-2.0
# Output that is longer than a terminal goes through a pager; a pager that is not there loses nothing.
record=$TESTS/experiments/sample.ms
on_terminal() {
	script -qec "stty rows $1 cols 100; NO_COLOR=1 MEMSEARCH_QUICK=1 TERM=$2 PAGER='$3' memsearch report $record; echo exit \$?" /dev/null | tr -d '\r'
}
echo "paged: $(on_terminal 8 xterm 'sed s/^/page:/' | grep -c ^page:)"
echo "it fits: $(on_terminal 200 xterm 'sed s/^/page:/' | grep -c ^page:)"
echo "no terminal to page on: $(on_terminal 8 dumb 'sed s/^/page:/' | grep -c ^page:)"
on_terminal 8 xterm '' > all
grep -c "^memsearch: swim" all
on_terminal 8 xterm none-such | tail -n +2 | cmp - all && echo "one that cannot be started: the same"
# It ends before all is written.
on_terminal 8 xterm 'head -n 1' | tail -n 1
