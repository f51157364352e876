/* SPDX-License-Identifier: Apache-2.0 */
/* The search's state as text, so that a restarted run can carry it on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/search/engine_private.h"
#include "analysis/search/state_text.h"

/*
 *     runs NUMBER                                          that this state has seen
 *     node PROPERTY REGION THREAD STATE EXPERIMENTS RUNG SEVERITY LOW HIGH CONFIDENCE
 *     INTERVAL_KNOWN
 *     evidence NAME UNIT RUNG MISSING VALUE ERROR          of the node above
 *
 * REGION is a key, or 0 for the phase.
 */
#define HEADER "memsearch-search 2"
#define WORD 96
#define RUNS_MAX 1000000u

struct engine_carried {
	const char *property;
	uint64_t key;
	uint32_t thread;
	struct engine_node node;
};

/*
 * What is known of the interval: 0 nothing, 1 it comes from the spread, 2 its upper end is a
 * model's.
 */
#define INTERVAL_OF_MODEL 2

/* ------------------------------------------------------------------ writing */

/* A word without blanks, never empty. */
static bool is_word(const char *word)
{
	size_t length = word ? strlen(word) : 0;

	return length && length < WORD && !strpbrk(word, " \n");
}

static void put_node(struct state_writer *writer, const struct engine_node *node,
		     const char *property, uint64_t key)
{
	const struct ms_verdict *verdict = &node->verdict;

	state_line(writer,
		   "node %s %" PRIx64 " %" PRIu32 " %d %" PRIu32 " %d %" PRIx64 " %" PRIx64
		   " %" PRIx64 " %" PRIx64 " %d",
		   property, key, node->candidate.thread, (int)node->state, node->experiments,
		   (int)verdict->rung, state_bits(verdict->severity),
		   state_bits(verdict->severity_low), state_bits(verdict->severity_high),
		   state_bits(verdict->confidence),
		   verdict->severity_of_model ? INTERVAL_OF_MODEL : verdict->interval_known != 0);
	for (size_t i = 0; i < verdict->nr_evidence; i++) {
		const struct ms_evidence *evidence = &verdict->evidence[i];

		if (is_word(evidence->name) && is_word(evidence->unit))
			state_line(writer, "evidence %s %s %d %d %" PRIx64 " %" PRIx64,
				   evidence->name, evidence->unit, (int)evidence->reading.rung,
				   (int)evidence->reading.missing,
				   state_bits(evidence->reading.value),
				   state_bits(evidence->reading.error));
	}
}

static bool is_worth_keeping(const struct engine *engine, const struct engine_node *node,
			     uint64_t *key_out)
{
	struct ms_region_info region;

	if ((node->state != MS_NODE_TRUE && node->state != MS_NODE_FALSE) ||
	    node->candidate.interval != MS_INTERVAL_WHOLE) /* intervals are measured anew */
		return false;
	if (!database_region_info(engine->db, node->candidate.region, &region))
		return false;
	*key_out = region.id == MS_REGION_USER ? 0 : region.key;
	return region.id == MS_REGION_USER || region.key;
}

char *engine_save(const struct engine *engine, struct arena *arena)
{
	struct state_writer writer;
	uint64_t key = 0;

	state_begin(&writer, arena, HEADER);
	state_line(&writer, "runs %" PRIu32, engine->earlier.runs + 1);
	for (uint32_t id = 0; id < engine->history.nr; id++) {
		const struct engine_node *node = engine_node(engine, id);
		const char *name = property_name(engine_property(engine, node->candidate.property));

		if (is_word(name) && is_worth_keeping(engine, node, &key))
			put_node(&writer, node, name, key);
	}
	return state_end(&writer);
}

/* ------------------------------------------------------------------ reading */

struct reader {
	struct arena *arena;
	struct engine_carried *items;
	size_t nr, room;
	uint32_t runs;
};

static bool is_share(double value)
{
	return value >= 0 && value <= 1;
}

/* What properties can say (property_evaluate). */
static bool is_possible(const struct ms_verdict *verdict)
{
	return is_share(verdict->severity) && is_share(verdict->severity_low) &&
	       is_share(verdict->severity_high) && is_share(verdict->confidence);
}

