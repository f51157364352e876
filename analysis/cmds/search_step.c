/* SPDX-License-Identifier: Apache-2.0 */
/* A search by hand, in a terminal or from a pipe. */
#include "analysis/cmds/search_step.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/searched.h"
#include "analysis/cmds/show.h"
#include "analysis/properties/property.h"
#include "analysis/report/finding.h"
#include "analysis/report/foci.h"
#include "analysis/report/history_graph.h"
#include "analysis/report/text.h"
#include "analysis/search/by_hand.h"
#include "analysis/search/engine_results.h"
#include "memsearch/request.h"
#include "memsearch/strategy.h"

#define ALL_AXES (BY_HAND_WHY | BY_HAND_CODE | BY_HAND_DATA | BY_HAND_THREADS)
/* without the candidates of single threads, which are many */
#define USUAL_AXES (BY_HAND_WHY | BY_HAND_CODE | BY_HAND_DATA | BY_HAND_PROPOSED)
#define INDENT 8

static const struct {
	const char *word;
	unsigned int axes;
} axes[] = {
	{ "why", BY_HAND_WHY },         { "code", BY_HAND_CODE }, { "data", BY_HAND_DATA },
	{ "threads", BY_HAND_THREADS }, { "all", ALL_AXES },
};

struct choice {
	uint32_t first, nr; /* nodes that it led to, as engine_node */
	bool by_strategy;
};

struct dialogue {
	struct arena *arena;
	struct searched *searched;
	struct by_hand *by_hand;
	int width;
	unsigned int axes;
	bool automatic; /* the strategy alone from here on */
	bool refused;   /* the last line tested nothing: the candidates are printed already */
	const struct by_hand_candidate *candidates;
	size_t nr_candidates;
	struct choice *choices;
	size_t nr_choices, room_choices;
	uint32_t reported; /* nodes whose verdicts were printed */
};

/* ------------------------------------------------------------------ what is printed */

static const char *candidate_words(const struct dialogue *dialogue,
				   const struct ms_candidate *candidate)
{
	const struct searched *searched = dialogue->searched;
	const char *words = arena_printf(
		dialogue->arena, "%s, %s",
		property_title(searched->search.properties->properties[candidate->property]),
		finding_place(dialogue->arena, searched->run, candidate->region));

	return candidate->thread == MS_REQUEST_ALL_THREADS
		       ? words
		       : arena_printf(dialogue->arena, "%s, thread %" PRIu32, words,
				      candidate->thread);
}

static int print_candidates(const struct dialogue *dialogue)
{
	struct text out;

	text_init(&out, dialogue->arena);
	text_printf(&out,
		    "\nExecution %" PRIu64
		    ". Candidates (* a hint points there, + %s proposes it):\n",
		    dialogue->searched->search.executions, dialogue->searched->strategy->name);
	for (size_t i = 0; i < dialogue->nr_candidates; i++) {
		const struct by_hand_candidate *item = &dialogue->candidates[i];

		text_printf(&out, "%4zu %c%c ", i + 1, item->hinted ? '*' : ' ',
			    item->proposed ? '+' : ' ');
		text_wrap(&out, candidate_words(dialogue, &item->candidate), INDENT,
			  dialogue->width);
		text_add(&out, "\n");
	}
	return command_print(&out);
}

static int print_help(const struct dialogue *dialogue)
{
	struct text out;

	text_init(&out, dialogue->arena);
	text_wrap(
		&out,
		"Type the numbers of candidates to test, such as 1 3-5; nothing: those with +; why, code, data, threads or all: list these; foci: what holds now, and where; a: the strategy alone; q: end.",
		0, dialogue->width);
	text_add(&out, "\n");
	return command_print(&out);
}

static int print_prompt(const struct dialogue *dialogue)
{
	struct text out;

	text_init(&out, dialogue->arena);
	text_add(&out, "test> ");
	if (!isatty(STDIN_FILENO))
		text_add(&out, "\n");
	return command_print(&out);
}

/* Verdicts since the last time. */
static int print_verdicts(struct dialogue *dialogue)
{
	const struct run *found = &dialogue->searched->found;
	struct text out;

	if (!searched_update(dialogue->searched))
		return COMMAND_BAD_DATA;
	text_init(&out, dialogue->arena);
	for (; dialogue->reported < found->nr_nodes; dialogue->reported++)
		history_graph_line(&out, found, &found->nodes[dialogue->reported], 2,
				   dialogue->width);
	return command_print(&out);
}

