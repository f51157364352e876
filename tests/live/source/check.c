/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolves the events that dump.c wrote and compares with the markers in the sources.
 *     check exact|careful|approximate|nothing DUMP SOURCE...
 * exact: every begin event is found exactly, in a marked line, in the marked function, and
 * every marker is met. careful: the same for parallel regions, barriers and critical
 * constructs; others may be approximate, but not wrong without saying so. approximate: the function is a marked one, and nothing claims to be
 * exact. nothing: the binary is stripped, module and offset are all there is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/base/arena.h"
#include "analysis/debuginfo/source.h"

#define MARKERS_MAX 200
#define SEEN_MAX 20000
#define MODULES_MAX 64
#define WORD 512

struct marker {
	char file[64], kind[64], function[WORD];
	int line;
	bool optional, vague, seen;
};

/* around: the same of the parallel region around it */
struct event { char kind[32]; struct code_address construct, inside, around, around_inside; };

static struct marker markers[MARKERS_MAX];
static size_t nr_markers;
static struct module modules[MODULES_MAX];
static size_t nr_modules;
static struct event seen[SEEN_MAX];
static size_t nr_seen;
static int failures;

static void fail(const char *what, const char *kind, const struct source *source)
{
	failures++;
	printf("    %s: %s in '%s' %s:%d%s at %s+0x%llx\n", what, kind, source->function, source->file, source->line,
	       source->approximate ? " (approximate)" : "", source->module, (unsigned long long)source->offset);
}

static void read_markers(const char *path)
{
	const char *slash = strrchr(path, '/');
	FILE *file = fopen(path, "r");
	char line[1024];

	for (int number = 1; file && fgets(line, sizeof(line), file); number++) {
		for (char *at = line; (at = strchr(at, '@')) && nr_markers < MARKERS_MAX; at++) {
			struct marker *marker = &markers[nr_markers];

			if (sscanf(at, "@%63[A-Z|]", marker->kind) != 1)
				continue;
			at += 1 + strlen(marker->kind);
			marker->optional = *at == '?';
			at += marker->optional;
			marker->vague = *at == '~';
			at += marker->vague;
			if (*at != ':' || sscanf(at, ":%511s", marker->function) != 1)
				continue;
			snprintf(marker->file, sizeof(marker->file), "%s", slash ? slash + 1 : path);
			marker->line = number;
			nr_markers++;
		}
	}
	if (file)
		fclose(file);
}

static uint32_t module_of(const char *path, const char *build_id)
{
	for (size_t i = 0; i < nr_modules; i++)
		if (!strcmp(modules[i].path, path))
			return (uint32_t)i;
	if (!strcmp(path, "-") || nr_modules == MODULES_MAX)
		return UINT32_MAX;
	modules[nr_modules] = (struct module){ .path = strdup(path), .build_id = strdup(build_id) };
	return (uint32_t)nr_modules++;
}

static void read_events(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[8 * WORD], kind[32], where[4][WORD], id[4][WORD];
	unsigned long long offset[4];

	while (file && fgets(line, sizeof(line), file) && nr_seen < SEEN_MAX) {
		struct event event = { .kind = "" };
		size_t i = 0;

		if (sscanf(line, "MODULE %511s %511s", where[0], id[0]) == 2)
			module_of(where[0], id[0]);
		/* dump.c writes "" build-ids as two blanks: all test programs are linked with one */
		if (sscanf(line, "%31s %511s %511s %llx %511s %511s %llx %511s %511s %llx %511s %511s %llx", kind,
			   where[0], id[0], &offset[0], where[1], id[1], &offset[1], where[2], id[2], &offset[2],
			   where[3], id[3], &offset[3]) != 13)
			continue;
		snprintf(event.kind, sizeof(event.kind), "%s", kind);
		event.construct = (struct code_address){ module_of(where[0], id[0]), offset[0] };
		event.inside = (struct code_address){ module_of(where[1], id[1]), offset[1] };
		event.around = (struct code_address){ module_of(where[2], id[2]), offset[2] };
		event.around_inside = (struct code_address){ module_of(where[3], id[3]), offset[3] };
		while (i < nr_seen && memcmp(&seen[i], &event, sizeof(event)))
			i++;
		if (i == nr_seen)
			seen[nr_seen++] = event;
	}
	if (file)
		fclose(file);
}

static enum ms_region_kind kind_of(const char *kind)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s_REGION", (int)strcspn(kind, "?"), kind);
	for (unsigned int i = 0; i < MS_REGION_KINDS; i++)
		if (!strcmp(ms_region_kind_name(i), name))
			return (enum ms_region_kind)i;
	return MS_USER_REGION;
}

/* "SECTIONS|DO" allows both */
static bool kind_fits(const char *allowed, const char *kind)
{
	size_t length = strcspn(kind, "?");

	while (*allowed) {
		size_t word = strcspn(allowed, "|");

		if (word == length && !strncmp(allowed, kind, length))
			return true;
		allowed += word + (allowed[word] == '|');
	}
	return false;
}

/* Markers have no blanks: "(anonymous_namespace)". flang forgets the name of the main program. */
static bool function_fits(const char *marked, const char *function)
{
	if (!strcmp(function, "main program"))
		return !strcmp(marked, "swim");
	while (*marked && (*marked == *function || (*marked == '_' && *function == ' '))) {
		marked++;
		function++;
	}
	return !*marked && !*function;
}

