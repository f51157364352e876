/* SPDX-License-Identifier: Apache-2.0 */
/* The search's state as text, so that a restarted run can carry it on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/search/engine_private.h"

/*
 *     memsearch-search 1
 *     node PROPERTY REGION THREAD STATE EXPERIMENTS RUNG SEVERITY LOW HIGH CONFIDENCE
 *     evidence NAME UNIT RUNG MISSING VALUE ERROR          of the node above
 *     end NODES CHECKSUM
 *
 * REGION is a key, or 0 for the phase; doubles are written as the hexadecimal of their
 * bits, so that they come back exactly and whatever the program's locale is.
 */
#define HEADER "memsearch-search 1\n"
#define WORD 96

struct engine_carried {
	const char *property;
	uint64_t key;
	uint32_t thread;
	struct engine_node node;
};

/* ------------------------------------------------------------------ writing */

struct writer {
	struct arena *arena;
	char *text;
	size_t nr, room;
	bool failed;
};

static void put(struct writer *writer, const char *line)
{
	for (size_t length = strlen(line) + 1; length--; line++) {
		if (!ARENA_GROW(writer->arena, writer->text, writer->nr, writer->room)) {
			writer->failed = true;
			return;
		}
		writer->text[writer->nr++] = *line;
	}
	writer->nr--;            /* the next line goes over the final 0 */
}

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static double of_bits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo; offset basis and prime are theirs): finds accidents, not forgeries. */
static uint64_t checksum(const char *text, size_t length)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = 0; i < length; i++)
		sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3u;
	return sum;
}

/* A word without blanks, never empty. */
static bool is_word(const char *word)
{
	size_t length = word ? strlen(word) : 0;

	return length && length < WORD && !strpbrk(word, " \n");
}

static void put_node(struct writer *writer, const struct engine_node *node, const char *property, uint64_t key)
{
	const struct ms_verdict *verdict = &node->verdict;
	char line[512];

	snprintf(line, sizeof(line), "node %s %" PRIx64 " %" PRIu32 " %d %" PRIu32 " %d %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 "\n",
		 property, key, node->candidate.thread, (int)node->state, node->experiments, (int)verdict->rung,
		 bits_of(verdict->severity), bits_of(verdict->severity_low), bits_of(verdict->severity_high),
		 bits_of(verdict->confidence));
	put(writer, line);
	for (size_t i = 0; i < verdict->nr_evidence; i++) {
		const struct ms_evidence *evidence = &verdict->evidence[i];

		if (!is_word(evidence->name) || !is_word(evidence->unit))
			continue;
		snprintf(line, sizeof(line), "evidence %s %s %d %d %" PRIx64 " %" PRIx64 "\n", evidence->name, evidence->unit,
			 (int)evidence->reading.rung, (int)evidence->reading.missing, bits_of(evidence->reading.value),
			 bits_of(evidence->reading.error));
		put(writer, line);
	}
}

static bool is_worth_keeping(const struct engine *engine, const struct engine_node *node, uint64_t *key_out)
{
	struct ms_region_info region;

	if (node->state != MS_NODE_TRUE && node->state != MS_NODE_FALSE)
		return false;
	if (!database_region_info(engine->db, node->candidate.region, &region))
		return false;
	*key_out = region.id == MS_REGION_USER ? 0 : region.key;
	return region.id == MS_REGION_USER || region.key;
}

char *engine_save(const struct engine *engine, struct arena *arena)
{
	struct writer writer = { .arena = arena };
	uint64_t nodes = 0, key = 0;
	char line[128];

	put(&writer, HEADER);
	for (uint32_t id = 0; id < engine->history.nr; id++) {
		const struct engine_node *node = engine_node(engine, id);
		const char *name = property_name(engine_property(engine, node->candidate.property));

		if (!is_word(name) || !is_worth_keeping(engine, node, &key))
			continue;
		put_node(&writer, node, name, key);
		nodes++;
	}
	if (writer.failed)
		return NULL;
	snprintf(line, sizeof(line), "end %" PRIu64 " %" PRIx64 "\n", nodes, checksum(writer.text, writer.nr));
	put(&writer, line);
	return writer.failed ? NULL : writer.text;
}

/* ------------------------------------------------------------------ reading */

struct reader {
	struct arena *arena;
	struct engine_carried *items;
	size_t nr, room;
};

