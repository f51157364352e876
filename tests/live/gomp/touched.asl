// The cache lines that a construct itself touches in one execution, of every construct. Its severity is no finding's.
PROPERTY TouchedLines(Region r, Phase p) {
	TITLE "cache lines are touched";
	KINDS PARALLEL_REGION, DO_REGION, SECTIONS_REGION, SINGLE_REGION, TASK_REGION;
	LET
		lines = sum(r.touched_lines) / executions(r);
	IN
	CONDITION: lines >= 0;
	CONFIDENCE: 1;
	SEVERITY: 1 %;
	EXPLANATION "{lines} cache lines are touched in one execution.";
	ADVICE "This is no finding.";
}
