/* SPDX-License-Identifier: Apache-2.0 */
/* Detects that little memory is left for the program. */
#include "ompt_tool/process/shortage.h"

#include "analysis/base/log.h"
#include "analysis/base/memory_left.h"
#include "analysis/base/own_memory.h"

#define LOOK_NS 100000000ull

static struct {
	bool looked, no_cgroup, is_short;
	uint64_t last_ns;
} shortage;

/* Tests an allocation: the program may have lowered or exhausted a limit, or forbidden mappings. */
static bool is_refused(void)
{
	void *memory = own_memory_for_work(MEMORY_TO_GO_ON_MIN, 0);

	if (!memory)
		return true;
	own_memory_give_back(memory, MEMORY_TO_GO_ON_MIN);
	return false;
}

static bool control_group_is_full(void)
{
	struct memory_left left;

	if (shortage.no_cgroup)
		return false;
	left = memory_left_to_touch("");
	shortage.no_cgroup = left.by == MEMORY_UNLIMITED && !shortage.looked;
	return left.bytes < MEMORY_TO_GO_ON_MIN;
}

bool memory_is_short(uint64_t now_ns)
{
	const char *why = NULL;

	if (shortage.is_short || (shortage.looked && now_ns && now_ns - shortage.last_ns < LOOK_NS))
		return shortage.is_short;
	if (control_group_is_full())
		why = "the program's control group has little memory left";
	else if (is_refused())
		why = "the program may map little more memory";
	shortage.looked = true;
	shortage.last_ns = now_ns;
	shortage.is_short = why != NULL;
	if (why)
		log_warning("%s: measuring ends here, what was found before is in the record", why);
	return shortage.is_short;
}
