# SPDX-License-Identifier: Apache-2.0
# Programs that the tool cannot get into: what is said about it.
mkdir tmp
export TMPDIR=$PWD/tmp
memsearch run -- true
printf "#!/bin/sh\nexit 0\n" > script
chmod +x script
memsearch run -- ./script
OMP_TOOL=disabled memsearch run -- true
OMP_TOOL_LIBRARIES=libother.so memsearch run -- true
memsearch run -- ./missing
ls tmp
