# SPDX-License-Identifier: Apache-2.0
# What the guests' jobs share: sourced, not run. They run in /tmp, as root.
# A test is a call of `check NAME`, after which $bad says what was wrong; "" is a pass.
tests=/tests
export OMP_WAIT_POLICY=passive OMP_PROC_BIND=close OMP_PLACES=cores

check() {      # NAME: reports and resets $bad
	if [ -z "$bad" ]; then echo "ok $1"; else printf '%s\n' "$bad" | head -n 30; echo "FAIL $1"; fi
	bad=
}
wrong() {      # TEXT
	bad="$bad$1
"
}
bad=

same() {       # what changed between the untouched run (plain.out, $plain) and the other (tool.out, $status)
	[ "$plain" = "$status" ] || wrong "status $status, without the tool $plain: $(tail -n 3 tool.err)"
	cmp -s plain.out tool.out || wrong "output changed: $(diff plain.out tool.out | head -n 5)"
}
