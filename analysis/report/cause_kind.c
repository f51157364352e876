/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kind of an array's cause in a loop, which decides the remedy: by strides, miss classes, and
 * use of cache lines.
 */
#include "analysis/report/cause.h"

#include <math.h>
#include <string.h>

#include "analysis/record/shape.h"
#include "analysis/report/finding.h"

#define LINE_BYTES 64
#define WORD_BYTES 4      /* of those the simulator compares (simulator.h) */
#define MOST 0.5          /* of accesses or misses: they are mostly so */
#define STRIDED_LEAST 0.2 /* of accesses */
#define SHARED_MISSES 0.4 /* of misses: cores take lines from each other */
/* of these: the words themselves are shared, and padding does not keep the threads apart */
#define SHARED_WORDS (1.0 / 16)
#define FEW_LINES 0.1       /* of the misses: lines that threads share in the construct itself */
#define CONFLICT_MISSES 0.3 /* as properties ConflictMisses and L1ConflictMisses */
#define USED_POOR 0.5       /* of bytes fetched, as property PoorLineUtilisation */
/* of accesses beyond the first level: irregular accesses to a small table hit */
#define IRREGULAR_MISSES 0.05
#define WHOLE 0.7 /* of an array's bytes: its loop leaves out no fields */

static bool is_found(const struct cause_evidence *of, const char *property)
{
	for (size_t i = 0; i < of->nr_nodes; i++)
		if (of->nodes[i]->property && !strcmp(of->nodes[i]->property, property))
			return true;
	return false;
}

/* Of the array in the construct, and in loops of it. */
static bool is_only(const struct cause_evidence *of, const char *property)
{
	for (size_t i = 0; i < of->nr_nodes; i++)
		if (!of->nodes[i]->property || strcmp(of->nodes[i]->property, property) != 0)
			return false;
	return of->nr_nodes > 0;
}

/* Part of the classified misses; NAN: they are not known. */
static double of_misses(const struct array_facts *facts, double misses)
{
	return facts->classified > 0 ? misses / facts->classified : NAN;
}

/* Executions of a construct in one of the phase, by its times; 1: not known. */
static double executions_of(const struct run *run, uint32_t construct)
{
	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *of = &run->measurements[i];

		if (of->row.region == construct && of->row.metric == MS_METRIC_TIME && of->phases &&
		    of->row.stat.count > of->phases)
			return (double)of->row.stat.count / (double)of->phases;
	}
	return 1;
}

/*
 * Lines of which threads share words in the construct, in one execution of the phase; NAN: not compared,
 * or a variable that is smaller than its line, which may have been counted for another one there.
 */
static double same_lines(const struct cause_evidence *of)
{
	uint32_t construct = run_construct(of->run, of->array->region);

	for (size_t i = 0; i < of->run->nr_sharings; i++) {
		const struct run_sharing *sharing = &of->run->sharings[i];

		if (sharing->array == of->array->array && sharing->region == construct &&
		    sharing->executions &&
		    (sharing->same_lines || of->run->arrays[sharing->array].bytes >= LINE_BYTES))
			return (double)sharing->same_lines / (double)sharing->executions *
			       executions_of(of->run, construct);
	}
	return NAN;
}

/* The array's lines, each counted once. */
static double lines_of(const struct cause_evidence *of)
{
	return of->array->array < of->run->nr_arrays
		       ? (double)of->run->arrays[of->array->array].bytes / LINE_BYTES + 1
		       : 0;
}

/*
 * Whether the words that other threads wrote come from other constructs, or earlier executions of
 * this one: within it none are shared; or each line of the array is taken once at most, and its
 * accesses are in order, unlike those to counters and histograms.
 */
static bool is_exchanged(const struct cause_evidence *of)
{
	const struct array_pattern *pattern = &of->array->pattern;
	double same = same_lines(of), misses = of->array->facts->true_sharing;

	if (same == 0)
		return true;
	return misses <= lines_of(of) && !(same > FEW_LINES * misses) &&
	       pattern->strided + pattern->contiguous > MOST;
}

