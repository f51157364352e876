/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch machine --json`, by its schema. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/cmds/command.h"
#include "analysis/machine/figure.h"
#include "tests/unit/json_value.h"
#include "tests/unit/test.h"

#define SCHEMA "analysis/report/schema/memsearch-machine-1.schema.json"
#define OUTPUT_BYTES (1 << 20)

/* What the command prints on stdout. */
static const char *output_of(int argc, char **argv)
{
	static char output[OUTPUT_BYTES];
	FILE *file = tmpfile();
	int saved = dup(1);
	size_t nr;

	CHECK(file && saved >= 0 && dup2(fileno(file), 1) == 1);
	CHECK_INT(cmd_machine.run(&cmd_machine, argc, argv), COMMAND_OK);
	CHECK_THAT(dup2(saved, 1), ==, 1);
	rewind(file);
	nr = fread(output, 1, sizeof(output) - 1, file);
	CHECK(nr > 0 && nr < sizeof(output) - 1);
	output[nr] = '\0';
	fclose(file);
	return output;
}

TEST(machine_json__is_by_its_schema)
{
	char *argv[] = { "machine", "--json", "properties/machines/altix-bx2.machine",
			 "properties/machines/a64fx.machine", NULL };
	const char *error;
	struct json_value *schema = json_parse(json_read_file(SCHEMA), &error), *value, *machines,
			  *first;

	CHECK(schema);
	value = json_parse(output_of(4, argv), &error);
	CHECK(value);
	error = json_check(schema, value, "$");
	if (error)
		test_fail(__FILE__, __LINE__, "%s", error);
	machines = json_member(value, "machines");
	first = machines->first;
	CHECK(first && first->next && !first->next->next);
	CHECK_STR(json_member(first, "name")->string, "altix-bx2");
	CHECK_STR(json_member(first->next, "name")->string, "a64fx");
	CHECK_STR(json_member(json_member(first, "figures")->first, "figure")->string, "cores");
	CHECK_NEAR(json_member(json_member(first, "figures")->first, "value")->number, 32, 0);
	CHECK_NEAR(json_member(first, "distances")->first->first->number, 256, 0);
	CHECK_INT(json_member(first->next, "distances")->type, JSON_NULL);
}
