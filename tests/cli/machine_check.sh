# SPDX-License-Identifier: Apache-2.0
# `memsearch machine --check`: each mistake with its line; 3 for a file with mistakes, 0 for one without.
cp "$TESTS"/fuzz/machine/*.machine .
memsearch machine --check small.machine; echo "exit $?"
memsearch machine --check broken.machine; echo "exit $?"
memsearch machine --check xml.machine --format csv; echo "exit $?"
sed 's/l3.size = 1 MiB/l3.size = 2 KiB/' small.machine > large.machine
memsearch machine --check large.machine --json; echo "exit $?"
memsearch machine --check none.machine; echo "exit $?"
