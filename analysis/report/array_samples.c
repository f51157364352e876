/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of data addresses by data structure, in words. */
#include "analysis/report/array_samples.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define LEVELS 3

/* Where a metric goes. */
static const struct {
	enum ms_metric metric;
	size_t at;
} places[] = {
#define PLACE(id, field) { MS_METRIC_##id, offsetof(struct array_samples, field) }
	PLACE(ADDRESS_SAMPLES, samples),      PLACE(SAMPLED_LOADS, loads),
	PLACE(SAMPLED_STORES, stores),        PLACE(SAMPLED_L1D_MISSES, missed[0]),
	PLACE(SAMPLED_L2D_MISSES, missed[1]), PLACE(SAMPLED_L3D_MISSES, missed[2]),
	PLACE(SAMPLED_DRAM_LOCAL, local),     PLACE(SAMPLED_DRAM_REMOTE, remote),
	PLACE(SAMPLED_HITM, modified),        PLACE(SAMPLED_TLB_WALKS, walks),
	PLACE(SAMPLED_WAIT_CYCLES, cycles),
#undef PLACE
};

static void add(struct array_samples *samples, const struct ms_measurement *row)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i].metric == row->metric)
			*(double *)((char *)samples + places[i].at) += row->stat.sum;
}

static const char *source_of(const struct run *run)
{
	for (size_t i = 0; i < run->nr_sensors; i++)
		if (run->sensors[i].works && run->sensors[i].name &&
		    !strcmp(run->sensors[i].name, ms_sensor_name(MS_SENSOR_ADDRESSES)))
			return run->sensors[i].why;
	return NULL;
}

struct array_sampling array_samples(struct arena *arena, const struct run *run)
{
	struct array_samples *arrays = arena_alloc(arena, (run->nr_arrays + 1) * sizeof(*arrays));
	struct array_sampling sampling = { .source = source_of(run), .arrays = arrays };

	for (size_t i = 0; arrays && i < run->nr_measurements; i++) {
		const struct run_measurement *one = &run->measurements[i];
		uint32_t array;

		if (one->row.metric >= MS_METRICS ||
		    ms_metric_info(one->row.metric)->sensor != MS_SENSOR_ADDRESSES)
			continue;
		sampling.tells_transfers |= one->row.metric == MS_METRIC_SAMPLED_HITM;
		sampling.by_pmu |= one->row.metric == MS_METRIC_SAMPLED_LOADS ||
				   one->row.metric == MS_METRIC_SAMPLED_STORES;
		array = finding_array_of_construct(run, one->row.region);
		if (array != UINT32_MAX)
			add(&arrays[array], &one->row);
		else if (one->row.region == MS_REGION_USER &&
			 one->row.metric == MS_METRIC_ADDRESS_SAMPLES)
			sampling.samples += one->row.stat.sum;
		else if (one->row.region == MS_REGION_USER &&
			 one->row.metric == MS_METRIC_ADDRESS_SAMPLES_LOST)
			sampling.lost += one->row.stat.sum;
	}
	return sampling;
}

/*
 * E. B. Wilson, "Probable inference, the law of succession, and statistical inference", J. Am.
 * Stat. Assoc. 22 (1927).
 */
struct sampled_share array_samples_share(double part, double whole)
{
	const double z = 1.96;
	double share, middle, half;

	if (!(whole > 0))
		return (struct sampled_share){ 0, 0, 1 };
	share = fmin(1, part / whole);
	middle = (share + z * z / (2 * whole)) / (1 + z * z / whole);
	half = z / (1 + z * z / whole) *
	       sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole));
	return (struct sampled_share){ share, fmax(0, fmin(share, middle - half)),
				       fmin(1, fmax(share, middle + half)) };
}

static void add_share(struct text *text, struct sampled_share share)
{
	units_share(text, share.share);
	text_add(text, " (");
	units_share(text, share.low);
	text_add(text, " to ");
	units_share(text, share.high);
	text_add(text, ")");
}

/* Every page fault is a sample, as long as none is lost. */
static bool is_exact(const struct array_sampling *sampling)
{
	return !sampling->by_pmu && !(sampling->lost > 0);
}

