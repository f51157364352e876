/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said of real code, held against the CPU: functions of libc, libm and others run one
 * instruction at a time (trap flag), and between two of them
 *   - registers and flags have changed only where the instruction is said to write them, and by
 *     what it is said to add,
 *   - control has gone where the graph has an edge,
 *   - everything that is said to be dead is overwritten with random bits. Results stay as they are
 *     without.
 */
#define _GNU_SOURCE
#include "analysis/code/control_flow.h"
#include "analysis/code/liveness.h"
#include "ompt_tool/code/running_code.h"
#include "tests/unit/machine_code.h"

#ifdef __x86_64__

#include <math.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ucontext.h>
#include <time.h>

#define TRAP_FLAG 0x100

/* ucontext's numbers of rax … r15. */
static const int gregs[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
			       REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
			       REG_R12, REG_R13, REG_R14, REG_R15 };
/* CF PF AF ZF SF OF DF in rflags. */
static const int flag_bits[7] = { 0, 2, 4, 6, 7, 11, 10 };

struct known {
	const struct code *code;
	const struct graph *graph;
	const struct liveness *liveness;
};

/* A library's functions, by the address of each byte of its code. */
struct library {
	uintptr_t start, end;
	uint32_t *function_of; /* by byte: number + 1; 0: none */
	struct known *functions;
	size_t nr, room;
};

enum { LIBRARIES_MAX = 8 };
static struct library libraries[LIBRARIES_MAX];
static size_t nr_libraries;

static struct {
	uint64_t random;
	uint64_t steps, overwritten, edges, jumps_by_table;
	const struct known *function; /* of the last instruction; NULL: not known */
	uint32_t instruction;
	greg_t registers[16], flags;
	char wrong[256]; /* the first thing that was */
} stepping;

static bool read_function(struct arena *arena, uintptr_t start, uintptr_t end, struct known *out)
{
	const char *why;

	out->code = code_read(arena, start, end, NULL, &why);
	out->graph = out->code ? graph_new(arena, out->code, NULL, 0) : NULL;
	out->liveness = out->graph ? liveness_new(arena, out->graph, LIVENESS_LOCAL) : NULL;
	return out->liveness != NULL;
}

struct adding {
	struct arena *arena;
	struct library *library;
};

static void add_function(void *ctx, const struct code_bounds *bounds)
{
	struct adding *adding = ctx;
	struct library *library = adding->library;

	CHECK(ARENA_GROW(adding->arena, library->functions, library->nr, library->room));
	CHECK(read_function(adding->arena, bounds->start, bounds->end,
			    &library->functions[library->nr++]));
	for (uintptr_t at = bounds->start; at < bounds->end; at++)
		library->function_of[at - library->start] = (uint32_t)library->nr;
}

static void add_library(struct arena *arena, const char *name, const char *symbol)
{
	struct library *library = &libraries[nr_libraries];
	void *handle = dlopen(name, RTLD_NOW), *inside = handle ? dlsym(handle, symbol) : NULL;

	if (!inside)
		return;
	CHECK_THAT(nr_libraries, <, LIBRARIES_MAX);
	CHECK(code_segment_around((uintptr_t)inside, &library->start, &library->end));
	library->function_of = arena_alloc(arena,
					   (library->end - library->start) * sizeof(uint32_t));
	CHECK(library->function_of &&
	      each_function(name, symbol, add_function, &(struct adding){ arena, library }));
	nr_libraries++;
}

static const struct known *known_at(uintptr_t ip)
{
	for (size_t i = 0; i < nr_libraries; i++)
		if (ip >= libraries[i].start && ip < libraries[i].end &&
		    libraries[i].function_of[ip - libraries[i].start])
			return &libraries[i].functions
					[libraries[i].function_of[ip - libraries[i].start] - 1];
	return NULL;
}

static __attribute__((format(printf, 1, 2))) void wrong(const char *format, ...)
{
	va_list args;

	if (stepping.wrong[0])
		return;
	va_start(args, format);
	vsnprintf(stepping.wrong, sizeof(stepping.wrong), format, args);
	va_end(args);
}

