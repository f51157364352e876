/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the property language: any bytes must load to properties, event tables or messages, and
 * what loads must evaluate to something sane. Corpus: tests/fuzz/asl and properties/.
 *     clang-19 -fsanitize=fuzzer,address,undefined … tests/fuzz/asl.c, or the unit test asl_fuzz
 */
#include "analysis/base/arena.h"
#include "analysis/properties/asl.h"
#include "analysis/properties/event_tables.h"
#include "analysis/properties/evaluation.h"
#include "analysis/properties/fill.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Values that depend on where they are asked for; every reason and odd numbers come up. */
static struct ms_reading fuzz_reading(void *data, uint32_t region, uint32_t thread, uint32_t metric)
{
	static const double numbers[] = { 0, 1, 1e3, 1e9, -1, 1e308, 0.5 };
	uint32_t mixed = region * 31 + thread * 7 + metric * 3;

	(void)data;
	if (mixed % 5 == 0)
		return (struct ms_reading){ .missing = (enum ms_missing)(mixed %
									 MS_MISSING_REASONS) };
	return (struct ms_reading){ .value = numbers[mixed % 7],
				    .error = mixed % 3,
				    .rung = (enum ms_rung)(mixed % MS_RUNGS) };
}

static size_t fuzz_threads(void *data, uint32_t region, uint32_t *out, size_t room)
{
	(void)data;
	for (uint32_t i = 0; i < region % 4 && i < room; i++)
		out[i] = i;
	return region % 4;
}

static struct ms_reading fuzz_executions(void *data, uint32_t region)
{
	return fuzz_reading(data, region, 0, 0);
}

/* A tree of 13 regions: region n has the children 3n+1 … 3n+3. */
static uint32_t fuzz_parent(void *data, uint32_t region)
{
	(void)data;
	return region ? (region - 1) / 3 : MS_REGION_NONE;
}

static size_t fuzz_children(void *data, uint32_t region, uint32_t *out, size_t room)
{
	(void)data;
	for (uint32_t i = 0; region < 4 && i < 3 && i < room; i++)
		out[i] = 3 * region + 1 + i;
	return region < 4 ? 3 : 0;
}

static enum ms_region_kind fuzz_kind(void *data, uint32_t region)
{
	(void)data;
	return (enum ms_region_kind)(region % MS_REGION_KINDS);
}

static struct ms_reading fuzz_constant(void *data, const char *name)
{
	(void)data;
	return (struct ms_reading){ .value = name[0] % 9, .rung = MS_RUNG_COUNTED };
}

static void fuzz_evaluate(const struct property_set *set, const struct property *property,
			  uint32_t region)
{
	struct property_context context = { .region = region,
					    .reading = fuzz_reading,
					    .threads = fuzz_threads,
					    .executions = fuzz_executions,
					    .parent = fuzz_parent,
					    .kind = fuzz_kind,
					    .children = fuzz_children,
					    .constant = fuzz_constant };
	struct property_word word = { "hot_line", "x.c:1" };
	struct ms_verdict verdict;
	uint32_t threads[4];

	if (property_evaluate(property, &context, &verdict) != MS_OK)
		__builtin_trap();
	if (!(verdict.severity >= 0 && verdict.severity <= 1 && verdict.confidence >= 0 &&
	      verdict.confidence <= 1))
		__builtin_trap();
	if (verdict.truth == MS_UNKNOWN && verdict.missing == MS_PRESENT)
		__builtin_trap();
	property_threads(property, &context, threads, 4);
	property_nodes(property, &context, threads, 4);
	if (!property_fill(set->arena, property_advice(property), verdict.evidence,
			   verdict.nr_evidence, &word, 1))
		__builtin_trap();
}

/* What a table says must be sane, however it was written. */
static void fuzz_table(const struct property_set *set, const struct event_table *table)
{
	if (!table->nr_names || !table->nr_metrics || !property_set_events(set, table->names[0]))
		__builtin_trap();
	for (size_t i = 0; i < table->nr_metrics; i++) {
		const struct event_metric *metric = &table->metrics[i];

		if (!event_metric_portable(metric->metric) ||
		    event_table_metric(table, metric->metric) != metric)
			__builtin_trap();
		if (metric->nr_terms < 1 || metric->nr_terms > EVENT_TERMS_MAX ||
		    !event_metric_formula(set->arena, metric))
			__builtin_trap();
		for (size_t j = 0; j < metric->nr_terms; j++)
			if (metric->terms[j].factor == 0 || !metric->terms[j].event[0])
				__builtin_trap();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_new();
	struct property_set *set = property_set_new(arena);

	property_set_parse(set, "fuzz.asl", (const char *)bytes, length);
	link_set(set);
	for (size_t i = 0; i < set->nr; i++) {
		for (uint32_t region = 0; region < 6; region++)
			fuzz_evaluate(set, set->properties[i], region);
	}
	for (size_t i = 0; i < set->nr_event_tables; i++)
		fuzz_table(set, set->event_tables[i]);
	arena_free(arena);
	return 0;
}
