# SPDX-License-Identifier: Apache-2.0
# Sourced: how much of the machine other programs use while a test runs. /proc/stat counts every
# program's CPU time, and what the hypervisor took; a program's own is its children's that it waited for.
#
#     others_begin          from now on
#     others_end            sets $others: percent of all CPUs' time since then
others_take() {                  # busy, all, own; in ticks
	awk '$1 == "cpu" { all = $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9; print all - $5 - $6, all }' "${PROC:-/proc}/stat"
	sed 's/.*) //' "${PROC:-/proc}/$$/stat" | awk '{ print $14 + $15 }'
}

others_begin() {
	others_before=$(others_take 2> /dev/null)
}

others_end() {                   # where /proc tells nothing, there are none
	others=$(echo $others_before $(others_take 2> /dev/null) | awk 'NF == 6 && $5 > $2 {
		share = ($4 - $1 - ($6 - $3)) / ($5 - $2)
	}
	END { printf("%d\n", (share > 0) ? 100 * share + 0.5 : 0) }')
}
