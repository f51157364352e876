/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results beside a record: what is kept is found under its key alone, and no file of that name does
 * harm or is harmed.
 */
#define _GNU_SOURCE /* O_TMPFILE */
#include "analysis/simulation/result_cache.h"

#include <math.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/machine/figure.h"
#include "analysis/machine/model.h"
#include "analysis/record/coding.h"
#include "analysis/record/crc32c.h"
#include "analysis/record/record.h"
#include "analysis/simulation/page_use.h"
#include "tests/host/random_run.h"
#include "tests/host/scratch.h"
#include "tests/unit/pick.h"
#include "tests/unit/test.h"

#define FILE_NAME "x.ms.kept"
#define HEAD 36 /* of the file and its first entry */
#define QUIET() CHECK(freopen("/dev/null", "w", stderr))

static const char *const options[] = { "spread", NULL };
static struct machine_model model = {
	.name = "m",
	.cores = 8,
	.nodes = 2,
	.hz = 2e9,
	.page = 4096,
	.cache = { { .bytes = 32768, .ways = 8, .line = 64, .cores = 1 } },
	.tlb = { { .entries = 64, .ways = 4 } }
};
static struct arena *arena;
static struct run run;

static struct results_key key(void)
{
	struct results_key key;

	CHECK(results_key(arena, "x.ms", &run, &model, options, 2, &key));
	return key;
}

static void invent(void)
{
	arena_reset(arena, 4 << 20);
	random_run(arena, 11, 40, &run);
	run.modelled.name = "m";
	run.modelled.begins = 0.25;
	run.complete = true;
}

/* A record "x.ms", and what was found of it: nothing is kept yet. */
static struct results_key begin(void)
{
	scratch_enter();
	arena = arena_new();
	invent();
	file_write("x.ms", "a record", 8);
	return key();
}

static bool finds(const struct results_key *key)
{
	struct run found = { .complete = true };
	uint32_t threads = 0;

	return results_find(arena, "x.ms", key, &found, NULL, &threads) && threads == 3 &&
	       found.modelled.begins == 0.25 && !run_difference(&found, &run);
}

TEST(result_cache__kept_and_found)
{
	struct results_key question = begin();
	struct run found = { .complete = false, .bytes_ignored = 77 };
	struct stat status;
	uint32_t threads;

	CHECK(!finds(&question));
	CHECK_INT(chmod("x.ms", 0640), 0);
	results_keep(arena, "x.ms", &question, &run, NULL, 3);
	CHECK(finds(&question));
	CHECK(stat(FILE_NAME, &status) == 0 && (status.st_mode & 07777) == 0640);
	CHECK(results_find(arena, "x.ms", &question, &found, NULL, &threads));
	/* these are of the record as it is read */
	CHECK(found.modelled.begins == 0.25 && !found.complete && found.bytes_ignored == 77);
}

TEST(result_cache__everything_that_matters_is_in_the_key)
{
	struct results_key asked = begin(), other = asked;
	struct machine_model before = model;
	const struct figure *figure;
	size_t nr = figures(&figure), changed = 0;

	for (size_t i = 0; i < nr; i++) {
		model = before;
		if (!figure_set(&figure[i], &model, figure_get(&figure[i], &model) + 1) ||
		    figure[i].kind == FIGURE_HERTZ)
			continue;
		CHECK_THAT(key().question, !=, asked.question);
		changed++;
	}
	CHECK_THAT(changed, >, 20);
	model = before;
	model.distances[1][0] = 300;
	CHECK_THAT(key().question, !=, asked.question);
	model = before;
	model.name = "other";
	CHECK_THAT(key().question, !=, asked.question);
	model = before;
	model.hz = 3e9;
	model.path = "x.machine";
	CHECK(key().question == asked.question && key().record == asked.record);
	for (int i = 0; i < 3; i++) {
		const char *const others[][2] = { { NULL, NULL },
						  { "spread", "1" },
						  { NULL, "spread" } };

		CHECK(results_key(arena, "x.ms", &run, &model, others[i], 2, &other) &&
		      other.question != asked.question);
	}
	run.pid++;
	CHECK_THAT(key().record, !=, asked.record);
	run.pid--;
	file_write("x.ms", "a Record", 8);
	CHECK(key().record != asked.record && key().question == asked.question);
	CHECK(!results_key(arena, "none.ms", &run, &model, options, 2, &other));
}

