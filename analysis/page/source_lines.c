/* SPDX-License-Identifier: Apache-2.0 */
/* Source lines of the page. */
#include "analysis/page/source_lines.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/debuginfo/source.h"
#include "analysis/page/numbers.h"
#include "analysis/report/access_groups.h"
#include "analysis/report/cause.h"
#include "analysis/report/json.h"

#define AROUND 6         /* lines of text before and after one with numbers */
#define TRIES 3          /* addresses of a file whose text is looked for */
#define COLUMNS_MOST 300 /* of a line of text */

static bool has_line(const struct source *source)
{
	return source->line > 0 && source->file && *source->file;
}

/* ------------------------------------------------------------------ accesses */

static double moved(const struct access_group *group)
{
	return group->bytes * group->executions;
}

static int most_first(const void *left, const void *right)
{
	const struct access_group *a = *(const struct access_group *const *)left;
	const struct access_group *b = *(const struct access_group *const *)right;

	if (a->misses.cycles < b->misses.cycles || a->misses.cycles > b->misses.cycles)
		return a->misses.cycles > b->misses.cycles ? -1 : 1;
	if (moved(a) < moved(b) || moved(a) > moved(b))
		return moved(a) > moved(b) ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void put_group(struct json *json, const struct run *run, const struct access_group *group)
{
	json_open(json, NULL, '{');
	json_string(json, "file", group->source->file);
	json_number(json, "line", group->source->line);
	json_number(json, "array", group->array < run->nr_arrays ? group->array : NAN);
	json_number(json, "loop", group->loop != MS_REGION_NONE ? group->loop : group->region);
	page_number(json, "reads", group->reads * group->executions);
	page_number(json, "writes", group->writes * group->executions);
	page_number(json, "bytes", moved(group));
	page_number(json, "stride", group->with_stride >= 0.5 ? group->stride : NAN);
	page_misses(json, &group->misses);
	json_close(json);
}

/* Groups of known lines, those that wait longest first. */
static size_t known_groups(struct arena *arena, const struct access_groups *groups,
			   const struct access_group ***out)
{
	size_t nr = 0;

	*out = arena_alloc(arena, (groups->nr + 1) * sizeof(**out));
	for (size_t i = 0; *out && i < groups->nr; i++)
		if (has_line(groups->items[i].source))
			(*out)[nr++] = &groups->items[i];
	if (nr)
		sort(*out, nr, sizeof(**out), most_first);
	return nr;
}

/* ------------------------------------------------------------------ samples of time */

struct timed {
	const char *file;
	int line;
	double count;
};

static int by_line(const void *left, const void *right)
{
	const struct timed *a = left, *b = right;
	int order = strcmp(a->file, b->file);

	return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static int longest_first(const void *left, const void *right)
{
	const struct timed *a = left, *b = right;

	if (a->count < b->count || a->count > b->count)
		return a->count > b->count ? -1 : 1;
	return by_line(left, right);
}

/* Of all samples; a region's hot spots are the most frequent of its own. */
static double all_samples(struct arena *arena, const struct run *run)
{
	double *of = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*of)), all = 0;

	for (size_t i = 0; of && i < run->nr_hotspots; i++) {
		const struct run_hotspot *spot = &run->hotspots[i];

		if (spot->metric == MS_METRIC_SAMPLES && spot->share > 0)
			of[spot->region] = (double)spot->count / spot->share;
	}
	for (size_t i = 0; of && i < run->nr_regions; i++)
		all += of[i];
	return all;
}

static size_t timed_lines(struct arena *arena, const struct run *run, struct timed **out)
{
	struct timed *items = arena_alloc(arena, (run->nr_hotspots + 1) * sizeof(*items));
	size_t nr = 0, last = 0;

	*out = items;
	for (size_t i = 0; items && i < run->nr_hotspots; i++) {
		const struct run_hotspot *spot = &run->hotspots[i];

		if (spot->metric == MS_METRIC_SAMPLES && has_line(&spot->source))
			items[nr++] = (struct timed){ spot->source.file, spot->source.line,
						      (double)spot->count };
	}
	if (!nr)
		return 0;
	sort(items, nr, sizeof(*items), by_line);
	for (size_t i = 1; i < nr; i++)
		if (by_line(&items[last], &items[i]))
			items[++last] = items[i];
		else
			items[last].count += items[i].count;
	sort(items, last + 1, sizeof(*items), longest_first);
	return last + 1;
}

/* ------------------------------------------------------------------ text */

struct texts {
	struct json *json;
	struct arena *arena;
	const struct run *run;
	struct sources *sources; /* NULL: no text is read */
	struct timed *wanted;    /* lines, by file */
	size_t nr;
	size_t left; /* lines of text that may still be written */
};

static void want(struct texts *texts, const struct source *source)
{
	if (has_line(source))
		texts->wanted[texts->nr++] = (struct timed){ source->file, source->line, 0 };
}

static bool is_in(const struct source *source, const char *file)
{
	return has_line(source) && !strcmp(source->file, file);
}

