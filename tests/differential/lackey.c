/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/differential/lackey.h"

#include <Zydis/Zydis.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ompt_tool/clones/clone.h"
#include "ompt_tool/code/bounds.h"
#include "tests/differential/exchange.h"

enum { LINE = 256, KNOWN = 1 << 14, CHUNK = 1 << 16 };

/* An instruction met. */
struct known {
	/* under valgrind and in this process; here 0: in no module that both have */
	uintptr_t there, here;
	bool covered, starts, calls, returns, by_pointer, x87, system_call;
	bool directly; /* calls or jumps to a place of its own */
	/* it may be in a linkage table; its jump, which reads the slot */
	bool linkage, reads_slot;
};

static struct {
	int goes, done, trace;
	struct exchange *exchange;
	/* of this process, those that the other has, too, in its order; others: start 0 */
	struct modules modules;
	ZydisDecoder decoder;
	struct lackey *out;
	/* the instruction whose accesses are read; NULL: none yet */
	const struct known *at;
	/* the parent of the one that calls: from now on that one is listed alone */
	bool waits;
	/* of the call: what is in no module that both have is the program that calls */
	bool inside;
	/* so goes on the last instruction of a clone, perhaps to a linkage table */
	bool by_pointer;
	/* that instruction, if it leads to the linkage table directly; 0 */
	uintptr_t leads;
	char line[LINE]; /* as far as it has come */
	size_t length;
	struct known known[KNOWN];
} self;

/* -- addresses of the process under valgrind, and of this one */

static bool is_prepared(uintptr_t address)
{
	return address - (uintptr_t)PREPARE_MEMORY < PREPARE_BYTES ||
	       address - (uintptr_t)PREPARE_STACK < PREPARE_STACK_BYTES;
}

static uintptr_t here(uintptr_t there)
{
	const struct modules *theirs = &self.exchange->modules;

	for (size_t i = 0; i < theirs->nr; i++)
		if (there >= theirs->rows[i].start && there < theirs->rows[i].end &&
		    self.modules.rows[i].start)
			return there - theirs->rows[i].start + self.modules.rows[i].start;
	return 0;
}

bool lackey_has(uintptr_t address)
{
	if (is_prepared(address))
		return true;
	for (size_t i = 0; i < self.modules.nr; i++)
		if (address >= self.modules.rows[i].start && address < self.modules.rows[i].end)
			return true;
	return false;
}

static void match_modules(void)
{
	struct modules mine, *theirs = &self.exchange->modules;

	modules_look(&mine);
	self.modules.nr = theirs->nr;
	for (size_t i = 0; i < theirs->nr; i++)
		for (size_t j = 0; j < mine.nr; j++)
			if (!strcmp(mine.rows[j].name, theirs->rows[i].name))
				self.modules.rows[i] = mine.rows[j];
}

/*
 * -- the trace: "I ADDRESS,BYTES" of an instruction, then " L ", " S " (store) or " M " (both) of
 * what it accesses
 */

static void decode(struct known *known)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction is;
	struct code_bounds bounds;
	bool jumps;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&self.decoder, (const void *)known->here, 15, &is,
						 operands)))
		return;
	known->covered = code_bounds_find(known->here, &bounds) == CODE_BOUNDS_FOUND &&
			 clone_of(bounds.start);
	known->starts = known->covered && bounds.start == known->here;
	known->calls = is.mnemonic == ZYDIS_MNEMONIC_CALL;
	known->returns = is.mnemonic == ZYDIS_MNEMONIC_RET;
	jumps = is.mnemonic == ZYDIS_MNEMONIC_JMP;
	known->by_pointer = (known->calls || jumps) &&
			    operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER;
	known->directly = (known->calls || jumps) &&
			  operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	known->reads_slot = !known->covered && jumps &&
			    operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY;
	known->linkage = known->reads_slot ||
			 (!known->covered && is.mnemonic == ZYDIS_MNEMONIC_ENDBR64);
	known->system_call = is.mnemonic == ZYDIS_MNEMONIC_SYSCALL;
	known->x87 = is.meta.category == ZYDIS_CATEGORY_X87_ALU;
}