/* A part of the accesses, of which so many are samples. */
static struct sampled_share share_of(const struct array_samples *samples, double part, double whole)
{
	double each = (samples->loads + samples->stores) / samples->samples;

	return array_samples_share(part / each, whole / each);
}

static void add_levels(struct text *text, const struct array_samples *samples)
{
	double accesses = samples->loads + samples->stores,
	       lines = samples->local + samples->remote;

	for (int level = 0; level < LEVELS; level++) {
		text_add_plain(text, level ? ", " : "; ");
		add_share(text, share_of(samples, samples->missed[level], accesses));
		text_printf(text, "%s miss L%d", level ? "" : " of its accesses", level + 1);
	}
	if (lines > 0) {
		text_add(text, "; of those that go to memory ");
		add_share(text, share_of(samples, samples->remote, lines));
		text_add(text, " to another node's");
	}
	if (samples->modified > 0) {
		text_add(text, "; ");
		add_share(text, share_of(samples, samples->modified, accesses));
		text_add(text, " get lines that another core has modified");
	}
	if (samples->missed[0] > 0 && samples->cycles > 0)
		text_printf(text, "; a miss takes %.0f cycles",
			    samples->cycles / samples->missed[0]);
}

const char *array_samples_words(struct arena *arena, const struct array_sampling *sampling,
				uint32_t array)
{
	const struct array_samples *samples = &sampling->arrays[array];
	struct sampled_share share = array_samples_share(samples->samples,
							 fmax(samples->samples, sampling->samples));
	struct text text;

	if (!(samples->samples > 0))
		return NULL;
	text_init(&text, arena);
	if (is_exact(sampling))
		units_share(&text, share.share);
	else
		add_share(&text, share);
	text_printf(&text, " of %.0f samples", fmax(samples->samples, sampling->samples));
	if (samples->loads + samples->stores > 0)
		add_levels(&text, samples);
	return text.bytes;
}

const char *array_samples_basis(struct arena *arena, const struct array_sampling *sampling)
{
	struct text text;

	if (!(sampling->samples > 0))
		return NULL;
	text_init(&text, arena);
	text_printf(
		&text,
		"Samples of data addresses: %s. In parentheses: the 95 %% confidence interval of a share, by the number"
		" of samples (Wilson's score); without, each was counted.",
		sampling->source ? sampling->source : "an unknown source");
	if (sampling->lost > 0)
		text_printf(&text,
			    " %.0f samples were lost, because the kernel's buffers were full.",
			    sampling->lost);
	return text.bytes;
}

static void json_share(struct json *json, const char *key, struct sampled_share share)
{
	json_open(json, key, '{');
	json_number(json, "share", share.share);
	json_number(json, "low", share.low);
	json_number(json, "high", share.high);
	json_close(json);
}

void array_samples_json(struct json *json, const struct array_sampling *sampling, uint32_t array)
{
	static const char *const levels[LEVELS] = { "l1_misses", "l2_misses", "l3_misses" };
	const struct array_samples *samples = &sampling->arrays[array];
	bool told = samples->loads + samples->stores > 0;

	if (!(samples->samples > 0)) {
		json_null(json, "sampled");
		return;
	}
	json_open(json, "sampled", '{');
	json_string(json, "source", sampling->source);
	json_number(json, "samples", samples->samples);
	json_share(
		json, "of_all",
		array_samples_share(samples->samples, fmax(samples->samples, sampling->samples)));
	json_bool(json, "exact", is_exact(sampling));
	for (int level = 0; level < LEVELS && told; level++)
		json_share(json, levels[level],
			   share_of(samples, samples->missed[level],
				    samples->loads + samples->stores));
	if (told) {
		json_number(json, "loads", samples->loads);
		json_number(json, "stores", samples->stores);
		json_number(json, "local_lines", samples->local);
		json_number(json, "remote_lines", samples->remote);
		if (sampling->tells_transfers)
			json_number(json, "transfers", samples->modified);
		json_number(json, "page_walks", samples->walks);
		json_number(json, "cycles", samples->cycles);
	}
	json_close(json);
}
