/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reading of hwloc's XML: any bytes must become a topology, of which a model can be made
 * or not, or a reason. Corpus: tests/data/modelled.
 *     clang-19 -fsanitize=fuzzer,address,undefined … tests/fuzz/xml.c, or the unit test xml_fuzz
 */
#include "analysis/machine/topology.h"

#include <stdint.h>

#include "analysis/base/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_new();
	char *text = arena_strndup(arena, (const char *)bytes, length);
	static struct topology topology;
	const char *why = topology_parse_xml(arena, text, &topology);

	if (why ? !*why
		: topology.cores == 0 || topology.nodes > MODEL_NODES || topology.cores > 1u << 20)
		__builtin_trap();
	arena_free(arena);
	return 0;
}
