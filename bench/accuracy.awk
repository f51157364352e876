# SPDX-License-Identifier: Apache-2.0
# Precision and recall by property and by strategy. Input: lines of STRATEGY, PROGRAM, KIND, PROPERTY, separated by tabs. KIND is found, missing,
# unexpected, allowed or clean of tests/workloads/check.awk, or broken (output, status or report of the run are wrong) or undecided (disturbed).
# A row of the first table is a property as programs state it, an extended regular expression; an unexpected finding belongs to the first row that
# matches its name. Precision: found / (found + unexpected); recall: found / (found + missing); what is allowed counts in neither.
# Exit status 1: a strategy misses a target in `least_precision` or `least_recall`, finds something in a program without a problem, or a run is
# broken; 2: nothing was counted.
BEGIN {
	FS = "\t"
	if (least_precision == "") least_precision = 0.95
	if (least_recall == "") least_recall = 0.9
}
NF != 4 { printf("accuracy.awk: line %d has %d fields, not 4\n", NR, NF) > "/dev/stderr"; bad = 1; exit 2 }
{
	if (!($1 in strategies)) { strategies[$1] = ++nr_strategies; strategy[nr_strategies] = $1 }
	if (!(($1, $2) in programs)) {
		programs[$1, $2] = 1
		nr_programs[$1]++
	}
	count[$1, $3]++
	if (($3 == "found" || $3 == "missing") && !($4 in rows)) { rows[$4] = ++nr_rows; row[nr_rows] = $4 }
	if ($3 == "found" || $3 == "missing") by[$1, $4, $3]++
	if ($3 == "found" || $3 == "missing") positive[$1, $2] = 1
	if ($3 == "unexpected") { name[++nr_unexpected] = $4; of[nr_unexpected] = $1; where[nr_unexpected] = $2 }
	if ($3 == "missing" || $3 == "broken" || $3 == "undecided") other[++nr_others] = sprintf("%s %s: %s %s", $1, $2, $3, $4)
}

# Where nothing was counted there is no ratio.
function ratio(part, rest) { return part + rest ? sprintf("%.3f", part / (part + rest)) : "-" }

function row_of(name,    r) {
	for (r = 1; r <= nr_rows; r++)
		if (name ~ ("^(" row[r] ")$")) return row[r]
	if (!(name in rows)) { rows[name] = ++nr_rows; row[nr_rows] = name }
	return name
}

function judge(text, have, least) {
	printf("  %-9s %5s  target %.2f  %s\n", text, have, least, have == "-" ? "nothing counted" : have + 0 >= least ? "pass" : "FAIL")
	if (have == "-" || have + 0 < least) failed = 1
}

function positives(s,    key, part, n) {
	for (key in positive) { split(key, part, SUBSEP); n += part[1] == s }
	return n + 0
}

END {
	if (bad) exit 2
	if (!nr_strategies) { print "nothing counted"; exit 2 }
	for (u = 1; u <= nr_unexpected; u++) by[of[u], row_of(name[u]), "unexpected"]++
	for (i = 1; i <= nr_strategies; i++) {
		s = strategy[i]
		header = sprintf("%-46s %6s %7s %10s %9s %6s\n", s, "found", "missing", "unexpected", "precision", "recall")
		for (r = 1; r <= nr_rows; r++) {
			f = by[s, row[r], "found"]; m = by[s, row[r], "missing"]; u = by[s, row[r], "unexpected"]
			if (f + m + u) {
				printf("%s", header); header = ""
				printf("  %-44s %6d %7d %10d %9s %6s\n", row[r], f, m, u, ratio(f, u), ratio(f, m))
			}
		}
		if (header == "") printf("\n")
	}
	for (i = 1; i <= nr_strategies; i++) {
		s = strategy[i]
		printf("%s: %d programs, %d with a problem, %d without and without a finding, %d broken, %d undecided\n", s, nr_programs[s], positives(s),
		       count[s, "clean"], count[s, "broken"], count[s, "undecided"])
		judge("precision", ratio(count[s, "found"], count[s, "unexpected"]), least_precision)
		judge("recall", ratio(count[s, "found"], count[s, "missing"]), least_recall)
		if (count[s, "broken"]) failed = 1
	}
	if (nr_unexpected + nr_others) printf("\n")
	for (u = 1; u <= nr_unexpected; u++) {
		printf("%s %s: unexpected %s\n", of[u], where[u], name[u])
		if (!((of[u], where[u]) in positive)) failed = 1
	}
	for (o = 1; o <= nr_others; o++) print other[o]
	exit failed
}
