/* SPDX-License-Identifier: Apache-2.0 */
/* The text of --interval. */
#include <string.h>

#include "analysis/options/triggers.h"
#include "memsearch/metric.h"
#include "tests/unit/test.h"

TEST(triggers__of_both_kinds)
{
	struct trigger triggers[TRIGGERS_MOST];
	char error[TRIGGER_ERROR_BYTES] = "";
	bool bad;

	CHECK_INT(triggers_parse("from:calc2,minor_faults>1.5e3,from:a::b(int)", triggers,
				 TRIGGERS_MOST, &bad, error),
		  3);
	CHECK(!bad);
	CHECK_INT(triggers[0].kind, MS_INTERVAL_FROM_CALL);
	CHECK_STR(triggers[0].name, "calc2");
	CHECK_INT(triggers[1].kind, MS_INTERVAL_WHILE_ABOVE);
	CHECK_INT(triggers[1].metric, MS_METRIC_MINOR_FAULTS);
	CHECK_NEAR(triggers[1].threshold, 1500, 1e-9);
	CHECK_STR(triggers[1].name, "minor_faults>1.5e3");
	CHECK_STR(triggers[2].name, "a::b(int)");
	CHECK_INT(triggers_parse("", triggers, TRIGGERS_MOST, &bad, error), 0);
	CHECK_INT(triggers_parse("from:a,from:b", triggers, 1, &bad, error), 1);
}

TEST(triggers__bad_ones_say_why)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{ "calc2", "'calc2' is neither from:FUNCTION nor METRIC>NUMBER" },
		{ "from:", "'from:' is neither from:FUNCTION nor METRIC>NUMBER" },
		{ "faults>1", "'faults' is no metric of `memsearch list metrics`" },
		{ "minor_faults>", "'minor_faults>' has no number behind '>'" },
		{ "minor_faults>-1", "'minor_faults>-1' has no number behind '>'" },
		{ "minor_faults>1x", "'minor_faults>1x' has no number behind '>'" },
		{ "minor_faults>1e", "'minor_faults>1e' has no number behind '>'" },
		{ "minor_faults>1e999", "'minor_faults>1e999' has no number behind '>'" },
		{ "node>0", "'node' is a state, not a sum over the execution" },
		{ "from:123456789012345678901234567890123456789012345678901234567890",
		  "'from:123456789012345678901234567890123456789012345678901234567890' is too long" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char error[TRIGGER_ERROR_BYTES] = "";
		struct trigger trigger;

		CHECK(!trigger_parse(rows[i].text, strlen(rows[i].text), &trigger, error));
		CHECK_STR(error, rows[i].error);
	}
}
