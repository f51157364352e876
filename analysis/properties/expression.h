/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROPERTIES_EXPRESSION_H
#define MEMSEARCH_PROPERTIES_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/properties/unit.h"
#include "memsearch/metric.h"

/*
 * Expressions of property files as trees, with their types and units. Private to
 * analysis/properties; see asl.h.
 */
/*  X(ID, name, least arguments, most arguments) */
/* clang-format off */
#define ASL_FUNCTIONS(X) \
	X(SUM, "sum", 1, 1) \
	X(MAX, "max", 1, 8) \
	X(MIN, "min", 1, 8) \
	X(MEAN, "mean", 1, 1) \
	X(COUNT, "count", 1, 1) \
	X(IMBALANCE, "imbalance", 1, 1) \
	X(EITHER, "either", 2, 8) \
	X(OPTIONAL, "optional", 1, 2) \
	X(ABS, "abs", 1, 1) \
	X(SQRT, "sqrt", 1, 1) \
	X(EXECUTIONS, "executions", 1, 1) \
	X(THREADS, "threads", 1, 1) \
	X(REGIONS, "regions", 1, 1)
/* clang-format on */

/* Constants of the machine and the run: X(name, unit, why it is missing if it is not set). */
/* clang-format off */
#define ASL_CONSTANTS(X) \
	X("cpus", "1", MS_MISSING_NOT_SUPPORTED) \
	X("nodes", "1", MS_MISSING_NOT_SUPPORTED) \
	X("modelled_nodes", "1", MS_MISSING_NOT_SUPPORTED) \
	X("phase_threads", "1", MS_MISSING_NOT_SUPPORTED) \
	X("phase_executions", "1", MS_MISSING_NOT_SUPPORTED) \
	X("sampling_hz", "Hz", MS_MISSING_NOT_SUPPORTED) \
	X("chunk_cost", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("fault_cost", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("atomic_cost", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("core_cycle_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("line_size", "bytes", MS_MISSING_NOT_SUPPORTED) \
	X("page_size", "bytes", MS_MISSING_NOT_SUPPORTED) \
	X("attainable_bandwidth", "bytes/s", MS_MISSING_NOT_CALIBRATED) \
	X("single_bandwidth", "bytes/s", MS_MISSING_NOT_CALIBRATED) \
	X("cache_bytes", "bytes", MS_MISSING_NOT_CALIBRATED) \
	X("modelled_cache_bytes", "bytes", MS_MISSING_NOT_MODELLED) \
	X("cycle_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("walk_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("second_cache_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("third_cache_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("memory_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("remote_memory_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("transfer_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("remote_transfer_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("second_tlb_time", "ns", MS_MISSING_NOT_SUPPORTED) \
	X("node_free", "1", MS_MISSING_NOT_SUPPORTED)
/* clang-format on */

enum expr_op {
	EXPR_NUMBER,
	/* as parsed; semantics.c turns them into what follows */
	EXPR_NAME,      /* name */
	EXPR_REFERENCE, /* path[0].path[1] or path[0].path[1].path[2] */
	EXPR_CALL,      /* name(args) */
	/* leaves */
	EXPR_BINDING,  /* index of the LET binding */
	EXPR_CONSTANT, /* index in ASL_CONSTANTS */
	EXPR_METRIC,   /* index = enum ms_metric, of `scope`, of subregions of `kinds` */
	EXPR_FORMULA,  /* the same for a derived metric */
	/* a bare region, as argument of executions(), threads(), regions() */
	EXPR_REGION,
	/* operators */
	EXPR_NEGATE,
	EXPR_ADD,
	EXPR_SUBTRACT,
	EXPR_MULTIPLY,
	EXPR_DIVIDE,
	EXPR_LESS,
	EXPR_LESS_EQUAL,
	EXPR_GREATER,
	EXPR_GREATER_EQUAL,
	EXPR_EQUAL,
	EXPR_UNEQUAL,
	EXPR_AND,
	EXPR_OR,
	EXPR_NOT,
	/*
	 * the argument for each NUMA node the region's threads run on, and these of subregions of
	 * `kinds`
	 */
	EXPR_BY_NODE,
/* functions; SUM, MEAN, COUNT, IMBALANCE and one-argument MAX, MIN reduce */
#define X(id, name, least, most) EXPR_##id,
	ASL_FUNCTIONS(X)
#undef X
};

enum expr_scope { SCOPE_NONE, SCOPE_REGION, SCOPE_PHASE, SCOPE_PARENT, SCOPE_CONSTRUCT };

/*
 * Does a value differ from thread to thread, from subregion to subregion, from node to node, or not
 * at all?
 */
enum expr_spread { SPREAD_NONE, SPREAD_THREADS, SPREAD_REGIONS, SPREAD_NODES };

#define KINDS_NONE 0u
#define KINDS_ALL UINT32_MAX /* r.SUBREGIONS.x */

struct expr_type {
	bool truth; /* a truth value, else a number */
	enum expr_spread spread;
	enum expr_scope scope; /* whose threads or subregions */
	/* 1 << kind of the subregions that play a part; KINDS_NONE: none */
	uint32_t kinds;
	struct unit unit;
};

struct formula;

struct expr {
	enum expr_op op;
	int line, column, depth;
	double number;
	const char *name; /* as written, for messages */
	const char *path[3];
	uint32_t index;
	enum expr_scope scope;
	uint32_t kinds;
	const struct formula *formula;
	struct expr_type type;
	size_t nr_args;
	struct expr *args[];
};

/* The wall time is taken on one thread, for all. */
static inline bool expr_is_wall_time(const struct expr *expr)
{
	return expr->op == EXPR_METRIC && expr->index == MS_METRIC_WALL_TIME;
}

#endif
