/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_REVIEW_H
#define MEMSEARCH_REPORT_REVIEW_H

#include <stddef.h>

/*
 * Messages at lines of sources, for code reviews: workflow commands that GitHub Actions shows at
 * lines of a change, and SARIF 2.1.0 (OASIS) for code scanning. Not here: what is worth a message.
 */
struct text;

enum review_level { REVIEW_NOTE, REVIEW_WARNING, REVIEW_ERROR };

struct review_rule {
	const char *id;
	const char *summary;
	const char *help; /* NULL: none */
};

struct review_message {
	size_t rule; /* of review.rules */
	enum review_level level;
	const char *path; /* NULL: at no line */
	unsigned int line;
	const char *function; /* NULL: not known */
	const char *identity; /* stays equal when lines move; NULL: none */
	double rank;          /* importance, 0 to 100; NAN: none */
	const char *text;
};

struct review {
	const struct review_rule *rules;
	size_t nr_rules;
	const struct review_message *messages;
	size_t nr_messages;
};

/*
 * Messages at no line are notifications of the run: code scanning refuses results without a place.
 */
void review_sarif(struct text *out, const struct review *review);
/* One line a message; GitHub shows ten of each level and step. */
void review_github(struct text *out, const struct review *review);

#endif
