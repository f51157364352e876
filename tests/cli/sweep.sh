# SPDX-License-Identifier: Apache-2.0
# What is wrong with a sweep is said before anything runs; a dry run prints the order of its runs.
printf '#!/bin/sh\ntouch was-run\n' > prog
chmod +x prog
echo text > plain
try() { memsearch sweep "$@"; echo "exit $?"; }
# An error, with the number of cores of this machine left out.
bad() { try "$@" 2>&1 | sed "s/'host' has [0-9]* cores*/'host' has N cores/"; }
bad
bad --threads 1
bad -- ./prog
for threads in 0 -1 x 1,x 1,1 1, "" 4097 1,2,4097; do bad --threads="$threads" -- ./prog; done
bad --threads 1 --repeat 0 -- ./prog
bad --threads 1 --repeat 1001 -- ./prog
bad --threads 1 --repeat two -- ./prog
for env in X =1 X= X=1,,2 X=1,1 OMP_NUM_THREADS=1; do bad --threads 1 --env "$env" -- ./prog; done
bad --threads 1 --env X=1 --env X=2 -- ./prog
# Argument sets.
printf '512 100\n\n1024 "10\n' > sets
bad --threads 1 --arg-set sets -- ./prog
printf '# nothing\n' > empty
bad --threads 1 --arg-set empty -- ./prog
bad --threads 1 --arg-set none -- ./prog
bad --threads 1 --arg-set . -- ./prog
# All numbers of threads in one run.
bad --online --threads 2 -- ./prog
bad --online --threads 1,2 --machine host -- ./prog
bad --online --threads 1,2 --machine none --trace-limit 64 -- ./prog
bad --online --threads 1,2 --follow libm.so.6 -- ./prog
bad --online --threads 1,2 --repeat 0 -- ./prog
# Programs.
bad --threads 1 --machine none -- ./none
bad --threads 1 --machine none -- ./plain
bad --threads 1 --machine none --binary ./prog,./none -- ./prog
bad --threads 1 --machine none --binary ./prog,./prog -- ./prog
# Machines.
bad --threads 1 --machine altix-bx -- ./prog
bad --threads 1 --machine xeon-2s,altix-bx2,xeon-2s -- ./prog
bad --threads 1 --machine xeon-2s,none -- ./prog
bad --threads 1 --machine ./none.machine -- ./prog
echo "l1.sise = 3" > bad.machine
bad --threads 1 --machine bad.machine -- ./prog
bad --threads 1,2048 -- ./prog
bad --threads 1,2048 --machine xeon-2s -- ./prog
# Options of a run.
bad --threads 1 --overhead lots -- ./prog
bad --threads 1 --strategy propery_refine -- ./prog
bad --threads 1 --event a,,b -- ./prog
# Stores.
mkdir folder
for store in folder none/x.db plain; do bad --threads 1 --machine none -o $store -- ./prog; done
memsearch import -o other.db "$TESTS/data/sample.ms" > /dev/null
bad --threads 1 --machine none -o other.db -- ./prog
bad --threads 1,2,3,4,5,6,7,8,9,10 --repeat 1000 --env X=1,2,3,4,5,6,7,8,9,10,11 --machine none -- ./prog
bad --thraeds 1 -- ./prog
# The order of runs.
printf '512 100\n1024 "a b"\n' > sets
try --threads 1,2 --repeat 2 --machine none --dry-run -- ./prog 2> /dev/null
try --threads 1 --repeat 1 --env 'X=a,{b\,c}' --env Y=1 --arg-set sets --binary ./prog,sh --machine xeon-2s --dry-run -- ./prog -v
try --threads 1 --repeat 1 --machine none --dry-run --json -- ./prog 7
try --threads 1 --repeat 1 --machine none --dry-run --format csv -- ./prog 7
try --online --threads 1,4,2 --env X=a,b --dry-run -- ./prog 7 2> /dev/null
[ ! -e was-run ] || echo "the program ran"
# A program without OpenMP leaves no record: nothing is stored, and its messages are shown. A failing program is named with its status.
export MEMSEARCH_BRIEF=1
try --threads 1 --repeat 2 --machine none --overhead 50% --no-calibrate -- ./prog 2> said
cat said
try --online --threads 1,2 --overhead 50% --no-calibrate -o online.db -- ./prog 2> said
cat said
printf '#!/bin/sh\necho out; echo "it hurts" >&2; exit 7\n' > prog
try --threads 1 --machine none --overhead 50% --no-calibrate -o fails.db -- ./prog 2> said
cat said
printf '#!/bin/sh\nkill -SEGV $$\n' > prog
try --threads 1 --machine none --overhead 50% --no-calibrate -o fails.db -- ./prog 2> said
cat said
try --threads 1 --machine none --dry-run -o fails.db -- ./prog
ls
