/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_EXPLAIN_H
#define MEMSEARCH_REPORT_EXPLAIN_H

#include "analysis/record/run.h"

/*
 * Fills in the title of every node, and the explanation and advice of the proven ones: the
 * property's text with the values and places of this run. Needs resolved regions and hot spots for
 * the words {region} {function} {line} {hot_function} {hot_line} {hot_share} {parent_hot_function}
 * {parent_hot_line} {threads} {execution} {phase} {array} {array_line} {first_touch_line}
 * {construct} {construct_line} {loops}. A hot_ word, {array_line}, {first_touch_line} or {threads}
 * that is not known is left to property_fill, which drops the [part] it stands in.
 */
struct arena;
struct property_set;

void explain(struct run *run, struct arena *arena, const struct property_set *properties);

#endif