static int print_path(const struct dialogue *dialogue)
{
	const struct run *found = &dialogue->searched->found;
	struct text out;

	text_init(&out, dialogue->arena);
	text_add(&out, "\nThe path:\n");
	for (size_t i = 0; i < dialogue->nr_choices; i++) {
		const struct choice *choice = &dialogue->choices[i];

		text_printf(&out, "%4zu  %s\n", i + 1,
			    choice->by_strategy ? "by the strategy" : "by hand");
		for (uint32_t id = choice->first; id < choice->first + choice->nr; id++)
			history_graph_line(&out, found, &found->nodes[id], 6, dialogue->width);
	}
	if (!dialogue->nr_choices)
		text_add(&out, "      nothing was tested\n");
	text_add(&out, "\n");
	return command_print(&out);
}

static bool is_same_focus(const struct run_node *a, const struct run_node *b)
{
	return a->region == b->region && a->thread == b->thread;
}

/* Whether a hypothesis that holds before it has the same focus. */
static bool is_listed(const struct run *found, uint32_t id)
{
	for (uint32_t i = 0; i < id; i++)
		if (found->nodes[i].state == MS_NODE_TRUE &&
		    is_same_focus(&found->nodes[i], &found->nodes[id]))
			return true;
	return false;
}

/* Each focus at which hypotheses hold, in the order in which they were reached, with these. */
static int print_foci(struct dialogue *dialogue)
{
	const struct run *found = &dialogue->searched->found;
	const struct foci *foci = foci_of(dialogue->arena, found, show_is_brief());
	struct text out;

	text_init(&out, dialogue->arena);
	for (uint32_t id = 0; foci && id < found->nr_nodes; id++) {
		if (found->nodes[id].state != MS_NODE_TRUE || is_listed(found, id))
			continue;
		text_add(&out, "  ");
		foci_add(&out, foci, found->nodes[id].region, found->nodes[id].thread);
		text_add(&out, "\n");
		for (uint32_t i = id; i < found->nr_nodes; i++)
			if (found->nodes[i].state == MS_NODE_TRUE &&
			    is_same_focus(&found->nodes[i], &found->nodes[id]))
				text_printf(&out, "%*s%s\n", INDENT, "",
					    finding_title(dialogue->arena, &found->nodes[i]));
	}
	if (!out.length)
		text_add(&out, "  no hypothesis holds\n");
	dialogue->refused = true; /* the candidates are those above */
	return command_print(&out) == COMMAND_OK ? COMMAND_GO_ON : COMMAND_BAD_DATA;
}

/* ------------------------------------------------------------------ what is tested */

/* Says what is wrong; another line is read. */
__attribute__((format(printf, 2, 3))) static int refuse(struct dialogue *dialogue,
							const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_warning("%s", arena_vprintf(dialogue->arena, format, args));
	va_end(args);
	dialogue->refused = true;
	return COMMAND_GO_ON;
}

/* Candidates with their conditions are new nodes; measures until all are decided. */
static int test(struct dialogue *dialogue, const struct ms_candidate *candidates, size_t nr,
		bool by_strategy)
{
	struct monitored_search *search = &dialogue->searched->search;
	struct choice choice = { .first = (uint32_t)engine_nodes(search->engine),
				 .by_strategy = by_strategy };

	monitored_search_ask(search, candidates, nr);
	while (monitored_search_advance(search))
		;
	choice.nr = (uint32_t)engine_nodes(search->engine) - choice.first;
	if (!choice.nr && dialogue->automatic)
		return COMMAND_OK;
	if (!choice.nr)
		return refuse(dialogue,
			      "nothing was tested: the phase does not execute the region");
	if (!ARENA_GROW(dialogue->arena, dialogue->choices, dialogue->nr_choices,
			dialogue->room_choices))
		return COMMAND_BAD_DATA;
	dialogue->choices[dialogue->nr_choices++] = choice;
	dialogue->axes = USUAL_AXES;
	return print_verdicts(dialogue) == COMMAND_OK ? COMMAND_GO_ON : COMMAND_BAD_DATA;
}

static int test_proposed(struct dialogue *dialogue)
{
	struct ms_candidate *chosen = arena_alloc(dialogue->arena,
						  (dialogue->nr_candidates + 1) * sizeof(*chosen));
	size_t nr = 0;

	for (size_t i = 0; chosen && i < dialogue->nr_candidates; i++)
		if (dialogue->candidates[i].proposed)
			chosen[nr++] = dialogue->candidates[i].candidate;
	if (nr)
		return test(dialogue, chosen, nr, true);
	if (dialogue->automatic)
		return COMMAND_OK;
	return refuse(dialogue, "%s proposes nothing of these: name numbers, or q to end",
		      dialogue->searched->strategy->name);
}

/* "3" or "3-5", up to `most`; *end is behind it. */
static bool read_range(const char *text, size_t most, size_t *first, size_t *last, char **end)
{
	errno = 0;
	*first = *last = strtoul(text, end, 10);
	if (*end == text || text[0] == '-' || text[0] == '+')
		return false;
	if (**end == '-') {
		const char *second = *end + 1;

		*last = strtoul(second, end, 10);
		if (*end == second || *second == '-' || *second == '+')
			return false;
	}
	return !errno && *first && *first <= *last && *last <= most &&
	       (!**end || strchr(" ,\t", **end));
}

