# SPDX-License-Identifier: Apache-2.0
# Files that are looked at without running them. What depends on the runtimes of this machine is in tests/live/doctor.sh.
try() { memsearch doctor "$@"; echo "exit $?"; }
printf '#!/bin/sh -e\ntouch was-run\n' > script
chmod +x script
try ./script | sed 's,LIBRARIES=.*/lib/,LIBRARIES=…/lib/,'
chmod -x script
try --json ./script
cp "$(command -v memsearch)" program
head -c 3000 program > cut
head -c 40 program > header
echo hello > text
: > empty
mkdir folder
chmod +x cut header text empty
for name in cut header text empty folder missing; do try "./$name"; done
# Of another processor: byte 18 of an ELF header is the machine (0x16: s390), byte 4 the word size.
for change in '\026 18' '\001 4'; do
	cp program other
	printf "${change% *}" | dd of=other bs=1 seek="${change#* }" conv=notrunc 2> /dev/null
	try ./other | sed 's/x86-64\|aarch64\|ppc64le/HERE/'
done
try no-such-program-anywhere
try a b
try --root . ./script
[ ! -e was-run ] || echo "the script was run"
