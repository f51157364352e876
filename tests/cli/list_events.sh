# SPDX-License-Identifier: Apache-2.0
# `memsearch list events`: the tables there are, one of them, one metric on all CPUs, and a table of the user's own.
memsearch list events --format csv | grep -c metrics/
cat > mine.events <<'END'
EVENTS mycpu, skx "my own CPU" {
	cycles = "CYC";
	dram_reads = 0.5 * "READ" - "SNOOP"
		"what the bus counts";
}
END
memsearch list events --properties mine.events mycpu | head -n 4
memsearch list events --properties mine.events dram_reads --format csv | grep -E "mycpu|clx|power10|perf"
memsearch list events --properties mine.events --json | grep -A 3 mycpu
memsearch list events perf --format csv | sed -n "1,3p;22,30p"
memsearch list events --properties mine.events mycup; echo "exit $?"
memsearch list events dram_red; echo "exit $?"
memsearch list events skx icx; echo "exit $?"
memsearch list metrics --format csv | grep -E "^(metric|time|cycles|hitm|event_1),"
memsearch properties --check mine.events; echo "exit $?"
sed -i "s/cycles/cycls/" mine.events
memsearch properties --check mine.events; echo "exit $?"
memsearch list events --properties mine.events mycpu; echo "exit $?"
