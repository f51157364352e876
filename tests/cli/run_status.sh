# SPDX-License-Identifier: Apache-2.0
# The exit status is the program's; stdin and stdout are its own; nothing is left behind in the temporary folder.
mkdir tmp
export TMPDIR=$PWD/tmp
try() { memsearch run -q "$@" 2> /dev/null; echo "exit $?"; }
try true
try -- false
try sh -c "exit 77"
try sh -c "kill -KILL \$\$"
try sh -c "kill -SEGV \$\$"
try ./missing
echo "#!/bin/sh" > here; chmod +x here
memsearch run here 2>&1; echo "exit $?"
memsearch run no-such-program 2>&1; echo "exit $?"
memsearch run --ci -- true 2> /dev/null; echo "exit $?"
memsearch run --ci -- false 2> /dev/null; echo "exit $?"
memsearch run --ci --deep -- true 2>&1; echo "exit $?"
echo text > text
try ./text
try sh -c "echo \$#: \"\$@\"" -- a "b c" --quiet
echo input | memsearch run -- cat 2> /dev/null
(until [ -s launcher ]; do sleep 0.05; done; kill -TERM "$(cat launcher)") &
memsearch run -- sh -c "echo \$PPID > launcher; exec sleep 5" 2> /dev/null
echo "exit $?"
# Nobody reads what is said: the status is still the program's. The pipe waits for the subshell to end.
(exec 3> status; { memsearch run -- sh -c "sleep 0.2; exit 5" 2>&1; echo "exit $?" >&3; } | true)
cat status
ls tmp
