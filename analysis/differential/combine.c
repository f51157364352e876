/* SPDX-License-Identifier: Apache-2.0 */
/* Combining functions of two loads, and the choice among them. */
#include "analysis/differential/combine.h"

#include <math.h>
#include <stddef.h>

static struct combined invalid(const char *why)
{
	return (struct combined){ false, NAN, why };
}

static struct combined combined_of(double value)
{
	return isfinite(value) ? (struct combined){ true, value, NULL }
			       : invalid("the result is out of range");
}

static struct combined ratio(struct load least, struct load most, double bound)
{
	(void)bound;
	if (least.measured <= 0)
		return invalid("the ratio needs a positive measurement under the smaller load");
	if (most.measured < 0)
		return invalid("the measurement under the larger load is negative");
	return combined_of(most.measured / least.measured);
}

static struct combined weighted(struct load least, struct load most, double bound)
{
	(void)bound;
	if (!(least.work > 0 && most.work > 0))
		return invalid("the weighted difference needs positive amounts of work");
	return combined_of(least.work * most.measured - most.work * least.measured);
}

static struct combined difference(struct load least, struct load most, double bound)
{
	(void)bound;
	return combined_of(most.measured - least.measured);
}

/* NULL: a projection is possible. */
static const char *not_projected(struct load least, struct load most, double bound)
{
	if (!(bound > 0))
		return "the projection needs a positive bound";
	if (!(most.work > least.work))
		return "the projection needs a larger load in the second run";
	if (most.measured <= least.measured)
		return "the measurement does not grow with the load";
	if (least.measured >= bound)
		return "the measurement reaches its bound under the smaller load already";
	return NULL;
}

static struct combined saturation(struct load least, struct load most, double bound)
{
	const char *why = not_projected(least, most, bound);

	if (why)
		return invalid(why);
	return combined_of((bound - most.measured) * (most.work - least.work) /
				   (most.measured - least.measured) +
			   most.work);
}

/* Eq. 5 has log s on its left side where the paper prints s, and m2 where it prints m^2 once. */
static struct combined saturation_power(struct load least, struct load most, double bound)
{
	const char *why = not_projected(least, most, bound);

	if (why)
		return invalid(why);
	if (least.work <= 0 || least.measured <= 0)
		return invalid("the power law needs positive loads and measurements");
	return combined_of(exp(log(bound / most.measured) * log(most.work / least.work) /
				       log(most.measured / least.measured) +
			       log(most.work)));
}

static const struct {
	const char *name;
	bool ascending;
	struct combined (*combine)(struct load least, struct load most, double bound);
} functions[COMBINE_FUNCTIONS] = {
	[COMBINE_RATIO] = { "ratio", false, ratio },
	[COMBINE_WEIGHTED] = { "weighted", false, weighted },
	[COMBINE_DIFFERENCE] = { "difference", false, difference },
	[COMBINE_SATURATION] = { "saturation", true, saturation },
	[COMBINE_SATURATION_POWER] = { "saturation-power", true, saturation_power },
};

struct combined combine(enum combine function, struct load least, struct load most, double bound)
{
	if (!isfinite(least.measured) || !isfinite(most.measured))
		return invalid("a measurement is missing");
	return functions[function].combine(least, most, bound);
}

const char *combine_name(enum combine function)
{
	return functions[function].name;
}

bool combine_ascending(enum combine function)
{
	return functions[function].ascending;
}

struct combine_choice combine_choose(struct combine_situation situation)
{
	if (situation.bounded && situation.work_differs && situation.power_law)
		return (struct combine_choice){
			COMBINE_SATURATION_POWER,
			"projected saturation: the measurement has an upper bound and grows as a power of the load"
		};
	if (situation.bounded && situation.work_differs)
		return (struct combine_choice){
			COMBINE_SATURATION,
			"projected saturation: the measurement has an upper bound"
		};
	if (!situation.work_known)
		return (struct combine_choice){ COMBINE_RATIO,
						"ratio: the work of the runs is not known" };
	if (!situation.linear)
		return (struct combine_choice){
			COMBINE_RATIO,
			"ratio: the measurement is not known to be proportional to the work"
		};
	if (!situation.full_size)
		return (struct combine_choice){
			COMBINE_RATIO, "ratio: the runs are smaller than the load that matters"
		};
	return (struct combine_choice){
		COMBINE_WEIGHTED,
		"weighted difference: the work is known, the measurement is proportional to it, and the runs have full size"
	};
}
