/* SPDX-License-Identifier: Apache-2.0 */
/* Why the kernel refuses an event or its ring, and how to fix it. */
#define _GNU_SOURCE
#include "ompt_tool/sampling/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/base/system_text.h"
#include "memsearch/sensor.h"

long privilege_number(const char *path, long otherwise)
{
	char text[32];

	return system_text_read(path, text, sizeof(text)) > 0 ? strtol(text, NULL, 10) : otherwise;
}

static long paranoid_level(void)
{
	return privilege_number("/proc/sys/kernel/perf_event_paranoid", 2);
}

bool privilege_unlimited_memlock(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	if (paranoid_level() < 0)
		return true;
	return !syscall(SYS_capget, &header, data) && (data[0].effective & (1u << CAP_IPC_LOCK));
}

static bool seccomp_filtered(void)
{
	char text[4096];
	const char *line;

	system_text_read("/proc/self/status", text, sizeof(text));
	line = strstr(text, "\nSeccomp:\t");
	return line && line[10] == '2';
}

/* Determines the cause: a system setting, a filter of the container, or a security module. */
static void not_permitted(int error, struct sensor_status *status)
{
	const char *what = error == EACCES ? "EACCES" : "EPERM";
	long level = paranoid_level();

	snprintf(status->mend, sizeof(status->mend), "%s",
		 level > 2            ? "sudo sysctl kernel.perf_event_paranoid=2"
		 : seccomp_filtered() ? "docker run --cap-add PERFMON …"
				      : "");
	if (level > 2)
		snprintf(status->text, sizeof(status->text),
			 "perf_event_open refused (%s), kernel.perf_event_paranoid is %ld: "
			 "`sysctl kernel.perf_event_paranoid=2` or CAP_PERFMON fixes it",
			 what, level);
	else if (seccomp_filtered())
		snprintf(status->text, sizeof(status->text),
			 "perf_event_open refused (%s) by a seccomp filter (container?), paranoid "
			 "is %ld: allow it there, e.g. --cap-add PERFMON",
			 what, level);
	else
		snprintf(status->text, sizeof(status->text),
			 "perf_event_open refused (%s), perf_event_paranoid is %ld, no seccomp "
			 "filter: a security module or container forbids it; CAP_PERFMON may help",
			 what, level);
}

static void not_there(struct sensor_status *status)
{
	status->why = MS_MISSING_NOT_SUPPORTED;
	snprintf(
		status->text, sizeof(status->text),
		seccomp_filtered()
			? "perf_event_open does not exist (ENOSYS): hidden by a seccomp filter; allow it there"
			: "perf_event_open does not exist (ENOSYS): kernel without CONFIG_PERF_EVENTS");
}

static void no_descriptors(int error, struct sensor_status *status)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	snprintf(status->mend, sizeof(status->mend), "%s", error == ENFILE ? "" : "ulimit -n 4096");
	snprintf(status->text, sizeof(status->text),
		 "no file descriptor left for an event (%s): raise `ulimit -n` (now %llu)",
		 error == ENFILE ? "ENFILE, the whole system" : "EMFILE",
		 (unsigned long long)limit.rlim_cur);
}

void privilege_open_refused(int error, struct sensor_status *status)
{
	status->works = false;
	status->why = MS_MISSING_NOT_PERMITTED;
	if (error == EACCES || error == EPERM)
		not_permitted(error, status);
	else if (error == ENOSYS)
		not_there(status);
	else if (error == EMFILE || error == ENFILE)
		no_descriptors(error, status);
	else {
		char why[64];

		status->why = MS_MISSING_NOT_SUPPORTED;
		snprintf(status->text, sizeof(status->text),
			 "perf_event_open: %s (errno %d): this kernel does not offer the event",
			 strerror_r(error, why, sizeof(why)), error);
	}
}

void privilege_ring_refused(int error, struct sensor_status *status)
{
	struct rlimit limit = { 0 };
	char why[64];

	getrlimit(RLIMIT_MEMLOCK, &limit);
	snprintf(status->mend, sizeof(status->mend), "ulimit -l unlimited");
	status->works = false;
	status->why = MS_MISSING_NOT_PERMITTED;
	snprintf(
		status->text, sizeof(status->text),
		"cannot map a ring: %s: raise `ulimit -l` (now %llu KiB) or kernel.perf_event_mlock_kb "
		"(now %ld)",
		strerror_r(error, why, sizeof(why)), (unsigned long long)limit.rlim_cur / 1024,
		privilege_number("/proc/sys/kernel/perf_event_mlock_kb", 0));
}
