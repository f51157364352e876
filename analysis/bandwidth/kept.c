/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the bandwidth that was measured: a small text file with a checksum. Also read inside
 * programs: no stdio streams.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analysis/bandwidth/bandwidth.h"
#include "analysis/base/arena.h"
#include "analysis/base/hash.h"
#include "analysis/base/own_folder.h"
#include "analysis/base/system_text.h"
#include "analysis/base/transfer.h"

/*
 *     memsearch-bandwidth 3
 *     host NAME
 *     cpu MODEL
 *     cpus 0-1
 *     nodes 0
 *     measured SECONDS
 *     single BYTES_PER_SECOND SPREAD_PPM
 *     all BYTES_PER_SECOND SPREAD_PPM THREADS
 *     arrays BYTES SMALL
 *     caches BYTES
 *     latency PICOSECONDS
 *     check FNV-1A
 */
#define FILE_BYTES 2048
#define PICOSECONDS_MOST 100000000 /* 100 us: a bound of plausible values */

static const char *word(const char *text)
{
	return text ? text : "";
}

/* The part of the file that describes the machine. */
static const char *identity(struct arena *arena, const struct bandwidth_place *place)
{
	const char *text = arena_printf(arena, "host %s\ncpu %s\ncpus %s\nnodes %s\n", place->host,
					place->cpu, place->cpus, place->nodes);

	return word(text);
}

void bandwidth_find(struct arena *arena, const char *cpus, struct bandwidth_place *place_out)
{
	const char *folder, *text;
	char status[8192], cpuinfo[8192];
	struct utsname names;

	*place_out = (struct bandwidth_place){ .host = uname(&names) == 0
							       ? arena_strdup(arena, names.nodename)
							       : "" };
	system_text_read("/proc/self/status", status, sizeof(status));
	system_text_read("/proc/cpuinfo", cpuinfo, sizeof(cpuinfo));
	place_out->cpu = system_text_cpu_model(arena, cpuinfo);
	place_out->cpus = word(cpus ? cpus : system_text_value(arena, status, "Cpus_allowed_list"));
	place_out->nodes = word(system_text_value(arena, status, "Mems_allowed_list"));
	folder = own_folder_cache(arena, &place_out->why);
	text = identity(arena, place_out);
	if (!folder)
		return;
	place_out->path = arena_printf(arena, "%s/bandwidth-%016" PRIx64 ".txt", folder,
				       hash_bytes(HASH_START, text, strlen(text)));
	place_out->uncertain_path = arena_printf(arena, "%s/uncertain-%016" PRIx64 ".txt", folder,
						 hash_bytes(HASH_START, text, strlen(text)));
	if (!place_out->uncertain_path)
		place_out->path = NULL;
	if (!place_out->path)
		place_out->why = "out of memory";
}

/* ------------------------------------------------------------------ reading */

struct reader {
	const char *at;
	bool bad;
};

/* Consumes a text that must stand here. */
static void expect(struct reader *reader, const char *text)
{
	size_t length = strlen(text);

	reader->bad = reader->bad || strncmp(reader->at, text, length) != 0;
	reader->at += reader->bad ? 0 : length;
}

static uint64_t number(struct reader *reader, uint64_t largest)
{
	uint64_t value = 0;

	reader->bad = reader->bad || *reader->at < '0' || *reader->at > '9';
	for (; !reader->bad && *reader->at >= '0' && *reader->at <= '9'; reader->at++) {
		value = value * 10 + (uint64_t)(*reader->at - '0');
		reader->bad = value > largest;
	}
	return value;
}

