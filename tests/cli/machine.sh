# SPDX-License-Identifier: Apache-2.0
# `memsearch machine`: two machines beside each other, which does not depend on this one; names and files that are wrong.
cp "$TESTS"/fuzz/machine/*.machine "$TESTS"/data/modelled/* .
memsearch machine ./two_sockets.machine ./small.machine
for format in csv json; do
	echo "== $format"
	memsearch machine --format $format small.machine two_sockets.machine | grep -n '' | sed -n '1,12p;/distances/,$p'
done
echo "== this machine"
memsearch machine --format csv | head -n 2 | sed 's/,[0-9]*,/,N,/'
memsearch machine small.machine --format csv | cut -d, -f1 | uniq
memsearch machine host --json | grep '"file"'
echo "== as a machine file"
for machine in xeon-2s altix-bx2 a64fx ./two_sockets.machine; do
	memsearch machine --as-file $machine > copied.machine
	memsearch machine --check copied.machine
	for file in $machine ./copied.machine; do
		memsearch machine --format csv $file | grep -v '^host,' | cut -d, -f2- > "values.$(basename $file)"
	done
	wc -l < values.copied.machine
	diff "values.$(basename $machine)" values.copied.machine
done
memsearch machine --as-file > here.machine
memsearch machine --check here.machine | sed 's/[0-9][0-9]*/N/g;s/cores/core/;s/nodes/node/'
memsearch machine --as-file small.machine
echo "== wrong"
for words in "xeon-2" "wombat" "xml.machine host" "none.machine" "./nowhere a" "a64fx host host" "--list a64fx" "--check x --list" "--as-file a64fx host" "--as-file none.machine"; do
	memsearch machine $words; echo "exit $?"
done
