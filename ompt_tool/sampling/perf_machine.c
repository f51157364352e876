/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of core and the NMI watchdog, from /sys and /proc. */
#include "ompt_tool/sampling/perf_machine.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/sort.h"
#include "ompt_tool/sampling/privilege.h"

#define DEVICES "/sys/bus/event_source/devices"

/*
 * A PMU of cores has a file `cpus` if it does not cover all CPUs (perf_event_open(2); uncore PMUs
 * have `cpumask`). A machine with one kind of core may have one, too: then it is the only one.
 */
static bool read_kind(const char *root, const char *name, struct perf_kind *out)
{
	char path[PATH_MAX];
	long type;

	snprintf(path, sizeof(path), "%s" DEVICES "/%s/cpus", root, name);
	if (access(path, R_OK))
		return false;
	snprintf(path, sizeof(path), "%s" DEVICES "/%s/type", root, name);
	type = privilege_number(path, -1);
	if (type < 0 || strlen(name) >= sizeof(out->name))
		return false;
	snprintf(out->name, sizeof(out->name), "%s", name);
	out->type = (uint32_t)type;
	return true;
}

static int by_type(const void *a, const void *b)
{
	const struct perf_kind *one = a, *other = b;

	return (one->type > other->type) - (one->type < other->type);
}

static void read_kinds(struct perf_machine *machine, const char *root)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	DIR *devices;

	snprintf(path, sizeof(path), "%s" DEVICES, root);
	devices = opendir(path);
	while (devices && machine->nr_kinds < PERF_KINDS_MAX && (entry = readdir(devices)))
		machine->nr_kinds += entry->d_name[0] != '.' &&
				     read_kind(root, entry->d_name,
					       &machine->kinds[machine->nr_kinds]);
	if (devices)
		closedir(devices);
	sort(machine->kinds, machine->nr_kinds, sizeof(machine->kinds[0]), by_type);
	if (machine->nr_kinds == 1)
		machine->nr_kinds = 0;
}

void perf_machine_read(struct perf_machine *machine, const char *root)
{
	char path[PATH_MAX];

	*machine = (struct perf_machine){ 0 };
	read_kinds(machine, root);
	snprintf(path, sizeof(path), "%s/proc/sys/kernel/nmi_watchdog", root);
	machine->nmi_watchdog = privilege_number(path, 0) > 0;
}
