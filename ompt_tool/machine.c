/* SPDX-License-Identifier: Apache-2.0 */
/* The machine and the program in a few facts, from /proc and /sys. */
#define _GNU_SOURCE
#include "ompt_tool/machine.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "analysis/bandwidth/bandwidth.h"
#include "analysis/base/arena.h"
#include "analysis/base/log.h"

#define COMMAND_BYTES 4096

/* The whole of a small file, terminated; "" when it cannot be read. Returns its length. */
static size_t read_file(const char *path, char *buf, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got;

	buf[0] = '\0';
	if (fd < 0)
		return 0;
	while (length < room - 1 && (got = read(fd, buf + length, room - 1 - length)) > 0)
		length += (size_t)got;
	close(fd);
	buf[length] = '\0';
	return length;
}

/* The rest of the first line that starts with `key`, after ": ". */
static const char *value_of(struct arena *arena, const char *text, const char *key)
{
	const char *at = strstr(text, key);

	at = at ? strchr(at, ':') : NULL;
	if (!at)
		return "";
	at += 1 + strspn(at + 1, " \t");
	return arena_strndup(arena, at, strcspn(at, "\n"));
}

/* The kind of CPU: "model name" on x86-64, "cpu" on POWER, two numbers on ARM. */
static const char *cpu_model(struct arena *arena, const char *cpuinfo)
{
	const char *model = value_of(arena, cpuinfo, "model name"), *part = value_of(arena, cpuinfo, "CPU part");

	if (!*model)
		model = value_of(arena, cpuinfo, "\ncpu\t");
	if (!*model && *part)
		model = arena_printf(arena, "ARM implementer %s part %s", value_of(arena, cpuinfo, "CPU implementer"), part);
	return model;
}

/* How many numbers a list like "0-3,8" holds. */
static uint32_t count_list(const char *list)
{
	uint32_t count = 0;
	char *end;

	while (*list >= '0' && *list <= '9') {
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		count += (uint32_t)(last - first + 1);
		list = *end == ',' ? end + 1 : end;
	}
	return count;
}

static uint32_t allowed_cpus(void)
{
	cpu_set_t *set;
	uint32_t count = 0;

	for (int room = 1024; room <= 1 << 20 && !count; room *= 4) {
		set = CPU_ALLOC((size_t)room);
		if (set && sched_getaffinity(0, CPU_ALLOC_SIZE((size_t)room), set) == 0)
			count = (uint32_t)CPU_COUNT_S(CPU_ALLOC_SIZE((size_t)room), set);
		CPU_FREE(set);
	}
	return count;
}

void machine_describe(struct arena *arena, struct machine *machine_out)
{
	char text[8192];
	struct utsname names;
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

	*machine_out = (struct machine){ .host_name = "", .cpu_model = "", .kernel = "" };
	if (uname(&names) == 0) {
		machine_out->host_name = arena_strdup(arena, names.nodename);
		machine_out->kernel = arena_printf(arena, "%s %s", names.sysname, names.release);
	}
	read_file("/proc/cpuinfo", text, sizeof(text));
	machine_out->cpu_model = cpu_model(arena, text);
	machine_out->cpus = allowed_cpus();
	read_file("/sys/devices/system/cpu/online", text, sizeof(text));
	machine_out->cpus_online = count_list(text);
	read_file("/sys/devices/system/node/has_memory", text, sizeof(text));
	machine_out->nodes = count_list(text);
	if (pages > 0 && page_bytes > 0)
		machine_out->memory_bytes = (uint64_t)pages * (uint64_t)page_bytes;
}

void machine_calibration(struct arena *arena, struct machine *machine)
{
	struct bandwidth_place place;
	struct bandwidth kept;
	enum ms_status status;

	bandwidth_find(arena, &place);
	status = bandwidth_load(&place, &kept);
	if (status == MS_ERR_FORMAT)
		log_warning("'%s' is damaged: `memsearch doctor --calibrate` measures the bandwidth of memory anew", place.path);
	machine->attainable_bandwidth = kept.all;
	machine->single_bandwidth = kept.single;
	machine->bandwidth_spread = kept.all_spread > kept.single_spread ? kept.all_spread : kept.single_spread;
	machine->bandwidth_measured = kept.measured;
}

double machine_line_bytes(void)
{
	char text[32];

	read_file("/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size", text, sizeof(text));
	return *text ? (double)strtoul(text, NULL, 10) : (double)(sysconf(_SC_LEVEL1_DCACHE_LINESIZE) > 0 ? sysconf(_SC_LEVEL1_DCACHE_LINESIZE) : 0);
}

const char *machine_program(struct arena *arena, const char **command_out)
{
	char text[COMMAND_BYTES + 1];
	size_t length = read_file("/proc/self/cmdline", text, sizeof(text));
	const char *program = arena_strdup(arena, text);

	for (size_t i = 0; i + 1 < length; i++)
		if (!text[i])
			text[i] = ' ';
	*command_out = arena_strdup(arena, text);
	return program;
}

uint64_t machine_process_age_ns(void)
{
	char text[1024], *at;
	struct timespec now;
	unsigned long long ticks = 0;
	long hz = sysconf(_SC_CLK_TCK);
	int64_t age;

	read_file("/proc/self/stat", text, sizeof(text));
	at = strrchr(text, ')');         /* the name may hold blanks; field 3 follows, starttime is field 22, proc(5) */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at || hz <= 0 || sscanf(at, " %llu", &ticks) != 1 || clock_gettime(CLOCK_BOOTTIME, &now))
		return 0;
	age = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - (int64_t)(ticks * (1000000000ull / (unsigned long long)hz));
	return age > 0 ? (uint64_t)age : 0;
}
