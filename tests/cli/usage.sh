# SPDX-License-Identifier: Apache-2.0
# Mistakes on the command line: exit code 2, the nearest name, nothing on stdout.
try() { memsearch "$@"; echo "exit $?"; }
try
try reprot
try --verson
try --foo
try zzzzzz
try report --fromat json
try report --format xml
try graph a b
try list
try list regoins
try list zzzzzz
try run
try run --overhead lots -- true
try run --sampling-rate 100000 -- true
try run --counters likwid -- true
try run --event perf::PAGE-FAULTS --event a,,b -- true
try help --options
try --version -x