/* `line` is one line without its end. */
static bool read_node(struct reader *reader, const char *line)
{
	struct engine_carried carried = { .node = { .verdict = { .missing_metric = -1 } } };
	struct ms_verdict *verdict = &carried.node.verdict;
	uint64_t severity, low, high, confidence;
	char property[WORD];
	int state, rung, end = 0;

	if (sscanf(line, "node %95s %" SCNx64 " %" SCNu32 " %d %" SCNu32 " %d %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 "%n",
		   property, &carried.key, &carried.thread, &state, &carried.node.experiments, &rung,
		   &severity, &low, &high, &confidence, &end) != 10 || line[end])
		return false;
	if ((state != MS_NODE_TRUE && state != MS_NODE_FALSE) || rung < 0 || rung >= MS_RUNGS)
		return false;
	carried.node.state = (enum ms_node_state)state;
	verdict->truth = state == MS_NODE_TRUE ? MS_TRUE : MS_FALSE;
	verdict->rung = (enum ms_rung)rung;
	verdict->severity = of_bits(severity);
	verdict->severity_low = of_bits(low);
	verdict->severity_high = of_bits(high);
	verdict->confidence = of_bits(confidence);
	carried.property = arena_strdup(reader->arena, property);
	if (!carried.property || !ARENA_GROW(reader->arena, reader->items, reader->nr, reader->room))
		return false;
	reader->items[reader->nr++] = carried;
	return true;
}

static bool read_evidence(struct reader *reader, const char *line)
{
	struct ms_verdict *verdict = reader->nr ? &reader->items[reader->nr - 1].node.verdict : NULL;
	char name[WORD], unit[WORD];
	struct ms_evidence *evidence;
	uint64_t value, error;
	int rung, missing, end = 0;

	if (!verdict || verdict->nr_evidence == MS_EVIDENCE_MAX)
		return false;
	if (sscanf(line, "evidence %95s %95s %d %d %" SCNx64 " %" SCNx64 "%n", name, unit, &rung, &missing, &value, &error, &end) != 6 ||
	    line[end] || rung < 0 || rung >= MS_RUNGS || missing < 0 || missing >= MS_MISSING_REASONS)
		return false;
	evidence = &verdict->evidence[verdict->nr_evidence++];
	evidence->name = arena_strdup(reader->arena, name);
	evidence->unit = arena_strdup(reader->arena, unit);
	evidence->reading = (struct ms_reading){
		.value = of_bits(value), .error = of_bits(error), .rung = (enum ms_rung)rung, .missing = (enum ms_missing)missing,
	};
	return evidence->name && evidence->unit;
}

/* The last line, which vouches for the others. */
static bool end_is_right(const struct reader *reader, const char *text, const char *line)
{
	uint64_t nodes, sum;
	int end = 0;

	return sscanf(line, "end %" SCNu64 " %" SCNx64 "%n", &nodes, &sum, &end) == 2 && !strcmp(line + end, "\n") &&
	       nodes == reader->nr && sum == checksum(text, (size_t)(line - text));
}

/* In a copy: sscanf looks for the end of its whole input each time. */
static bool read_line(struct reader *reader, const char *line, size_t length)
{
	char copy[512];

	if (length >= sizeof(copy))
		return false;
	memcpy(copy, line, length);
	copy[length] = 0;
	return copy[0] == 'n' ? read_node(reader, copy) : read_evidence(reader, copy);
}

enum ms_status engine_load(struct engine *engine, const char *text)
{
	struct reader reader = { .arena = engine->arena };
	const char *line = text, *next;

	if (strncmp(text, HEADER, strlen(HEADER)))
		return MS_ERR_FORMAT;
	for (line += strlen(HEADER); (next = strchr(line, '\n')); line = next + 1) {
		if (!strncmp(line, "end ", 4))
			break;
		if (!read_line(&reader, line, (size_t)(next - line)))
			return MS_ERR_FORMAT;
	}
	if (!next || !end_is_right(&reader, text, line))
		return MS_ERR_FORMAT;
	engine->carried = reader.items;
	engine->nr_carried = reader.nr;
	engine_adopt_all(engine);
	return MS_OK;
}

const struct engine_node *carried_find(const struct engine *engine, const struct ms_candidate *candidate)
{
	const char *name = property_name(engine_property(engine, candidate->property));
	struct ms_region_info region;
	uint64_t key;

	if (!engine->nr_carried || !database_region_info(engine->db, candidate->region, &region))
		return NULL;
	key = region.id == MS_REGION_USER ? 0 : region.key;
	if (!key && region.id != MS_REGION_USER)
		return NULL;
	for (size_t i = 0; i < engine->nr_carried; i++) {
		const struct engine_carried *carried = &engine->carried[i];

		if (carried->key == key && carried->thread == candidate->thread && !strcmp(carried->property, name))
			return &carried->node;
	}
	return NULL;
}
