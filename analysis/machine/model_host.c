/* SPDX-License-Identifier: Apache-2.0 */
/* This machine as a model: known figures, and typical ones for the rest. */
#include "analysis/machine/model_host.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/system_text.h"
#include "analysis/bandwidth/bandwidth.h"
#include "analysis/machine/figure.h"
#include "analysis/machine/machines.h"
#include "analysis/machine/model_check.h"
#include "analysis/machine/model_text.h"
#include "analysis/machine/topology.h"

/* cycles: what memory may take; beyond its typical caches' latency */
#define LATENCY_LEAST 100
#define LATENCY_MOST 4000
#define REMOTE_TIMES 1.5   /* as typical */
#define CPUINFO_BYTES 8192 /* the first CPU's part, and more */

/*
 * Typical of servers from 2020 on (Ice Lake-SP, Zen 3, Neoverse V1; the files in
 * properties/machines/ have each one's own): cycles of a core with some 3 GHz, 100 ns of memory,
 * 150 ns of another socket's. Caches and TLBs are for machines that do not report theirs.
 */
static const struct machine_model typical = {
	.cache = {
		{ .bytes = 32 << 10, .ways = 8, .line = 64, .cores = 1, .latency = 5, .next_line = false, .strides = true },
		{ .bytes = 1 << 20, .ways = 16, .line = 64, .cores = 1, .latency = 14, .next_line = true, .strides = true },
		{ .latency = 60 },
	},
	.tlb = { { .entries = 64, .ways = 4, .latency = 0 }, { .entries = 1536, .ways = 12, .latency = 7 } },
	.walk_latency = 30, .memory_latency = 300, .remote_latency = 450, .transfer_latency = 120, .remote_transfer_latency = 400,
};

/* -- facts */

double host_hz(const char *cpuinfo, uint64_t base_khz)
{
	static const char key[] = "\ncpu MHz";
	const char *at = strstr(cpuinfo, key);
	double mhz = 0;

	if (base_khz)
		return (double)base_khz * 1e3;
	if (!at)
		return 0;
	for (at += strlen(key); *at == ' ' || *at == '\t' || *at == ':'; at++)
		;
	for (; *at >= '0' && *at <= '9' && mhz < 1e6; at++)
		mhz = mhz * 10 + (*at - '0');
	return mhz * 1e6;
}

static uint64_t read_number(const char *path)
{
	char text[32];
	uint64_t number = 0;

	system_text_read(path, text, sizeof(text));
	for (const char *at = text; *at >= '0' && *at <= '9' && number < UINT32_MAX; at++)
		number = number * 10 + (uint64_t)(*at - '0');
	return number;
}

/*
 * The base frequency: the current one, in cpuinfo, moves with the load. Virtual machines have no
 * other.
 */
