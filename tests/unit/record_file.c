/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record's file: where it goes, and that no fault of disk or program costs what was written, or
 * the program.
 */
#define _GNU_SOURCE /* unshare */
#include "analysis/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/record/file.h"
#include "tests/host/random_run.h"
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

/* Stands before libc's: counts writes, and fails them as the test wants. */
static struct faults {
	int writes, interrupt, cut_to, error_after, error;
} faults;

ssize_t pwrite(int fd, const void *bytes, size_t nr, off_t offset)
{
	faults.writes++;
	if (faults.interrupt && faults.interrupt--) {
		errno = EINTR;
		return -1;
	}
	if (faults.error && faults.writes > faults.error_after) {
		errno = faults.error;
		return -1;
	}
	if (faults.cut_to && nr > (size_t)faults.cut_to)
		nr = (size_t)faults.cut_to;
	return syscall(SYS_pwrite64, fd, bytes, nr, offset);
}

/* calls in this process; sanitizers keep malloc for themselves */
static int mallocs;
#if !SANITIZED
#define COUNTS_MALLOC 1
void *__libc_malloc(size_t bytes);
void *malloc(size_t bytes)
{
	__atomic_fetch_add(&mallocs, 1, __ATOMIC_RELAXED);
	return __libc_malloc(bytes);
}
#else
#define COUNTS_MALLOC 0
#endif

static void listen(const char *path)
{
	CHECK(freopen(path, "w", stderr));
}

static int said(const char *path, const char *words)
{
	size_t nr;
	uint8_t *bytes = file_read(path, &nr);
	int found;

	CHECK(bytes);
	bytes = realloc(bytes, nr + 1);
	bytes[nr] = 0;
	found = strstr((char *)bytes, words) != NULL;
	free(bytes);
	return found;
}

static int lines_said(const char *path)
{
	size_t nr;
	uint8_t *bytes = file_read(path, &nr);
	int lines = 0;

	for (size_t i = 0; i < nr; i++)
		lines += bytes[i] == '\n';
	free(bytes);
	return lines;
}

/* Reads it and compares it to a run that was not closed. */
static void check_holds(int line, const char *path, const struct run *want, bool complete)
{
	struct arena *arena = arena_new();
	struct run have, expected = *want;
	const char *difference;

	expected.complete = complete;
	if (record_read(arena, path, &have, NULL) != MS_OK)
		test_fail(__FILE__, line, "'%s' cannot be read", path);
	difference = run_difference(&have, &expected);
	if (difference)
		test_fail(__FILE__, line, "'%s' differs in %s", path, difference);
	arena_free(arena);
}

static off_t size_of(const char *path)
{
	struct stat status;

	return stat(path, &status) ? -1 : status.st_size;
}

/* Descriptor that this process has open on a path. */
static int descriptor_of(const char *path)
{
	struct stat wanted, status;

	CHECK_THAT(stat(path, &wanted), ==, 0);
	for (int fd = 0; fd < 65536; fd++)
		if (fstat(fd, &status) == 0 && status.st_ino == wanted.st_ino &&
		    status.st_dev == wanted.st_dev)
			return fd;
	return -1;
}

static struct arena *arena;
static struct run run;

static struct record *begin(const char *path)
{
	struct record *record;

	arena = arena_new();
	random_run(arena, 21, 30, &run);
	record = record_create(arena, path, NULL);
	CHECK(record);
	CHECK_INT(record_update(record, &run), MS_OK);
	return record;
}

TEST(record_file__one_write_an_update_and_no_malloc)
{
	struct record *record;

	scratch_enter();
	record = begin("x.ms");
	random_change(arena, 1, &run);
	faults.writes = mallocs = 0;
	CHECK_INT(record_update(record, &run), MS_OK);
	CHECK_INT(faults.writes, 1);
	CHECK_INT(record_close(record, &run), MS_OK);
	CHECK_INT(mallocs, 0);
	free(malloc(1));
	CHECK_INT(mallocs, COUNTS_MALLOC);
	check_holds(__LINE__, "x.ms", &run, true);
}

