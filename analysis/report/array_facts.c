/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over threads and instructions of what is known of a data structure in a region. */
#include "analysis/report/array_facts.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/record/shape.h"
#include "memsearch/metric.h"

/* as the metric `strided` has it (include/memsearch/metric.h) */
#define LINE_BYTES 64
/* of the bytes fetched: short rows, and rows of a line or more, which have parts of two */
#define USED_IN_ROWS 0.7
#define USED_IN_LINES 0.5
#define PAGE_BYTES 4096
#define MOST 0.5        /* of the stall cycles */
#define ROW_MISSES 0.05 /* of the accesses: each row of up to 20 values is brought in anew */
#define FILLED 1.5      /* times that each line is brought in until its values are used, at most */
/*
 * The same where a loop over few components (SHORT_RUN iterations) strides, and the loop around it
 * goes along memory
 */
#define SHORT_FILLED 4
#define SHORT_RUN 8
#define SCALAR_BYTES 8   /* of a value that is no vector */
#define BLOCK_ROWS 64    /* at most; rows of longer loops are no blocks */
#define JUMPS_LEAST 0.15 /* of accesses: misses of more than a stream of doubles has */
#define FEW_FURTHER 0.1  /* of the lines that the first level misses */

/* ------------------------------------------------------------------ measurements */

static const struct {
	enum ms_metric metric;
	size_t offset;
} rows[] = {
#define ROW(metric, field) { MS_METRIC_##metric, offsetof(struct array_facts, field) }
	ROW(READS, reads),
	ROW(WRITES, writes),
	ROW(STRIDED, strided),
	ROW(SIM_LOADS, loads),
	ROW(SIM_STORES, stores),
	ROW(SIM_L1D_MISSES, misses[0]),
	ROW(SIM_L2D_MISSES, misses[1]),
	ROW(SIM_L3D_MISSES, misses[2]),
	ROW(SIM_COLD, classified),
	ROW(SIM_CAPACITY, classified),
	ROW(SIM_CONFLICT, classified),
	ROW(SIM_TRUE_SHARING, classified),
	ROW(SIM_FALSE_SHARING, classified),
	ROW(SIM_CONFLICT, conflict),
	ROW(SIM_L1_CONFLICT, l1_conflict),
	ROW(SIM_TRUE_SHARING, true_sharing),
	ROW(SIM_FALSE_SHARING, false_sharing),
	ROW(SIM_TLB_WALKS, walks),
	ROW(SIM_FETCHED_BYTES, fetched),
	ROW(SIM_USED_BYTES, used),
	ROW(SIM_DRAM_LOCAL, memory_lines),
	ROW(SIM_DRAM_REMOTE, memory_lines),
	ROW(SIM_DRAM_REMOTE, remote_lines),
	ROW(SIM_DRAM_PREFETCHES, prefetched_lines),
	ROW(SIM_STALL_CYCLES, stall_cycles),
#undef ROW
};

#define FIELDS_MOST 4 /* that a metric is part of */

/* By metric: offsets of the fields that it is part of. */
struct metric_fields {
	size_t nr, offsets[FIELDS_MOST];
};

static void fill_fields(struct metric_fields *fields)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct metric_fields *of = &fields[rows[i].metric];

		if (of->nr < FIELDS_MOST)
			of->offsets[of->nr++] = rows[i].offset;
	}
}

static void add(struct array_facts *facts, const struct metric_fields *fields, double value)
{
	for (size_t i = 0; i < fields->nr; i++) {
		double *sum = (double *)((char *)facts + fields->offsets[i]);

		*sum = (isnan(*sum) ? 0 : *sum) + value;
	}
}

const struct array_facts *array_facts_of(struct arena *arena, const struct run *run)
{
	struct array_facts *facts = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*facts));
	struct metric_fields fields[MS_METRICS] = { 0 };

	fill_fields(fields);
	for (size_t i = 0; facts && i < run->nr_regions * (sizeof(*facts) / sizeof(double)); i++)
		((double *)facts)[i] = NAN;
	for (size_t i = 0; facts && i < run->nr_measurements; i++) {
		const struct run_measurement *of = &run->measurements[i];

		if (of->row.region < run->nr_regions &&
		    run->regions[of->row.region].kind == MS_DATA_STRUCTURE && of->phases)
			add(&facts[of->row.region], &fields[of->row.metric],
			    of->row.stat.sum / (double)of->phases);
	}
	return facts;
}

