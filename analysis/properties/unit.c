/* SPDX-License-Identifier: Apache-2.0 */
/* Units of the property language: powers of ns and bytes. */
#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/properties/unit.h"

#include <string.h>

static const struct {
	const char *name;
	struct unit unit;
	double scale; /* in ns and bytes */
} units[] = {
	{ "1", { 0, 0 }, 1 },
	{ "%", { 0, 0 }, 0.01 },
	{ "ns", { 1, 0 }, 1 },
	{ "us", { 1, 0 }, 1e3 },
	{ "ms", { 1, 0 }, 1e6 },
	{ "s", { 1, 0 }, 1e9 },
	{ "bytes", { 0, 1 }, 1 },
	{ "KiB", { 0, 1 }, 1024 },
	{ "MiB", { 0, 1 }, 1024.0 * 1024 },
	{ "GiB", { 0, 1 }, 1024.0 * 1024 * 1024 },
	{ "Hz", { -1, 0 }, 1e-9 },
	{ "bytes/s", { -1, 1 }, 1e-9 },
};

#define UNITS (sizeof(units) / sizeof(units[0]))

bool unit_equal(struct unit a, struct unit b)
{
	return a.time == b.time && a.bytes == b.bytes;
}

/* Powers beyond this are nonsense; saturating keeps them unequal to all that is sensible. */
static signed char power(int value)
{
	return (signed char)(value > 100 ? 100 : value < -100 ? -100 : value);
}

struct unit unit_product(struct unit a, struct unit b, int sign)
{
	struct unit product = { power(a.time + sign * b.time), power(a.bytes + sign * b.bytes) };

	return product;
}

bool unit_find(const char *name, struct unit *unit_out, double *scale_out)
{
	for (size_t i = 0; i < UNITS; i++) {
		if (strcmp(units[i].name, name) == 0) {
			*unit_out = units[i].unit;
			*scale_out = units[i].scale;
			return true;
		}
	}
	return false;
}

const char *unit_nearest(const char *name)
{
	const char *names[UNITS];

	for (size_t i = 0; i < UNITS; i++)
		names[i] = units[i].name;
	return log_nearest(name, names, UNITS);
}

static const char *factor(struct arena *arena, const char *name, int exponent)
{
	if (exponent == 0)
		return "";
	return exponent == 1 ? name : arena_printf(arena, "%s^%d", name, exponent);
}

const char *unit_text(struct arena *arena, struct unit unit)
{
	const char *time, *bytes;

	if (!unit.time && !unit.bytes)
		return "1";
	if (unit.time == -1 && !unit.bytes)
		return "1/ns";
	if (unit.time == -1 && unit.bytes == 1)
		return "bytes/ns";
	time = factor(arena, "ns", unit.time);
	bytes = factor(arena, "bytes", unit.bytes);
	if (!time || !bytes)
		return "?";
	return !*time ? bytes : !*bytes ? time : arena_printf(arena, "%s %s", time, bytes);
}
