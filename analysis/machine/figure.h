/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MACHINE_FIGURE_H
#define MEMSEARCH_MACHINE_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The figures of a modelled machine, one row each: what machine files call them, how they are
 * written, and where they are in the model. Reading, checking and printing walk this table.
 *
 * To add one: its field in model.h, its row in figure.c, its line in properties/machines/README.md.
 */
struct arena;
struct machine_model;

enum figure_kind {
	FIGURE_COUNT, /* a whole number, no unit */
	FIGURE_WAYS,  /* the same, or "full" */
	FIGURE_BYTES,
	FIGURE_CYCLES, /* of the core; files may say ns */
	FIGURE_HERTZ,
	FIGURE_WORD, /* one of `words`, by its number */
};

struct figure {
	const char *key; /* "l1.size" */
	enum figure_kind kind;
	size_t offset, bytes; /* of its field */
	const char *words;    /* "lru|tree_plru" */
	int level;            /* of the cache, 1 …; 0: of none */
	int tlb;              /* of the TLB, 1 …; 0: of none */
	int huge_tlb;         /* likewise, of the TLB of huge pages */
	const char *meaning;
};

/* In the order in which they are printed; the number of them. */
size_t figures(const struct figure **out);
const struct figure *figure_find(const char *key); /* NULL: none */

uint64_t figure_get(const struct figure *figure, const struct machine_model *model);
/* False: it does not fit into its field. */
bool figure_set(const struct figure *figure, struct machine_model *model, uint64_t value);
/* Whether the model has the cache or TLB it is of. */
bool figure_applies(const struct figure *figure, const struct machine_model *model);
/* Whether it is a latency that nothing uses, as distances or a single node say it. */
bool figure_is_none(const struct figure *figure, const struct machine_model *model);
/* The number of `word` (length `nr`) among the figure's words; -1: none. */
int figure_word(const struct figure *figure, const char *word, size_t nr);
const char *figure_word_text(struct arena *arena, const struct figure *figure, uint64_t value);
/*
 * As machine files say it: "256 KiB", "14 cycles", "1.6 GHz", "lru". NULL: it is not known, or no
 * memory.
 */
const char *figure_text(struct arena *arena, const struct figure *figure,
			const struct machine_model *model);
/* "bytes", "cycles", "Hz"; "1"; NULL: a word */
const char *figure_unit(const struct figure *figure);

#endif