TEST(record_file__descriptor_is_high_and_closed_on_exec)
{
	struct rlimit usual = { 1024, 4096 }, tight = { 300, 300 };
	int fd;

	scratch_enter();
	CHECK_THAT(setrlimit(RLIMIT_NOFILE, &usual), ==, 0);
	begin("w.ms");
	fd = descriptor_of("w.ms");
	CHECK_THAT(fd, >=, 1024); /* the program cannot get that number */
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	CHECK(getrlimit(RLIMIT_NOFILE, &usual) == 0 && usual.rlim_cur == 1024 &&
	      usual.rlim_max == 4096);
	CHECK_THAT(setrlimit(RLIMIT_NOFILE, &tight), ==, 0);
	begin("x.ms");
	fd = descriptor_of("x.ms");
	CHECK_THAT(fd, >=, 200);
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	CHECK_THAT(open("/dev/null", O_RDONLY), <, 10);
}

/* Where the program has few descriptors, all are its own: the file is opened for each write. */
TEST(record_file__few_descriptors_are_all_the_programs)
{
	struct rlimit small = { 20, 20 };
	struct record *record;

	scratch_enter();
	CHECK_THAT(setrlimit(RLIMIT_NOFILE, &small), ==, 0);
	record = begin("y.ms");
	CHECK_THAT(descriptor_of("y.ms"), <, 0);
	run.threads++;
	CHECK_INT(record_update(record, &run), MS_OK);
	check_holds(__LINE__, "y.ms", &run, false);
	CHECK_THAT(descriptor_of("y.ms"), <, 0);
}

TEST(record_file__interrupted_and_short_writes)
{
	struct record *record;

	scratch_enter();
	record = begin("x.ms");
	random_change(arena, 1, &run);
	faults.interrupt = 3;
	faults.cut_to = 7;
	CHECK_INT(record_update(record, &run), MS_OK);
	CHECK_INT(record_close(record, &run), MS_OK);
	check_holds(__LINE__, "x.ms", &run, true);
}

/*
 * Fails after ever more bytes: what the last good update wrote is always there, and one line is
 * logged.
 */
TEST(record_file__disk_full)
{
	scratch_enter();
	for (int after = 0; after < 40; after++) {
		struct record *record;
		struct run before, have;
		struct stat status;
		uint64_t ignored;

		memset(&faults, 0, sizeof(faults));
		record = begin("x.ms");
		random_run(arena, 21, 30, &before);
		random_change(arena, 1, &run);
		listen("log");
		faults = (struct faults){ .cut_to = 41, .error_after = after, .error = ENOSPC };
		CHECK_INT(record_update(record, &run), MS_ERR_IO);
		CHECK(said("log", "cannot write to the record '") &&
		      said("log", "it ends with what was written before: No space left"));
		faults.error = faults.cut_to = 0; /* space again: it stays as it is */
		CHECK_INT(record_update(record, &run), MS_ERR_IO);
		CHECK_INT(record_close(record, &run), MS_ERR_IO);
		CHECK_INT(lines_said("log"), 1);
		CHECK(stat("x.ms", &status) == 0 &&
		      (uint64_t)status.st_size == record_bytes(record));
		CHECK_INT(record_read(arena, "x.ms", &have, &ignored), MS_OK);
		CHECK_INT(ignored, 0);
		if (after == 0)
			check_holds(__LINE__, "x.ms", &before, false);
		CHECK(have.nr_nodes >= before.nr_nodes && !have.complete);
		unlink("x.ms");
		arena_free(arena);
	}
}

TEST(record_file__a_disk_that_is_full)
{
	struct record *record;
	const char *folder = scratch_enter();
	struct run have;
	int full = 0;

	CHECK_THAT(mkdir("small", 0777), ==, 0);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "small", "tmpfs", 0, "size=64k"))
		test_skip("a small tmpfs cannot be mounted: %s", strerror(errno));
	record = begin("small/x.ms");
	listen("log");
	for (uint64_t i = 1; i < 200 && !full; i++) {
		random_change(arena, i, &run);
		full = record_update(record, &run) == MS_ERR_IO;
	}
	CHECK(full && said("log", "No space left"));
	CHECK_INT(record_close(record, &run), MS_ERR_IO);
	CHECK_INT(record_read(arena, "small/x.ms", &have, NULL), MS_OK);
	CHECK(have.nr_nodes > 0 && !have.complete);
	CHECK_INT(record_file_try("small/z.ms"), ENOSPC);
	CHECK_INT(access("small/z.ms", F_OK), -1);
	setenv("TMPDIR", folder, 1); /* and a new record finds another place */
	record = record_create(arena, "small/y.ms", NULL);
	CHECK(record && access("y.ms", R_OK) == 0);
	CHECK(said("log", "small/y.ms' (No space left on device): the record goes to '"));
	CHECK_THAT(umount("small"), ==, 0);
}

