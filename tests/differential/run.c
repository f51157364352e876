/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/differential/run.h"

#include <errno.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/ucontext.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/hash.h"
#include "ompt_tool/clones/buffer.h"
#include "ompt_tool/code/bounds.h"

enum { SIGNAL_STACK = 256 << 10, MOST_STEPS = 20000, MOST_STEPS_TYPED = 2000000, BUFFER = 65536 };

static struct {
	const struct subject *subject;
	uint64_t seed;
	enum run_how how;
	struct outcome *out;
} self;

struct outcome *run_new(void)
{
	void *memory = mmap(NULL, sizeof(struct outcome), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* In the module that has ctx's function, the writable segments, into ctx's hash. */
struct data {
	uintptr_t function;
	uint64_t hash;
};

static int hash_module(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct data *data = ctx;
	bool has = false;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		has |= info->dlpi_phdr[i].p_type == PT_LOAD && data->function >= start &&
		       data->function < start + info->dlpi_phdr[i].p_memsz;
	}
	for (int i = 0; has && i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_W)
			data->hash = hash_bytes(
				data->hash,
				(const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
				info->dlpi_phdr[i].p_memsz);
	return has;
}

static void leave(enum run_end end)
{
	struct data data = { self.subject->function->start, HASH_START };
	struct outcome *out = self.out;

	if (self.how >= RUN_CLONE)
		record_thread_end();
	dl_iterate_phdr(hash_module, &data);
	out->data = data.hash;
	memcpy(out->memory, PREPARE_MEMORY, PREPARE_BYTES);
	memcpy(out->above, PREPARE_STACK + PREPARE_STACK_BYTES - PREPARE_ABOVE, PREPARE_ABOVE);
	out->end = (int)end;
	_exit(0);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	ucontext_t *at = context;

	self.out->signal = signal;
	self.out->at = clone_original((uintptr_t)at->uc_mcontext.gregs[REG_RIP]);
	self.out->address = (uintptr_t)info->si_addr;
	self.out->stack = (uintptr_t)at->uc_mcontext.gregs[REG_RSP];
	if (clone_around(self.out->address))
		self.out->address = clone_original(self.out->address); /* of the instruction */
	leave(RUN_FAULTED);
}

static void catch_faults(void)
{
	static unsigned char memory[SIGNAL_STACK];
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };

	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

#define ALLOW(call) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/*
 * What functions may ask of the kernel, and what is needed to come out of here. Nobody would wake
 * who waits for a lock; blocking signals succeeds without being done, as a fault of a blocked one
 * would end the process.
 */
static void fence(void)
{
	static struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_rt_sigreturn),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_exit),
		ALLOW(SYS_brk),
		ALLOW(SYS_mmap),
		ALLOW(SYS_munmap),
		ALLOW(SYS_mremap),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (uint32_t)FUTEX_CMD_MASK),
		ALLOW(FUTEX_WAKE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	static const struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) || syscall(SYS_getppid) != -1)
		_exit(3);
}

/* Of CPU time; and of real time, for what waits. */
static void limit_time(enum run_how how)
{
	struct itimerval limit = {
		{ 0, 0 }, { how == RUN_ORIGINAL ? 0 : 20, how == RUN_ORIGINAL ? 100000 : 0 }
	};

	setitimer(ITIMER_PROF, &limit, NULL);
	alarm(60);
}

static void count_outcome(const struct steps *found)
{
	self.out->count = found->count;
	self.out->steps = found->nr;
	self.out->why_not_counted = found->why;
}

enum { WORDS_BEFORE_LEAVING = 64 };

static void leave_clones(void *ctx, const uint64_t *words, size_t nr)
{
	(void)ctx, (void)words, (void)nr;
	record_leave();
}

static bool begin_recording(const struct subject *subject)
{
	if (self.how != RUN_LEAVING)
		return record_thread_begin(BUFFER,
					   subject->consume ? subject->consume : count_stream,
					   subject->consume ? subject->ctx : &self.out->count);
	if (!record_thread_begin(BUFFER, leave_clones, NULL))
		return false;
	buffer_self.cursor = buffer_self.bound - hash_word(self.seed) % WORDS_BEFORE_LEAVING * 8;
	return true;
}

static void run_child(void)
{
	const struct subject *subject = self.subject;
	bool implicit = subject->clone->probes & CLONE_STACK,
	     is_stepped = self.how == RUN_STEPS || self.how == RUN_SCRIBBLED;

	catch_faults();
	limit_time(self.how);
	if (is_stepped)
		steps_begin(implicit, self.how == RUN_SCRIBBLED,
			    subject->function->prototype ? MOST_STEPS_TYPED : MOST_STEPS);
	if (!begin_recording(subject))
		_exit(4);
	fence();
	errno = 0;
	enter_function(self.how >= RUN_CLONE ? subject->clone->code : subject->function->start,
		       is_stepped);
	self.out->error_number = errno;
	if (is_stepped)
		count_outcome(steps_end());
	for (int i = 0; i < 16; i++) /* longjmp leaves an address of code in one */
		self.out->registers[i] = clone_original(enter_left[i]);
	memcpy(self.out->vectors, enter_left_vectors, sizeof(enter_left_vectors));
	self.out->flags = enter_left_flags;
	leave(RUN_RETURNED);
}

void run_once(const struct subject *subject, uint64_t seed, enum run_how how, struct outcome *out)
{
	pid_t child;

	memset(out, 0, offsetof(struct outcome, vectors));
	out->count = (struct count){ 0 };
	out->why_not_counted = NULL;
	prepare_all(seed, subject->function->prototype, subject->function->type);
	self.subject = subject, self.seed = seed, self.how = how, self.out = out;
	child = fork();
	if (child == 0)
		run_child();
	if (child < 0 || waitpid(child, &out->status, 0) != child)
		out->end = RUN_DIED;
}