static uint64_t random_bits(void)
{
	stepping.random ^= stepping.random << 13;
	stepping.random ^= stepping.random >> 7;
	stepping.random ^= stepping.random << 17;
	return stepping.random;
}

/* What the last instruction left, against what it is said to write. */
static void check_writes(const greg_t *now)
{
	const struct code_instruction *last =
		&stepping.function->code->instructions[stepping.instruction];
	unsigned long long address = stepping.function->code->start + last->offset;

	for (unsigned int i = 0; i < 16; i++)
		if (now[gregs[i]] != stepping.registers[i] && !(last->writes >> i & 1))
			wrong("%s changed at %llx", register_names[i], address);
	for (unsigned int i = 0; last->step && i < 16; i++)
		if (last->writes >> i & 1 &&
		    (uint64_t)now[gregs[i]] - (uint64_t)stepping.registers[i] !=
			    (uint64_t)(int64_t)last->step)
			wrong("%s did not step at %llx", register_names[i], address);
	for (unsigned int i = 0; last->flags_written && i < 7; i++)
		if (((now[REG_EFL] ^ stepping.flags) >> flag_bits[i] & 1) &&
		    !(last->flags_written >> i & 1))
			wrong("flag %c changed at %llx", "CPAZSOD"[i], address);
}

static bool has_edge(const struct graph *graph, uint32_t from, uint32_t to)
{
	const struct graph_block *block = &graph->blocks[from];

	for (uint32_t i = 0; i < block->nr_successors; i++)
		if (graph->edges[block->first_successor + i] == to)
			return true;
	return false;
}

/* Whether control may have come to instruction `to` of the same function from the last one. */
static void check_way(uint32_t to)
{
	const struct graph *graph = stepping.function->graph;
	const struct code_instruction *last =
		&stepping.function->code->instructions[stepping.instruction];
	uint32_t from_block = graph_block_of(graph, stepping.instruction),
		 to_block = graph_block_of(graph, to);
	unsigned long long address = stepping.function->code->start + last->offset;

	if (to == stepping.instruction && last->nr_accesses && last->kind == CODE_PLAIN)
		return; /* repeats itself */
	if (from_block == to_block && to == stepping.instruction + 1)
		return;
	if (last->kind == CODE_CALL || last->kind == CODE_CALL_INDIRECT ||
	    last->kind == CODE_RETURN || graph->blocks[from_block].unknown)
		return;
	stepping.edges++;
	stepping.jumps_by_table += last->kind == CODE_JUMP_INDIRECT;
	if (graph->blocks[to_block].first != to || !has_edge(graph, from_block, to_block))
		wrong("no edge from %llx to instruction %u", address, to);
	if (!graph->blocks[to_block].reachable && graph->complete)
		wrong("from %llx to a block that is not reachable", address);
}

static void overwrite_dead(const struct known *function, uint32_t instruction, greg_t *registers)
{
	unsigned int live = function->liveness->registers[instruction],
		     flags = function->liveness->flags[instruction];

	for (unsigned int i = 0; i < 16; i++)
		if (!(live >> i & 1)) {
			registers[gregs[i]] = (greg_t)random_bits();
			stepping.overwritten++;
		}
	for (unsigned int i = 0; i < 7; i++)
		if (!(flags >> i & 1)) {
			registers[REG_EFL] ^= (greg_t)(random_bits() & 1) << flag_bits[i];
			stepping.overwritten++;
		}
}

static void on_step(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	uintptr_t ip = (uintptr_t)registers[REG_RIP];
	const struct known *function = known_at(ip);
	const struct code_instruction *at = function ? code_at(function->code, ip) : NULL;

	(void)signal, (void)info;
	stepping.steps++;
	if (stepping.function)
		check_writes(registers);
	if (function && !at)
		wrong("no instruction at %llx", (unsigned long long)ip);
	if (at && function == stepping.function)
		check_way((uint32_t)(at - function->code->instructions));
	stepping.function = at ? function : NULL;
	if (!at)
		return;
	stepping.instruction = (uint32_t)(at - function->code->instructions);
	overwrite_dead(function, stepping.instruction, registers);
	for (unsigned int i = 0; i < 16; i++)
		stepping.registers[i] = registers[gregs[i]];
	stepping.flags = registers[REG_EFL];
}