/* `line` is one line without its end. */
static bool read_node(struct reader *reader, const char *line)
{
	struct engine_carried carried = { .node = { .verdict = { .missing_metric = -1 } } };
	struct ms_verdict *verdict = &carried.node.verdict;
	uint64_t severity, low, high, confidence;
	char property[WORD];
	int state, rung, known, end = 0;

	if (sscanf(line,
		   "node %95s %" SCNx64 " %" SCNu32 " %d %" SCNu32 " %d %" SCNx64 " %" SCNx64
		   " %" SCNx64 " %" SCNx64 " %d%n",
		   property, &carried.key, &carried.thread, &state, &carried.node.experiments,
		   &rung, &severity, &low, &high, &confidence, &known, &end) != 11 ||
	    line[end])
		return false;
	if ((state != MS_NODE_TRUE && state != MS_NODE_FALSE) || rung < 0 || rung >= MS_RUNGS)
		return false;
	carried.node.state = (enum ms_node_state)state;
	verdict->truth = state == MS_NODE_TRUE ? MS_TRUE : MS_FALSE;
	verdict->rung = (enum ms_rung)rung;
	verdict->interval_known = known != 0;
	verdict->severity_of_model = known == INTERVAL_OF_MODEL;
	verdict->severity = state_double(severity);
	verdict->severity_low = state_double(low);
	verdict->severity_high = state_double(high);
	verdict->confidence = state_double(confidence);
	carried.property = arena_strdup(reader->arena, property);
	if (!is_possible(verdict) || !carried.property ||
	    !ARENA_GROW(reader->arena, reader->items, reader->nr, reader->room))
		return false;
	reader->items[reader->nr++] = carried;
	return true;
}

static bool read_evidence(struct reader *reader, const char *line)
{
	struct ms_verdict *verdict = reader->nr ? &reader->items[reader->nr - 1].node.verdict
						: NULL;
	char name[WORD], unit[WORD];
	struct ms_evidence *evidence;
	uint64_t value, error;
	int rung, missing, end = 0;

	if (!verdict || verdict->nr_evidence == MS_EVIDENCE_MAX)
		return false;
	if (sscanf(line, "evidence %95s %95s %d %d %" SCNx64 " %" SCNx64 "%n", name, unit, &rung,
		   &missing, &value, &error, &end) != 6 ||
	    line[end] || rung < 0 || rung >= MS_RUNGS || missing < 0 ||
	    missing >= MS_MISSING_REASONS)
		return false;
	evidence = &verdict->evidence[verdict->nr_evidence++];
	evidence->name = arena_strdup(reader->arena, name);
	evidence->unit = arena_strdup(reader->arena, unit);
	evidence->reading = (struct ms_reading){
		.value = state_double(value),
		.error = state_double(error),
		.rung = (enum ms_rung)rung,
		.missing = (enum ms_missing)missing,
	};
	return evidence->name && evidence->unit;
}

static bool read_runs(struct reader *reader, const char *line)
{
	int end = 0;

	return sscanf(line, "runs %" SCNu32 "%n", &reader->runs, &end) == 1 && !line[end] &&
	       reader->runs && reader->runs < RUNS_MAX;
}

static bool read_line(void *ctx, const char *line)
{
	struct reader *reader = ctx;

	return line[0] == 'n'   ? read_node(reader, line)
	       : line[0] == 'r' ? read_runs(reader, line)
				: read_evidence(reader, line);
}

enum ms_status engine_load(struct engine *engine, const char *text)
{
	struct reader reader = { .arena = engine->arena };

	if (!state_read(text, HEADER, read_line, &reader))
		return MS_ERR_FORMAT;
	engine->earlier.nodes = reader.items;
	engine->earlier.nr = reader.nr;
	engine->earlier.runs = reader.runs;
	engine_adopt_all(engine);
	return MS_OK;
}

uint32_t engine_runs(const struct engine *engine)
{
	return engine->earlier.runs;
}

const struct engine_node *carried_find(const struct engine *engine,
				       const struct ms_candidate *candidate)
{
	const char *name = property_name(engine_property(engine, candidate->property));
	struct ms_region_info region;
	uint64_t key;

	if (!engine->earlier.nr || candidate->interval != MS_INTERVAL_WHOLE ||
	    !database_region_info(engine->db, candidate->region, &region))
		return NULL;
	key = region.id == MS_REGION_USER ? 0 : region.key;
	if (!key && region.id != MS_REGION_USER)
		return NULL;
	for (size_t i = 0; i < engine->earlier.nr; i++) {
		const struct engine_carried *carried = &engine->earlier.nodes[i];

		if (carried->key == key && carried->thread == candidate->thread &&
		    !strcmp(carried->property, name))
			return &carried->node;
	}
	return NULL;
}
