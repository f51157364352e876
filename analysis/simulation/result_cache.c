/* SPDX-License-Identifier: Apache-2.0 */
/* Cache of simulation results beside the record. */
#define _GNU_SOURCE /* O_TMPFILE, O_NOFOLLOW */
#include "analysis/simulation/result_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"
#include "analysis/base/log.h"
#include "analysis/base/transfer.h"
#include "analysis/machine/model.h"
#include "analysis/record/coding.h"
#include "analysis/record/content_hash.h"
#include "analysis/record/crc32c.h"
#include "analysis/record/record.h"
#include "analysis/record/word_coding.h"
#include "analysis/simulation/page_use.h"
#include "analysis/simulation/page_use_coding.h"

#define MAGIC "\x8aMSkept\n"
#define VERSION 3u
#define HEADER_BYTES 12
#define ENTRY_BYTES 24
#define SUMMED 20 /* bytes of an entry's head before its CRC-32C */
#define CHUNK ((size_t)256 << 10)
#define THREADS_MOST UINT16_MAX /* as in traces */

/* ------------------------------------------------------------------ keys */

static uint64_t hash_text(uint64_t hash, const char *text)
{
	return text ? hash_bytes(hash, text, strlen(text) + 1) : hash_bytes(hash, "\xff", 1);
}

/* Hash of the whole file. */
static bool hash_file(struct arena *arena, const char *path, uint64_t *hash)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint8_t *chunk = arena_alloc(arena, CHUNK);
	bool is_read = fd >= 0 && chunk;
	size_t nr = CHUNK;

	while (is_read && nr == CHUNK) {
		uint64_t of_chunk;

		nr = transfer_read(fd, chunk, CHUNK);
		is_read = nr == CHUNK || !errno;
		of_chunk = content_hash(chunk, nr);
		if (nr)
			*hash = hash_bytes(*hash, &of_chunk, sizeof(of_chunk));
	}
	if (fd >= 0)
		close(fd);
	return is_read;
}

/*
 * Hashes all bytes of the model, so that no figure is missed, except pointers and the clock
 * frequency, which varies on this host.
 */
static uint64_t hash_model(uint64_t hash, const struct machine_model *model)
{
	struct machine_model figures;

	memcpy(&figures, model, sizeof(figures));
	figures.name = figures.source = figures.path = NULL;
	figures.hz = 0;
	return hash_text(hash_bytes(hash, &figures, sizeof(figures)), model->name);
}

bool results_key(struct arena *arena, const char *path, const struct run *run,
		 const struct machine_model *model, const char *const *options, size_t nr,
		 struct results_key *out)
{
	const uint64_t numbers[] = { run->pid, run->start_realtime_ns, run->bytes_ignored };

	out->record = hash_text(hash_bytes(HASH_START, numbers, sizeof(numbers)),
				run->machine.host_name);
	out->question = hash_model(HASH_START, model);
	for (size_t i = 0; i < nr; i++)
		out->question = hash_text(out->question, options[i]);
	return hash_file(arena, path, &out->record) &&
	       hash_file(arena, "/proc/self/exe", &out->question);
}

/* ------------------------------------------------------------------ the file */

struct entry {
	struct results_key key;
	const uint8_t *at;
	struct cursor payload;
};

static const char *path_of(struct arena *arena, const char *record)
{
	return arena_printf(arena, "%s" RESULTS_SUFFIX, record);
}

static bool is_trusted(int fd, const char *record)
{
	struct stat status, of_record;

	return !fstat(fd, &status) && S_ISREG(status.st_mode) &&
	       (status.st_uid == geteuid() ||
		(!stat(record, &of_record) && status.st_uid == of_record.st_uid));
}