/* The text of the file that these addresses are of. */
static const char *find_text(const struct texts *texts, const char *file)
{
	const struct run *run = texts->run;
	const char *text = NULL;
	int tries = 0;

#define TRY(list, nr, where) \
	for (size_t i = 0; !text && tries < TRIES && i < run->nr; i++) \
		if (is_in(&run->list[i].source, file)) { \
			text = sources_text(texts->sources, run->modules, run->nr_modules, \
					    run->list[i].where); \
			tries++; \
		}
	TRY(accesses, nr_accesses, address)
	TRY(hotspots, nr_hotspots, address)
	TRY(regions, nr_regions, inside)
#undef TRY
	return text;
}

static void put_line(struct texts *texts, int number, const char *begin, size_t length)
{
	bool cut = length > COLUMNS_MOST;
	char *line = arena_printf(texts->arena, "%.*s%s", (int)(cut ? COLUMNS_MOST : length), begin,
				  cut ? " ..." : "");

	json_open(texts->json, NULL, '[');
	json_number(texts->json, NULL, number);
	json_string(texts->json, NULL, line);
	json_close(texts->json);
	texts->left--;
}

/* Those of `lines`, ascending, and the lines around them. */
static void put_text(struct texts *texts, const char *text, const struct timed *lines, size_t nr)
{
	size_t next = 0;

	for (int number = 1; *text && next < nr && texts->left; number++) {
		size_t length = strcspn(text, "\n");

		while (next < nr && lines[next].line + AROUND < number)
			next++;
		if (next < nr && number >= lines[next].line - AROUND)
			put_line(texts, number, text, length);
		text += length + (text[length] == '\n');
	}
}

static void put_file(struct texts *texts, const struct timed *lines, size_t nr)
{
	const char *text = texts->sources ? find_text(texts, lines[0].file) : NULL;

	json_open(texts->json, NULL, '{');
	json_string(texts->json, "file", lines[0].file);
	json_string(texts->json, "why",
		    text              ? NULL
		    : !texts->sources ? "not read for brief output"
				      : "not there, or changed since the program was built");
	json_open(texts->json, "text", '[');
	if (text)
		put_text(texts, text, lines, nr);
	json_close(texts->json);
	json_close(texts->json);
}

static void want_causes(struct texts *texts, const struct cause *causes, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct source *hot = cause_line(texts->run, &causes[i]);

		want(texts, &texts->run->regions[causes[i].region].source);
		if (hot)
			want(texts, hot);
	}
}

static void want_arrays(struct texts *texts, size_t most)
{
	for (size_t i = 0; i < texts->run->nr_arrays && i < most; i++) {
		const struct run_array *array = &texts->run->arrays[i];
		struct source declared = { .file = array->file, .line = array->line };

		want(texts, has_line(&declared) ? &declared : &array->site_source);
	}
}

static void put_sources(struct texts *texts)
{
	size_t begin = 0;

	json_open(texts->json, "sources", '[');
	if (texts->nr)
		sort(texts->wanted, texts->nr, sizeof(*texts->wanted), by_line);
	for (size_t i = 1; i <= texts->nr; i++) {
		if (i < texts->nr && !strcmp(texts->wanted[i].file, texts->wanted[begin].file))
			continue;
		put_file(texts, texts->wanted + begin, i - begin);
		begin = i;
	}
	json_close(texts->json);
}

static size_t put_groups(struct texts *texts, const struct access_groups *groups, size_t most)
{
	const struct access_group **known;
	size_t nr = known_groups(texts->arena, groups, &known), shown = nr < most ? nr : most;

	json_open(texts->json, "lines", '[');
	for (size_t i = 0; i < shown; i++) {
		put_group(texts->json, texts->run, known[i]);
		want(texts, known[i]->source);
	}
	json_close(texts->json);
	return nr - shown;
}

static void put_times(struct texts *texts, size_t most)
{
	struct timed *timed;
	size_t nr = timed_lines(texts->arena, texts->run, &timed);
	double all = all_samples(texts->arena, texts->run);

	json_open(texts->json, "times", '[');
	for (size_t i = 0; i < nr && i < most; i++) {
		json_open(texts->json, NULL, '{');
		json_string(texts->json, "file", timed[i].file);
		json_number(texts->json, "line", timed[i].line);
		page_number(texts->json, "share", timed[i].count / all);
		json_close(texts->json);
		texts->wanted[texts->nr++] = timed[i];
	}
	json_close(texts->json);
}

void page_lines(struct json *json, struct arena *arena, const struct run *run,
		const struct access_groups *groups, const struct page_lines_options *options)
{
	struct texts texts = {
		.json = json, .arena = arena, .run = run, .left = options->source_lines
	};
	const struct cause *causes[2];
	size_t nr[2] = { causes_of(arena, run, false, &causes[0]),
			 causes_of(arena, run, true, &causes[1]) };

	texts.wanted = arena_alloc(arena, (3 * options->lines + 2 * (nr[0] + nr[1]) + 1) *
						  sizeof(*texts.wanted));
	if (!texts.wanted)
		return;
	texts.sources = options->brief ? NULL : sources_new(arena);
	json_unsigned(json, "lines_left_out", put_groups(&texts, groups, options->lines));
	put_times(&texts, options->lines);
	want_causes(&texts, causes[0], nr[0]);
	want_causes(&texts, causes[1], nr[1]);
	want_arrays(&texts, options->lines);
	put_sources(&texts);
	if (texts.sources)
		sources_free(texts.sources);
}