TEST(record_file__the_limit_of_file_size_is_not_passed)
{
	struct record *record;
	struct rlimit limit;
	struct run have;

	scratch_enter();
	record = begin("x.ms");
	listen("/dev/null");
	limit = (struct rlimit){ record_bytes(record) + 5000, RLIM_INFINITY };
	CHECK_THAT(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
	for (uint64_t i = 1; i < 40; i++) /* SIGXFSZ would end this process */
		random_change(arena, i, &run);
	CHECK_INT(record_update(record, &run), MS_ERR_IO);
	CHECK_THAT(record_bytes(record), <=, limit.rlim_cur);
	CHECK_INT(record_read(arena, "x.ms", &have, NULL), MS_OK);
	CHECK_THAT(have.nr_regions, >, 0);
	limit.rlim_cur = 0; /* nothing can be written anywhere */
	CHECK_THAT(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
	CHECK(record_create(arena, "y.ms", NULL) == NULL);
	CHECK_THAT(access("y.ms", F_OK), !=, 0);
}

TEST(record_file__a_program_that_closes_everything)
{
	struct record *record;
	int fd;

	scratch_enter();
	record = begin("x.ms");
	fd = descriptor_of("x.ms");
	CHECK(fd > 2 && close(fd) == 0);
	random_change(arena, 1, &run);
	CHECK_INT(record_update(record, &run), MS_OK);
	fd = descriptor_of("x.ms");
	CHECK(fd > 2 && close(fd) == 0);
	int own = open("precious", O_RDWR | O_CREAT, 0644);
	CHECK(own >= 0 && write(own, "precious", 8) == 8);
	CHECK_THAT(dup2(own, fd), ==, fd); /* the program's file has our number now */
	random_change(arena, 2, &run);
	CHECK_INT(record_close(record, &run), MS_OK);
	CHECK_THAT(fcntl(fd, F_GETFD), >=, 0); /* and is still open */
	check_holds(__LINE__, "x.ms", &run, true);
	size_t nr;
	uint8_t *bytes = file_read("precious", &nr);
	CHECK(nr == 8 && !memcmp(bytes, "precious", 8));
	free(bytes);
}

TEST(record_file__a_file_that_is_gone_or_another)
{
	struct record *record;
	size_t nr;

	scratch_enter();
	record = begin("x.ms");
	listen("log");
	close(descriptor_of("x.ms"));
	CHECK_THAT(rename("x.ms", "moved.ms"), ==, 0);
	file_write("x.ms", "another", 7);
	random_change(arena, 1, &run);
	CHECK_INT(record_update(record, &run), MS_ERR_IO);
	CHECK_INT(record_close(record, &run), MS_ERR_IO);
	CHECK_INT(lines_said("log"), 1);
	free(file_read("x.ms", &nr));
	CHECK_INT(nr, 7);
}

TEST(record_file__forks)
{
	struct record *record;
	int status;
	pid_t child;

	scratch_enter();
	record = begin("x.ms");
	child = fork();
	if (!child) {
		record_abandon(record);
		random_change(arena, 9, &run);
		_exit(record_update(record, &run) == MS_ERR_IO &&
				      record_close(record, &run) == MS_ERR_IO
			      ? 0
			      : 1);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	random_change(arena, 1, &run);
	CHECK_INT(record_update(record, &run), MS_OK);
	check_holds(__LINE__, "x.ms", &run, false);
	child = fork();
	if (!child) { /* nobody told this one */
		random_change(arena, 2, &run);
		_exit(record_close(record, &run) == MS_OK ? 0 : 1);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	listen("log");
	random_change(arena, 3, &run);
	CHECK_INT(record_update(record, &run), MS_ERR_IO);
	CHECK(said("log", "was changed by another process: nothing more is written to it"));
	random_run(arena, 21, 30, &run);
	random_change(arena, 1, &run);
	random_change(arena, 2, &run);
	check_holds(__LINE__, "x.ms", &run, true);
}

/* Each of them gets a file of its own, as the processes of a program that forks before its first region. */
TEST(record_file__several_processes_at_once)
{
	enum { ROUNDS = 100, PROCESSES = 4 };

	scratch_enter();
	for (int round = 0; round < ROUNDS; round++) {
		int start[2], names[2], end[2];
		char path[PROCESSES][256] = { "" };

		CHECK(!pipe(start) && !pipe(names) && !pipe(end));
		for (int i = 0; i < PROCESSES; i++) {
			char name[256] = "";
			const char *got = NULL;

			if (fork())
				continue;
			close(start[1]);
			close(end[1]);
			/* ends, as the others do, when the pipe is closed */
			if (read(start[0], name, 1) == 0 &&
			    record_replace(arena_new(), "x.ms", &got))
				snprintf(name, sizeof(name), "%s", strrchr(got, '/'));
			_exit(write(names[1], name, sizeof(name)) == sizeof(name) &&
			      read(end[0], name, 1));
		}
		close(start[1]);
		for (int i = 0; i < PROCESSES; i++)
			CHECK_INT(read(names[0], path[i], sizeof(path[i])), sizeof(path[i]));
		close(end[1]);
		for (int i = 0; i < PROCESSES; i++) {
			CHECK(*path[i]);
			for (int k = 0; k < i; k++)
				CHECK(strcmp(path[i], path[k]));
			wait(NULL);
		}
		for (int i = 0; i < PROCESSES; i++)
			unlink(path[i] + 1);
		close(start[0]);
		close(names[0]);
		close(names[1]);
		close(end[0]);
	}
}

TEST(record_file__killed)
{
	scratch_enter();
	for (int i = 0; i < 20; i++) {
		struct arena *mine = arena_new();
		struct run have;
		struct stat file;
		pid_t child = fork();

		if (!child) {
			struct record *record = begin("x.ms");

			for (uint64_t k = 1;; k++) {
				random_change(arena, k, &run);
				run.nr_nodes = run.nr_nodes > 60 ? 60 : run.nr_nodes;
				record_update(record, &run);
			}
		}
		usleep((useconds_t)(4000 + i * 1300));
		CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
		/* it may have had no time for anything */
		if (stat("x.ms", &file) == 0 && file.st_size) {
			CHECK_INT(record_read(mine, "x.ms", &have, NULL), MS_OK);
			CHECK(!have.complete);
		}
		unlink("x.ms");
		arena_free(mine);
	}
}

TEST(record_file__names)
{
	const char *path, *folder = scratch_enter();

	begin("x.ms");
	CHECK(record_create(arena, "x.ms", &path));
	CHECK(!strncmp(path, folder, strlen(folder)) &&
	      !strcmp(path + strlen(path) - 7, "/x-2.ms"));
	CHECK(record_create(arena, "x.ms", &path) && strstr(path, "/x-3.ms"));
	CHECK(record_create(arena, "plain", &path) && record_create(arena, "plain", &path) &&
	      strstr(path, "/plain-2"));
	CHECK_THAT(mkdir("a.b", 0755), ==, 0);
	CHECK(record_create(arena, "a.b/.ms", &path) && record_create(arena, "a.b/.ms", &path) &&
	      strstr(path, "/a.b/.ms-2"));
	CHECK_THAT(symlink("/nowhere/at/all", "link.ms"), ==, 0);
	CHECK(record_create(arena, "link.ms", &path) && strstr(path, "/link-2.ms"));
}

TEST(record_file__a_folder_that_cannot_be_written)
{
	const char *path, *folder = scratch_enter();
	char temporary[600];

	arena = arena_new();
	listen("log");
	CHECK_THAT(mkdir("tmp", 0755), ==, 0);
	snprintf(temporary, sizeof(temporary), "%s/tmp", folder);
	setenv("TMPDIR", temporary, 1);
	CHECK(record_create(arena, "none/x.ms", &path));
	CHECK(strstr(path, "/tmp/x.ms") && access("tmp/x.ms", R_OK) == 0);
	CHECK(said("log", "/none/x.ms' (No such file or directory): the record goes to '"));
	CHECK_INT(lines_said("log"), 1);
	setenv("TMPDIR", "/nowhere", 1);
	CHECK(record_create(arena, "none/memsearch-test.ms", &path));
	CHECK(!strncmp(path, "/tmp/memsearch-test", 19));
	unlink(path);
}

TEST(record_file__replacing_what_the_user_named)
{
	struct record *record;
	const char *path;
	size_t nr;

	scratch_enter();
	record = begin("x.ms");
	CHECK_INT(record_close(record, &run), MS_OK);
	listen("log");
	/* ended: replaced */
	CHECK(record_replace(arena, "x.ms", &path) && strstr(path, "/x.ms"));
	/* this process writes it */
	CHECK(record_replace(arena, "x.ms", &path) && strstr(path, "/x-2.ms"));
	CHECK(said("log", "x.ms' is of the program that this process ran before"));
	file_write("empty", "", 0);
	CHECK(record_replace(arena, "empty", &path) && strstr(path, "/empty"));
	CHECK(record_replace(arena, "new.ms", &path) && strstr(path, "/new.ms"));
	file_write("thesis.tex", "thesis", 6);
	CHECK(record_replace(arena, "thesis.tex", &path) == NULL);
	CHECK(said("log", "thesis.tex' exists and is no record: it is left as it is"));
	free(file_read("thesis.tex", &nr));
	CHECK_INT(nr, 6);
	CHECK(record_replace(arena, "/dev/null", &path) == NULL);
	CHECK(record_replace(arena, ".", &path) == NULL);
	CHECK_INT(lines_said("log"), 4);
}

/* Whoever made the link chose the file. */
TEST(record_file__links_are_not_followed)
{
	const char *path;
	size_t nr;

	scratch_enter();
	CHECK_INT(record_close(begin("old.ms"), &run), MS_OK);
	free(file_read("old.ms", &nr));
	file_write("empty", "", 0);
	CHECK(symlink("old.ms", "to_record.ms") == 0 && symlink("empty", "to_empty.ms") == 0 &&
	      symlink("new.ms", "to_nothing.ms") == 0);
	listen("log");
	CHECK(record_replace(arena, "to_record.ms", &path) == NULL);
	CHECK(record_replace(arena, "to_empty.ms", &path) == NULL);
	CHECK(record_replace(arena, "to_nothing.ms", &path) == NULL);
	CHECK_INT(lines_said("log"), 3);
	CHECK(said("log", "to_nothing.ms' exists and is no record"));
	CHECK_INT(access("new.ms", F_OK), -1);
	CHECK_INT(size_of("empty"), 0);
	CHECK_INT(size_of("old.ms"), nr);
}

TEST(record_file__is_tried_before_the_program_starts)
{
	scratch_enter();
	CHECK_INT(record_close(begin("old.ms"), &run), MS_OK);
	file_write("thesis.tex", "thesis", 6);
	CHECK(mkdir("folder", 0755) == 0 && symlink("old.ms", "link.ms") == 0);
	CHECK_INT(record_file_try("new.ms"), 0);
	CHECK_INT(access("new.ms", F_OK), -1);
	CHECK_INT(record_file_try("old.ms"), 0);
	CHECK_INT(record_file_try("thesis.tex"), EEXIST);
	CHECK_INT(record_file_try("folder"), EISDIR);
	CHECK_INT(record_file_try("folder/none/x.ms"), ENOENT);
	CHECK_INT(record_file_try("thesis.tex/x.ms"), ENOTDIR);
	CHECK_INT(record_file_try("link.ms"), ELOOP);
	CHECK_INT(record_file_try("/dev/full"), EINVAL);
}

TEST(record_file__the_record_of_a_live_process_is_left)
{
	const char *path;
	int pipes[2];
	pid_t child;
	char done;

	scratch_enter();
	arena = arena_new();
	listen("log");
	CHECK_THAT(pipe(pipes), ==, 0);
	child = fork();
	if (!child) {
		begin("x.ms");
		done = write(pipes[1], "x", 1) == 1;
		pause();
	}
	CHECK_THAT(read(pipes[0], &done, 1), ==, 1);
	CHECK(record_replace(arena, "x.ms", &path) && strstr(path, "/x-2.ms"));
	CHECK(said("log", "x.ms' is being written by another process"));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

TEST(record_file__the_record_of_a_dead_process_is_replaced)
{
	const char *path;
	pid_t child;

	scratch_enter();
	child = fork();
	if (!child) {
		begin("x.ms");
		_exit(0);
	}
	CHECK_INT(waitpid(child, NULL, 0), child);
	arena = arena_new();
	CHECK(record_replace(arena, "x.ms", &path) && strstr(path, "/x.ms"));
}
