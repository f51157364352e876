/* SPDX-License-Identifier: Apache-2.0 */
/* Events that sample data addresses, from their descriptions in /sys. */
#include "ompt_tool/sampling/address_source.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/system_text.h"
#include "ompt_tool/sampling/privilege.h"
#include "ompt_tool/sampling/spe.h"

#define DEVICES "/sys/bus/event_source/devices"
/*
 * Sampling period in accesses, a prime to avoid correlation with loops: 10,000 samples per second
 * at 10^9 accesses per second and core, a tenth of the kernel's default limit
 * (kernel.perf_event_max_sample_rate).
 */
#define PERIOD 100003
/*
 * period in operations, of which about a third access data; IBS counts in units of 16, SPE of 256
 */
#define PERIOD_OPERATIONS 0x40000
#define UNTESTED "untested on hardware"

/* ---------------------------------------------------------------------- /sys */

static bool read_text(const char *root, const char *device, const char *file, char *out,
		      size_t room)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s" DEVICES "/%s/%s", root, device, file);
	if (access(path, R_OK) || !system_text_read(path, out, room))
		return false;
	out[strcspn(out, "\n")] = '\0';
	return true;
}

static bool has(const char *root, const char *device, const char *file)
{
	char text[256];

	return read_text(root, device, file, text, sizeof(text));
}

static bool read_type(const char *root, const char *device, uint32_t *type_out)
{
	char text[32];

	if (!read_text(root, device, "type", text, sizeof(text)))
		return false;
	*type_out = (uint32_t)strtoul(text, NULL, 10);
	return true;
}

/* Distributes a value over the bits that a format names: "0-7,32-35". False: invalid format. */
static bool spread(const char *bits, uint64_t value, uint64_t *word)
{
	while (*bits) {
		char *end;
		unsigned long first = strtoul(bits, &end, 10), last = first;

		if (end == bits)
			return false;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last < first || last > 63 || (*end && *end != ','))
			return false;
		for (unsigned long bit = first; bit <= last; bit++, value >>= 1)
			*word |= (value & 1) << bit;
		bits = *end ? end + 1 : end;
	}
	return true;
}

/* One term of an event, "ldlat=0x3", by the format of that name, "config1:0-15". */
static bool encode_term(const char *root, const char *device, const char *name, uint64_t value,
			struct kernel_event_spec *out)
{
	char file[64], format[64];

	if (snprintf(file, sizeof(file), "format/%s", name) >= (int)sizeof(file) ||
	    !read_text(root, device, file, format, sizeof(format)))
		return false;
	if (!strncmp(format, "config:", 7))
		return spread(format + 7, value, &out->config);
	if (!strncmp(format, "config1:", 8))
		return spread(format + 8, value, &out->config1);
	return !strncmp(format, "config2:", 8) && spread(format + 8, value, &out->config2);
}

/* "event=0xcd,umask=0x1,ldlat=3"; a term without a value is 1. */
static bool encode(const char *root, const char *device, char *terms, struct kernel_event_spec *out)
{
	for (char *rest = terms, *term; (term = strsep(&rest, ","));) {
		char *value = strchr(term, '=');

		if (value)
			*value++ = '\0';
		if (!encode_term(root, device, term, value ? strtoull(value, NULL, 0) : 1, out))
			return false;
	}
	return true;
}

static bool read_event(const char *root, const char *device, const char *name,
		       struct kernel_event_spec *out)
{
	char file[64], terms[256];

	snprintf(file, sizeof(file), "events/%s", name);
	return read_type(root, device, &out->type) &&
	       read_text(root, device, file, terms, sizeof(terms)) &&
	       encode(root, device, terms, out);
}

/* ------------------------------------------------------------------- sources */

/*
 * Adds loads and stores, two events of a PMU of cores, to those already found. False: there are
 * none.
 */
