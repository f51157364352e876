# SPDX-License-Identifier: Apache-2.0
# Compares a report with what its program was written to yield. Prints one line for each
# difference; none: all is as expected.
#
#     awk -f check.awk SOURCE FLATTENED-REPORT
#
# With -v count=1 a line instead for each expectation and each other finding, for bench/accuracy.awk:
# found|missing PATTERN, as the program states it, or unexpected|allowed PROPERTY; and "clean" where neither was expected nor found.
FNR == NR {
	if (match($0, /HERE: [a-z_]+/))
		here[substr($0, RSTART + 6, RLENGTH - 6)] = FNR
	if (match($0, /(EXPECT|ALLOW|PHASE|LOCK) .*/)) {
		words = split(substr($0, RSTART), word, " ")
		if (word[1] == "EXPECT") {
			wanted[++nr_wanted] = word[2]
			how[nr_wanted] = word[3]
			place[nr_wanted] = word[3] == "anywhere" ? "" : word[4]
			for (i = 3; i < words; i++)
				if (word[i] == "severity")
					band[nr_wanted] = word[i + 1]
		} else if (word[1] == "LOCK")
			lock[++nr_locks] = substr($0, RSTART)
		else if (word[1] == "ALLOW")
			allowed[++nr_allowed] = word[2]
		else
			phase = word[2]
	}
	next
}

{
	split($0, pair, "\t")
	report[pair[1]] = pair[2]
	if (split(pair[1], step, "/") > 2 && step[1] == "findings" && step[2] + 1 > nr_findings)
		nr_findings = step[2] + 1
}

function is(name, pattern) { return name ~ ("^(" pattern ")$") }

# Does line `have` (of the report) stand for one of the HERE names?
function line_is(have, names, approximate,    nr, name, i) {
	nr = split(names, name, ",")
	for (i = 1; i <= nr; i++) {
		if (!(name[i] in here))
			return complain("the source has no line 'HERE: " name[i] "'")
		if (have == here[name[i]] || approximate == "true")
			return 1
	}
	return 0
}

# Other programs had the CPUs: then threads wait for each other whatever the program does, and shares are not its own.
# CPUs of different speed are the machine's.
function find_disturbance(    f) {
	allowed[++nr_allowed] = "UnequalCpus"
	for (f = 0; f < nr_findings; f++)
		if (report["findings/" f "/property"] == "CpusTaken") disturbed = 1
	if (disturbed)
		allowed[++nr_allowed] = "CpusTaken|LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier"
}

function complain(text) {
	if (!count && !(text in said)) print text
	said[text] = 1
	return 0
}

function tell(what, name) {
	if (count) print what "\t" name
	told[what]++
}

function samples_work(    i) {
	for (i = 0; ("runs/0/sensors/" i "/name") in report; i++)
		if (report["runs/0/sensors/" i "/name"] == "samples")
			return report["runs/0/sensors/" i "/works"] == "true"
	return 0
}

# The hottest spot of a finding's region is listed first. Without samples there is none to check.
function placed(finding, number,    region) {
	region = "findings/" finding "/region/"
	if (how[number] == "at")
		return line_is(report[region "line"], place[number], report[region "approximate"])
	if (how[number] == "in")
		return index(report[region "function"], place[number]) || index(report[region "hotspots/0/function"], place[number])
	if (how[number] == "hot")
		return !samples_work() ||
		       line_is(report[region "hotspots/0/line"], place[number], report[region "hotspots/0/approximate"])
	return how[number] == "anywhere" || complain("'" how[number] "' is not a word of EXPECT")
}

function identity(finding) {
	return report["findings/" finding "/property"] " " report["findings/" finding "/region/kind"] " " \
	       report["findings/" finding "/region/file"] ":" report["findings/" finding "/region/line"]
}

# A compiler that unrolls a loop makes several regions of one line: to the reader they are one.
function share_of_line(finding,    f, sum) {
	for (f = 0; f < nr_findings; f++)
		if (identity(f) == identity(finding)) sum += report["findings/" f "/severity"]
	return sum
}

function severe(finding, number,    bounds) {
	if (!(number in band) || disturbed) return 1
	split(band[number], bounds, /\.\./)
	return share_of_line(finding) >= bounds[1] + 0 && report["findings/" finding "/severity"] + 0 <= bounds[2] + 0
}

function describe(finding) {
	return report["findings/" finding "/property"] " " report["findings/" finding "/severity"] " at " \
	       report["findings/" finding "/region/kind"] " " report["findings/" finding "/region/function"] ":" \
	       report["findings/" finding "/region/line"] " (hot " report["findings/" finding "/region/hotspots/0/line"] ")"
}

# A value of a lock: times are the program's own only where no others ran.
function check_value(name, field, have, range,    bounds) {
	if (range == "null")
		return have == "null" || complain("lock " name ": " field " is " have)
	if (disturbed && field !~ /^(threads|places|handovers)$/) return 1
	split(range, bounds, /\.\./)
	return (have != "null" && have + 0 >= bounds[1] + 0 && have + 0 <= bounds[2] + 0) || complain("lock " name ": " field " is " have ", not " range)
}

function check_lock(text,    word, words, i, l) {
	words = split(text, word, " ")
	for (l = 0; ("locks/" l "/name") in report; l++)
		if (report["locks/" l "/name"] == word[2]) break
	if (!(("locks/" l "/name") in report))
		return complain("missing: lock " word[2])
	if (!line_is(report["locks/" l "/line"], word[4], "false"))
		complain("lock " word[2] " is at line " report["locks/" l "/line"])
	for (i = 5; i < words; i += 2)
		check_value(word[2], word[i], report["locks/" l "/" word[i]], word[i + 1])
}

END {
	if (report["schema"] != "memsearch-report-1") complain("not a report: schema '" report["schema"] "'")
	if (phase != "" && !is(report["runs/0/phases/detected"], phase))
		complain("phase " report["runs/0/phases/detected"] ", not " phase)
	find_disturbance()
	for (f = 0; f < nr_findings; f++) {
		name = report["findings/" f "/property"]
		known = 0
		for (w = 1; w <= nr_wanted; w++)
			if (is(name, wanted[w]) && placed(f, w)) {
				known = 1
				if (severe(f, w)) met[w] = 1
			}
		if (known) continue
		for (a = 1; a <= nr_allowed; a++)
			if (is(name, allowed[a])) known = 1
		tell(known ? "allowed" : "unexpected", name)
		if (!known) complain("unexpected: " describe(f))
	}
	for (l = 1; l <= nr_locks; l++)
		check_lock(lock[l])
	if (!nr_wanted && !told["unexpected"]) tell("clean", "")
	for (w = 1; w <= nr_wanted; w++)
		tell(w in met ? "found" : "missing", wanted[w])
	for (w = 1; w <= nr_wanted; w++)
		if (!(w in met)) {
			complain("missing: " wanted[w] " " how[w] " " place[w] " severity " band[w])
			for (f = 0; f < nr_findings; f++)
				complain("  found: " describe(f))
		}
}
