/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_DATABASE_H
#define MEMSEARCH_SEARCH_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/properties/property.h"
#include "memsearch/host.h"
#include "memsearch/measurement.h"
#include "memsearch/request.h"
#include "memsearch/status.h"

/*
 * Periscope's performance database: all that has been measured, by region,
 * thread and metric, over the phase executions in which it was requested. Several
 * experiments measure different things in different executions; to compare them
 * every value is scaled to one mean execution of the phase: sum * mean phase
 * wall time / wall time under observation.
 *
 * For confidence each value is also kept in DATABASE_BATCHES batches, to which phase
 * executions go in turn; a property evaluated over each batch gives the spread.
 */
struct arena;
struct database;

#define DATABASE_BATCHES 4
#define DATABASE_ALL_BATCHES (-1)

struct database *database_new(struct arena *arena);

/* Regions must come in order of their id. Again with the same id: updates kind and parent. */
enum ms_status database_region(struct database *db, const struct ms_region_info *region);
uint32_t database_regions(const struct database *db);
bool database_region_info(const struct database *db, uint32_t region, struct ms_region_info *out);
size_t database_children(const struct database *db, uint32_t region, struct ms_region_info *out, size_t room);

/*
 * One execution of the phase (or, while no phase is known, one stretch of the
 * program): begin, any number of rows, end. Only rows that a request of the current
 * set asks for count; what is requested but does not appear was not executed.
 */
void database_requests(struct database *db, const struct ms_request *requests, size_t nr);
void database_execution_begin(struct database *db);
enum ms_status database_add(struct database *db, const struct ms_measurement *row);
void database_execution_end(struct database *db, double wall_ns);
/* Forget all values (another phase was found, so that old shares mean nothing); regions stay. */
void database_clear(struct database *db);

void database_missing(struct database *db, uint32_t region, uint32_t metric, enum ms_missing why);  /* region MS_REGION_NONE: everywhere */
void database_constant(struct database *db, const char *name, double value);

uint64_t database_executions(const struct database *db);
double database_observed_ns(const struct database *db, uint32_t region, uint32_t metric);
uint64_t database_observed(const struct database *db, uint32_t region, uint32_t metric);  /* phase executions */
struct ms_reading database_reading(const struct database *db, int batch, uint32_t region, uint32_t thread, uint32_t metric);
size_t database_threads(const struct database *db, uint32_t region, uint32_t *out, size_t room);

/* A context for property_evaluate over all values or over one batch; `storage` must outlive it. */
struct database_view {
	const struct database *db;
	int batch;
};
struct property_context database_context(struct database_view *storage, const struct database *db, int batch, uint32_t region);

/* Every cell in turn, for the record. */
void database_each(const struct database *db, void (*visit)(void *ctx, const struct ms_measurement *row, uint64_t phases, double observed_ns), void *ctx);

#endif
