/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROPERTY_H
#define MEMSEARCH_PROPERTY_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/measurement.h"

/*
 * The result of evaluating a property: the three-valued result of its condition
 * with confidence, severity and evidence. Properties
 * themselves are text (properties/ *.asl); see analysis/properties/property.h.
 */
enum ms_truth { MS_FALSE, MS_TRUE, MS_UNKNOWN }; /* Kleene's strong three-valued logic */

struct ms_evidence {
	const char *name, *unit;
	struct ms_reading reading;
};

#define MS_EVIDENCE_MAX 16

struct ms_verdict {
	enum ms_truth truth;
	double confidence; /* 95 % interval, or bounds of a model (severity_of_model) */
	double severity;   /* fraction of the phase's thread-time, 0 … 1 */
	/* 95 % interval, or the bounds of a model; see interval_known */
	double severity_low, severity_high;
	/* the weakest rung of all readings used; simulated, if any of them is */
	enum ms_rung rung;
	enum ms_missing missing; /* why the truth is unknown */
	int missing_metric;      /* enum ms_metric, or -1 */
	size_t nr_evidence;
	struct ms_evidence evidence[MS_EVIDENCE_MAX];
	/*
	 * 0: only one measurement, spread unknown; severity_low and severity_high equal the
	 * severity
	 */
	int interval_known;
	/* 1: the severity is a model's lower bound, severity_high its upper one */
	int severity_of_model;
};

#endif
