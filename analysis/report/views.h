/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_VIEWS_H
#define MEMSEARCH_REPORT_VIEWS_H

/*
 * The displays that belong to a property (VIEW in its file): tables with the data of the focus of
 * one finding. Values are of one mean execution of the phase.
 *
 * To add one: its row in PROPERTY_VIEW_LIST (analysis/properties/property.h), and its function here.
 */
struct run;
struct run_node;
struct text;

/* Nothing where there are no values. Each row is indented by `indent` columns. */
void views_text(struct text *out, const struct run *run, const struct run_node *node, int indent);

#endif
