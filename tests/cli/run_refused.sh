# SPDX-License-Identifier: Apache-2.0
# A strategy or property file that is wrong stops the run before the program starts; from the environment it is a warning.
try() { memsearch run "$@" -- sh -c "echo the program ran"; echo "exit $?"; }
try --strategy propery_refine
try --strategy zzzzzz
try --properties ./missing.asl
echo "PROPERTY Mine(Region r, Phase p) { KINDS DO_REGION; CONDITION: sum(r.tme) > 5 ms; CONFIDENCE: 1; SEVERITY: 1; }" > bad.asl
try --properties bad.asl
echo "PROPERTY Mine(Region r, Phase p) { TITLE \"mine\"; KINDS DO_REGION; CONDITION: sum(r.time) > 5 ms; CONFIDENCE: 1; SEVERITY: 1; EXPLANATION \"e\"; ADVICE \"a\"; }" > good.asl
try --quiet --strategy property_refine --properties good.asl:good.asl 2> /dev/null
MEMSEARCH_STRATEGY=zzzzzz memsearch run -q -- sh -c "echo the program ran" 2> /dev/null
# The tool finds them wherever the program goes.
memsearch run -q --properties good.asl:$PWD/good.asl -- sh -c 'cd / && echo "$MEMSEARCH_PROPERTIES"' 2> /dev/null | sed "s,$PWD,HERE,g"