bool array_is_only_read(const struct array_facts *facts)
{
	return !(facts->writes > 0) && !(facts->stores > 0) && !isnan(facts->reads);
}

/* ------------------------------------------------------------------ instructions */

/* Natural loops and called functions are part of the construct around them. */
static bool is_in(const struct run *run, uint32_t inner, uint32_t outer)
{
	while (inner != outer && inner < run->nr_regions &&
	       ms_region_kind_is_code_part(run->regions[inner].kind))
		inner = run->regions[inner].parent;
	return inner == outer;
}

static double weight(const struct run_access *access)
{
	double executions = run_access_executions(access);

	return executions > 0 ? (double)(access->reads + access->writes) / executions : 0;
}

struct strides {
	double most, strided_bytes, bytes, strided_cycles, cycles;
	double ends;    /* how often a stride of a line or more is left */
	double in_rows; /* accesses without the stride, in rows or at few distances */
	/* with a stride of a page or more, their part of the cycles, and how often a stride is left */
	double far, far_cycles, far_ends;
	bool undone; /* the stride is that of the source (unrolled.h) */
};

static void add_access(struct array_pattern *pattern, struct strides *strides,
		       const struct run_access *access)
{
	double values = weight(access), with = values * access->with_stride,
	       step = fabs(access->stride);

	pattern->values += values;
	pattern->irregular += values - with;
	strides->in_rows += values * fmax(0, access->regular - access->with_stride);
	*(step >= LINE_BYTES ? &pattern->strided
	  : step > 0         ? &pattern->contiguous
			     : &pattern->same) += with;
	strides->bytes += values * access->bytes;
	strides->cycles += access->misses.cycles;
	if (step >= LINE_BYTES) {
		strides->strided_cycles += access->misses.cycles * access->with_stride;
		strides->strided_bytes += with * access->bytes;
		strides->ends += values - with;
	}
	if (step >= PAGE_BYTES) {
		strides->far += with;
		strides->far_ends += values - with;
		strides->far_cycles += access->misses.cycles * access->with_stride;
	}
	if (step >= LINE_BYTES && with > strides->most) {
		strides->most = with;
		strides->undone = access->unrolled > 0;
		pattern->stride = step;
	}
}

static bool is_hotter(const struct run_access *access, const struct run_access *than)
{
	if (!than || access->misses.cycles != than->misses.cycles)
		return !than || access->misses.cycles > than->misses.cycles;
	return weight(access) > weight(than);
}

static void to_parts(struct array_pattern *pattern, const struct strides *strides)
{
	if (!(pattern->values > 0))
		return;
	pattern->value_bytes = pattern->strided > 0 ? strides->strided_bytes / pattern->strided
						    : strides->bytes / pattern->values;
	pattern->strided_stalls = strides->cycles > 0 ? strides->strided_cycles / strides->cycles
						      : 0;
	pattern->strided /= pattern->values;
	pattern->contiguous /= pattern->values;
	pattern->same /= pattern->values;
	pattern->irregular /= pattern->values;
}

static bool same_place(const struct run_access *a, const struct run_access *b)
{
	return a->source.line == b->source.line &&
	       !strcmp(a->source.file ? a->source.file : "", b->source.file ? b->source.file : "");
}

/*
 * Instructions of the same line with that stride, of each iteration. A value that is read and written
 * (x += y) has one of each: they are no two copies.
 */
static unsigned int copies_of(const struct run *run, uint32_t array, const struct run_access *hot,
			      double stride)
{
	unsigned int readers = 0, writers = 0;

	for (size_t i = 0; hot && i < run->nr_accesses; i++) {
		const struct run_access *access = &run->accesses[i];

		if (access->array != array || access->loop != hot->loop ||
		    !same_place(access, hot) || fabs(access->stride) != stride)
			continue;
		readers += access->reads > 0;
		writers += access->writes > 0;
	}
	if (readers < writers)
		readers = writers;
	return hot && hot->unrolled ? readers / hot->unrolled : readers;
}

/* Of all values of the array that the line reads or writes, the part that one of both is. */
static double larger_part(const struct run *run, uint32_t array, const struct run_access *hot)
{
	double reads = 0, writes = 0;

	for (size_t i = 0; hot && i < run->nr_accesses; i++) {
		const struct run_access *access = &run->accesses[i];

		if (access->array != array || access->loop != hot->loop || !same_place(access, hot))
			continue;
		reads += (double)access->reads;
		writes += (double)access->writes;
	}
	return reads + writes > 0 ? fmax(reads, writes) / (reads + writes) : 1;
}

