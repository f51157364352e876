# SPDX-License-Identifier: Apache-2.0
# Lines of differ (fields separated by tabs), summed up by source, which is the library's name up to a blank, colon or dot. Functions of the
# same code count once, with the worst of their verdicts; behind the table, why they were not "same".
BEGIN {
	nr_names = split("same partly fault left refused differs", names, " ")
	for (i in names) rank[names[i]] = i
	format = "%-14s %10s %9s %9s %7s %6s %5s %8s %12s %12s\n"
}
function count(source, worst) {
	key = source SUBSEP $2
	if (!(key in verdict)) distinct[source]++
	else nr[source, verdict[key]]--
	verdict[key] = worst > verdict[key] ? worst : verdict[key]
	nr[source, verdict[key]]++
	met[source]++
	accesses[source] += $5
	steps[source] += $6
}
function row(source) {
	return sprintf(format, source, met[source], distinct[source], nr[source, 1] + 0, nr[source, 2] + 0, nr[source, 3] + nr[source, 4], nr[source, 5] + 0,
	       nr[source, 6] + 0, accesses[source], steps[source])
}
{
	source = $3
	sub(/[ :.].*/, "", source)
	count(source, rank[$1])
	count("all", rank[$1])
	if (rank[$1] > 1 && !seen[$1, $2]++) {
		why = $7
		sub(/^seed [0-9]*: /, "", why)
		if ($1 == "partly") why = "accesses or ranges that are not recorded, after jumps and calls through pointers"
		if ($1 == "left" && why !~ /does not end/) why = "no two runs of it are the same"
		if ($1 == "differs") why = "see below"
		reasons[$1 SUBSEP why]++
	}
}
END {
	printf format, "source", "functions", "distinct", "same", "partly", "ended", "refused", "differs", "accesses", "steps"
	fflush()
	for (source in met) if (source != "all") printf "%s", row(source) | "sort"
	close("sort")
	printf "%s", row("all")
	for (i = 2; i <= nr_names; i++)
		for (reason in reasons) {
			split(reason, part, SUBSEP)
			if (part[1] == names[i]) printf "  %-8s %6d  %s\n", part[1], reasons[reason], part[2]
		}
}