/* The relevant part of the file; *free_out: it may be replaced. */
static struct cursor read_file(struct arena *arena, const char *path, const char *record,
			       bool *free_out)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct cursor none = { NULL, NULL, true };
	struct stat status;
	uint8_t *bytes = NULL;
	bool is_read = false;
	size_t nr = 0;

	*free_out = fd < 0 && errno == ENOENT;
	if (fd < 0)
		return none;
	if (is_trusted(fd, record) && !fstat(fd, &status)) {
		size_t most = (size_t)status.st_size < RESULTS_BYTES ? (size_t)status.st_size
								     : RESULTS_BYTES;

		bytes = arena_alloc(arena, most + 1);
		nr = bytes ? transfer_read(fd, bytes, most) : 0;
		is_read = bytes && (nr == most || !errno);
	}
	close(fd);
	*free_out = is_read && (nr == 0 || (nr >= HEADER_BYTES && !memcmp(bytes, MAGIC, 8)));
	if (nr < HEADER_BYTES || !*free_out || load_u32(bytes + 8) != VERSION)
		return none;
	return (struct cursor){ bytes + HEADER_BYTES, bytes + nr, false };
}

/* False: the end, or an incomplete entry. */
static bool next_entry(struct cursor *from, struct entry *out)
{
	size_t left = from->bad ? 0 : (size_t)(from->end - from->at);
	const uint8_t *at = from->at;
	uint32_t nr;

	if (left < ENTRY_BYTES)
		return false;
	nr = load_u32(at + 16);
	if (nr > left - ENTRY_BYTES || crc32c_update(crc32c_update(0, at, SUMMED), at + ENTRY_BYTES,
						     nr) != load_u32(at + SUMMED))
		return false;
	*out = (struct entry){ { load_u64(at), load_u64(at + 8) },
			       at,
			       { at + ENTRY_BYTES, at + ENTRY_BYTES + nr, false } };
	from->at = out->payload.end;
	return true;
}

static bool is_key(const struct results_key *a, const struct results_key *b)
{
	return a->record == b->record && a->question == b->question;
}

/* ------------------------------------------------------------------ reading */

static bool restore(struct arena *arena, const char *path, struct cursor *payload, struct run *run,
		    struct page_uses *pages, uint32_t *threads_out)
{
	uint64_t threads = get_varint(payload), ignored;
	double begins = double_of_word(get_word(payload));
	struct page_uses uses = { .nodes = 0 };
	struct run kept;

	if (!page_uses_get(payload, arena, &uses) || (pages && !uses.nodes) || !threads ||
	    threads > THREADS_MOST || !isfinite(begins) || begins < 0)
		return false;
	if (record_parse(arena, path, payload->at, (size_t)(payload->end - payload->at), &kept,
			 &ignored) != MS_OK ||
	    !kept.complete || !kept.modelled.name)
		return false;
	kept.complete = run->complete;
	kept.bytes_ignored = run->bytes_ignored;
	kept.modelled.begins = begins;
	*run = kept;
	if (pages)
		*pages = uses;
	*threads_out = (uint32_t)threads;
	return true;
}

bool results_find(struct arena *arena, const char *path, const struct results_key *key,
		  struct run *run, struct page_uses *pages, uint32_t *threads_out)
{
	const char *name = path_of(arena, path);
	struct entry entry;
	struct cursor file;
	bool is_free;

	if (!name)
		return false;
	file = read_file(arena, name, path, &is_free);
	while (next_entry(&file, &entry))
		if (is_key(&entry.key, key))
			return restore(arena, name, &entry.payload, run, pages, threads_out);
	return false;
}

/* ------------------------------------------------------------------ writing */

/* Writes the newest entry first; nothing without memory. */
static void put_result(struct buffer *out, const struct results_key *key, const struct run *run,
		       const struct page_uses *pages, uint32_t threads)
{
	struct buffer payload = { .arena = out->arena };
	uint8_t head[ENTRY_BYTES];
	const uint8_t *bytes;
	size_t nr;

	put_varint(&payload, threads);
	put_word(&payload, word_of_double(run->modelled.begins));
	page_uses_put(&payload, pages);
	if (record_format(out->arena, run, &bytes, &nr) == MS_OK)
		put_bytes(&payload, bytes, nr);
	else
		out->failed = true;
	out->failed |= payload.failed;
	store_u64(head, key->record);
	store_u64(head + 8, key->question);
	store_u32(head + 16, (uint32_t)payload.nr);
	store_u32(head + SUMMED,
		  crc32c_update(crc32c_update(0, head, SUMMED), payload.bytes, payload.nr));
	put_bytes(out, head, sizeof(head));
	put_bytes(out, payload.bytes, payload.nr);
}