static const struct known *look_up(uintptr_t there)
{
	struct known *known = &self.known[(there ^ there >> 14) % KNOWN];

	if (known->there != there) {
		*known = (struct known){ .there = there, .here = here(there) };
		if (known->here)
			decode(known);
	}
	return known;
}

static void see_instruction(uintptr_t there)
{
	const struct known *last = self.at, *at = look_up(there);

	self.waits |= there == self.exchange->waits_at;
	self.inside = at->here && (self.inside || at->covered);
	self.at = at;
	if (!self.inside)
		return;
	self.out->x87 |= at->covered && at->x87;
	self.out->system_call |= at->system_call;
	self.out->called_back |= at->starts && last && last->here && !last->covered &&
				 (last->calls || last->returns || self.by_pointer);
	if (at->covered)
		self.by_pointer = at->by_pointer;
	if (!at->linkage)
		self.leads = at->covered && at->directly ? at->here : 0;
}

static void see_access(uintptr_t there, uint64_t bytes, char kind)
{
	uintptr_t address = is_prepared(there) ? there : here(there),
		  at = self.at && self.at->covered ? self.at->here : 0;

	if (self.at && self.at->reads_slot) /* which clones record where they call */
		at = self.leads;
	if (!at)
		return;
	if (kind != 'S')
		places_add(self.out->places, at, address, bytes, false, address);
	if (kind != 'L')
		places_add(self.out->places, at, address, bytes, true, address);
}

static void see_line(const char *line)
{
	char *rest;
	uint64_t address;

	if ((line[0] != 'I' && line[0] != ' ') || line[2] != ' ')
		return;
	address = strtoull(line + 3, &rest, 16);
	if (*rest != ',')
		return;
	if (line[0] == 'I')
		see_instruction(address);
	else if (line[1] == 'L' || line[1] == 'S' || line[1] == 'M')
		see_access(address, strtoull(rest + 1, NULL, 10), line[1]);
}

static void see(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] != '\n') {
			self.line[self.length] = text[i];
			self.length += self.length < LINE - 1;
			continue;
		}
		self.line[self.length] = '\0';
		if (self.out && self.length > 3)
			see_line(self.line);
		self.length = 0;
	}
}

/* What has been written so far. False: it has come to an end. */
static bool drain(void)
{
	static char text[CHUNK];
	ssize_t nr;

	while ((nr = read(self.trace, text, sizeof(text))) > 0)
		see(text, (size_t)nr);
	return nr < 0 && errno == EAGAIN;
}

/* All of the trace until `done` says that the call is over; it has been written by then. */
static bool wait_done(void)
{
	struct pollfd files[2] = { { .fd = self.trace, .events = POLLIN },
				   { .fd = self.done, .events = POLLIN } };
	char byte;

	while (poll(files, 2, -1) > 0 || errno == EINTR) {
		bool done = files[1].revents & POLLIN;

		if (!drain())
			return false;
		if (done)
			return read(self.done, &byte, 1) == 1;
	}
	return false;
}

/* Lets the parent make a child, and the child go on when the parent is not listed any more. */
static bool go(void)
{
	struct pollfd file = { .fd = self.trace, .events = POLLIN };
	const char byte = '.';

	if (write(self.goes, &byte, 1) != 1)
		return false;
	while (!self.waits)
		if ((poll(&file, 1, -1) < 0 && errno != EINTR) || !drain())
			return false;
	return write(self.goes, &byte, 1) == 1;
}

/* -- the process under valgrind */

static char *beside_this(const char *name)
{
	static char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);

	path[length < 0 ? 0 : length] = '\0';
	snprintf(strrchr(path, '/') ? strrchr(path, '/') + 1 : path, 64, "%s", name);
	return path;
}

