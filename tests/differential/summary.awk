# SPDX-License-Identifier: Apache-2.0
# Lines of differ, summed up by `group`, a regular expression of which the first match in the library's path names the group ("" is "all").
# Functions of the same code count once, with the worst of their verdicts.
BEGIN {
	FS = "\t"
	split("same partly fault left refused differs", names, " ")
	for (i in names) rank[names[i]] = i
}
{
	at = match($3, group) && group != "" ? substr($3, RSTART, RLENGTH) : "all"
	key = at SUBSEP $2
	if (rank[$1] > verdict[key]) verdict[key] = rank[$1]
	accesses[at] += $5; steps[at] += $6; times[at]++
	groups[at]
}
END {
	printf "%-28s %9s %9s %9s %9s %9s %9s %9s %9s %12s\n", "", "compared", "distinct", "same", "partly", "fault", "left", "refused", "differs", "accesses"
	for (key in verdict) {
		split(key, part, SUBSEP)
		nr[part[1], verdict[key]]++
		distinct[part[1]]++
	}
	for (at in groups)
		printf "%-28s %9d %9d %9d %9d %9d %9d %9d %9d %12.0f\n", at, times[at], distinct[at], nr[at, 1], nr[at, 2], nr[at, 3], nr[at, 4], nr[at, 5], nr[at, 6], accesses[at]
}
