/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `memsearch sir` that need no program: XML, entries of the runtimes, array addresses. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/code/decode.h"
#include "analysis/report/text.h"
#include "analysis/sir/provenance.h"
#include "analysis/sir/runtime_calls.h"
#include "analysis/sir/sir.h"
#include "analysis/sir/xml.h"
#include "memsearch/region.h"
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

TEST(sir__xml_escapes)
{
	struct arena *arena = arena_new();
	struct text out;
	struct xml xml;

	text_init(&out, arena);
	xml_init(&xml, &out);
	CHECK(xml_open(&xml, "sir"));
	xml_string(&xml, "name", "a<b>&\"c\"\n\x01\xff \xc3\xa4 \xef\xbf\xbf");
	xml_signed(&xml, "lower", -3);
	xml_hex(&xml, "address", 0x1f);
	xml_id(&xml, "id", 'r', 7);
	CHECK(xml_open(&xml, "inside"));
	xml_close(&xml);
	CHECK(xml_open(&xml, "unknown"));
	xml_content(&xml, "1 < 2");
	xml_close(&xml);
	CHECK_STR(out.bytes, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			     "<sir name=\"a&lt;b&gt;&amp;&quot;c&quot;\\x0a\\x01\\xff \xc3\xa4 "
			     "\\xef\\xbf\\xbf\" lower=\"-3\" address=\"0x1f\" id=\"r7\">\n"
			     "  <inside/>\n"
			     "  <unknown>1 &lt; 2</unknown>\n"
			     "</sir>\n");
	arena_free(arena);
}

TEST(sir__xml_depth)
{
	struct arena *arena = arena_new();
	struct text out;
	struct xml xml;
	int opened = 0;

	text_init(&out, arena);
	xml_init(&xml, &out);
	while (opened < 1000 && xml_open(&xml, "region"))
		opened++;
	CHECK_INT(opened, XML_DEPTH_MAX);
	arena_free(arena);
}

/* Of which nothing is left for the user: they have the symbol. */
TEST(sir__calls_of_names_of_the_compiler)
{
	static const char source[] = "extern void hidden(void) __asm__(\".omp_outlined.\");\n"
				     "void work(void) { hidden(); hidden(); }\n";
	struct arena *arena = arena_new();
	struct text out;
	struct sir sir;

	scratch_enter();
	file_write("a.c", source, sizeof(source) - 1);
	if (system("gcc-12 -O1 -g -fPIC -shared -nostdlib a.c -o a.so 2> /dev/null"))
		test_skip("gcc-12 makes no library");
	CHECK_INT(sir_read(arena, "a.so", false, &sir), MS_OK);
	text_init(&out, arena);
	sir_print(&out, &sir);
	CHECK(strstr(out.bytes, "<call name=\".omp_outlined.\" line=\"2\"/>"));
	arena_free(arena);
}

TEST(sir__runtime_calls)
{
	static const struct {
		const char *name;
		int kind, role, combined;
	} rows[] = {
		{ "__kmpc_fork_call", MS_PARALLEL_REGION, RUNTIME_BODY, 0 },
		{ "__kmpc_fork_call_if", MS_PARALLEL_REGION, RUNTIME_BODY, 0 },
		{ "__kmpc_for_static_init_8u", MS_DO_REGION, RUNTIME_BEGIN, 0 },
		{ "__kmpc_single", MS_SINGLE_REGION, RUNTIME_BEGIN, 0 },
		{ "__kmpc_end_single", MS_SINGLE_REGION, RUNTIME_END, 0 },
		{ "GOMP_parallel", MS_PARALLEL_REGION, RUNTIME_BODY, 0 },
		{ "GOMP_parallel_loop_guided", MS_PARALLEL_REGION, RUNTIME_BODY, MS_DO_REGION },
		{ "GOMP_parallel_sections", MS_PARALLEL_REGION, RUNTIME_BODY, MS_SECTIONS_REGION },
		{ "GOMP_loop_ull_guided_start", MS_DO_REGION, RUNTIME_CHUNKS, 0 },
		{ "GOMP_loop_nonmonotonic_dynamic_next", MS_DO_REGION, RUNTIME_NEXT, 0 },
		{ "GOMP_loop_end_nowait", MS_DO_REGION, RUNTIME_END, 0 },
		{ "GOMP_taskwait_depend", MS_TASKWAIT_REGION, RUNTIME_LEAF, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct runtime_call *call = runtime_call(rows[i].name);

		if (!call)
			test_fail(__FILE__, __LINE__, "%s: no row", rows[i].name);
		CHECK_INT(call->kind, rows[i].kind);
		CHECK_INT(call->role, rows[i].role);
		CHECK_INT(call->combined, rows[i].combined);
	}
	CHECK(!runtime_call("main"));
	CHECK(!runtime_call("GOMP_atomic_start"));
	CHECK(runtime_is("GOMP_atomic_start") && runtime_is("omp_get_wtime") &&
	      !runtime_is("printf"));
}

enum { ARRAY_BEGIN = 0x2000, ARRAY_END = 0x3000, POINTER = 0x3000 };

static uint32_t array(void *ctx, uint64_t address)
{
	(void)ctx;
	return address >= ARRAY_BEGIN && address < ARRAY_END ? 5 : PROVENANCE_NONE;
}

static uint32_t pointer(void *ctx, uint64_t address)
{
	(void)ctx;
	return address == POINTER ? 6 : PROVENANCE_NONE;
}

TEST(sir__provenance)
{
	static const unsigned char bytes[] = {
		0x48, 0x8d, 0x05, 0xf9, 0x0f, 0x00, 0x00, /* 1000: lea 0x2000(%rip),%rax */
		0x48, 0x8d, 0x14, 0xc8,                   /* 1007: lea (%rax,%rcx,8),%rdx */
		0x4c, 0x8b, 0x05, 0xee, 0x1f, 0x00, 0x00, /* 100b: mov 0x3000(%rip),%r8 */
		0x48, 0x83, 0xc2, 0x08,                   /* 1012: add $8,%rdx */
		0x75, 0xfa,                               /* 1016: jne 1012 */
		0x4c, 0x01, 0xc2,                         /* 1018: add %r8,%rdx */
		0xc3,                                     /* 101b: ret */
	};
	struct arena *arena = arena_new();
	struct provenance provenance = { .array = array, .pointer = pointer };
	struct provenance_state *states, state;
	struct code *code;
	const char *why;

	if (decode_unsupported())
		test_skip("%s", decode_unsupported());
	code = code_decode(arena, NULL, 0x1000, 0x1000 + sizeof(bytes), bytes, &why);
	provenance.graph = graph_new(arena, code, NULL, 0);
	states = provenance_find(arena, &provenance);
	CHECK_INT(provenance.graph->nr_blocks, 3);
	CHECK_INT(states[0].of[0], PROVENANCE_NONE);
	CHECK_INT(states[1].of[0], 5);
	CHECK_INT(states[1].of[1], PROVENANCE_NONE);
	CHECK_INT(states[1].of[2], 5);
	CHECK_INT(states[1].of[8], 6);
	/* from two arrays */
	state = states[2];
	provenance_pass(&provenance, &code->instructions[5], &state);
	CHECK_INT(state.of[2], PROVENANCE_NONE);
	arena_free(arena);
}