/*
 * Only read in the loop, but its lines are taken again and again: other threads write other data in
 * them, of this array or beside it.
 */
static bool lies_beside_writes(const struct cause_evidence *of)
{
	return of->array->facts->false_sharing > lines_of(of);
}

/*
 * Part of the misses that are lines which other threads have written. Where the begin of a step stands
 * for all of it, lines that are only read are taken in that begin, unless threads write beside them.
 */
static double part_shared(const struct cause_evidence *of)
{
	const struct array_facts *facts = of->array->facts;
	double begins = of->run->modelled.begins,
	       part = of_misses(facts, facts->false_sharing + facts->true_sharing);

	return begins > 0 && array_is_only_read(facts) && !lies_beside_writes(of) ? part * begins
										  : part;
}

/* The simulator compares words: values beside each other in one of these count as the same. */
static bool is_below_words(const struct cause_evidence *of)
{
	const struct run_access *hot = of->array->pattern.hot;

	return hot && hot->bytes > 0 && hot->bytes < WORD_BYTES;
}

static bool is_shared(const struct cause_evidence *of, enum cause_kind *kind_out)
{
	const struct array_facts *facts = of->array->facts;
	bool truly = is_found(of, "TrueSharing"), falsely = is_found(of, "FalseSharing");

	*kind_out = falsely && !(facts->true_sharing >
				 SHARED_WORDS * (facts->true_sharing + facts->false_sharing))
			    ? CAUSE_FALSE_SHARING
			    : CAUSE_TRUE_SHARING;
	if (*kind_out == CAUSE_TRUE_SHARING ? array_is_only_read(facts) || is_exchanged(of)
					    : array_is_only_read(facts) && !lies_beside_writes(of))
		*kind_out = CAUSE_COMMUNICATION; /* it is written in other loops */
	if (*kind_out == CAUSE_TRUE_SHARING && is_below_words(of))
		*kind_out = CAUSE_FALSE_SHARING;
	if (falsely || truly)
		return !(part_shared(of) < SHARED_MISSES);
	*kind_out = CAUSE_FALSE_SHARING; /* recorded, not simulated */
	return isnan(facts->classified) &&
	       (is_found(of, "SharedWrittenLines") || is_found(of, "WatchedFalseSharing"));
}

/* Loops that can be interchanged: the loop of the accesses, and one around it. */
static bool is_nested(const struct cause_evidence *of)
{
	const struct run_access *hot = of->array->pattern.hot;
	uint32_t loop = hot ? hot->loop : of->array->region;
	uint32_t around;

	if (loop >= of->run->nr_regions || of->run->regions[loop].kind != MS_LOOP_REGION)
		return false;
	around = finding_outside_functions(of->run, of->run->regions[loop].parent);
	return around < of->run->nr_regions &&
	       (of->run->regions[around].kind == MS_LOOP_REGION ||
		of->run->regions[around].kind == MS_DO_REGION ||
		of->run->regions[around].kind == MS_PARALLEL_REGION);
}

/* Bytes between accesses in different rows of an array whose shape is not known: no struct's. */
#define ROW_LEAST 4096

/*
 * A loop along the wrong index uses all of an array, one along a field of structs a part of it; one from row to
 * row of structs steps over more than a struct, and uses all of them.
 * Each strided value was accessed once, as far as it is known.
 */
static bool uses_part(const struct cause_evidence *of)
{
	const struct array_pattern *pattern = &of->array->pattern;
	const struct array_facts *facts = of->array->facts;
	const struct run_array *array = &of->run->arrays[of->array->array];
	bool over_rows = pattern->stride >= ROW_LEAST &&
			 (double)array->element_bytes > pattern->value_bytes;
	double bytes = pattern->values * pattern->strided *
		       (over_rows ? (double)array->element_bytes : pattern->value_bytes);

	if (facts->fetched > 0 && facts->used / facts->fetched >= USED_POOR)
		return false;
	return !(array->bytes > 0 && bytes >= WHOLE * (double)array->bytes);
}

