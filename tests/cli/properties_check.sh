# SPDX-License-Identifier: Apache-2.0
# `memsearch properties --check`: each mistake with its place; 3 for a file with mistakes, 0 for one without.
cp "$TESTS"/fuzz/asl/*.asl .
memsearch properties --check every_clause.asl; echo "exit $?"
memsearch properties --check broken.asl; echo "exit $?"
memsearch properties --check odd_bytes.asl --format csv; echo "exit $?"
cat > mine.asl <<'END'
PROPERTY Mine(Region r, Phase p) {
	TITLE "mine";
	KINDS DO_REGION;
	REFINES LoadImbalanc;
	CONDITION: sum(r.time) > 5;
	CONFIDENCE: 1;
	SEVERITY: sum(r.barier_wait) / p.thread_time;
	EXPLANATION "e";
	ADVICE "a";
}
END
memsearch properties --check mine.asl; echo "exit $?"
sed -i 's/> 5/> 5 ms/; s/barier/barrier/' mine.asl
memsearch properties --check mine.asl --json; echo "exit $?"
sed -i 's/LoadImbalanc;/LoadImbalance;/' mine.asl
memsearch properties --check mine.asl; echo "exit $?"
memsearch properties --properties mine.asl Mine; echo "exit $?"
memsearch properties --check nowhere.asl; echo "exit $?"