/* The earlier entries, up to the maximal size. */
static void put_others(struct buffer *out, struct cursor *from, const struct results_key *key)
{
	struct entry entry;

	for (int left = RESULTS_MOST - 1; left && next_entry(from, &entry);) {
		size_t nr = (size_t)(entry.payload.end - entry.at);

		if (is_key(&entry.key, key))
			continue;
		if (out->nr + nr > RESULTS_BYTES)
			return;
		put_bytes(out, entry.at, nr);
		left--;
	}
}

/*
 * An unnamed file in the folder of `path`, which vanishes when the process is killed. -1: the file
 * system does not support it.
 */
static int new_nameless(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *folder = !slash ? "."
			     : slash == path
				     ? "/"
				     : arena_printf(arena, "%.*s", (int)(slash - path), path);

	return folder ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1;
}

/*
 * Between the two calls there is no file. A rename would need a second name, which a killed process
 * leaves.
 */
static bool give_name(int fd, const char *path)
{
	char open_file[64];

	snprintf(open_file, sizeof(open_file), "/proc/self/fd/%d", fd);
	return (!unlink(path) || errno == ENOENT) &&
	       !linkat(AT_FDCWD, open_file, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/*
 * Creates and locks the file `name`, which other writers respect. An unlocked one is left by a
 * killed process, and is removed. -1: another process writes one. Another writer may remove the
 * file between its creation and its lock: then both rename incomplete files, which readers reject
 * by their checksum.
 */
static int new_locked(const char *name, const char *record)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 && errno == EEXIST) {
		int old = open(name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

		if (old >= 0 && is_trusted(old, record) && !flock(old, LOCK_EX | LOCK_NB) &&
		    !unlink(name))
			fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (old >= 0)
			close(old);
	}
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Same read permissions as the record. */
static bool fill_file(int fd, const char *record, const struct buffer *buffer)
{
	struct stat status;

	return !stat(record, &status) &&
	       transfer_write(fd, buffer->bytes, buffer->nr) == buffer->nr &&
	       !fchmod(fd, status.st_mode & 0666);
}

static bool write_locked(struct arena *arena, const char *path, const char *record,
			 const struct buffer *buffer)
{
	char *new = arena_printf(arena, "%s" RESULTS_NEW_SUFFIX, path);
	int fd = new ? new_locked(new, record) : -1;
	bool written;

	if (fd < 0)
		return false;
	written = fill_file(fd, record, buffer) && !rename(new, path);
	if (!written)
		unlink(new);
	close(fd);
	return written;
}

/* Writes a new file, which then gets the name. */
static bool write_file(struct arena *arena, const char *path, const char *record,
		       const struct buffer *buffer)
{
	int fd = new_nameless(arena, path);
	bool written;

	if (fd < 0)
		return write_locked(arena, path, record, buffer);
	written = fill_file(fd, record, buffer) && give_name(fd, path);
	close(fd);
	return written;
}

void results_keep(struct arena *arena, const char *path, const struct results_key *key,
		  const struct run *run, const struct page_uses *pages, uint32_t threads)
{
	const char *name = path_of(arena, path);
	struct buffer out = { .arena = arena };
	struct cursor before;
	uint8_t version[4];
	bool is_free;

	if (!name)
		return;
	before = read_file(arena, name, path, &is_free);
	store_u32(version, VERSION);
	put_bytes(&out, MAGIC, 8);
	put_bytes(&out, version, sizeof(version));
	put_result(&out, key, run, pages, threads);
	if (out.failed || out.nr > RESULTS_BYTES)
		return;
	put_others(&out, &before, key);
	if (!is_free)
		log_debug("'%s' is no file of kept results: it is left alone", name);
	else if (out.failed || !write_file(arena, name, path, &out))
		log_debug("cannot keep the result in '%s'", name);
}
