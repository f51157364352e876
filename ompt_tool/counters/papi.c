/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Back end papi: presets, native events and components of PAPI, by its low-level interface. One
 * event set per thread and component, created, read and destroyed on the thread itself. Limits
 * compared with the back end perf: PAPI calls malloc and takes locks of its own when it opens
 * events, does not report that its counters were taken, and its descriptors can be neither moved
 * nor marked.
 */
#define _GNU_SOURCE
#include "ompt_tool/counters/counters.h"

#include <stdio.h>

#include "memsearch/sensor.h"

#ifdef HAVE_LIBPAPI
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/log.h"
#include "ompt_tool/counters/papi_library.h"
#include "ompt_tool/counters/perf_names.h"

#define WHY_BYTES 160
/* events resolved per process; the portable metrics of a CPU need some 40 */
#define EVENTS_MAX 128
#define PRESETS_MAX 256 /* PAPI 7 has 108 */

struct counter_event {
	int code, component;
};

/* An event set of PAPI holds events of one component. */
struct event_set {
	int id, component;
	uint8_t nr;
	uint8_t places[COUNTERS_MAX]; /* of its values among those of the group */
};

struct counter_group {
	uint8_t nr;
	struct event_set sets[COUNTERS_MAX];
};
_Static_assert(sizeof(struct counter_group) <= COUNTER_GROUP_BYTES,
	       "a group must fit the memory of a thread");

static const struct papi_library *papi;
/* the process in which PAPI was initialised: it must not be called in another one */
static pid_t process;
static struct counter_event events[EVENTS_MAX];
static size_t nr_events;

/* ----------------------------------------------------------- opening, closing */

static void close_group(struct counter_group *group)
{
	for (; group->nr > 0; group->nr--) {
		int id = group->sets[group->nr - 1].id;
		long long values[COUNTERS_MAX];

		papi->stop(id, values);
		papi->cleanup_eventset(id);
		papi->destroy_eventset(&id);
	}
}

/* The group's set for a component, created on first use. PAPI_OK, or the error. */
static int find_set(struct counter_group *group, int component, struct event_set **set_out)
{
	struct event_set *set = group->sets;
	int error;

	while (set < group->sets + group->nr && set->component != component)
		set++;
	*set_out = set;
	if (set < group->sets + group->nr)
		return PAPI_OK;
	*set = (struct event_set){ .id = PAPI_NULL, .component = component };
	error = papi->create_eventset(&set->id);
	group->nr += error == PAPI_OK;
	return error;
}

static int add_event(struct counter_group *group, const struct counter_event *event, uint8_t place)
{
	struct event_set *set;
	int error = find_set(group, event->component, &set);

	if (error == PAPI_OK)
		error = papi->add_event(set->id, event->code);
	if (error == PAPI_OK)
		set->places[set->nr++] = place;
	return error;
}

/* PAPI_OK, or the first error; nothing is open then. */
static int open_events(struct counter_group *group, struct counter_event *const *wanted, size_t nr)
{
	int error = PAPI_OK;

	group->nr = 0;
	for (uint8_t i = 0; error == PAPI_OK && i < nr; i++)
		error = add_event(group, wanted[i], i);
	for (uint8_t i = 0; error == PAPI_OK && i < group->nr; i++)
		error = papi->start(group->sets[i].id);
	if (error != PAPI_OK)
		close_group(group);
	return error;
}

static bool open_group(struct counter_group *group, struct counter_event *const *wanted, size_t nr)
{
	return getpid() == process && open_events(group, wanted, nr) == PAPI_OK;
}

