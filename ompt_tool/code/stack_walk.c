/* SPDX-License-Identifier: Apache-2.0 */
/* Walks stacks, whatever the program's call-frame information says. */
#define _GNU_SOURCE /* mincore, _dl_find_object */
#include "ompt_tool/code/stack_walk.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/base/own_stack.h"
#include "analysis/code/code.h"
#include "ompt_tool/code/cfi.h"
#include "ompt_tool/code/frame_rule.h"

struct guarded {
	_Unwind_Trace_Fn visit;
	void *ctx;
	struct stack_walk_return end;
};

#ifdef __x86_64__
#define FRAME_BYTES_NEAR ((int64_t)64 << 20)
#define FRAME_BYTES_MAX ((uintptr_t)16 << 30)
#define BELOW_PROGRAMS 4096 /* own_stack_programs is that close */

/* unwind-dw2-fde.h of GCC: exported by libgcc_s and LLVM's libunwind. */
struct dwarf_eh_bases {
	void *tbase, *dbase, *func;
};
extern const unsigned char *_Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *bases);

static const unsigned char *fde_of(uintptr_t pc)
{
	struct dwarf_eh_bases bases;

	return _Unwind_Find_FDE((void *)pc, &bases);
}

static const unsigned char *end_of(const unsigned char *record)
{
	uint32_t length;

	memcpy(&length, record, sizeof(length));
	return record + sizeof(length) + length;
}

/* False: the unwinder alone knows. */
static bool find_rule(uintptr_t pc, struct frame_rule *out)
{
	const unsigned char *fde = fde_of(pc), *cie, *end;
	struct frame_rules rules;
	struct cfi cfi;
	const char *why;
	int32_t back;

	if (!fde)
		return false;
	memcpy(&back, fde + sizeof(back), sizeof(back));
	cie = fde + sizeof(back) - back;
	end = end_of(fde) > end_of(cie) ? end_of(fde) : end_of(cie);
	if (!cfi_read(fde, cie, end, &cfi, &why) || pc < cfi.start || pc >= cfi.end)
		return false;
	frame_rules_begin(&rules, &cfi);
	*out = frame_rules_at(&rules, pc - cfi.start);
	return true;
}

static bool is_in_memory(uintptr_t address)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	unsigned char there = 0;
	int error = errno;
	bool is = !mincore((void *)(address & -page), page, &there) && there & 1;

	errno = error;
	return is;
}

/*
 * Further out than `stack`, or where the program's stack continues from one of memsearch's own. A
 * frame may be large, as of main with arrays of 110 MiB: then the stack may not reach that far.
 */
static bool is_frame(uintptr_t cfa, uintptr_t stack)
{
	uintptr_t programs = own_stack_programs() - BELOW_PROGRAMS;
	uintptr_t from = cfa > stack && cfa - stack < FRAME_BYTES_MAX ? stack : programs;

	return cfa % sizeof(uintptr_t) == 0 && cfa > from && cfa - from < FRAME_BYTES_MAX &&
	       (cfa - from < (uintptr_t)FRAME_BYTES_NEAR || is_in_memory(cfa - sizeof(cfa)));
}

/* Code of a loaded file, which can be read. */
static bool is_in_file(uintptr_t address)
{
#ifdef DLFO_STRUCT_HAS_EH_DBASE /* glibc 2.35 */
	struct dl_find_object found;

	return !_dl_find_object((void *)address, &found);
#else
	(void)address;
	return false;
#endif
}

/* Where the caller of the frame at `cfa` continues. */
static struct stack_walk_return return_of(struct _Unwind_Context *context,
					  const struct frame_rule *rule, uintptr_t cfa)
{
	uintptr_t pointer = _Unwind_GetGR(context, CFI_FRAME_POINTER);

	if (rule->pointer_saved && rule->pointer_at < 0 && rule->pointer_at > -FRAME_BYTES_NEAR)
		pointer = *(const uintptr_t *)(cfa + (uintptr_t)rule->pointer_at);
	return (struct stack_walk_return){ (uintptr_t *)cfa - 1, pointer };
}

/* Whether the unwinder can follow this frame: its caller is code, or there is none. */
static bool continues(struct _Unwind_Context *context, struct stack_walk_return *end_out)
{
	int interrupted = 0;
	uintptr_t pc = _Unwind_GetIPInfo(context, &interrupted), stack = _Unwind_GetCFA(context),
		  cfa, caller;
	struct frame_rule rule;

	if (pc && !interrupted && !fde_of(pc - 1)) {
		*end_out = (struct stack_walk_return){ (uintptr_t *)stack - 1,
						       _Unwind_GetGR(context, CFI_FRAME_POINTER) };
		return false;
	}
	if (!pc || !find_rule(pc - !interrupted, &rule) || rule.outermost ||
	    (rule.base != CODE_RSP && rule.base != CODE_RBP))
		return true;
	cfa = (rule.base == CODE_RSP ? stack : _Unwind_GetGR(context, CFI_FRAME_POINTER)) +
	      (uintptr_t)rule.offset;
	if (!is_frame(cfa, stack))
		return false;
	caller = *(const uintptr_t *)(cfa - sizeof(cfa));
	if (!caller || fde_of(caller - 1) || is_in_file(caller - 1))
		return true;
	*end_out = return_of(context, &rule, cfa); /* a clone of a function without .eh_frame? */
	return false;
}
#else
static bool continues(struct _Unwind_Context *context, struct stack_walk_return *end_out)
{
	(void)context;
	(void)end_out;
	return true;
}
#endif

static _Unwind_Reason_Code visit_guarded(struct _Unwind_Context *context, void *ctx)
{
	struct guarded *guarded = ctx;
	_Unwind_Reason_Code code = guarded->visit(context, guarded->ctx);

	return code != _URC_NO_REASON || continues(context, &guarded->end) ? code
									   : _URC_END_OF_STACK;
}

void stack_walk(_Unwind_Trace_Fn visit, void *ctx, struct stack_walk_return *end_out)
{
	struct guarded guarded = { .visit = visit, .ctx = ctx };

	_Unwind_Backtrace(visit_guarded, &guarded);
	if (end_out)
		*end_out = guarded.end;
}