static struct marker *marker_of(const char *kind, const struct source *source, bool with_line)
{
	for (size_t i = 0; i < nr_markers; i++)
		if (kind_fits(markers[i].kind, kind) && function_fits(markers[i].function, source->function) &&
		    (!with_line || (markers[i].line == source->line && !strcmp(markers[i].file, source->file))))
			return &markers[i];
	return NULL;
}

/* Closing barriers of gcc look like explicit ones and belong to no marker; they must not claim to be exact. */
static void check_exact(const struct event *event, const struct source *source)
{
	struct marker *marker = marker_of(event->kind, source, true);

	/* libomp reports a critical construct in a task with the address of the region's call */
	if (!marker && source->approximate && !strcmp(event->kind, "CRITICAL") && marker_of("PARALLEL", source, true))
		return;
	if (strchr(event->kind, '?') && (source->approximate || !*source->function))
		return;
	if (!marker)
		fail("wrong place", event->kind, source);
	else if (source->approximate && !marker->vague)
		fail("right but approximate", event->kind, source);
	for (size_t i = 0; marker && i < nr_markers; i++)       /* neighbours that may be mixed up */
		if (&markers[i] == marker || (marker->vague && source->approximate && markers[i].vague))
			markers[i].seen = true;
}

static void check_careful(const struct event *event, const struct source *source)
{
	if (!strcmp(event->kind, "PARALLEL") || !strcmp(event->kind, "BARRIER") || !strcmp(event->kind, "CRITICAL"))
		check_exact(event, source);
	else if (!source->approximate && !marker_of(event->kind, source, true))
		fail("wrong place", event->kind, source);
}

static void check_approximate(const struct event *event, const struct source *source)
{
	if (source->approximate && !strcmp(event->kind, "CRITICAL") && marker_of("PARALLEL", source, false))
		return;
	if (!source->approximate)
		fail("claims to be exact", event->kind, source);
	else if (!strchr(event->kind, '?') && !marker_of(event->kind, source, false))
		fail("wrong function", event->kind, source);
}

/* Without an address inside the body the answer may be vague, but not wrong. */
static void check_without_inside(const struct event *event, const struct source *source)
{
	if (!source->approximate && !marker_of(event->kind, source, true))
		fail("wrong place, inside unknown", event->kind, source);
}

static bool is_runtime(struct code_address address)
{
	const char *path = address.module == UINT32_MAX ? "" : modules[address.module].path;

	return strstr(path, "/libomp.") || strstr(path, "/libgomp.") || strstr(path, "/libmemsearch-gomp.");
}

static enum ms_status resolve(struct sources *sources, const struct event *event, struct source *out)
{
	enum ms_region_kind kind = kind_of(event->kind);
	enum ms_status status = sources_region(sources, modules, nr_modules, kind, event->construct, event->inside, out);

	if (status == MS_ERR_NOT_FOUND && event->around.module != UINT32_MAX && is_runtime(event->construct))
		status = sources_region_within(sources, modules, nr_modules, kind, event->around, event->around_inside,
					       out);
	return status;
}

static void check_event(struct sources *sources, const char *mode, const struct event *event)
{
	const struct code_address unknown = { UINT32_MAX, 0 };
	enum ms_region_kind kind = kind_of(event->kind);
	struct source source;
	enum ms_status status = resolve(sources, event, &source);

	if (!strncmp(source.module, "libomp", 6) || !strncmp(source.module, "libgomp", 7) || !strncmp(source.module, "libmemsearch-gomp", 17))
		return;         /* a tail call lost the address, and nothing was seen inside */
	if (!strcmp(mode, "nothing")) {
		if (status == MS_ERR_VERSION || source.line || !source.approximate || !*source.module || !source.offset)
			fail("expected only module and offset", event->kind, &source);
	} else if (status == MS_ERR_NOT_FOUND && !strcmp(mode, "approximate") && !strcmp(event->kind, "CRITICAL")) {
		return;         /* in a task of clang, whose symbol is ".omp_task_entry." */
	} else if (status) {
		fail(ms_status_text(status), event->kind, &source);
	} else if (!strcmp(mode, "approximate")) {
		check_approximate(event, &source);
	} else {
		if (!strcmp(mode, "careful"))
			check_careful(event, &source);
		else
			check_exact(event, &source);
		sources_region(sources, modules, nr_modules, kind, event->construct, unknown, &source);
		check_without_inside(event, &source);
	}
}

int main(int argc, char **argv)
{
	struct arena *arena = arena_new();
	struct sources *sources = sources_new(arena);

	if (argc < 4 || !sources)
		return 2;
	for (int i = 3; i < argc; i++)
		read_markers(argv[i]);
	read_events(argv[2]);
	if (!nr_seen || !nr_markers) {
		printf("    no events in %s\n", argv[2]);
		return 1;
	}
	for (size_t i = 0; i < nr_seen; i++)
		check_event(sources, argv[1], &seen[i]);
	for (size_t i = 0; i < nr_markers && !strcmp(argv[1], "exact"); i++)
		if (!markers[i].seen && !markers[i].optional) {
			failures++;
			printf("    not seen: %s %s:%d\n", markers[i].kind, markers[i].file, markers[i].line);
		}
	sources_free(sources);
	arena_free(arena);
	return failures != 0;
}
