/* SPDX-License-Identifier: Apache-2.0 */
/* From values to a verdict: evaluation, confidence from the spread, hysteresis. */
#include "analysis/search/judge.h"

#include <math.h>

#include "analysis/base/student.h"
#include "analysis/search/database_intervals.h"
#include "analysis/search/database_reading.h"

/*
 * The database seen with a focus: the view comes first, so that the database's own functions find
 * it here.
 */
struct lens {
	struct database_view view;
	uint32_t region, thread;
};
_Static_assert(offsetof(struct lens, view) == 0, "the database's functions take a lens for a view");

/* A candidate about one thread sees no other in its region. */
static size_t lens_threads(void *data, uint32_t region, uint32_t *out, size_t room)
{
	const struct lens *lens = data;

	if (lens->thread == MS_REQUEST_ALL_THREADS || region != lens->region)
		return database_threads(lens->view.db, region, out, room);
	if (room)
		out[0] = lens->thread;
	return 1;
}

static struct property_context lens_context(struct lens *lens, const struct judge *judge,
					    const struct judge_question *question, int batch)
{
	const struct ms_candidate *candidate = question->candidate;
	const struct database *db = database_during(judge->db, candidate->interval);
	struct property_context context = database_context(&lens->view, db, batch,
							   candidate->region);

	lens->view.recent = question->recent;
	lens->region = candidate->region;
	lens->thread = candidate->thread;
	context.data = lens;
	context.threads = lens_threads;
	if (lens->thread != MS_REQUEST_ALL_THREADS)
		context.totals = NULL;
	if (lens->thread != MS_REQUEST_ALL_THREADS || question->recent)
		context.state = 0;
	return context;
}

static enum ms_status evaluate(const struct judge *judge, const struct judge_question *question,
			       int batch, double bias, struct ms_verdict *verdict_out)
{
	struct lens lens;
	struct property_context context = lens_context(&lens, judge, question, batch);

	context.bias = bias;
	return property_evaluate(judge->properties->properties[question->candidate->property],
				 &context, verdict_out);
}

/* ------------------------------------------------------------------ confidence */

static double succession(double agree, double all)
{
	return (agree + 1) / (all + 2);
}

/*
 * Half width by leaving out one batch at a time (the jackknife: Tukey 1958; of its values the mean
 * varies by a factor of nr - 1 less than that of batches); INFINITY where a batch cannot be spared.
 */
static double jackknife(const struct judge *judge, const struct judge_question *question,
			double bias)
{
	double severities[DATABASE_BATCHES];

	for (int batch = 0; batch < DATABASE_BATCHES; batch++) {
		struct ms_verdict rest;

		if (evaluate(judge, question, DATABASE_WITHOUT(batch), bias, &rest) != MS_OK ||
		    rest.truth == MS_UNKNOWN)
			return INFINITY;
		severities[batch] = rest.severity;
	}
	return (DATABASE_BATCHES - 1) * student_half_width(severities, DATABASE_BATCHES);
}

/*
 * The interval of the severity, and the probability that it is not chance. The property's own
 * interval knows the errors of its values, which the batches do not where each has a greatest value
 * of its own; but not how errors go together: one stall of 50 ms is in the times of all threads and
 * of the phase, and hardly in a share of them. The jackknife knows both. Which end of an interval
 * was cut off at 0 or 1 does not matter. The upper end of a model is no error of its lower one, and
 * stays where it is.
 */
static double severity_apply(const struct judge *judge, const struct judge_question *question,
			     double bias, const double *severities, size_t nr,
			     struct ms_verdict *verdict)
{
	double half = student_half_width(severities, nr),
	       own = verdict->severity - verdict->severity_low;
	double high = verdict->severity_of_model ? verdict->severity_high : 0;

	if (!verdict->severity_of_model)
		own = fmax(own, verdict->severity_high - verdict->severity);
	if (own > half && nr == DATABASE_BATCHES)
		own = fmin(own, jackknife(judge, question, bias));
	half = fmax(half, own);
	verdict->severity_low = fmax(0, verdict->severity - half);
	verdict->severity_high = fmin(1, fmax(high, verdict->severity + half));
	verdict->interval_known = verdict->interval_known || nr >= 2;
	return student_above_zero(verdict->severity, half, nr);
}

/*
 * Reads the batches: how many agree, and how the severity spreads. Returns the share of those that
 * agree.
 */
static double spread_apply(const struct judge *judge, const struct judge_question *question,
			   double bias, struct ms_verdict *verdict)
{
	double severities[DATABASE_BATCHES], each, sure, real;
	size_t nr = 0, agree = 0;

	for (int batch = 0; batch < DATABASE_BATCHES; batch++) {
		struct ms_verdict of_batch;

		if (evaluate(judge, question, batch, bias, &of_batch) != MS_OK ||
		    of_batch.truth == MS_UNKNOWN)
			continue;
		agree += of_batch.truth == verdict->truth;
		severities[nr++] = of_batch.severity;
	}
	each = nr ? (double)question->executions / (double)nr : 0;
	sure = succession(each * (double)agree, each * (double)nr);
	real = severity_apply(judge, question, bias, severities, nr, verdict);
	verdict->confidence *= verdict->truth == MS_TRUE ? fmin(sure, real) : sure;
	return nr ? (double)agree / (double)nr : 1;
}

/*
 * What is as likely chance as not is not proven: half is where a bet on the finding would be fair.
 * Nor is a loss whose interval reaches 0 unless it is 90 % certain all the same: with four batches
 * the 95 % interval is wide, 3.2 standard errors to each side. More observation may settle it.
 */
#define CERTAIN 0.9

static void doubt(struct ms_verdict *verdict)
{
	bool none = verdict->interval_known && verdict->severity > 0 &&
		    verdict->severity_low <= 0 && verdict->confidence < CERTAIN;

	if (verdict->truth != MS_TRUE || (verdict->confidence >= 0.5 && !none))
		return;
	verdict->truth = MS_UNKNOWN;
	verdict->missing = MS_MISSING_SCATTER;
}

enum ms_status judge_evaluate(const struct judge *judge, const struct judge_question *question,
			      struct ms_verdict *verdict_out, double *agreement_out)
{
	double bias = question->before == MS_TRUE    ? -judge->hysteresis
		      : question->before == MS_FALSE ? judge->hysteresis
						     : 0;
	enum ms_status status = evaluate(judge, question, DATABASE_ALL_BATCHES, bias, verdict_out);

	*agreement_out = 1;
	if (status == MS_OK && (verdict_out->truth == MS_TRUE ||
				(verdict_out->truth == MS_FALSE && question->false_too)))
		*agreement_out = spread_apply(judge, question, bias, verdict_out);
	if (status == MS_OK)
		doubt(verdict_out);
	return status;
}

uint32_t judge_threads(const struct judge *judge, const struct judge_question *question,
		       uint32_t *out, uint32_t room)
{
	const struct property *property =
		judge->properties->properties[question->candidate->property];
	struct lens lens;
	struct property_context context = lens_context(&lens, judge, question,
						       DATABASE_ALL_BATCHES);
	size_t nr = property_by_thread(property) ? property_threads(property, &context, out, room)
						 : 0;

	return nr < room ? (uint32_t)nr : room;
}

uint32_t judge_nodes(const struct judge *judge, const struct judge_question *question,
		     uint32_t *out, uint32_t room)
{
	struct lens lens;
	struct property_context context = lens_context(&lens, judge, question,
						       DATABASE_ALL_BATCHES);
	size_t nr = property_nodes(judge->properties->properties[question->candidate->property],
				   &context, out, room);

	return nr < room ? (uint32_t)nr : room;
}
