/* SPDX-License-Identifier: Apache-2.0 */
/* Names of events: the kernel's software events, and libpfm4's tables. */
#include "ompt_tool/counters/perf_names.h"

#include <stdio.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/base/own_imports.h"
#include "ompt_tool/counters/library.h"

#define WHY_BYTES 160

#define HARDWARE 0 /* PERF_TYPE_HARDWARE */
#define SOFTWARE 1 /* PERF_TYPE_SOFTWARE */

/*
 * PERF_COUNT_HW_… and PERF_COUNT_SW_…; part of the kernel's interface, so that they never change.
 */
static const struct kernel_name {
	const char *name;
	uint32_t type;
	uint64_t config;
} kernel_names[] = {
	{ "CYCLES", HARDWARE, 0 },         { "INSTRUCTIONS", HARDWARE, 1 },
	{ "CPU-CLOCK", SOFTWARE, 0 },      { "TASK-CLOCK", SOFTWARE, 1 },
	{ "PAGE-FAULTS", SOFTWARE, 2 },    { "CONTEXT-SWITCHES", SOFTWARE, 3 },
	{ "CPU-MIGRATIONS", SOFTWARE, 4 }, { "MINOR-FAULTS", SOFTWARE, 5 },
	{ "MAJOR-FAULTS", SOFTWARE, 6 },
};

static bool encode_kernel(const char *table, const char *name, struct perf_encoding *out)
{
	for (size_t i = 0; i < sizeof(kernel_names) / sizeof(kernel_names[0]); i++) {
		const struct kernel_name *row = &kernel_names[i];

		if ((table && strcmp(table, "perf")) || strcmp(name, row->name))
			continue;
		*out = (struct perf_encoding){ .type = row->type,
					       .config = row->config,
					       .exclude_kernel = true,
					       .exclude_hv = true };
		return true;
	}
	return false;
}

#ifdef HAVE_LIBPFM4
#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#define LIBRARY "libpfm.so.4"
/* newer libraries have more tables than the header lists; 600 today */
#define TABLES_MAX 4096

static struct {
	bool asked, works;
	char why[WHY_BYTES];
	pfm_err_t (*initialize)(void);
	const char *(*strerror)(int code);
	pfm_err_t (*get_pmu_info)(pfm_pmu_t pmu, pfm_pmu_info_t *output);
	int (*get_event_next)(int index);
	pfm_err_t (*get_event_info)(int index, pfm_os_t os, pfm_event_info_t *output);
	pfm_err_t (*get_event_attr_info)(int event, int attribute, pfm_os_t os,
					 pfm_event_attr_info_t *output);
	pfm_err_t (*get_os_event_encoding)(const char *name, int levels, pfm_os_t os,
					   void *arguments);
} pfm;

static bool find_functions(void *library)
{
	const struct library_function wanted[] = {
		{ "pfm_initialize", &pfm.initialize },
		{ "pfm_strerror", &pfm.strerror },
		{ "pfm_get_pmu_info", &pfm.get_pmu_info },
		{ "pfm_get_event_next", &pfm.get_event_next },
		{ "pfm_get_event_info", &pfm.get_event_info },
		{ "pfm_get_event_attr_info", &pfm.get_event_attr_info },
		{ "pfm_get_os_event_encoding", &pfm.get_os_event_encoding },
	};

	return library_functions(library, wanted, sizeof(wanted) / sizeof(wanted[0]));
}

/* RTLD_LOCAL, so that the program's symbols are never bound to it. */
static void load(void)
{
	void *library = own_imports_open(LIBRARY);
	pfm_err_t error;

	pfm.asked = true;
	if (!library) {
		snprintf(pfm.why, sizeof(pfm.why),
			 LIBRARY " cannot be opened: install Debian's package libpfm4");
	} else if (!find_functions(library)) {
		snprintf(pfm.why, sizeof(pfm.why),
			 LIBRARY " lacks functions that libpfm4 should have");
	} else if ((error = pfm.initialize()) != PFM_SUCCESS) {
		snprintf(pfm.why, sizeof(pfm.why), "libpfm4 does not start: %s",
			 pfm.strerror(error));
	} else {
		pfm.works = true;
	}
}

bool perf_names_start(char *why)
{
	if (!pfm.asked)
		load();
	snprintf(why, WHY_BYTES, "%s", pfm.why);
	return pfm.works;
}

/* The next table of this machine from *pmu on; false: there is none. */
static bool next_table(int *pmu, pfm_pmu_info_t *info)
{
	for (; *pmu < TABLES_MAX; ++*pmu) {
		pfm_err_t error;

		memset(info, 0, sizeof(*info));
		info->size = sizeof(*info);
		error = pfm.get_pmu_info((pfm_pmu_t)*pmu, info);
		if (error == PFM_ERR_INVAL && *pmu >= PFM_PMU_MAX)
			return false;
		if (error == PFM_SUCCESS && info->is_present) {
			++*pmu;
			return true;
		}
	}
	return false;
}

size_t perf_names_tables(const char **out, size_t room)
{
	pfm_pmu_info_t info;
	size_t nr = 0;

	for (int pmu = 0; pfm.works && nr < room && next_table(&pmu, &info);)
		/* except ix86arch, which every Intel CPU has in addition to its own table */
		if (info.type == PFM_PMU_TYPE_CORE && !info.is_dfl)
			out[nr++] = info.name;
	return nr;
}

/* -------------------------------------------------------- names that are near */

struct names {
	struct arena *arena;
	const char **items;
	size_t nr, room;
};

static void add_name(struct names *names, const char *name)
{
	if (ARENA_GROW(names->arena, names->items, names->nr, names->room))
		names->items[names->nr++] = name;
}

