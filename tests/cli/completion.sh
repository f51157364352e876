# SPDX-License-Identifier: Apache-2.0
# bash asks the program what can follow.
command -v bash > /dev/null || exit 0
cp "$TESTS/../analysis/man/memsearch.bash" .
echo > one.ms
echo > program
bash -c ". ./memsearch.bash
try() { COMP_WORDS=(memsearch \"\$@\"); COMP_CWORD=\$#; COMPREPLY=(); _memsearch; echo \"\$* ->\" \"\${COMPREPLY[@]}\"; }
try rep
try report --fo
try report --format \"\"
try report on
try list str
try run ./pro"
