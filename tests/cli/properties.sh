# SPDX-License-Identifier: Apache-2.0
# `memsearch properties`: the list, one of them by name or alias, and names that are wrong.
memsearch properties | sed -n '/^LoadImbalance/,/^SerialF/p' | head -n 5
memsearch properties --json | grep -c '"property"' | awk '{ print ($1 >= 16 ? "at least 16" : $1) }'
memsearch properties --format csv | grep '^SlowThreads,'
memsearch properties Imbalance | grep -v '^file'
memsearch properties StridedAccess | grep 'metrics '
memsearch properties OrderedWaiting --format csv | grep -v '^file'
memsearch properties OrderedWaiting --json | grep -v '"file"'
memsearch properties LoadImbalence; echo "exit $?"
memsearch properties a b; echo "exit $?"
memsearch properties --check; echo "exit $?"
