# SPDX-License-Identifier: Apache-2.0
# Files that are no records, and none at all: exit code 3.
try() { memsearch "$@"; echo "exit $?"; }
try report
echo "no record" > text.ms
: > empty.ms
try report text.ms
try report empty.ms
try report missing.ms
mkdir folder.ms
try report folder.ms
try list regions missing.ms
