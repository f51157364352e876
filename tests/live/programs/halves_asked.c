/* SPDX-License-Identifier: Apache-2.0 */
/* A strategy that asks for what each half of large arrays misses, and logs it; else as property_refine. Of ranges.sh. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/search/bricks.h"
#include "memsearch/metric.h"
#include "memsearch/strategy.h"

#define LARGE (1u << 20)                 /* bytes */
enum { LOADS_LOW, LOADS_HIGH, MISSES_LOW, MISSES_HIGH, READS_LOW, LOADS, ASKED };

static int done;

static void log_halves(const struct ms_host *host, uint32_t region, const struct ms_reading *readings)
{
	char line[400];

	if (readings[LOADS_LOW].missing == MS_PRESENT)
		snprintf(line, sizeof(line), "halves in region %" PRIu32 ": low %.0f misses of %.0f loads, high %.0f misses of %.0f loads, low %.0f reads, all %.0f loads", region,
			 readings[MISSES_LOW].value, readings[LOADS_LOW].value, readings[MISSES_HIGH].value, readings[LOADS_HIGH].value, readings[READS_LOW].value, readings[LOADS].value);
	else
		snprintf(line, sizeof(line), "halves in region %" PRIu32 ": loads: %s; reads: %s", region,
			 ms_missing_text(readings[LOADS_LOW].missing), ms_missing_text(readings[READS_LOW].missing));
	host->log(host->ctx, line);
}

/* Of the whole data structure where `low` is `high`. */
static struct ms_request request(uint32_t metric, uint32_t region, uint64_t low, uint64_t high)
{
	return (struct ms_request){ .metric = metric, .region = region, .thread = MS_REQUEST_ALL_THREADS, .address_low = low == high ? 0 : low, .address_high = low == high ? 0 : high };
}

static void ask(const struct ms_host *host, uint32_t region)
{
	struct ms_address_range memory = { 0x1000, 0x1000 + 2 * LARGE };
	size_t blocks = host->region_memory(host->ctx, region, &memory, 1);
	uint64_t low = memory.low, high = memory.high, middle = low + (high - low) / 2;
	const struct ms_request requests[ASKED] = {
		[LOADS_LOW] = request(MS_METRIC_SIM_LOADS, region, low, middle), [LOADS_HIGH] = request(MS_METRIC_SIM_LOADS, region, middle, high),
		[MISSES_LOW] = request(MS_METRIC_SIM_L1D_MISSES, region, low, middle), [MISSES_HIGH] = request(MS_METRIC_SIM_L1D_MISSES, region, middle, high),
		[READS_LOW] = request(MS_METRIC_READS, region, low, middle), [LOADS] = request(MS_METRIC_SIM_LOADS, region, 0, 0),
	};
	struct ms_reading readings[ASKED];

	if (blocks > 1 || high - low < LARGE)
		return;
	host->measure(host->ctx, requests, ASKED, readings);
	log_halves(host, region, readings);
	done |= readings[LOADS_LOW].missing == MS_PRESENT;
}

static void ask_below(const struct ms_host *host, uint32_t parent)
{
	struct ms_region_info info;

	for (uint32_t id = host->region_first_child(host->ctx, parent); id != MS_REGION_NONE; id = host->region_next_sibling(host->ctx, id)) {
		if (host->region_info(host->ctx, id, &info) && info.kind == MS_DATA_STRUCTURE)
			ask(host, id);
		ask_below(host, id);
	}
}

static size_t initial(void *state, const struct ms_host *host, struct ms_candidate *out, size_t room)
{
	struct brick_output output = { out, 0, room };

	(void)state;
	brick_initial(host, &output);
	return output.nr;
}

static void refine_one(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven, struct brick_output *out)
{
	brick_specific_set(host, node, proven, out);
	brick_subregion_set(host, node, proven, out);
	brick_specific_subregion_set(host, node, proven, out);
}

static size_t refine(void *state, const struct ms_host *host, const uint32_t *proven, size_t nr, struct ms_candidate *out, size_t room)
{
	struct brick_output output = { out, 0, room };

	(void)state;
	if (!done)
		ask_below(host, 0);
	brick_proven_set(host, proven, nr, refine_one, &output);
	return output.nr;
}

const struct ms_strategy ms_strategy __attribute__((visibility("default"))) = {
	.abi = MS_STRATEGY_ABI, .size = sizeof(struct ms_strategy), .name = "halves_asked", .summary = "asks for halves of arrays", .describe = "For tests.",
	.initial = initial, .refine = refine,
};
