/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `memsearch doctor` is told about sensors and metrics, and the commands that mend a refusal.
 */
#include "memsearch/probe.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "ompt_tool/sampling/privilege.h"
#include "tests/unit/test.h"

TEST(probe__another_build_is_refused)
{
	struct ms_probe probe = { .size = sizeof(probe) - 8 };

	CHECK_INT(ms_doctor_probe(&probe), MS_ERR_VERSION);
}

TEST(probe__every_metric_has_its_sensors_state)
{
	static struct ms_probe probe = { .size = sizeof(probe) };

	CHECK_INT(ms_doctor_probe(&probe), MS_OK);
	CHECK(probe.sensors[MS_SENSOR_CLOCK].works && probe.metrics[MS_METRIC_TIME].works);
	for (unsigned int metric = 0; metric < MS_METRICS; metric++)
		CHECK_THAT(probe.metrics[metric].works, <=,
			   probe.sensors[ms_metric_info(metric)->sensor].works);
}

/* With eight descriptors no event can be opened: the metrics say so, and what to type. */
TEST(probe__metrics_say_why_their_sensor_does_not_work)
{
	static struct ms_probe probe = { .size = sizeof(probe) };
	const struct rlimit few = { 8, 8 };
	const struct sensor_status *samples = &probe.metrics[MS_METRIC_SAMPLES];

	CHECK_INT(setrlimit(RLIMIT_NOFILE, &few), 0);
	CHECK_INT(ms_doctor_probe(&probe), MS_OK);
	CHECK(probe.metrics[MS_METRIC_TIME].works && !probe.sensors[MS_SENSOR_SAMPLES].works &&
	      !samples->works);
	CHECK_STR(samples->text, probe.sensors[MS_SENSOR_SAMPLES].text);
	if (samples->why == MS_MISSING_NOT_PERMITTED && strstr(samples->text, "EMFILE"))
		CHECK_STR(samples->mend, "ulimit -n 4096");
}

TEST(probe__refusals_name_the_command_that_mends_them)
{
	struct sensor_status status = { 0 };

	privilege_open_refused(EMFILE, &status);
	CHECK_STR(status.mend, "ulimit -n 4096");
	privilege_ring_refused(EPERM, &status);
	CHECK_STR(status.mend, "ulimit -l unlimited");
	privilege_open_refused(ENFILE, &status);
	CHECK_STR(status.mend, "");
}
