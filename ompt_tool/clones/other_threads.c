/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the threads of this process. */
#define _GNU_SOURCE
#include "ompt_tool/clones/other_threads.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/base/system_text.h"

#define TASKS "/proc/self/task"
#define UNTOLD "the kernel does not tell where another thread is"

/* What getdents64 yields; opendir would call malloc. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

struct question {
	uintptr_t start, end;
	switching_waits *waits;
	void *ctx;
	pid_t self;
	const char *why;
};

/* "NUMBER ARGUMENTS… STACK-POINTER INSTRUCTION-POINTER", or "-1 STACK-POINTER INSTRUCTION-POINTER" outside of system calls. */
static uintptr_t instruction_pointer(const char *text)
{
	const char *last = strrchr(text, ' ');

	return last ? (uintptr_t)strtoull(last + 1, NULL, 16) : 0;
}

static const char *look_at_text(const struct question *question, const char *text)
{
	uintptr_t ip;

	if (!strncmp(text, "running", strlen("running")))
		return "another thread is running, and is not known to wait in the OpenMP runtime";
	ip = instruction_pointer(text);
	if (!ip)
		return UNTOLD;
	return ip > question->start && ip < question->end ? "another thread is in the function's first bytes" : NULL;
}

static const char *look_at_thread(const struct question *question, const char *id)
{
	char path[64], text[256];
	pid_t thread = (pid_t)strtol(id, NULL, 10);

	if (thread == question->self || (question->waits && question->waits(question->ctx, thread)))
		return NULL;
	snprintf(path, sizeof(path), TASKS "/%d/syscall", thread);
	if (system_text_read(path, text, sizeof(text)))
		return look_at_text(question, text);
	snprintf(path, sizeof(path), TASKS "/%d", thread);
	return access(path, F_OK) < 0 ? NULL : UNTOLD;      /* it has ended */
}

static bool look_at_all(int fd, struct question *question)
{
	_Alignas(struct entry) char buffer[4096];
	unsigned int seen = 0;
	long bytes;

	while ((bytes = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < bytes && !question->why; at += ((struct entry *)(buffer + at))->bytes) {
			const struct entry *entry = (struct entry *)(buffer + at);

			if (entry->name[0] == '.')
				continue;
			question->why = look_at_thread(question, entry->name);
			seen++;
		}
	}
	return bytes == 0 && seen;
}

bool other_threads_outside(uintptr_t start, uintptr_t end, switching_waits *waits, void *ctx, const char **why_out)
{
	struct question question = { start, end, waits, ctx, (pid_t)syscall(SYS_gettid), NULL };
	int saved = errno, fd = open(TASKS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if ((fd < 0 || !look_at_all(fd, &question)) && !question.why)
		question.why = "the threads of the process cannot be listed (" TASKS ")";
	if (fd >= 0)
		close(fd);
	errno = saved;
	*why_out = question.why;
	return !question.why;
}

/* Without it, processors still see changed code by themselves; what other threads have fetched ahead is then trusted to be old enough. */
void other_threads_synchronize(void)
{
	int saved = errno;

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) < 0 &&
	    !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0))
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
	errno = saved;
}
