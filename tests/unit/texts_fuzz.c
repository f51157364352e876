/* SPDX-License-Identifier: Apache-2.0 */
/* Text files that users write: limits of `diff`, argument sets of `sweep`. See fuzz.h. */
#include "analysis/base/arena.h"
#include "analysis/differential/gate.h"
#include "analysis/sweep/argument_sets.h"
#include "analysis/sweep/plan.h"
#include "tests/unit/fuzz.h"

#define TEXT_MOST 4000

static const char *const limits_texts[] = {
	"# of the CI\nfail accesses>+5%\nwarn l2_misses:*>+1%\n",
	"fail stall_cycles:calc2/unew>+10%\n\twarn bytes:/unew>+0%\r\n",
	"warn time>1000\nfail l3_misses:swim.c:354>+2%\nfail time>1e300\n",
};
static const char *const argument_texts[] = {
	"# grid, steps\n512 100 --title 'two words' \"and \\\"these\\\"\" a\\ b\n",
	"1 2 3\n''\n\n\"$HOME\" *\n",
	"a 'b\nc' d\\\ne\n",
};

/* Parts of two texts, with other bytes. */
static size_t mutate(const char *const *texts, size_t nr_texts, char *out)
{
	static const char interesting[] = "\"'\\\n\r\t #>+%:/*$`\0\xff\x1b"
					  "19e.-";
	size_t nr = 0;

	for (uint64_t parts = 1 + pick(4); parts; parts--) {
		const char *text = texts[pick(nr_texts)];
		size_t from = pick(2) ? 0 : pick(strlen(text)), length = strlen(text) - from;

		length = pick(2) ? length : pick(length + 1);
		memcpy(out + nr, text + from, length);
		nr += length;
	}
	for (uint64_t changes = pick(8); changes && nr; changes--)
		out[pick(nr)] = interesting[pick(sizeof(interesting) - 1)];
	return nr;
}

static bool read_limits(struct arena *arena, const char *text, size_t nr)
{
	struct limits limits = { 0 };
	const char *wrong = limits_parse(arena, &limits, "limits", text, nr);

	for (size_t i = 0; i < limits.nr; i++)
		if (!*limits.items[i].text || !*limits.items[i].metric ||
		    !(limits.items[i].most >= 0 || limits.items[i].most < 0))
			abort();
	if (wrong ? !*wrong : !limits.nr)
		abort();
	return !wrong;
}

static bool read_arguments(struct arena *arena, const char *text, size_t nr)
{
	static char *const words[] = { "first", "second" };
	struct sweep_plan plan = { 0 };
	const char *wrong = arguments_parse(arena, &plan, "sets", text, nr, words, pick(3));

	for (size_t i = 0; i < plan.nr_arguments; i++)
		if (!plan.arguments[i].text)
			abort();
	if (wrong && !*wrong)
		abort();
	return !wrong;
}

TEST(texts_fuzz__limits_and_argument_sets)
{
	unsigned long read = 0;

	FUZZ_EACH(4000)
	{
		struct arena *arena = arena_new();
		bool limits = pick(2);
		char text[TEXT_MOST];
		size_t nr = mutate(limits ? limits_texts : argument_texts, 3, text);
		char *exact = malloc(nr + 1); /* so large, for AddressSanitizer */

		memcpy(exact, text, nr);
		exact = realloc(exact, nr ? nr : 1);
		read += (limits ? read_limits : read_arguments)(arena, exact, nr);
		free(exact);
		arena_free(arena);
	}
	CHECK(getenv("FUZZ_ONLY") || read > fuzz_inputs / 20);
	fuzz_tell("mutated limits and argument sets");
}