static bool add_loads_and_stores(const char *root, const char *device, struct address_source *out)
{
	static const char *const names[] = { "mem-loads", "mem-stores" };
	size_t before = out->nr_events;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct kernel_event_spec *event = &out->events[out->nr_events];

		*event = (struct kernel_event_spec){ .period = PERIOD,
						     .address = true,
						     .data_source = true };
		if (!read_event(root, device, names[i], event))
			break;
		out->nr_events++;
	}
	return out->nr_events > before;
}

/*
 * Since Sapphire Rapids (and on Alder Lake's larger cores) the event of loads requires an auxiliary
 * event as leader of its group.
 */
static bool add_pebs(const char *root, const char *device, struct address_source *out)
{
	size_t before = out->nr_events;
	struct kernel_event_spec leader = { 0 };

	if (!has(root, device, "format/ldlat") || !add_loads_and_stores(root, device, out))
		return false;
	for (size_t i = before; i < out->nr_events; i++)
		out->events[i].precise = 2;
	if (read_event(root, device, "mem-loads-aux", &leader))
		out->events[before].leader = leader.config;
	return true;
}

/*
 * For each kind of core: a thread's event of one kind does not count while the thread is on
 * another.
 */
static bool find_pebs(const char *root, struct address_source *out)
{
	struct perf_machine machine;
	size_t sampled = 0;

	perf_machine_read(&machine, root);
	if (!machine.nr_kinds)
		return add_pebs(root, has(root, "cpu_core", "type") ? "cpu_core" : "cpu", out);
	for (size_t i = 0; i < machine.nr_kinds; i++)
		sampled += add_pebs(root, machine.kinds[i].name, out);
	if (sampled > 0 && sampled < machine.nr_kinds)
		out->warning = UNTESTED ", and on some of the cores there is none";
	return sampled > 0;
}

/* Operations, not cycles; user code only if the kernel can filter (Linux 6.16). */
static bool find_ibs(const char *root, struct address_source *out)
{
	struct kernel_event_spec *event = &out->events[0];
	char counts_operations[] = "cnt_ctl=1", user_alone[] = "swfilt=1";

	*event = (struct kernel_event_spec){ .period = PERIOD_OPERATIONS,
					     .address = true,
					     .data_source = true };
	if (!read_type(root, "ibs_op", &event->type) ||
	    !encode(root, "ibs_op", counts_operations, event))
		return false;
	event->everywhere = !encode(root, "ibs_op", user_alone, event);
	out->nr_events = 1;
	return true;
}

/*
 * CPUs whose manuals define the packet "data source" as spe.c decodes it, by implementer and part
 * of MIDR_EL1 (Linux has the same list): Neoverse N1, V1, N2, V2, Cortex-X1C, X3, X925, A720, A725.
 */
static bool has_known_sources(uint64_t midr)
{
	static const uint16_t parts[] = { 0xd0c, 0xd40, 0xd49, 0xd4f, 0xd4c,
					  0xd4e, 0xd85, 0xd81, 0xd87 };
	size_t i = 0;

	while (i < sizeof(parts) / sizeof(parts[0]) && parts[i] != (midr >> 4 & 0xfff))
		i++;
	return (midr >> 24 & 0xff) == 0x41 && i < sizeof(parts) / sizeof(parts[0]);
}

/* Checks all CPUs of the machine; the type of an offline CPU is unknown. */
static enum spe_packets packets_of(const char *root)
{
	bool told = false;

	for (unsigned int cpu = 0;; cpu++) {
		char path[PATH_MAX], text[32];

		snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%u", root, cpu);
		if (access(path, F_OK))
			return told ? SPE_SOURCES : SPE_EVENTS;
		snprintf(path, sizeof(path),
			 "%s/sys/devices/system/cpu/cpu%u/regs/identification/midr_el1", root, cpu);
		if (access(path, R_OK) || !system_text_read(path, text, sizeof(text)))
			continue;
		if (!has_known_sources(strtoull(text, NULL, 16)))
			return SPE_EVENTS;
		told = true;
	}
}