/*
 * Of the same line: the rest of an unrolled loop, which is not unrolled, has the stride itself. 0:
 * none.
 */
static double least_stride(const struct run *run, uint32_t array, const struct run_access *hot)
{
	double least = 0;

	for (size_t i = 0; hot && i < run->nr_accesses; i++) {
		const struct run_access *access = &run->accesses[i];
		double stride = fabs(access->stride);

		if (access->array == array && access->region == hot->region &&
		    same_place(access, hot) && stride >= LINE_BYTES && access->with_stride > 0.5)
			least = least > 0 ? fmin(least, stride) : stride;
	}
	return least;
}

/*
 * How often the loop is unrolled, by its scalar accesses to another array: as many copies as values
 * fit into their stride. 1: none says so.
 */
static unsigned int unrolled_beside(const struct run *run, const struct run_access *hot)
{
	for (size_t i = 0; hot && i < run->nr_accesses; i++) {
		const struct run_access *access = &run->accesses[i];
		double stride = fabs(access->stride);
		unsigned int copies;

		if (access->loop != hot->loop || access->array == hot->array || !access->bytes ||
		    access->bytes > SCALAR_BYTES || stride < 2.0 * access->bytes)
			continue;
		copies = copies_of(run, access->array, access, stride);
		if (stride == (double)copies * access->bytes)
			return copies;
	}
	return 1;
}

/*
 * An unrolled loop has several copies of one access, and the stride of each copy is multiplied by
 * their number. Without the addresses at which they begin, assumes unrolling where the stride is a number of matrix rows that divides the
 * copies, where a contiguous access of the loop shows it, or where the accesses would leave the
 * array by the whole stride and stay in it by its part.
 */
static double undo_unrolling(const struct run *run, uint32_t array,
			     const struct array_pattern *pattern)
{
	const struct run_array *of = array < run->nr_arrays ? &run->arrays[array] : NULL;
	unsigned int copies = copies_of(run, array, pattern->hot, pattern->stride);
	double least = least_stride(run, array, pattern->hot);
	double moved = pattern->values * pattern->strided * pattern->stride *
		       larger_part(run, array, pattern->hot);
	double row = of ? (double)shape_row_bytes(of) : 0,
	       skipped = row > 0 ? pattern->stride / row : 0;
	unsigned int beside;

	if (!of || copies < 2)
		return pattern->stride;
	if (skipped >= 2 && skipped == floor(skipped) && fmod(copies, skipped) == 0)
		return row;
	if (least > 0 && least < pattern->stride && fmod(copies, pattern->stride / least) == 0)
		return least;
	beside = unrolled_beside(run, pattern->hot);
	if (beside > 1 && copies % beside == 0)
		return pattern->stride / beside;
	return moved > 1.5 * (double)of->bytes && moved / copies <= 1.1 * (double)of->bytes
		       ? pattern->stride / copies
		       : pattern->stride;
}

/*
 * Part of the accesses to short rows in a page each, as of structs along the wrong index. Such rows
 * may use their lines whole, which is no stride while they are found in a cache (blocks).
 */
static double rows_in_pages(const struct array_pattern *pattern, const struct array_facts *facts,
			    const struct strides *strides)
{
	return strides->far_cycles > MOST * strides->cycles &&
			       facts->misses[0] > ROW_MISSES * (facts->loads + facts->stores)
		       ? strides->far / pattern->values
		       : 0;
}

/*
 * Lines stay in the first level until their other values are used, as in tiles: such strides cost as
 * much as contiguous accesses, unless most of the lines need a page walk.
 */
static bool fill_lines(const struct array_pattern *pattern, const struct array_facts *facts,
		       const struct strides *strides)
{
	double values = (facts->loads + facts->stores) * pattern->strided;
	double filled = strides->ends * SHORT_RUN > pattern->strided * pattern->values
				? SHORT_FILLED
				: FILLED;

	return facts->misses[0] * LINE_BYTES <= filled * values * pattern->value_bytes &&
	       !(facts->walks > MOST * facts->misses[0]);
}