/* PAPI does not report running times: assumed to be the whole time. */
static bool read_group(struct counter_group *group, struct counter_reading *out)
{
	long long values[COUNTERS_MAX];
	struct timespec now;

	for (uint8_t i = 0; i < group->nr; i++) {
		const struct event_set *set = &group->sets[i];

		if (papi->read(set->id, values) != PAPI_OK)
			return false;
		for (uint8_t j = 0; j < set->nr; j++)
			out->values[set->places[j]] = (uint64_t)values[j];
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	out->enabled_ns = out->running_ns = (uint64_t)now.tv_sec * 1000000000 +
					    (uint64_t)now.tv_nsec;
	return group->nr > 0;
}

static bool fits(struct counter_event *const *wanted, size_t nr)
{
	struct counter_group group;
	struct counter_reading reading;
	bool works;

	if (!open_group(&group, wanted, nr))
		return false;
	works = read_group(&group, &reading);
	close_group(&group);
	return works;
}

/* ------------------------------------------------------------------- threads */

static bool thread_begin(void)
{
	return getpid() == process && papi->register_thread() == PAPI_OK;
}

static void thread_end(void)
{
	if (getpid() == process)
		papi->unregister_thread();
}

/* ----------------------------------------------------------------- resolving */

static bool is_preset(const char *name)
{
	return strncmp(name, "PAPI_", strlen("PAPI_")) == 0;
}

static void suggest_preset(const char *name, char *why)
{
	static char names[PRESETS_MAX][PAPI_MAX_STR_LEN];
	const char *list[PRESETS_MAX], *nearest;
	int code = (int)PAPI_PRESET_MASK;
	size_t nr = 0;

	do {
		list[nr] = names[nr];
		nr += papi->event_code_to_name(code, names[nr]) == PAPI_OK;
	} while (nr < PRESETS_MAX && papi->enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
	nearest = log_nearest(name, list, nr);
	snprintf(why, WHY_BYTES,
		 nearest ? "PAPI has no preset '%s'; did you mean '%s'?"
			 : "PAPI has no preset '%s'",
		 name, nearest);
}

/*
 * PAPI only reports that there is no such event; libpfm4, which defines most of them, may find a
 * similar name.
 */
static void explain_name(const char *table, const char *name, const char *full, char *why)
{
	struct perf_encoding encoding;

	if (is_preset(name))
		suggest_preset(name, why);
	else if (perf_names_encode(table, name, &encoding, why) != MS_ERR_NOT_FOUND)
		snprintf(why, WHY_BYTES, "PAPI has no event '%s' on this machine", full);
}

static bool descriptors_are_left(void)
{
	int fd = open("/", O_PATH | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || (errno != EMFILE && errno != ENFILE);
}

/*
 * Without free descriptors PAPI reports too many events. The text names no event, because reports
 * print a reason that many metrics share once.
 */
static enum ms_status explain_open(int error, char *why)
{
	if (!descriptors_are_left()) {
		snprintf(why, WHY_BYTES, "no file descriptors are left (ulimit -n)");
		return MS_ERR_FULL;
	}
	if (error == PAPI_EPERM) {
		snprintf(why, WHY_BYTES,
			 "PAPI may not count its events: see kernel.perf_event_paranoid");
		return MS_ERR_PERMISSION;
	}
	snprintf(why, WHY_BYTES, "PAPI lists its events, but cannot count them here (%s)",
		 papi->strerror(error));
	return MS_ERR_UNSUPPORTED;
}

/* Software events of the kernel that happen in it only; PAPI counts user code. */
static bool never_counts(const char *full)
{
	static const char *const names[] = { "CONTEXT-SWITCHES", "CPU-MIGRATIONS",
					     "CONTEXT_SWITCHES", "CPU_MIGRATIONS" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(full, names[i]) && !strstr(full, ":k"))
			return true;
	return false;
}

static enum ms_status try_event(struct counter_event *event, const char *full, char *why)
{
	struct counter_group group;
	struct counter_reading reading;
	int error;
	bool readable;

	if (never_counts(full)) {
		snprintf(why, WHY_BYTES,
			 "%s happens in the kernel and is always 0 for user code: name it %s:u:k",
			 full, full);
		return MS_ERR_UNSUPPORTED;
	}
	error = open_events(&group, &event, 1);
	if (error != PAPI_OK)
		return explain_open(error, why);
	readable = read_group(&group, &reading);
	close_group(&group);
	if (!readable)
		snprintf(why, WHY_BYTES, "%s can be started but not read", full);
	return readable ? MS_OK : MS_ERR_UNSUPPORTED;
}

static bool is_mode(const char *part, size_t length)
{
	return length == 1 && strchr("ukh", part[0]) != NULL;
}

/*
 * "TABLE::NAME:u=1:k=1" for NAME:u:k: PAPI 7.0 ignores a mode without value, and counts user code
 * only.
 */
static void complete_name(const char *table, const char *name, char full[PAPI_MAX_STR_LEN])
{
	size_t nr = (size_t)snprintf(full, PAPI_MAX_STR_LEN, "%s%s", table ? table : "",
				     table ? "::" : "");

	while (*name && nr < PAPI_MAX_STR_LEN - 4) {
		size_t length = strcspn(name, ":"), colons = strspn(name + length, ":");

		nr += (size_t)snprintf(full + nr, PAPI_MAX_STR_LEN - nr, "%.*s%s%.*s", (int)length,
				       name, is_mode(name, length) ? "=1" : "", (int)colons,
				       name + length);
		name += length + colons;
	}
}

static enum ms_status resolve(const char *table, const char *name, struct counter_event **event_out,
			      char *why)
{
	struct counter_event *event = &events[nr_events];
	bool plain = !table || strcmp(table, "papi") == 0;
	enum ms_status status;
	char full[PAPI_MAX_STR_LEN];

	if (nr_events == EVENTS_MAX) {
		snprintf(why, WHY_BYTES, "more than %d events", EVENTS_MAX);
		return MS_ERR_UNSUPPORTED;
	}
	complete_name(plain ? NULL : table, name, full);
	if (papi->event_name_to_code(full, &event->code) != PAPI_OK) {
		explain_name(plain ? NULL : table, name, full, why);
		return MS_ERR_NOT_FOUND;
	}
	event->component = papi->get_event_component(event->code);
	status = try_event(event, full, why);
	if (status != MS_OK)
		return status;
	nr_events++;
	*event_out = event;
	return MS_OK;
}

/* --------------------------------------------------------------------- start */

/*
 * The first component counts CPU events. A component that PAPI reports as available may count
 * nothing: only readings are evidence.
 */
static const PAPI_component_info_t *cpu_component(void)
{
	const PAPI_component_info_t *info = papi->num_components() > 0 ? papi->get_component_info(0)
								       : NULL;

	return info && strcmp(info->name, "perf_event") == 0 ? info : NULL;
}

/* Components for I/O, accelerators and others are used only by user-named events. */
static bool any_component_has_events(void)
{
	for (int i = 0; i < papi->num_components(); i++) {
		const PAPI_component_info_t *info = papi->get_component_info(i);

		if (info && !info->disabled && info->num_native_events > 0)
			return true;
	}
	return false;
}

static void start(struct sensor_status *status)
{
	const PAPI_component_info_t *cpu;

	status->why = MS_MISSING_NOT_SUPPORTED;
	papi = papi_library_open(papi_library_name(), status->text);
	if (!papi)
		return;
	process = getpid();
	cpu = cpu_component();
	status->works = any_component_has_events();
	status->why = status->works ? MS_PRESENT : MS_MISSING_NOT_SUPPORTED;
	if (!cpu || cpu->disabled)
		snprintf(status->text, sizeof(status->text),
			 "PAPI counts nothing of the CPU or the kernel here: %.80s",
			 cpu ? cpu->disabled_reason : "it has no component perf_event");
}

/*
 * Tables of the CPU that PAPI's own libpfm4 has; its presets if there is no event file for these;
 * the kernel's events.
 */
static size_t tables(struct counter_table *out, size_t room)
{
	static const char *const others[] = { "perf", "perf_raw", "ix86arch" };
	const PAPI_component_info_t *cpu = cpu_component();
	size_t nr = 0;

	for (int i = 0; cpu && i < PAPI_PMU_MAX && cpu->pmu_names[i] && nr + 2 < room; i++) {
		const char *name = cpu->pmu_names[i];

		if (strcmp(name, others[0]) && strcmp(name, others[1]) && strcmp(name, others[2]))
			out[nr++] = (struct counter_table){ .name = name, .core = true };
	}
	out[nr++] = (struct counter_table){ .name = "papi", .stands_in = true };
	out[nr++] = (struct counter_table){ .name = "perf" };
	return nr;
}

const struct counter_backend counter_backend_papi = {
	.name = "papi",
	.start = start,
	.tables = tables,
	.resolve = resolve,
	.fits = fits,
	.open = open_group,
	.read = read_group,
	.close = close_group,
	.thread_begin = thread_begin,
	.thread_end = thread_end,
};
#else
static void start(struct sensor_status *status)
{
	status->why = MS_MISSING_NOT_SUPPORTED;
	snprintf(status->text, sizeof(status->text), "memsearch was built without PAPI");
	snprintf(status->mend, sizeof(status->mend),
		 "sudo apt-get install libpapi-dev, and build it again");
}

const struct counter_backend counter_backend_papi = { .name = "papi", .start = start };
#endif