static uint64_t base_khz(void)
{
	uint64_t base = read_number("/sys/devices/system/cpu/cpu0/cpufreq/base_frequency");

	return base ? base : read_number("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
}

static void find_latency(struct arena *arena, struct host_facts *out)
{
	struct bandwidth_place place;
	struct bandwidth kept;

	bandwidth_find(arena, NULL, &place);
	if (bandwidth_load(&place, &kept) != MS_OK || bandwidth_is_uncertain(&kept))
		return;
	out->latency = kept.latency;
}

static void find_facts(struct arena *arena, struct host_facts *out)
{
	char *cpuinfo = arena_alloc(arena, CPUINFO_BYTES);

	memset(out, 0, sizeof(*out));
	out->cpu = "";
	out->page = (uint32_t)sysconf(_SC_PAGESIZE);
	out->huge_page = (uint32_t)read_number(
		"/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
	host_tlbs(out->tlb);
	find_latency(arena, out);
	if (!cpuinfo)
		return;
	system_text_read("/proc/cpuinfo", cpuinfo, CPUINFO_BYTES);
	out->cpu = system_text_cpu_model(arena, cpuinfo);
	out->hz = host_hz(cpuinfo, base_khz());
	out->is_virtual = strstr(cpuinfo, " hypervisor") != NULL;
}

/* -- the model, and where each figure is from */

struct host {
	struct arena *arena;
	const struct topology *topology;
	const struct host_facts *facts;
	struct model_file *file;
	bool no_caches;
};

/* The calibration's, unless it contradicts the caches' typical latencies. */
static bool has_latency(const struct host *host)
{
	double cycles = host->facts->latency * host->facts->hz;

	return host->topology->here && cycles > LATENCY_LEAST && cycles < LATENCY_MOST;
}

static void put_typical(const struct host *host)
{
	struct machine_model *model = &host->file->model;

	*model = typical;
	topology_apply(host->topology, model);
	for (int i = 0; i < MODEL_LEVELS; i++) {
		model->cache[i].latency = typical.cache[i].latency;
		model->cache[i].next_line = typical.cache[i].next_line && model->cache[i].bytes;
		model->cache[i].strides = typical.cache[i].strides && model->cache[i].bytes;
	}
	if (host->no_caches)
		memcpy(model->cache, typical.cache, sizeof(typical.cache));
	if (has_latency(host)) { /* distances between nodes are relative to it */
		model->memory_latency = (uint32_t)lround(host->facts->latency * host->facts->hz);
		model->remote_latency = (uint32_t)(REMOTE_TIMES * model->memory_latency);
	}
	topology_apply_distances(host->topology, model);
	if (model->nodes == 1 || model->distances[0][0])
		model->remote_latency = 0;
	if (model->nodes == 1)
		model->remote_transfer_latency = 0;
}

static void put_facts(const struct host *host)
{
	struct machine_model *model = &host->file->model;

	model->name = MACHINES_HOST;
	model->hz = host->facts->hz;
	model->page = host->facts->page;
	model->huge_page = host->facts->huge_page;
	for (int i = 0; i < 2; i++) {
		if (!host->facts->tlb[i].entries)
			continue;
		model->tlb[i].entries = host->facts->tlb[i].entries;
		model->tlb[i].ways = host->facts->tlb[i].ways;
	}
	if (host->facts->tlb[0].entries && !host->facts->tlb[1].entries)
		memset(&model->tlb[1], 0, sizeof(model->tlb[1]));
}

static const char *source_of_cache(const struct host *host, const struct figure *figure)
{
	bool is_shape = figure->kind == FIGURE_BYTES || figure->kind == FIGURE_WAYS ||
			figure->kind == FIGURE_COUNT;

	return host->no_caches || !is_shape
		       ? "typical"
		       : topology_says(host->topology, &host->file->model, figure);
}

static const char *source_of_figure(const struct host *host, const struct figure *figure)
{
	if (figure->level)
		return source_of_cache(host, figure);
	if (figure->tlb)
		return figure->kind != FIGURE_CYCLES && host->facts->tlb[figure->tlb - 1].entries
			       ? "CPUID"
			       : "typical";
	if (has_latency(host) && !strcmp(figure->key, "memory"))
		return "calibration";
	if (!strcmp(figure->key, "cores") || !strcmp(figure->key, "nodes"))
		return "hwloc";
	if (!strcmp(figure->key, "page") || !strcmp(figure->key, "huge_page") ||
	    !strcmp(figure->key, "clock"))
		return "the kernel";
	return "typical";
}

static void put_notes(const struct host *host)
{
	const struct figure *all;
	size_t nr = figures(&all), room = nr;
	struct model_note *notes = arena_alloc(host->arena, room * sizeof(*notes));

	for (size_t i = 0; notes && i < nr; i++)
		if (figure_applies(&all[i], &host->file->model))
			notes[host->file->nr_notes++] = (struct model_note){
				all[i].key, 0, source_of_figure(host, &all[i])
			};
	host->file->notes = notes;
}

/* ", L2 1024 KiB in 16 ways of 2 cores" */
static const char *caches_seen(const struct host *host)
{
	const char *text = "";

	for (int i = 0; i < MODEL_LEVELS && text; i++) {
		uint64_t bytes = host->topology->cache[i].bytes;
		uint32_t ways = host->topology->cache[i].ways,
			 cores = host->topology->cache[i].cores;

		if (!bytes)
			continue;
		text = arena_printf(host->arena, "%s, L%d of %" PRIu64 " KiB", text, i + 1,
				    bytes / 1024);
		if (text && ways)
			text = arena_printf(host->arena, "%s in %" PRIu32 " ways", text, ways);
		if (text && cores > 1)
			text = arena_printf(host->arena, "%s for %" PRIu32 " cores", text, cores);
	}
	return text && !*text ? ", no caches" : text;
}

static const char *source_text(const struct host *host)
{
	const struct topology *topology = host->topology;
	bool tlbs = host->facts->tlb[0].entries != 0;
	const char *seen = caches_seen(host);

	return arena_printf(
		host->arena,
		"hwloc (API %s) saw %s%" PRIu32 " core%s on %" PRIu32 " node%s%s%s; %s; "
		"%slatencies, replacement and prefetchers%s are typical of current servers%s%s",
		topology->version,
		topology->here ? "" : "(another machine, as HWLOC_ variables describe it) ",
		topology->cores, topology->cores == 1 ? "" : "s", topology->nodes,
		topology->nodes == 1 ? "" : "s", seen ? seen : "",
		topology->uneven ? ", of several kinds: this is the first" : "",
		tlbs ? "TLBs by CPUID" : "no source for TLBs",
		has_latency(host) ? "memory's latency by the calibration; other " : "",
		tlbs ? "" : ", TLBs", host->no_caches ? ", and so are the caches" : "",
		host->facts->is_virtual ? "; a virtual machine may show other caches than there are"
					: "");
}

static struct model_file *file_new(struct arena *arena)
{
	struct model_file *file = arena_alloc(arena, sizeof(*file));

	if (!file)
		return NULL;
	file->path = MACHINES_HOST;
	file->title = file->model.source = "";
	file->model.name = MACHINES_HOST;
	return file;
}

static const struct model_file *refuse(struct arena *arena, struct model_file *file,
				       const char *why)
{
	struct model_mistake *mistake = arena_alloc(arena, sizeof(*mistake));

	if (!mistake)
		return NULL;
	mistake->text = why;
	file->mistakes = mistake;
	file->nr_mistakes = 1;
	return file;
}

const struct model_file *model_host_of(struct arena *arena, const struct topology *topology,
				       const struct host_facts *facts)
{
	struct host host = { arena, topology, facts, file_new(arena),
			     .no_caches = !topology->cache[0].bytes };
	const char *why;

	if (!host.file)
		return NULL;
	put_typical(&host);
	put_facts(&host);
	put_notes(&host);
	host.file->title = facts->cpu;
	host.file->model.source = source_text(&host);
	if (!host.file->model.source)
		return NULL;
	why = model_check(arena, &host.file->model);
	return why ? refuse(arena, host.file,
			    arena_printf(arena, "this machine cannot be modelled: %s; %s", why,
					 host.file->model.source))
		   : host.file;
}

const struct model_file *model_host(struct arena *arena)
{
	struct model_file *file = file_new(arena);
	struct topology *topology = arena_alloc(arena, sizeof(*topology));
	struct host_facts facts;
	const char *why;

	if (!file || !topology)
		return NULL;
	why = topology_here(arena, topology);
	if (why)
		return refuse(arena, file,
			      arena_printf(arena, "this machine is not known: %s", why));
	find_facts(arena, &facts);
	return model_host_of(arena, topology, &facts);
}