__attribute__((noinline)) static void set_trap_flag(bool on)
{
	if (on)
		__asm__ volatile("pushfq\n orq %0, (%%rsp)\n popfq"
				 :
				 : "i"(TRAP_FLAG)
				 : "memory", "cc");
	else
		__asm__ volatile("pushfq\n andq %0, (%%rsp)\n popfq"
				 :
				 : "i"(~TRAP_FLAG)
				 : "memory", "cc");
	stepping.function = NULL;
}

/* Work: fills `out`, always the same. */
typedef void work(unsigned char *out, size_t bytes);
enum { RESULT_BYTES = 4096 };

/*
 * Libraries, and a function of each; to read all of their code takes longer than to step through
 * what is called.
 */
static const struct {
	const char *name, *symbol;
} steppable[] = {
	{ "libc.so.6", "qsort" },
	{ "libm.so.6", "sin" },
	{ "liblapack.so.3", "dgesv_" },
	{ "libblas.so.3", "dgemm_" },
	{ "libstdc++.so.6", "_ZNSo3putEc" },
};
enum { OF_LIBC = 1, OF_LIBM = 2, OF_ALL = sizeof(steppable) / sizeof(steppable[0]) };

/* Work in the first nr of them. */
static void run_stepped(work *work, size_t nr)
{
	static unsigned char plain[RESULT_BYTES], stepped[RESULT_BYTES];
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_NODEFER };
	struct arena *arena = arena_new();
	uint64_t rounds = test_sample(1, 4);

	if (THREAD_SANITIZED)
		test_skip(
			"ThreadSanitizer stands in for functions of libc with deep stacks of its own");
	need_machine_code();
	for (size_t i = 0; i < nr; i++)
		add_library(arena, steppable[i].name, steppable[i].symbol);
	work(plain, sizeof(plain));
	CHECK(!sigaction(SIGTRAP, &action, NULL));
	for (uint64_t round = 1; round <= rounds; round++) {
		stepping.random = round * 0x9e3779b97f4a7c15;
		memset(stepped, 0, sizeof(stepped));
		set_trap_flag(true);
		work(stepped, sizeof(stepped));
		set_trap_flag(false);
		if (stepping.wrong[0])
			test_fail(__FILE__, __LINE__, "%s", stepping.wrong);
		CHECK(!memcmp(plain, stepped, sizeof(plain)));
	}
	printf("%llu steps, %llu edges, %llu jumps by table, %llu dead registers and flags overwritten\n",
	       (unsigned long long)stepping.steps, (unsigned long long)stepping.edges,
	       (unsigned long long)stepping.jumps_by_table,
	       (unsigned long long)stepping.overwritten);
	CHECK(stepping.steps > 10000 && stepping.overwritten > stepping.steps &&
	      stepping.edges > 1000);
	arena_free(arena);
}

static void mathematics(unsigned char *out, size_t bytes)
{
	double (*const functions[])(
		double) = { sin,    cos,    tan, asin, acos,  atan,  sinh,  cosh, tanh, exp,
			    exp2,   expm1,  log, log2, log10, log1p, cbrt,  sqrt, erf,  erfc,
			    lgamma, tgamma, j0,  j1,   y0,    y1,    floor, rint, logb };
	enum { NR = sizeof(functions) / sizeof(functions[0]) };
	double *results = (double *)out;
	size_t nr = 0;

	(void)bytes;
	for (double x = 0.001; x < 40; x *= 7.3)
		for (size_t i = 0; i < NR; i++)
			results[nr++] = functions[i](x);
	results[nr++] = pow(1.7, 11.3);
	results[nr++] = fmod(1e300, 3.7);
	results[nr++] = atan2(-1.5, 0.3);
	results[nr++] = hypot(3e200, 4e200);
	results[nr++] = fma(1.1, 2.2, 3.3);
	results[nr++] = remainder(5.5, 1.7);
}