static void add_events(struct names *names, const char *table)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	pfm_pmu_info_t info;

	for (int pmu = 0; next_table(&pmu, &info);)
		for (int index = info.first_event;
		     (!table || !strcmp(table, info.name)) && index >= 0;
		     index = pfm.get_event_next(index))
			if (pfm.get_event_info(index, PFM_OS_PERF_EVENT_EXT, &event) == PFM_SUCCESS)
				add_name(names, event.name);
}

/* The attributes (unit masks, modifiers) of the event that `name` begins with. */
static void add_attributes(struct names *names, const char *table, const char *name)
{
	size_t length = strcspn(name, ":");
	pfm_event_info_t event = { .size = sizeof(event) };
	pfm_event_attr_info_t attribute = { .size = sizeof(attribute) };
	pfm_pmu_info_t info;

	for (int pmu = 0; next_table(&pmu, &info);)
		for (int index = info.first_event;
		     (!table || !strcmp(table, info.name)) && index >= 0;
		     index = pfm.get_event_next(index)) {
			if (pfm.get_event_info(index, PFM_OS_PERF_EVENT_EXT, &event) !=
				    PFM_SUCCESS ||
			    strlen(event.name) != length || strncmp(event.name, name, length))
				continue;
			for (int i = 0; i < event.nattrs; i++)
				if (pfm.get_event_attr_info(index, i, PFM_OS_PERF_EVENT_EXT,
							    &attribute) == PFM_SUCCESS)
					add_name(names, attribute.name);
		}
}

static bool has_table(const char *table)
{
	pfm_pmu_info_t info;

	for (int pmu = 0; next_table(&pmu, &info);)
		if (!table || !strcmp(table, info.name))
			return true;
	return false;
}

static bool is_name(const struct names *names, const char *word)
{
	for (size_t i = 0; i < names->nr; i++)
		if (!strcmp(names->items[i], word))
			return true;
	return false;
}

/*
 * For each part after the event's name that is no attribute: the most similar attribute; the first
 * such part is reported.
 */
static void suggest_attribute(struct names *names, const char *table, const char *name, char *why)
{
	const char *parts = strchr(name, ':');
	char word[64];

	add_attributes(names, table, name);
	while (parts) {
		const char *nearest;

		snprintf(word, sizeof(word), "%.*s", (int)strcspn(parts + 1, ":="), parts + 1);
		nearest = is_name(names, word) ? NULL : log_nearest(word, names->items, names->nr);
		if (nearest)
			snprintf(why, WHY_BYTES, "unknown attribute '%s'; did you mean '%s'?", word,
				 nearest);
		if (nearest)
			return;
		parts = strchr(parts + 1, ':');
	}
}

static void suggest_event(struct names *names, const char *table, const char *name, char *why)
{
	char word[96];
	const char *nearest;

	add_events(names, table);
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(name, ":"), name);
	nearest = log_nearest(word, names->items, names->nr);
	snprintf(why, WHY_BYTES,
		 nearest ? "unknown event '%s' in %s; did you mean '%s'?"
			 : "unknown event '%s' in %s",
		 word, table ? table : "libpfm4's tables of this CPU", nearest);
}

/* The library's error text, and the most similar name if there is one. */
static void explain(pfm_err_t error, const char *table, const char *name, char *why)
{
	struct names names = { .arena = arena_new() };

	snprintf(why, WHY_BYTES, "libpfm4: %s", pfm.strerror(error));
	if (!has_table(table))
		snprintf(why, WHY_BYTES, "libpfm4 has no table '%s' for this CPU", table);
	else if (names.arena && error == PFM_ERR_NOTFOUND)
		suggest_event(&names, table, name, why);
	else if (names.arena && (error == PFM_ERR_ATTR || error == PFM_ERR_UMASK))
		suggest_attribute(&names, table, name, why);
	arena_free(names.arena);
}

/*
 * All attributes of the kernel (:u, :k, :period …) are allowed; without any, user code is counted.
 */
static enum ms_status encode(const char *table, const char *name, struct perf_encoding *out,
			     char *why)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arguments = { .attr = &attr, .size = sizeof(arguments) };
	char full[256];
	pfm_err_t error;

	if (!perf_names_start(why))
		return MS_ERR_UNSUPPORTED;
	snprintf(full, sizeof(full), "%s%s%s", table ? table : "", table ? "::" : "", name);
	error = pfm.get_os_event_encoding(full, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arguments);
	if (error != PFM_SUCCESS) {
		explain(error, table, name, why);
		return MS_ERR_NOT_FOUND;
	}
	*out = (struct perf_encoding){
		.type = attr.type,
		.config = attr.config,
		.config1 = attr.config1,
		.config2 = attr.config2,
		.exclude_user = attr.exclude_user,
		.exclude_kernel = attr.exclude_kernel,
		.exclude_hv = attr.exclude_hv,
		.exclude_guest = attr.exclude_guest,
		.exclude_host = attr.exclude_host,
	};
	return MS_OK;
}

#else

bool perf_names_start(char *why)
{
	snprintf(why, WHY_BYTES, "left out of this build: libpfm4 (Debian's package libpfm4-dev)");
	return false;
}

size_t perf_names_tables(const char **out, size_t room)
{
	(void)out, (void)room;
	return 0;
}

static enum ms_status encode(const char *table, const char *name, struct perf_encoding *out,
			     char *why)
{
	(void)table, (void)name, (void)out;
	perf_names_start(why);
	return MS_ERR_UNSUPPORTED;
}

#endif

enum ms_status perf_names_encode(const char *table, const char *name, struct perf_encoding *out,
				 char *why)
{
	return encode_kernel(table, name, out) ? MS_OK : encode(table, name, out, why);
}
