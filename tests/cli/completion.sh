# SPDX-License-Identifier: Apache-2.0
# bash asks the program what can follow. zsh and fish ask the same; their scripts are checked where these shells are.
command -v bash > /dev/null || exit 0
cp "$TESTS/../analysis/man/memsearch.bash" .
mkdir folder
echo > one.ms
echo > one.db
echo > program
bash -c ". ./memsearch.bash
try() { COMP_WORDS=(memsearch \"\$@\"); COMP_CWORD=\$#; COMPREPLY=(); _memsearch; echo \"\$* ->\" \"\${COMPREPLY[@]}\"; }
try rep
try report --fo
try report --format \"\"
try report on
try report \"\"
try report --machine ep
try machine xe
try run --strategy prop
try properties LoadIm
try help num
try list str
try list runs on
try run ./pro"
for shell in zsh fish; do
	command -v $shell > /dev/null || continue
	$shell -n "$TESTS/../analysis/man/memsearch.$shell" || echo "$shell refuses its script"
done