static int by_value(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void sorting(unsigned char *out, size_t bytes)
{
	int *numbers = (int *)out, nr = (int)(bytes / sizeof(int)) / 8;

	for (int i = 0; i < nr; i++)
		numbers[i] = (int)((unsigned int)i * 2654435761u >> 3);
	qsort(numbers, (size_t)nr, sizeof(int), by_value);
}

static void texts(unsigned char *out, size_t bytes)
{
	char *text = (char *)out, *end;
	struct tm day = { .tm_year = 99, .tm_mon = 4, .tm_mday = 11, .tm_hour = 3 };
	regmatch_t match[2];
	regex_t pattern;
	double number;
	int nr, parts;

	nr = snprintf(text, bytes, "%d %s %-12.5g|%a %llx %c %08.3f %e|%ls", 42, "text", 3.14159,
		      1e-310, 0xdeadbeefcafeULL, 'x', -2.5, 6.02e23, L"wide");
	number = strtod("1.2345678901234567e-7 rest", &end);
	nr += snprintf(text + nr, bytes - (size_t)nr, " %.17g %s", number, end);
	parts = sscanf("17 0x2a name 1.5", "%d %i %63s %lf", (int *)(text + 1000),
		       (int *)(text + 1004), text + 1100, (double *)(text + 1016));
	nr += snprintf(text + nr, bytes - (size_t)nr, " %d", parts);
	nr += (int)strftime(text + nr, bytes - (size_t)nr, " %A %j %U %c", &day);
	if (!regcomp(&pattern, "([a-z]+)[0-9]{2,3}$", REG_EXTENDED)) {
		nr += snprintf(text + nr, bytes - (size_t)nr, " %d",
			       regexec(&pattern, "..abc123", 2, match, 0));
		nr += snprintf(text + nr, bytes - (size_t)nr, " %d-%d", (int)match[1].rm_so,
			       (int)match[1].rm_eo);
		regfree(&pattern);
	}
	memset(text + 2000, 'y', 700);
	memmove(text + 2001, text + 1990, 600);
	memcpy(text + 3000, text + 2000, 500);
	text[3499] = 0;
	snprintf(text + 3600, 400, "%zu %d %zu %s", strlen(text + 3000),
		 strcmp(text + 3000, text + 3001), strspn(text, "0123456789 "),
		 strstr(text, "text"));
}

static void algebra(unsigned char *out, size_t bytes)
{
	typedef void solve(const int *n, const int *nr, double *a, const int *lda, int *pivots,
			   double *b, const int *ldb, int *info);
	enum { N = 12 };
	static double matrix[N * N];
	solve *dgesv = (solve *)dlsym(RTLD_DEFAULT, "dgesv_");
	void *library = dlopen("liblapack.so.3", RTLD_NOW);
	int n = N, one = 1, pivots[N], info = -1;
	double *right = (double *)out;

	(void)bytes;
	dgesv = dgesv || !library ? dgesv : (solve *)dlsym(library, "dgesv_");
	for (int i = 0; i < N * N; i++)
		matrix[i] = (double)((unsigned int)(i + 1) * 2654435761u % 1000) / 1000 +
			    (i % (N + 1) ? 0 : 3);
	for (int i = 0; i < N; i++)
		right[i] = i;
	if (dgesv)
		dgesv(&n, &one, matrix, &n, pivots, right, &n, &info);
	right[N] = info;
}

TEST(stepping__libm)
{
	run_stepped(mathematics, OF_LIBM);
}
TEST(stepping__qsort)
{
	run_stepped(sorting, OF_LIBC);
}
TEST(stepping__texts)
{
	run_stepped(texts, OF_ALL);
}

TEST(stepping__lapack)
{
	if (!dlopen("liblapack.so.3", RTLD_NOW))
		test_skip("no liblapack");
	run_stepped(algebra, OF_ALL);
}

#endif