TEST(result_cache__the_last_ones_stay)
{
	struct results_key all[RESULTS_MOST + 2];

	all[0] = begin();
	for (int i = 0; i < RESULTS_MOST + 2; i++) {
		all[i] = (struct results_key){ all[0].record, all[0].question + (uint64_t)i };
		results_keep(arena, "x.ms", &all[i], &run, NULL, 3);
	}
	for (int i = 0; i < RESULTS_MOST + 2; i++)
		CHECK_INT(finds(&all[i]), i >= 2);
	results_keep(arena, "x.ms", &all[5], &run, NULL, 3); /* takes its own place */
	for (int i = 2; i < RESULTS_MOST + 2; i++)
		CHECK(finds(&all[i]));
}

/* Cut or changed anywhere nothing is found, and it is kept anew. */
TEST(result_cache__damaged_files)
{
	struct results_key question = begin();
	uint8_t *bytes;
	size_t nr;

	results_keep(arena, "x.ms", &question, &run, NULL, 3);
	bytes = file_read(FILE_NAME, &nr);
	for (int i = 0; i < 3000; i++) {
		size_t at = i < 200 ? (size_t)i / 2 : pick(nr);
		uint8_t before = bytes[at];

		bytes[at] ^= (uint8_t)(1 << pick(8));
		file_write(FILE_NAME, bytes, i % 2 ? at : nr);
		bytes[at] = before;
		CHECK(!finds(&question));
		if (i % 100)
			continue;
		results_keep(arena, "x.ms", &question, &run, NULL, 3);
		/* what has another begin is no such file */
		CHECK_INT(finds(&question), i > 0);
		invent();
	}
	free(bytes);
}

/* With a checksum that is right. */
TEST(result_cache__lies)
{
	struct results_key question = begin();
	uint8_t *bytes;
	size_t nr;

	QUIET();
	results_keep(arena, "x.ms", &question, &run, NULL, 3);
	bytes = file_read(FILE_NAME, &nr);
	for (int i = 0; i < 3000; i++) {
		size_t at = HEAD + (i < 300 ? (size_t)i : pick(nr - HEAD));
		uint8_t before = bytes[at];

		bytes[at] ^= (uint8_t)(1 << pick(8));
		store_u32(bytes + HEAD - 4,
			  crc32c_update(crc32c_update(0, bytes + 12, 20), bytes + HEAD, nr - HEAD));
		file_write(FILE_NAME, bytes, nr);
		/* what is in it has a checksum of its own, or is not as it was */
		CHECK(!finds(&question));
		bytes[at] = before;
		if (i % 50 == 0)
			invent();
	}
	free(bytes);
}

TEST(result_cache__what_is_not_kept_here_stays)
{
	struct results_key question = begin();
	uint8_t *bytes;
	size_t nr;

	file_write(FILE_NAME, "a letter to my mother", 21);
	results_keep(arena, "x.ms", &question, &run, NULL, 3);
	bytes = file_read(FILE_NAME, &nr);
	CHECK(nr == 21 && !memcmp(bytes, "a letter", 8) && !finds(&question));
	free(bytes);
	CHECK(rename(FILE_NAME, "letter") == 0 && symlink("letter", FILE_NAME) == 0);
	results_keep(arena, "x.ms", &question, &run, NULL, 3);
	bytes = file_read("letter", &nr);
	CHECK(nr == 21 && readlink(FILE_NAME, (char[9]){ 0 }, 8) == 6 && !finds(&question));
	free(bytes);
	CHECK(unlink(FILE_NAME) == 0 && mkfifo(FILE_NAME, 0600) == 0);
	results_keep(arena, "x.ms", &question, &run, NULL, 3);
	CHECK(!finds(&question) && unlink(FILE_NAME) == 0 && mkdir(FILE_NAME, 0700) == 0);
	results_keep(arena, "x.ms", &question, &run, NULL, 3);
	CHECK(!finds(&question) && rmdir(FILE_NAME) == 0);
	file_write(FILE_NAME, "", 0);
	results_keep(arena, "x.ms", &question, &run, NULL, 3);
	CHECK(finds(&question));
}

/* A limit of file size is no error, and no signal; nothing is left behind. */
TEST(result_cache__no_room)
{
	struct rlimit before, none = { 100, 100 };
	struct results_key question = begin();

	CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
	none.rlim_max = before.rlim_max;
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &none), 0);
	results_keep(arena, "x.ms", &question, &run, NULL, 3);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
	CHECK(!finds(&question) && system("test \"$(ls)\" = x.ms") == 0);
}

