# SPDX-License-Identifier: Apache-2.0
# Other machines, judged by their recorded files: what is missing there, and the command that mends it.
for machine in xeon laptop vm container aarch64 ppc64le; do
	echo "== $machine"
	memsearch doctor --root "$TESTS/machines/$machine"
done
echo "== as JSON"
memsearch doctor --root "$TESTS/machines/container" --json
echo "== as CSV"
memsearch doctor --root "$TESTS/machines/vm" --format csv
# What cannot be read is not told, and nothing at all is an error.
mkdir -p little/proc empty
echo "processor : 0" > little/proc/cpuinfo
memsearch doctor --root little
memsearch doctor --root empty
echo "exit $?"
memsearch doctor --root missing
echo "exit $?"