/*
 * Two loops that `collapse` made one of: it has no loop inside, and passes over most of the array in a
 * single execution, although it steps over rows.
 */
static bool is_collapsed(const struct cause_evidence *of)
{
	const struct run_access *hot = of->array->pattern.hot;
	uint64_t row = shape_row_bytes(&of->run->arrays[of->array->array]);

	return hot && hot->loop < of->run->nr_regions &&
	       of->run->regions[hot->loop].kind == MS_DO_REGION && !uses_part(of) &&
	       executions_of(of->run, hot->loop) <= 1 &&
	       of->array->pattern.stride >= (row ? (double)row : ROW_LEAST);
}

static enum cause_kind strided_kind(const struct cause_evidence *of)
{
	const struct array_facts *facts = of->array->facts;
	const struct run_array *array = &of->run->arrays[of->array->array];

	if (of->array->pattern.in_narrow_blocks)
		return CAUSE_NARROW_BLOCKS;
	if (uses_part(of) || !(is_nested(of) || is_collapsed(of)))
		return CAUSE_LAYOUT;
	if (of->beside_contiguous)
		return CAUSE_TRANSPOSITION;
	/* rows that are blocks of their own have no length to pad */
	return (of_misses(facts, facts->conflict) > 1 - CONFLICT_MISSES ||
		array_l1_conflicts(facts) > 1 - CONFLICT_MISSES) &&
			       array->blocks <= 1
		       ? CAUSE_CONFLICTS
		       : CAUSE_LOOP_ORDER;
}

/* Whether most accesses are strided, or fewer that cause most of the stall cycles. */
static bool is_strided(const struct cause_evidence *of)
{
	const struct array_pattern *pattern = &of->array->pattern;

	return pattern->strided > MOST ||
	       (pattern->strided > STRIDED_LEAST && pattern->strided_stalls > MOST);
}

static bool is_irregular(const struct cause_evidence *of)
{
	const struct array_facts *facts = of->array->facts;
	double accesses = facts->loads + facts->stores;

	return of->array->pattern.irregular > MOST &&
	       !(accesses > 0 && facts->misses[0] < IRREGULAR_MISSES * accesses);
}

/* Bytes of all arrays but stacks. */
static double bytes_of_arrays(const struct run *run)
{
	double bytes = 0;

	for (size_t i = 0; i < run->nr_arrays; i++)
		if (!run_array_is_stack(&run->arrays[i]))
			bytes += (double)run->arrays[i].bytes;
	return bytes;
}

/*
 * Most of what is brought into the private caches; else an outer cache has it. Caches are empty where
 * recording begins: what all of them hold comes from memory then, and only then.
 */
static bool comes_from_memory(const struct cause_evidence *of)
{
	const struct array_facts *facts = of->array->facts;
	double lines = facts->memory_lines + facts->prefetched_lines;

	return !(lines * LINE_BYTES < MOST * facts->fetched) &&
	       !(of->run->modelled.here &&
		 bytes_of_arrays(of->run) * 2 < (double)of->run->machine.cache_bytes);
}

/* What the misses of irregular accesses cost counts there, if that is more. */
static bool is_atomic(const struct cause_evidence *of)
{
	double atomics = 0, others = 0;

	for (size_t i = 0; i < of->nr_nodes; i++) {
		double gain = cause_node_gain(of->nodes[i]);
		double *most = of->nodes[i]->property &&
					       !strcmp(of->nodes[i]->property, "AtomicUpdates")
				       ? &atomics
				       : &others;

		*most = fmax(*most, gain);
	}
	return atomics > 0 && (atomics >= others || !is_irregular(of));
}

enum cause_kind cause_kind_of(const struct cause_evidence *of)
{
	const struct array_facts *facts = of->array->facts;
	enum cause_kind kind;