/*
 * Loads and stores of user code, with jitter in the sampling interval to avoid correlation with
 * loops.
 */
static bool find_spe(const char *root, struct address_source *out)
{
	struct kernel_event_spec *event = &out->events[0];
	char terms[] = "load_filter=1,store_filter=1,jitter=1";

	*event = (struct kernel_event_spec){ .period = PERIOD_OPERATIONS,
					     .address = true,
					     .data_source = true };
	if (!read_type(root, "arm_spe_0", &event->type) || !encode(root, "arm_spe_0", terms, event))
		return false;
	event->packets = packets_of(root);
	out->nr_events = 1;
	return true;
}

static bool find_power(const char *root, struct address_source *out)
{
	return !has(root, "cpu", "format/ldlat") && add_loads_and_stores(root, "cpu", out);
}

/*
 * The same fields as in the sensor `faults`: two events of one config mix up their records
 * (kernel_event.h).
 */
static bool find_faults(const char *root, struct address_source *out)
{
	(void)root;
	out->events[0] = (struct kernel_event_spec){
		.config = PERF_COUNT_SW_PAGE_FAULTS_MIN, .period = 1, .address = true, .page = true
	};
	out->nr_events = 1;
	return true;
}

static const struct {
	const char *name, *title, *warning;
	bool by_itself; /* selected by "auto" */
	bool (*find)(const char *root, struct address_source *out);
	const char *wants;
} sources[] = {
	{ "pebs", "Intel PEBS, loads and stores", UNTESTED, true, find_pebs,
	  "mem-loads of a CPU with load latencies" },
	{ "ibs", "AMD IBS, operations", UNTESTED, true, find_ibs, "a PMU ibs_op" },
	{ "spe", "Arm SPE, loads and stores", "experimental, " UNTESTED, true, find_spe,
	  "a PMU arm_spe_0 (module arm_spe_pmu)" },
	{ "power", "POWER, marked loads and stores", "experimental, " UNTESTED, false, find_power,
	  "mem-loads of a POWER CPU" },
	{ "faults", "page faults in the place of accesses", "page faults tell no caches", false,
	  find_faults, "" },
};
#define NR_SOURCES (sizeof(sources) / sizeof(sources[0]))

bool address_source_find(const char *how, const char *root, struct address_source *out,
			 char why[ADDRESS_SOURCE_WHY])
{
	bool any = !strcmp(how, "auto"), known = any;

	for (size_t i = 0; i < NR_SOURCES; i++) {
		if (any ? !sources[i].by_itself : strcmp(how, sources[i].name))
			continue;
		known = true;
		*out = (struct address_source){ .name = sources[i].name,
						.title = sources[i].title,
						.warning = sources[i].warning };
		if (sources[i].find(root, out))
			return true;
		snprintf(why, ADDRESS_SOURCE_WHY,
			 "%s is not to be had (" UNTESTED
			 " so far): /sys/bus/event_source/devices has not %s",
			 sources[i].title, sources[i].wants);
	}
	if (any)
		snprintf(
			why, ADDRESS_SOURCE_WHY,
			"no PMU that samples data addresses: no Intel PEBS, AMD IBS or Arm SPE in /sys/bus/event_source (" UNTESTED
			"); page faults: --addresses faults");
	else if (!strcmp(how, "none"))
		snprintf(why, ADDRESS_SOURCE_WHY, "switched off (--addresses none)");
	else if (!known)
		snprintf(
			why, ADDRESS_SOURCE_WHY,
			"there is no source '%.40s' of data addresses: auto, pebs, ibs, spe, power, faults, none",
			how);
	return false;
}

unsigned int address_source_descriptors(const struct address_source *source)
{
	unsigned int nr = (unsigned int)source->nr_events;

	for (size_t i = 0; i < source->nr_events; i++)
		nr += source->events[i].leader != 0;
	return nr;
}

unsigned int address_source_rings(const struct address_source *source)
{
	return source->events[0].packets ? 2 : 1;
}
