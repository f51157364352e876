/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the bandwidth of memory when it is due, and says so. */
#define _GNU_SOURCE /* secure_getenv */
#include "analysis/cmds/calibrate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/core_queries.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

static double seconds_wanted(void)
{
	const char *text = secure_getenv("MEMSEARCH__CALIBRATION_MS");
	long wanted = text ? strtol(text, NULL, 10) : 0;

	return wanted > 0 && wanted < 100000 ? (double)wanted / 1e3 : CALIBRATION_SECONDS;
}

/* For tests: a machine on which repetitions differ by so much, in the place of what is measured. */
static enum ms_status try_it(void *ctx, double seconds, struct bandwidth *out, double *others_out,
			     double *took_out)
{
	const char *spread = secure_getenv("MEMSEARCH__CALIBRATION_SPREAD");
	enum ms_status status = bandwidth_try_here(ctx, seconds, out, others_out, took_out);

	if (status == MS_OK && spread) {
		out->all_spread = out->single_spread = strtod(spread, NULL);
		*others_out = 0;
	}
	return status;
}

static void say_not_measured(enum ms_status status)
{
	if (status == MS_ERR_IO)
		log_warning_errno(
			"the bandwidth of memory was not measured: cannot start a thread on each CPU");
	else if (status == MS_ERR_MEMORY)
		log_warning(
			"the bandwidth of memory was not measured: there is no memory for arrays larger than the caches");
	else
		log_warning(
			"the bandwidth of memory was not measured: the loops that measure it gave impossible values");
}

static void keep(struct arena *arena, const struct bandwidth_place *place,
		 const struct bandwidth *bandwidth, bool talk)
{
	enum ms_status status = place->path ? bandwidth_save(arena, place, bandwidth)
					    : MS_ERR_NOT_FOUND;

	if (!talk)
		return;
	if (status == MS_ERR_NOT_FOUND)
		log_warning("the bandwidth of memory cannot be kept: %s", place->why);
	else if (status == MS_ERR_IO)
		log_warning_errno("the bandwidth of memory cannot be kept: cannot write '%s'",
				  place->path);
	else if (status != MS_OK)
		log_warning("the bandwidth of memory cannot be kept: %s", ms_status_text(status));
}

/*
 * Measures without the lock if it cannot be taken: a process stopped while it holds the lock must
 * not block others.
 */
static bool measure(struct bandwidth *out, bool talk)
{
	int lock = bandwidth_lock(CALIBRATION_PATIENCE);
	enum ms_status status = bandwidth_settle(try_it, NULL, seconds_wanted(), out);

	if (lock >= 0)
		close(lock);
	if (status != MS_OK && talk)
		say_not_measured(status);
	return status == MS_OK;
}

static void say_uncertain(struct arena *arena, const struct bandwidth_place *place)
{
	struct bandwidth kept;

	if (bandwidth_load(place, &kept) == MS_OK && !bandwidth_is_uncertain(&kept))
		log_warning(
			"calibration uncertain, as repetitions differ or other programs run: what was measured before is kept (memory delivers %s)",
			calibration_text(arena, &kept));
	else
		log_warning(
			"calibration uncertain, as repetitions differ or other programs run: reports take it as a range; on an idle machine `memsearch doctor --calibrate` measures anew");
}

bool calibrate(struct arena *arena, struct bandwidth *out, bool talk)
{
	struct bandwidth_place place;

	if (!measure(out, talk))
		return false;
	if (out->small && talk)
		log_warning(
			"too little memory is free for arrays of four times the caches: the bandwidth may be that of caches in part");
	bandwidth_find(arena, NULL, &place);
	if (bandwidth_is_uncertain(out) && talk)
		say_uncertain(arena, &place);
	keep(arena, &place, out, talk);
	return true;
}

enum calibration calibration_judge(const struct bandwidth_place *place, enum ms_status kept,
				   bool of_use)
{
	if (kept == MS_OK)
		return CALIBRATION_KEPT;
	if (!of_use)
		return CALIBRATION_NO_USE;
	return place->path ? CALIBRATION_DUE : CALIBRATION_NO_PLACE;
}

/* What BandwidthBound counts, or what WorkingSetBeyondCaches records. */
static bool is_of_use(struct arena *arena)
{
	struct ms_probe *probe = arena_alloc(arena, sizeof(*probe));
	const char *why;

	return probe && core_query_probe(arena, NULL, probe, &why) &&
	       (probe->metrics[MS_METRIC_DRAM_READS].works ||
		probe->metrics[MS_METRIC_TOUCHED_LINES].works);
}

void calibrate_before_run(struct arena *arena, bool talk)
{
	struct bandwidth_place place;
	struct bandwidth bandwidth;
	enum ms_status kept;

	bandwidth_find(arena, NULL, &place);
	kept = bandwidth_load(&place, &bandwidth);
	if (kept == MS_OK && bandwidth_is_uncertain(&bandwidth) &&
	    (uint64_t)time(NULL) - bandwidth.measured > CALIBRATION_RETRY_SECONDS)
		kept = MS_ERR_NOT_FOUND;
	if (kept == MS_OK || calibration_judge(&place, kept, is_of_use(arena)) != CALIBRATION_DUE)
		return;
	if (talk && kept == MS_ERR_FORMAT)
		log_warning("'%s' is damaged: the bandwidth of memory is measured anew",
			    place.path);
	if (talk)
		log_warning(
			"measuring what this machine's memory delivers, once, for %.3g seconds, longer where that is not sure (--no-calibrate leaves it out)",
			seconds_wanted());
	if (calibrate(arena, &bandwidth, talk) && talk)
		log_warning("memory delivers %s", calibration_text(arena, &bandwidth));
}

static void add_time(struct text *text, uint64_t measured)
{
	time_t seconds = (time_t)measured;
	struct tm parts;
	char date[32];

	if (gmtime_r(&seconds, &parts) &&
	    strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", &parts))
		text_printf(text, "; measured %s", date);
}

/* "23.4 GB/s", or all that it may be. */
static void add_rate(struct text *text, double rate, double spread, bool uncertain)
{
	if (uncertain) {
		units_value(text, rate * (1 - spread) / 1e9, "bytes/ns");
		text_add(text, " - ");
	}
	units_value(text, rate / 1e9, "bytes/ns");
}

const char *calibration_text(struct arena *arena, const struct bandwidth *bandwidth)
{
	bool uncertain = bandwidth_is_uncertain(bandwidth);
	struct text text;

	text_init(&text, arena);
	if (uncertain)
		text_add(&text, "calibration uncertain: ");
	add_rate(&text, bandwidth->all, bandwidth->all_spread, uncertain);
	text_printf(&text, " to %u thread%s, ", bandwidth->threads,
		    bandwidth->threads == 1 ? "" : "s");
	add_rate(&text, bandwidth->single, bandwidth->single_spread, uncertain);
	text_add(&text, " to one (spread ");
	units_share(&text, bandwidth->all_spread);
	text_add(&text, ", ");
	units_share(&text, bandwidth->single_spread);
	if (bandwidth->latency > 0 && !uncertain) {
		text_add(&text, "; a load ");
		units_value(&text, bandwidth->latency * 1e9, "ns");
	}
	add_time(&text, bandwidth->measured);
	text_add(&text, ")");
	return text.bytes ? text.bytes : "";
}