static int test_numbers(struct dialogue *dialogue, const char *line)
{
	struct ms_candidate *chosen = arena_alloc(dialogue->arena,
						  (dialogue->nr_candidates + 1) * sizeof(*chosen));
	bool *taken = arena_alloc(dialogue->arena, dialogue->nr_candidates + 1);
	size_t nr = 0;

	if (!chosen || !taken)
		return COMMAND_BAD_DATA;
	for (line += strspn(line, " ,\t"); *line; line += strspn(line, " ,\t")) {
		size_t first, last, length = strcspn(line, " ,\t");
		char *end;

		if (!read_range(line, dialogue->nr_candidates, &first, &last, &end))
			return refuse(
				dialogue,
				"'%.*s' is no candidate: name numbers from 1 to %zu, such as 1 3-5; nothing is tested",
				(int)length, line, dialogue->nr_candidates);
		for (size_t i = first; i <= last; i++)
			if (!taken[i - 1]) {
				taken[i - 1] = true;
				chosen[nr++] = dialogue->candidates[i - 1].candidate;
			}
		line = end;
	}
	return test(dialogue, chosen, nr, false);
}

/* ------------------------------------------------------------------ the dialogue */

/* COMMAND_OK: it ends. */
static int obey(struct dialogue *dialogue, const char *line)
{
	for (size_t i = 0; i < sizeof(axes) / sizeof(axes[0]); i++)
		if (!strcmp(line, axes[i].word)) {
			dialogue->axes = axes[i].axes;
			return COMMAND_GO_ON;
		}
	if (!strcmp(line, "q"))
		return COMMAND_OK;
	if (!strcmp(line, "a")) {
		dialogue->automatic = true;
		return COMMAND_GO_ON;
	}
	if (!strcmp(line, "foci"))
		return print_foci(dialogue);
	return *line ? test_numbers(dialogue, line) : test_proposed(dialogue);
}

/* COMMAND_GO_ON with a line that lives until the next one; COMMAND_OK: the input ends. */
static int read_line(struct dialogue *dialogue, char **line, size_t *room)
{
	ssize_t length;

	if (!dialogue->refused && print_candidates(dialogue) != COMMAND_OK)
		return COMMAND_BAD_DATA;
	if (print_prompt(dialogue) != COMMAND_OK)
		return COMMAND_BAD_DATA;
	dialogue->refused = false;
	length = getline(line, room, stdin);
	if (length < 0)
		return COMMAND_OK;
	while (length && strchr(" \t\r\n", (*line)[length - 1]))
		(*line)[--length] = 0;
	return COMMAND_GO_ON;
}

/* Nothing left along any axis ends it. */
static int list_candidates(struct dialogue *dialogue)
{
	const struct engine *engine = dialogue->searched->search.engine;
	size_t nr = by_hand_list(dialogue->by_hand, engine, dialogue->axes, &dialogue->candidates);

	if (!nr && dialogue->axes != ALL_AXES) {
		dialogue->axes = ALL_AXES;
		nr = by_hand_list(dialogue->by_hand, engine, ALL_AXES, &dialogue->candidates);
	}
	dialogue->nr_candidates = nr;
	return nr == SIZE_MAX ? COMMAND_BAD_DATA : nr ? COMMAND_GO_ON : COMMAND_OK;
}

static int talk(struct dialogue *dialogue)
{
	char *line = NULL;
	size_t room = 0;
	int code = COMMAND_GO_ON;

	while (code == COMMAND_GO_ON) {
		code = list_candidates(dialogue);
		if (code == COMMAND_GO_ON && dialogue->automatic) {
			code = test_proposed(dialogue);
			continue;
		}
		if (code == COMMAND_GO_ON)
			code = read_line(dialogue, &line, &room);
		if (code == COMMAND_GO_ON)
			code = obey(dialogue, line);
	}
	free(line);
	return code;
}

int search_step(struct arena *arena, struct searched *searched, const struct searched_how *how,
		int width)
{
	struct dialogue dialogue = { .arena = arena,
				     .searched = searched,
				     .by_hand = by_hand_new(arena, searched->strategy),
				     .width = width,
				     .axes = USUAL_AXES };
	int code;

	if (!dialogue.by_hand)
		return COMMAND_BAD_DATA;
	searched->strategy = by_hand_strategy(dialogue.by_hand);
	if (!searched_begin(searched, arena, how))
		return COMMAND_BAD_DATA;
	code = print_help(&dialogue) == COMMAND_OK ? talk(&dialogue) : COMMAND_BAD_DATA;
	if (code != COMMAND_OK)
		return code;
	return searched_finish(searched) ? print_path(&dialogue) : COMMAND_BAD_DATA;
}
