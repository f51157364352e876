/* SPDX-License-Identifier: Apache-2.0 */
/* What casts doubt on the measured times, in the default report. */
#include "analysis/report/answer_private.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/cause.h"
#include "analysis/report/disturbance.h"
#include "analysis/report/finding.h"
#include "analysis/report/report.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"
#include "memsearch/host.h"

static double severity_of_all(const struct run *run, const char *property)
{
	double sum = 0;

	for (size_t i = 0; i < run->nr_nodes; i++)
		if (run->nodes[i].state == MS_NODE_TRUE && run->nodes[i].property &&
		    !strcmp(run->nodes[i].property, property))
			sum += run->nodes[i].severity;
	return sum;
}

/* The record is from another kind of machine, and "host" is the one that reads it. */
static void other_host(struct text *line, const struct run *run)
{
	const struct run_modelled *modelled = &run->modelled;
	const char *cpu = run->machine.cpu_model, *host = run->machine.host_name;

	if (!modelled->of_reader || !modelled->title || !*modelled->title || !cpu || !*cpu ||
	    !strcmp(cpu, modelled->title))
		return;
	text_printf(line, "%sthe caches of this machine (", line->length ? "; " : "");
	text_add_plain(line, modelled->title);
	text_add(line, ") were simulated, but the program ran on ");
	text_add_plain(line, host && *host ? host : "another");
	text_add(line, " (");
	text_add_plain(line, cpu);
	text_add(line, "): write its model there (`memsearch machine --as-file > FILE.machine`) "
		       "and name it by --machine");
}

static bool has_memory_causes(const struct answer *answer)
{
	const struct cause *causes;
	size_t nr = causes_of(answer->arena, answer->run, false, &causes);

	for (size_t i = 0; i < nr; i++)
		if (causes[i].kind != CAUSE_PROPERTY)
			return true;
	return false;
}

/* The first one; NULL: none. */
static const struct run_dropped *dropped_of(const struct run *run, const char *topic)
{
	for (size_t i = 0; i < run->nr_dropped; i++)
		if (run->dropped[i].topic && !strcmp(run->dropped[i].topic, topic))
			return &run->dropped[i];
	return NULL;
}

/* What casts doubt on all times, in one line. */
void answer_warnings(struct answer *answer)
{
	const struct run *run = answer->run;
	const struct run_node *taken = disturbance_taken(run);
	double waits = has_memory_causes(answer) ? disturbance_waits(run) : 0;
	double unequal = severity_of_all(run, "UnequalCpus");
	const struct run_dropped *refused = dropped_of(run, RUN_THREADS),
				 *constructs = dropped_of(run, RUN_CONSTRUCTS);
	bool others = !refused && run_other_cpus(run) >= RUN_OTHER_CPUS_LEAST;
	struct text line;

	text_init(&line, answer->arena);
	if (others) {
		text_printf(
			&line,
			"threads of the program that are not OpenMP's used %s CPUs, and are not measured",
			arena_printf(answer->arena, "%.1f", run_other_cpus(run)));
		if (disturbance_without_cpu(run) >= DISTURBANCE_WITHOUT_CPU_LEAST) {
			text_add(&line, "; OpenMP's had none for ");
			units_share(&line, disturbance_without_cpu(run));
			text_add(&line, " of their time, because of these or of other programs");
		}
	} else if (taken) {
		text_add(&line, "other programs took ");
		units_share(&line, taken->severity);
		text_add(&line, " of the threads' CPU time: measured times are uncertain");
	} else if (disturbance_without_cpu(run) >= DISTURBANCE_WITHOUT_CPU_LEAST) {
		text_add(&line, "threads were ready and had no CPU for ");
		units_share(&line, disturbance_without_cpu(run));
		text_add(&line, " of their time (other programs): measured times are uncertain");
	}
	if (waits > 0) {
		text_add(&line, "; shares of memory accesses are of the time without the ");
		units_share(&line, waits);
		text_add(&line, " that threads waited for others");
	}
	if (unequal > 0) {
		text_printf(&line, "%sthe CPUs differ in speed: threads wait ",
			    line.length ? "; " : "");
		units_share(&line, unequal);
		text_add(&line, " of their time for others with as many accesses");
	}
	if (refused)
		text_printf(&line, "%s%" PRIu64 " thread%s of the program %s not measured: %s",
			    line.length ? "; " : "", refused->count, answer_plural(refused->count),
			    refused->count == 1 ? "was" : "were", refused->why);
	if (constructs)
		text_printf(&line, "%s%s are not measured: %s", line.length ? "; " : "",
			    finding_dropped(answer->arena, run, constructs), constructs->why);
	if (run->runtime_swapped)
		text_printf(
			&line,
			"%sthe program ran on LLVM's OpenMP runtime instead of libgomp: costs of regions, barriers and locks differ",
			line.length ? "; " : "");
	if (run->machine.bandwidth_spread > RUN_CALIBRATION_SPREAD_MOST)
		text_printf(&line, "%sthe calibration of memory bandwidth is uncertain",
			    line.length ? "; " : "");
	other_host(&line, run);
	if (!run->complete && report_has_begin(run))
		text_printf(&line, "%sthe program ended before memsearch could finish",
			    line.length ? "; " : "");
	if (!line.length)
		return;
	text_add(answer->out, "Warning: ");
	text_wrap(answer->out, line.bytes, 9, answer->options->width);
	text_add(answer->out, ".\n");
}
