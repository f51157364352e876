/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of tables of addresses, some of which cannot be changed. */
#define _GNU_SOURCE
#include "ompt_tool/arrays/heap_tables.h"

#include <dlfcn.h>

#include "ompt_tool/arrays/heap.h"
#include "tests/unit/test.h"

static struct slots_changed changed; /* by the next look */

struct slots_changed heap_tables_change(const struct heap_interposer *interposer)
{
	(void)interposer;
	return changed;
}

static void start(const struct heap_hooks *const *where,
		  void (*earlier)(const struct heap_gone *block, bool mapped))
{
	(void)where, (void)earlier;
}

static struct heap_status look_again(const char *library, struct slots_changed next)
{
	struct heap_status status;

	changed = next;
	if (dlopen(library, RTLD_NOW | RTLD_NOLOAD) || !dlopen(library, RTLD_NOW))
		test_skip("%s cannot be loaded now", library);
	heap_update();
	heap_status(&status);
	return status;
}

/* Every look tries all entries: those that cannot be changed are the same again. */
TEST(heap_tables__entries_that_cannot_be_changed)
{
	static const struct heap_interposer offer = { .start = start };
	struct heap_status status;

	changed = (struct slots_changed){ .nr = 5, .refused = 2 };
	heap_offer(&offer);
	CHECK(heap_start(&status));
	CHECK_INT(status.slots, 5);
	CHECK_INT(status.refused, 2);
	status = look_again("libanl.so.1", (struct slots_changed){ .nr = 1, .refused = 2 });
	CHECK_INT(status.slots, 6);
	CHECK_INT(status.refused, 2);
	CHECK(strstr(status.why, "some of the calls cannot be replaced"));
	status = look_again("libstdc++.so.6", (struct slots_changed){ .nr = 2 });
	CHECK_INT(status.slots, 8);
	CHECK_INT(status.refused, 0);
	CHECK(strstr(status.why, "blocks from before the OpenMP runtime's begin"));
}
