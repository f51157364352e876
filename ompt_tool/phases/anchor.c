/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the region whose executions divide the time most regularly. */
#include "ompt_tool/phases/anchor.h"

#include <math.h>
#include <stddef.h>

#include "ompt_tool/phases/period.h"

#define BEGINS_LEAST 4
/* of the time since its first begin must lie before its latest begin */
#define ACTIVE_SHARE 0.75
#define OBSERVED_SHARE 0.25   /* of the observed time must lie after its first begin */
#define VARIATION_ALWAYS 0.05 /* is regular, however few intervals there are */
#define EQUALLY_REGULAR 0.05  /* difference of coefficients of variation that means nothing */

void anchors_add(struct anchors *anchors, uint32_t level, uint32_t symbol, uint64_t now_ns)
{
	uint32_t region = symbol & HISTORY_REGION;
	struct intervals *of;

	if (region >= ANCHOR_REGIONS)
		return;
	if (region >= anchors->nr)
		anchors->nr = region + 1;
	of = &anchors->regions[region];
	if (!of->begins || of->epoch != anchors->epoch[level] || of->level != level) {
		*of = (struct intervals){ .first_ns = now_ns,
					  .last_ns = now_ns,
					  .begins = 1,
					  .epoch = anchors->epoch[level],
					  .level = level,
					  .symbol = symbol };
		return;
	}
	of->squares += (double)(now_ns - of->last_ns) * (double)(now_ns - of->last_ns);
	of->last_ns = now_ns;
	of->begins++;
}

void anchors_forget(struct anchors *anchors, uint32_t level, uint64_t now_ns)
{
	anchors->epoch[level]++;
	anchors->begin_ns[level] = now_ns;
}

uint32_t anchors_begins(const struct anchors *anchors, uint32_t level, uint32_t symbol)
{
	uint32_t region = symbol & HISTORY_REGION;
	const struct intervals *of = &anchors->regions[region < ANCHOR_REGIONS ? region : 0];

	return region < ANCHOR_REGIONS && of->level == level && of->epoch == anchors->epoch[level]
		       ? of->begins
		       : 0;
}

uint64_t anchors_first_ns(const struct anchors *anchors, uint32_t level, uint32_t symbol,
			  uint64_t now_ns)
{
	return anchors_begins(anchors, level, symbol)
		       ? anchors->regions[symbol & HISTORY_REGION].first_ns
		       : now_ns;
}

static bool usable(const struct anchors *anchors, uint32_t level, const struct intervals *of)
{
	return of->begins >= BEGINS_LEAST && of->level == level &&
	       of->epoch == anchors->epoch[level];
}

static double mean_of(const struct intervals *of)
{
	return (double)(of->last_ns - of->first_ns) / (of->begins - 1);
}

static double variation_of(const struct intervals *of)
{
	double mean = mean_of(of), variance = of->squares / (of->begins - 1) - mean * mean;

	return mean > 0 && variance > 0 ? sqrt(variance) / mean : 0;
}

bool anchors_variation(const struct anchors *anchors, uint32_t level, uint32_t symbol,
		       double *mean_ns_out, double *variation_out)
{
	uint32_t region = symbol & HISTORY_REGION;

	if (region >= ANCHOR_REGIONS || !usable(anchors, level, &anchors->regions[region]))
		return false;
	*mean_ns_out = mean_of(&anchors->regions[region]);
	*variation_out = variation_of(&anchors->regions[region]);
	return true;
}

/*
 * The fewer intervals there are, the more regular they must be: three of a random region are alike
 * by chance.
 */
static double variation_allowed(const struct intervals *of, double limit)
{
	double allowed = limit * (1 - 2 / sqrt(of->begins));

	return allowed > VARIATION_ALWAYS ? allowed : VARIATION_ALWAYS;
}

static bool covers(const struct anchors *anchors, const struct intervals *of, uint64_t now_ns,
		   double enough_ns)
{
	double lasted = (double)(of->last_ns - of->first_ns),
	       since = (double)(now_ns - of->first_ns);

	return lasted >= enough_ns && lasted >= ACTIVE_SHARE * since &&
	       since >= OBSERVED_SHARE * (double)(now_ns - anchors->begin_ns[of->level]);
}

bool anchors_best(const struct anchors *anchors, uint32_t level, uint64_t now_ns, double enough_ns,
		  double mean_ns, double variation, uint32_t *symbol_out)
{
	const struct intervals *best = NULL;
	double least = variation;

	for (int choosing = 0; choosing < 2; choosing++) {
		for (uint32_t i = 0; i < anchors->nr; i++) {
			const struct intervals *of = &anchors->regions[i];

			if (!usable(anchors, level, of) ||
			    !covers(anchors, of, now_ns, enough_ns) || mean_of(of) <= mean_ns ||
			    variation_of(of) >= variation_allowed(of, variation))
				continue;
			if (!choosing && variation_of(of) < least)
				least = variation_of(of);
			if (choosing && variation_of(of) <= least + EQUALLY_REGULAR &&
			    (!best || of->first_ns < best->first_ns))
				best = of;
		}
	}
	if (best)
		*symbol_out = best->symbol;
	return best != NULL;
}