/* Rows of blocks use what is fetched of them; each instruction accesses one value of a row. */
static bool use_rows(const struct run *run, uint32_t array, const struct array_pattern *pattern,
		     const struct array_facts *facts)
{
	double row = pattern->value_bytes * copies_of(run, array, pattern->hot, pattern->stride);

	return facts->used >= (row >= LINE_BYTES ? USED_IN_LINES : USED_IN_ROWS) * facts->fetched;
}

/*
 * Corrects the strided part: the skipped bytes of all instructions together (facts) are more
 * precise than single strides, as unrolled loops have several sites.
 */
static void mend_strided(const struct run *run, uint32_t array, struct array_pattern *pattern,
			 const struct array_facts *facts, const struct strides *strides)
{
	double strided = facts->strided / (facts->reads + facts->writes);
	double in_pages = strided < pattern->strided ? rows_in_pages(pattern, facts, strides) : 0;

	/* unrolled loops over vectors, and structs that are read whole, skip nothing */
	pattern->in_tiles = pattern->strided > MOST && (!(strided <= MOST) || in_pages > strided) &&
			    fill_lines(pattern, facts, strides);
	pattern->in_narrow_blocks = !pattern->in_tiles && in_pages > strided &&
				    strides->far_ends * BLOCK_ROWS > strides->far &&
				    use_rows(run, array, pattern, facts);
	if (pattern->in_tiles)
		strided = 0;
	else if (in_pages > strided)
		strided = in_pages;
	if (!(strided < pattern->strided))
		return;
	pattern->contiguous += pattern->strided - strided;
	pattern->strided = strided;
}

/* Few accesses follow each jump, as in buckets of a hash table: the jumps are what misses. */
static bool jumps_miss(const struct array_pattern *pattern, const struct array_facts *facts)
{
	double accesses = facts->loads + facts->stores;

	return !pattern->in_tiles && pattern->irregular < pattern->contiguous &&
	       facts->misses[0] > JUMPS_LEAST * accesses &&
	       pattern->irregular * accesses > MOST * facts->misses[0];
}

/*
 * Rows that use their lines, as of a sparse matrix or of blocks, are no irregular accesses. Where most
 * of each line is left out the few distances may be those of a multiplicative hash.
 */
static void mend_irregular(struct array_pattern *pattern, const struct array_facts *facts,
			   const struct strides *strides)
{
	double in_rows = fmin(strides->in_rows / pattern->values, pattern->irregular);

	if (facts->used >= USED_IN_ROWS * facts->fetched && in_rows > 0) {
		pattern->contiguous += in_rows;
		pattern->irregular -= in_rows;
	}
	if (jumps_miss(pattern, facts)) {
		pattern->irregular += pattern->contiguous;
		pattern->contiguous = 0;
	}
}

const char *array_pattern_word(const struct array_pattern *pattern)
{
	if (!(pattern->values > 0))
		return NULL;
	if (pattern->strided > 0 && pattern->strided >= pattern->contiguous &&
	    pattern->strided >= pattern->irregular)
		return NULL;
	if (pattern->irregular > pattern->contiguous && pattern->irregular > pattern->same)
		return "irregular";
	if (pattern->in_tiles)
		return "in tiles";
	return pattern->contiguous >= pattern->same ? "contiguous" : "same place";
}

struct array_pattern array_pattern_of(const struct run *run, uint32_t array, uint32_t region,
				      const struct array_facts *facts)
{
	struct array_pattern pattern = { .hot = NULL };
	struct strides strides = { 0 };

	for (size_t i = 0; i < run->nr_accesses; i++) {
		const struct run_access *access = &run->accesses[i];

		if (access->array != array ||
		    !(access->region == region || is_in(run, access->loop, region)))
			continue;
		add_access(&pattern, &strides, access);
		if (access->source.line && is_hotter(access, pattern.hot))
			pattern.hot = access;
	}
	to_parts(&pattern, &strides);
	mend_strided(run, array, &pattern, facts, &strides);
	mend_irregular(&pattern, facts, &strides);
	/* the copies access one row of a block */
	if (pattern.stride > 0 && !pattern.in_narrow_blocks && !strides.undone)
		pattern.stride = undo_unrolling(run, array, &pattern);
	return pattern;
}

double array_l1_conflicts(const struct array_facts *facts)
{
	return facts->misses[1] > FEW_FURTHER * facts->misses[0]
		       ? 0
		       : facts->l1_conflict / facts->misses[0];
}