/* Consumes the lines that identify the machine; others mark the file as bad. */
static void expect_identity(struct reader *reader, const struct bandwidth_place *place)
{
	const char *const words[] = { "host ",     place->host, "\ncpu ",     place->cpu, "\ncpus ",
				      place->cpus, "\nnodes ",  place->nodes, "\n" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		expect(reader, words[i]);
}

/* 1 MB/s to 1 PB/s: bounds of plausible values. */
static double rate(struct reader *reader)
{
	uint64_t value = number(reader, 1000000000000000u);

	reader->bad |= value < 1000000;
	return (double)value;
}

static double spread(struct reader *reader)
{
	return (double)number(reader, 1000000) / 1e6;
}

static void read_values(struct reader *reader, struct bandwidth *out)
{
	expect(reader, "measured ");
	out->measured = number(reader, UINT64_MAX / 16);
	expect(reader, "\nsingle ");
	out->single = rate(reader);
	expect(reader, " ");
	out->single_spread = spread(reader);
	expect(reader, "\nall ");
	out->all = rate(reader);
	expect(reader, " ");
	out->all_spread = spread(reader);
	expect(reader, " ");
	out->threads = (uint32_t)number(reader, 1u << 20);
	expect(reader, "\narrays ");
	out->array_bytes = number(reader, UINT64_MAX / 16);
	expect(reader, " ");
	out->small = number(reader, 1);
	expect(reader, "\ncaches ");
	out->caches = number(reader, UINT64_MAX / 16);
	expect(reader, "\nlatency ");
	out->latency = (double)number(reader, PICOSECONDS_MOST) * 1e-12;
	expect(reader, "\n");
}

static bool check_is_right(const char *text, const struct reader *reader)
{
	char check[32];

	snprintf(check, sizeof(check), "check %016" PRIx64 "\n",
		 hash_bytes(HASH_START, text, (size_t)(reader->at - text)));
	return strcmp(reader->at, check) == 0;
}

static enum ms_status load_file(const struct bandwidth_place *place, const char *path,
				struct bandwidth *out)
{
	char text[FILE_BYTES];
	struct reader reader = { text, false };

	*out = (struct bandwidth){ 0 };
	errno = 0;
	if (!path || (!system_text_read(path, text, sizeof(text)) && errno))
		return !path || errno == ENOENT || errno == ENOTDIR ? MS_ERR_NOT_FOUND : MS_ERR_IO;
	/* had no caches, or no latency */
	if (!strncmp(text, "memsearch-bandwidth 1\n", strlen("memsearch-bandwidth 1\n")) ||
	    !strncmp(text, "memsearch-bandwidth 2\n", strlen("memsearch-bandwidth 2\n")))
		return MS_ERR_NOT_FOUND;
	expect(&reader, "memsearch-bandwidth 3\n");
	expect_identity(&reader, place);
	read_values(&reader, out);
	if (!reader.bad && out->threads && check_is_right(text, &reader))
		return MS_OK;
	*out = (struct bandwidth){ 0 };
	return MS_ERR_FORMAT;
}

enum ms_status bandwidth_load(const struct bandwidth_place *place, struct bandwidth *out)
{
	enum ms_status status = load_file(place, place->path, out);

	if (status == MS_ERR_NOT_FOUND)
		return load_file(place, place->uncertain_path, out) == MS_OK ? MS_OK
									     : MS_ERR_NOT_FOUND;
	return status;
}

/* ------------------------------------------------------------------ writing */

static const char *file_text(struct arena *arena, const struct bandwidth_place *place,
			     const struct bandwidth *bandwidth)
{
	const char *text = arena_printf(
		arena,
		"memsearch-bandwidth 3\n%smeasured %" PRIu64
		"\nsingle %.0f %.0f\nall %.0f %.0f %" PRIu32 "\narrays %" PRIu64
		" %d\ncaches %" PRIu64 "\nlatency %.0f\n",
		identity(arena, place), bandwidth->measured, bandwidth->single,
		bandwidth->single_spread * 1e6, bandwidth->all, bandwidth->all_spread * 1e6,
		bandwidth->threads, bandwidth->array_bytes, bandwidth->small, bandwidth->caches,
		bandwidth->latency * 1e12);

	return text ? arena_printf(arena, "%scheck %016" PRIx64 "\n", text,
				   hash_bytes(HASH_START, text, strlen(text)))
		    : NULL;
}

/* Writes a temporary file beside it and renames it: a reader sees the old or the new one. */
static enum ms_status save_file(struct arena *arena, const struct bandwidth_place *place,
				const char *to, const struct bandwidth *bandwidth)
{
	char *path = to ? arena_strdup(arena, to) : NULL;
	char *new = path ? arena_printf(arena, "%s.XXXXXX", path) : NULL;
	const char *text = file_text(arena, place, bandwidth);
	int fd, error = 0;

	if (!new || !text || strlen(text) >= FILE_BYTES)
		return MS_ERR_MEMORY;
	if (!own_folder_make(arena_strndup(arena, path, (size_t)(strrchr(path, '/') - path)), 2))
		return MS_ERR_IO;
	fd = mkostemp(new, O_CLOEXEC);
	if (fd < 0)
		return MS_ERR_IO;
	if (transfer_write(fd, text, strlen(text)) < strlen(text) || fchmod(fd, 0644) != 0)
		error = errno;
	if (close(fd) != 0 && !error)
		error = errno;
	if (!error && rename(new, path) != 0)
		error = errno;
	if (error)
		unlink(new);
	errno = error;
	return error ? MS_ERR_IO : MS_OK;
}

enum ms_status bandwidth_save(struct arena *arena, const struct bandwidth_place *place,
			      const struct bandwidth *bandwidth)
{
	struct bandwidth before;
	enum ms_status status;

	if (!bandwidth_is_uncertain(bandwidth)) {
		status = save_file(arena, place, place->path, bandwidth);
		if (status == MS_OK)
			unlink(place->uncertain_path);
		return status;
	}
	if (load_file(place, place->path, &before) == MS_OK && !bandwidth_is_uncertain(&before))
		return MS_OK;
	status = save_file(arena, place, place->uncertain_path, bandwidth);
	if (status == MS_OK)
		/* a damaged one, or of a version that kept uncertain ones */
		unlink(place->path);
	return status;
}
