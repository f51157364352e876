/* SPDX-License-Identifier: Apache-2.0 */
/* Finds return addresses of callers on the stack. */
#include "ompt_tool/clones/call_frames.h"

#include "analysis/code/instruction.h"
#include "ompt_tool/clones/cfi_copy.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/copy.h"
#include "ompt_tool/clones/entry_table.h"
#include "ompt_tool/code/frame_rule.h"

#define FRAME_BYTES_MAX ((int64_t)1 << 30)

/* Return point in an original → its frame: */
static struct entries *_Atomic frames;
/* offset of the CFA | -pointer_at << 32 | flags */
#define POINTER_SHIFT 32
#define POINTER_MASK ((uintptr_t)FRAME_BYTES_MAX - 1)
#define OFFSET_MASK ((uintptr_t)UINT32_MAX)
#define BASE_IS_POINTER ((uintptr_t)1 << 63)
#define POINTER_SAVED ((uintptr_t)1 << 62)

/* 0: it has no such frame. */
static uintptr_t packed(const struct frame_rule *rule)
{
	uintptr_t value;

	if (rule->outermost || (rule->base != CODE_RSP && rule->base != CODE_RBP) ||
	    rule->offset < (int64_t)sizeof(uintptr_t) || rule->offset >= FRAME_BYTES_MAX)
		return 0;
	value = (uintptr_t)rule->offset | (rule->base == CODE_RBP ? BASE_IS_POINTER : 0);
	if (!rule->pointer_saved)
		return value;
	if (rule->pointer_at >= 0 || -rule->pointer_at >= FRAME_BYTES_MAX)
		return 0;
	return value | POINTER_SAVED | (uintptr_t)-rule->pointer_at << POINTER_SHIFT;
}

void call_frames_note(const struct code_bounds *bounds, const struct copy_place *returns, size_t nr)
{
	struct frame_rules rules;
	struct cfi cfi;
	const char *why;
	uintptr_t before = UINTPTR_MAX;

	if (!bounds->fde || !unwind_cfi(bounds, &cfi, &why))
		return;
	for (size_t i = 0; i < nr; i++) {
		uintptr_t at = returns[i].original;
		struct frame_rule rule;

		if (at < bounds->start || at >= bounds->end)
			continue;
		if (at < before)
			frame_rules_begin(&rules, &cfi);
		rule = frame_rules_at(&rules, at - bounds->start);
		before = at;
		entries_set(&frames, at, packed(&rule));
	}
}

bool call_frames_next(struct call_frame *frame)
{
	uintptr_t rule = entries_get(&frames, clone_original(*frame->slot)), cfa;

	if (!rule)
		return false;
	/* the call has removed its return address when it returns */
	cfa = (rule & BASE_IS_POINTER ? frame->pointer : (uintptr_t)(frame->slot + 1)) +
	      (rule & OFFSET_MASK);
	if (cfa % sizeof(uintptr_t) || cfa <= (uintptr_t)(frame->slot + 1))
		return false;
	if (rule & POINTER_SAVED)
		frame->pointer = *(const uintptr_t *)(cfa - (rule >> POINTER_SHIFT & POINTER_MASK));
	frame->slot = (uintptr_t *)cfa - 1;
	return true;
}