/* From now on no file system has files without names. */
static bool refuse_nameless(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/*
 * A child that keeps the result, killed when it has begun or ended so many system calls. False: it
 * ended before.
 */
static bool killed_while_keeping(const struct results_key *question, int calls)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		results_keep(arena, "x.ms", question, &run, NULL, 3);
		_exit(0);
	}
	for (int i = 0; i <= calls && waitpid(child, &status, 0) == child && WIFSTOPPED(status);
	     i++)
		ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	if (WIFEXITED(status))
		return false;
	kill(child, SIGKILL);
	while (waitpid(child, &status, 0) == child && !WIFSIGNALED(status))
		;
	return true;
}

static bool can_trace(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? 1 : 0);
	return waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Whenever it is killed, what is there is whole, and nothing else is left. */
static void kill_everywhere(bool leaves_new)
{
	struct results_key question = key(), other = { question.record, question.question + 1 };
	int calls = 1;

	if (!can_trace())
		test_skip("processes cannot be traced here");
	for (; unlink(FILE_NAME), killed_while_keeping(&question, calls); calls++) {
		CHECK(leaves_new ||
		      system("test -z \"$(ls | grep -v '^x[.]ms$' | grep -v '^x[.]ms[.]kept$')\"") ==
			      0);
		CHECK_INT(finds(&question), !access(FILE_NAME, F_OK));
		results_keep(arena, "x.ms", &other, &run, NULL, 3);
		CHECK(finds(&other) && system("test \"$(ls | wc -l)\" = 2") == 0);
	}
	CHECK(calls > 10 && finds(&question));
	for (calls = 1; results_keep(arena, "x.ms", &other, &run, NULL, 3),
	    killed_while_keeping(&question, calls);
	     calls++)
		CHECK_INT(finds(&other), !access(FILE_NAME, F_OK));
	CHECK(finds(&question) && finds(&other));
}

TEST(result_cache__killed)
{
	int fd;

	begin();
	fd = open(".", O_TMPFILE | O_WRONLY, 0600);
	if (fd < 0)
		test_skip("the file system has no files without names");
	close(fd);
	kill_everywhere(false);
}

TEST(result_cache__killed_where_each_file_has_a_name)
{
	begin();
	CHECK(refuse_nameless());
	kill_everywhere(true);
}

/* Another process writes that file: it is left alone. */
TEST(result_cache__locked)
{
	struct results_key question = begin();
	int other;

	CHECK(refuse_nameless());
	other = open(FILE_NAME RESULTS_NEW_SUFFIX, O_CREAT | O_RDWR, 0600);
	CHECK(other >= 0 && !flock(other, LOCK_EX));
	results_keep(arena, "x.ms", &question, &run, NULL, 3);
	CHECK(!finds(&question) && !access(FILE_NAME RESULTS_NEW_SUFFIX, F_OK));
	close(other);
	results_keep(arena, "x.ms", &question, &run, NULL, 3);
	CHECK(finds(&question) && access(FILE_NAME RESULTS_NEW_SUFFIX, F_OK));
}

/* Pages by node come back as they were: one after the other, alone, of several arrays. */
TEST(result_cache__pages_of_nodes)
{
	struct results_key question = begin();
	uint64_t lines[] = { 64, 0 }, others[] = { 3, 1ull << 40 };
	struct page_use rows[] = {
		{ 0x10000, 0, 0, 1, lines },      { 0x11000, 0x1000, 0, 1, lines },
		{ 0x12000, 0x2000, 0, 1, lines }, { 0x13000, 0x3000, 0, 0, lines },
		{ 0x30000, 0, 0, 0, others },     { 0x31000, 0x1000, UINT32_MAX, 0, others },
	};
	const struct page_uses uses = {
		.nodes = 2, .page_bytes = 4096, .nr = sizeof(rows) / sizeof(*rows), .rows = rows
	};
	struct page_uses found = { .nodes = 0 };
	struct run read = { .complete = true };
	uint32_t threads;

	results_keep(arena, "x.ms", &question, &run, NULL, 3);
	CHECK(!results_find(arena, "x.ms", &question, &read, &found, &threads));
	results_keep(arena, "x.ms", &question, &run, &uses, 3);
	CHECK(finds(&question));
	CHECK(results_find(arena, "x.ms", &question, &read, &found, &threads));
	CHECK_INT(found.nodes, 2);
	CHECK_INT(found.page_bytes, 4096);
	CHECK_INT(found.nr, uses.nr);
	for (size_t i = 0; i < uses.nr; i++) {
		CHECK_INT(found.rows[i].address, rows[i].address);
		CHECK_INT(found.rows[i].offset, rows[i].offset);
		CHECK_INT(found.rows[i].array, rows[i].array);
		CHECK_INT(found.rows[i].home, rows[i].home);
		CHECK(!memcmp(found.rows[i].lines, rows[i].lines, sizeof(lines)));
	}
}
