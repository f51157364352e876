/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SOURCE_WORDS_H
#define MEMSEARCH_SOURCE_WORDS_H

#include <stdbool.h>

#include "analysis/record/run.h"

/*
 * Source lines and hot spots in words. Not here: regions (finding.h), which are named by what is
 * around them.
 */
struct arena;
struct emit_list;

/* The name in texts: where it is long, without the arguments of templates ("std::vector<…>::at"). */
const char *source_function(struct arena *arena, const char *function);
/* "calc2 (swim.c:354)", "f+0x12 in libx.so" …; never empty. */
const char *source_place(struct arena *arena, const struct source *source);
/* "loop at swim.c:354 in calc2"; of a natural loop. */
const char *source_loop(struct arena *arena, const struct source *source);
/*
 * Was it taken inside of the OpenMP runtime, where threads wait? Then its line is not what takes
 * the time.
 */
bool hotspot_waits(const struct run_hotspot *spot);
/*
 * The part of its region's clock samples that it has in a library which it calls; 0 of waits, and of
 * other samples. From HOTSPOT_MUCH of them on a function or library is worth its name.
 */
#define HOTSPOT_MUCH 0.25
double hotspot_in_library(const struct run_hotspot *spot);
/* The hot spot of a region with the largest share, waits apart; NULL. */
const struct run_hotspot *hotspot_of(const struct run *run, uint32_t region, uint32_t metric);

/* The line is near, not exact; no source at all is not. */
bool source_is_approximate(const struct source *source);
/* Function, file, line of a struct source; in JSON whether the line is approximate, too. */
extern const struct emit_list source_fields;

#endif