/* Above all descriptors that exchange.h names, so that none is closed before it is copied. */
static int raised(int file)
{
	return fcntl(file, F_DUPFD, 64);
}

static void be_valgrind(int file, int go, int done, int trace, char **libraries)
{
	int from[] = { raised(file), raised(go), raised(done), raised(trace) },
	    nothing = open("/dev/null", O_RDWR);
	char log[32], *argv[128] = {
		"valgrind", "--tool=lackey",      "--trace-mem=yes", "--vex-iropt-level=0", log,
		"--",       beside_this("called")
	};

	for (int i = 0; i < 4; i++)
		dup2(from[i], EXCHANGE_FILE + i);
	dup2(nothing, 0);
	dup2(nothing, 1);
	dup2(nothing, 2);
	close_range(EXCHANGE_TRACE + 1, ~0u, 0);
	snprintf(log, sizeof(log), "--log-fd=%d", EXCHANGE_TRACE);
	for (int i = 0; libraries[i] && i < 100; i++)
		argv[7 + i] = libraries[i];
	execvp(argv[0], argv);
	_exit(127);
}

static bool start(char **libraries, int file)
{
	int go[2], done[2], trace[2];
	pid_t child;

	if (pipe2(go, O_CLOEXEC) || pipe2(done, O_CLOEXEC) || pipe2(trace, O_CLOEXEC) ||
	    (child = fork()) < 0)
		return false;
	if (child == 0)
		be_valgrind(file, go[0], done[1], trace[1], libraries);
	close(go[0]);
	close(done[1]);
	close(trace[1]);
	signal(SIGPIPE, SIG_IGN);
	self.goes = go[1], self.done = done[0], self.trace = trace[0];
	return !fcntl(self.trace, F_SETPIPE_SZ, 1 << 20) ? false
							 : !fcntl(self.trace, F_SETFL, O_NONBLOCK);
}

const char *lackey_begin(char **libraries)
{
	int file = memfd_create("exchange", MFD_CLOEXEC);

	if (file < 0 || ftruncate(file, sizeof(struct exchange)))
		return "no memory";
	self.exchange = mmap(NULL, sizeof(struct exchange), PROT_READ | PROT_WRITE, MAP_SHARED,
			     file, 0);
	if (self.exchange == MAP_FAILED || !start(libraries, file))
		return "no process";
	if (!wait_done())
		return "valgrind's lackey cannot be run";
	ZydisDecoderInit(&self.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	match_modules();
	return NULL;
}

static bool prepare_call(const struct function *function)
{
	struct exchange *exchange = self.exchange;

	for (uint32_t i = 0; i < self.modules.nr; i++)
		if (function->start >= self.modules.rows[i].start &&
		    function->start < self.modules.rows[i].end) {
			exchange->module = i;
			exchange->offset = function->start - self.modules.rows[i].start;
			exchange->returned = 0;
			memcpy(exchange->registers, enter_registers, sizeof(exchange->registers));
			memcpy(exchange->vectors, enter_vectors, sizeof(exchange->vectors));
			memcpy(exchange->above, PREPARE_STACK + PREPARE_STACK_BYTES - PREPARE_ABOVE,
			       PREPARE_ABOVE);
			memcpy(exchange->memory, PREPARE_MEMORY, PREPARE_BYTES);
			return true;
		}
	return false;
}

bool lackey_call(const struct function *function, uint64_t rax, const unsigned char *memory,
		 struct lackey *out)
{
	if (!drain() || !prepare_call(function))
		return false;
	memset(self.known, 0, sizeof(self.known)); /* others have clones than before */
	self.at = NULL, self.leads = 0, self.waits = self.inside = self.by_pointer = false,
	self.out = out;
	if (!go() || !wait_done())
		return false;
	self.out = NULL;
	out->returned = self.exchange->returned;
	out->other_result = self.exchange->left[0] != rax ||
			    memcmp(self.exchange->memory, memory, PREPARE_BYTES);
	return true;
}
