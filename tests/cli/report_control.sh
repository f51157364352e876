# SPDX-License-Identifier: Apache-2.0
# Names with escape sequences, newlines and bytes that are no UTF-8: no command hands them to a terminal, in no format.
record=$TESTS/fuzz/record/control.ms
name=$(printf 'cs\033[2Ji\nx.ms')
try() {
	memsearch "$@" > out 2>&1
	LC_ALL=C grep -q '[[:cntrl:]]' out && { echo "$* prints control characters:"; LC_ALL=C grep '[[:cntrl:]]' out | head -n 3 | cat -v; }
	grep -q '^finding: none\|^nx\|^ost' out && echo "$* breaks lines at newlines in names"
	[ -s out ] || echo "$* prints nothing"
}
for format in text csv json; do
	try report --format $format --all --tree "$record"
	for by in array line region thread; do try arrays --format $format --all --by $by "$record"; done
	for what in runs regions counts sensors; do try list --format $format $what "$record"; done
	try import --format $format -o "$format.db" "$record"
	try report --format $format "$format.db"
done
try report "$name"
try report --most "$name"
try list "$name"
cp "$record" "$name" && try report "$name" && try import "$name"
printf 'PROPERTY x\033[2J(y)' > 'a
b.asl' && try properties --check 'a
b.asl'
printf 'na\033me = 3\n' > c.machine && try machine --check c.machine
memsearch report -v "$record" | sed -n 1,12p