	if (is_shared(of, &kind))
		return kind;
	if (is_found(of, "SharedReadOnlyHot"))
		return CAUSE_SHARED_READ_ONLY;
	if (is_found(of, "HugePageFalseSharing"))
		return CAUSE_HUGE_PAGES;
	if (is_found(of, "SampledRemoteData") || is_found(of, "RemoteStallShare") ||
	    is_found(of, "SerialFirstTouch") || is_found(of, "AllPagesOnOneNode") ||
	    is_found(of, "MisplacedBlocks"))
		return CAUSE_REMOTE_MEMORY;
	if (is_atomic(of))
		return CAUSE_ATOMICS;
	if (is_strided(of))
		return strided_kind(of);
	if (is_irregular(of))
		return CAUSE_IRREGULAR;
	if (is_found(of, "ConflictMisses") && of_misses(facts, facts->conflict) > CONFLICT_MISSES)
		return CAUSE_CONFLICTS;
	if (is_found(of, "L1ConflictMisses") && array_l1_conflicts(facts) > CONFLICT_MISSES)
		return CAUSE_CONFLICTS;
	if (is_only(of, "ArrayAccessImbalance"))
		return CAUSE_PROPERTY;
	return comes_from_memory(of) ? CAUSE_BANDWIDTH : CAUSE_REUSE;
}

enum cause_about cause_about(const char *property)
{
	static const struct {
		const char *property;
		enum cause_about about;
	} rows[] = {
		{ "WorkingSetBeyondCaches", CAUSE_ABOUT_MEMORY },
		{ "ReachBeyondCaches", CAUSE_ABOUT_MEMORY },
		{ "BeyondModelledCaches", CAUSE_ABOUT_MEMORY },
		{ "ModelledTraffic", CAUSE_ABOUT_MEMORY },
		{ "BandwidthBound", CAUSE_ABOUT_MEMORY },
		{ "MemoryBound", CAUSE_ABOUT_MEMORY },
		{ "L1DataMissRateInSomeThread", CAUSE_ABOUT_MEMORY },
		{ "L1DataReadMissRate", CAUSE_ABOUT_MEMORY },
		{ "L1DataWriteMissRate", CAUSE_ABOUT_MEMORY },
		{ "L2DataMissRateInSomeThread", CAUSE_ABOUT_MEMORY },
		{ "L2DataReadMissRate", CAUSE_ABOUT_MEMORY },
		{ "L2DataWriteMissRate", CAUSE_ABOUT_MEMORY },
		{ "L3DataMissRateInSomeThread", CAUSE_ABOUT_MEMORY },
		{ "L3DataReadMissRate", CAUSE_ABOUT_MEMORY },
		{ "L3DataWriteMissRate", CAUSE_ABOUT_MEMORY },
		{ "PageTableWalks", CAUSE_ABOUT_MEMORY },
		{ "FewPrefetches", CAUSE_ABOUT_MEMORY },
		{ "LocalDramAccesses", CAUSE_ABOUT_MEMORY },
		{ "CacheLineSharing", CAUSE_ABOUT_SHARING },
		{ "RemoteDramAccesses", CAUSE_ABOUT_NODES },
		{ "ControllerImbalance", CAUSE_ABOUT_NODES },
	};

	for (size_t i = 0; property && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].property, property))
			return rows[i].about;
	return CAUSE_ABOUT_OTHER;
}

bool cause_is_about(enum cause_kind kind, enum cause_about about)
{
	switch (about) {
	case CAUSE_ABOUT_SHARING:
		return kind == CAUSE_FALSE_SHARING || kind == CAUSE_TRUE_SHARING ||
		       kind == CAUSE_COMMUNICATION;
	case CAUSE_ABOUT_NODES:
		return kind == CAUSE_REMOTE_MEMORY || kind == CAUSE_SHARED_READ_ONLY ||
		       kind == CAUSE_HUGE_PAGES;
	default: return about == CAUSE_ABOUT_MEMORY && kind != CAUSE_PROPERTY;
	}
}
